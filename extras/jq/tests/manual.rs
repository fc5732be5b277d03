//! The examples of the jq manual (jq 1.7, <https://jqlang.org/manual/>), section by section, as far as a filter over a
//! body can use them: filter, input, first value.

use gatewright_extra_jq::call;

/// Returns the body that a filter of the body produces, or its error.
fn made(filter: &str, body: &str) -> String {
    let filter = format!("{{body: (.body | {filter})}}");
    let answer = call("transform", &filter, "{}", body.as_bytes());
    match answer.as_slice() {
        [_, body] => body.clone(),
        other => format!("{other:?}"),
    }
}

#[track_caller]
fn table(cases: &[(&str, &str, &str)]) {
    for (filter, body, expected) in cases {
        assert_eq!(made(filter, body), *expected, "{filter} of {body}");
    }
}

#[test]
fn basic_filters() {
    table(&[
        (".", r#""text""#, r#""text""#),
        (".", "100000000000000000000", "100000000000000000000"),
        (".foo", r#"{"foo":42,"bar":"x"}"#, "42"),
        (".foo", r#"{"bar":1}"#, "null"),
        (r#".["foo"]"#, r#"{"foo":42}"#, "42"),
        (
            ".foo?",
            "[1]",
            r#"["{\"error\":\"the filter makes no value\"}"]"#,
        ),
        (".[0]", r#"[{"a":1},2]"#, r#"{"a":1}"#),
        (".[2]", "[1,2]", "null"),
        (".[-2]", "[1,2,3]", "2"),
        (".[2:4]", r#"["a","b","c","d","e"]"#, r#"["c","d"]"#),
        (".[2:4]", r#""abcdefghi""#, r#""cd""#),
        ("[.[]]", r#"{"a":1,"b":1}"#, "[1,1]"),
        ("[.foo, .bar]", r#"{"foo":42,"bar":"x"}"#, r#"[42,"x"]"#),
        (".[] | .name", r#"[{"name":"A"},{"name":"B"}]"#, r#""A""#),
        ("(. + 2) * 5", "1", "15"),
        ("[..]", "[[1]]", "[[[1]],[1],1]"),
    ]);
}

#[test]
fn types_and_operators() {
    table(&[
        (
            "{user, title: .titles[0]}",
            r#"{"user":"u","titles":["t"]}"#,
            r#"{"user":"u","title":"t"}"#,
        ),
        ("{(.user): .n}", r#"{"user":"u","n":1}"#, r#"{"u":1}"#),
        ("[.[] | . * 2]", "[1,2,3]", "[2,4,6]"),
        (".a + 1", r#"{"a":7}"#, "8"),
        (".a + null", r#"{"a":1}"#, "1"),
        ("{a:1} + {b:2} + {a:42}", "null", r#"{"a":42,"b":2}"#),
        (
            r#". - ["xml","yaml"]"#,
            r#"["xml","yaml","json"]"#,
            r#"["json"]"#,
        ),
        ("10 / . * 3", "5", "6.0"),
        (r#". / ", ""#, r#""a, b,c, d""#, r#"["a","b,c","d"]"#),
        (
            "{k:{a:1,b:2}} * {k:{a:0,c:3}}",
            "null",
            r#"{"k":{"a":0,"b":2,"c":3}}"#,
        ),
        (
            "[.[] | length]",
            r#"[[1,2],"string",{"a":2},null,-5]"#,
            "[2,6,1,0,5]",
        ),
        ("utf8bytelength", "\"\\u03bc\"", "2"),
        (
            "keys",
            r#"{"abc":1,"abcd":2,"Foo":3}"#,
            r#"["Foo","abc","abcd"]"#,
        ),
        (r#"map(has("foo"))"#, r#"[{"foo":42},{}]"#, "[true,false]"),
        ("map(.+1)", "[1,2,3]", "[2,3,4]"),
        ("map_values(.+1)", r#"{"a":1,"b":2}"#, r#"{"a":2,"b":3}"#),
        (
            "pick(.a, .b.c)",
            r#"{"a":1,"b":{"c":2,"d":3},"e":4}"#,
            r#"{"a":1,"b":{"c":2}}"#,
        ),
        ("del(.[1,2])", r#"["foo","bar","baz"]"#, r#"["foo"]"#),
        ("del(.[0,2], .[1])", "[1,2,3,4]", "[4]"),
        ("del(.[1:3])", "[1,2,3,4]", "[1,4]"),
        ("del(.[0:2], .[3])", "[1,2,3,4]", "[3]"),
        ("del(.[-1])", "[1,2,3]", "[1,2]"),
        (
            "del(.a, .b.c)",
            r#"{"a":1,"b":{"c":2,"d":3}}"#,
            r#"{"b":{"d":3}}"#,
        ),
        ("del(.[] | select(. > 1))", "[1,2,3,1]", "[1,1]"),
        ("del(empty)", "[1]", "[1]"),
        (
            "delpaths([[\"a\",\"b\"]])",
            r#"{"a":{"b":1},"x":{"y":2}}"#,
            r#"{"a":{},"x":{"y":2}}"#,
        ),
        ("delpaths([[0],[1]])", "[1,2,3]", "[3]"),
        (
            "@csv",
            r#"[1,"a\"b",null,true,1.5]"#,
            r#""1,\"a\"\"b\",,true,1.5""#,
        ),
        ("@tsv", r#"["a\tb\\c\n",null,2]"#, r#""a\\tb\\\\c\\n\t\t2""#),
        ("@csv \"row: \\(.)\"", r#"["x",2]"#, r#""row: \"x\",2""#),
        (
            "try @csv catch .",
            r#"[[1]]"#,
            r#""array ([1]) is not valid in a csv row""#,
        ),
        (
            "try @tsv catch .",
            "1",
            r#""number (1) cannot be tsv-formatted, only an array can be""#,
        ),
        ("del(.foo)", r#"{"foo":42,"bar":9}"#, r#"{"bar":9}"#),
        ("to_entries", r#"{"a":1}"#, r#"[{"key":"a","value":1}]"#),
        (
            r#"with_entries(.key |= "KEY_" + .)"#,
            r#"{"a":1,"b":2}"#,
            r#"{"KEY_a":1,"KEY_b":2}"#,
        ),
        ("map(select(. >= 2))", "[1,5,3,0,7]", "[5,3,7]"),
        ("add", r#"["a","b","c"]"#, r#""abc""#),
        ("add", "[]", "null"),
        ("any", "[true,false]", "true"),
        ("all", "[true,false]", "false"),
        ("flatten", "[1,[2],[[3]]]", "[1,2,3]"),
        ("flatten(1)", "[1,[2],[[3]]]", "[1,2,[3]]"),
        ("[range(2;4)]", "null", "[2,3]"),
        ("[range(0;10;3)]", "null", "[0,3,6,9]"),
        ("[range(0;-5;-3)]", "null", "[0,-3]"),
        ("floor", "3.14159", "3"),
        ("pow(.;2)", "4", "16.0"),
        ("map(tostring)", r#"[1,"1",[1]]"#, r#"["1","1","[1]"]"#),
        ("map(tonumber)", r#"[1,"1"]"#, "[1,1]"),
        (
            "map(type)",
            r#"[0,false,[],{},null,"hello"]"#,
            r#"["number","boolean","array","object","null","string"]"#,
        ),
        (
            "sort_by(.foo)",
            r#"[{"foo":4},{"foo":3}]"#,
            r#"[{"foo":3},{"foo":4}]"#,
        ),
        (
            "group_by(.foo) | map(length)",
            r#"[{"foo":1},{"foo":3},{"foo":1}]"#,
            "[2,1]",
        ),
        ("min, max", "[5,4,2,7]", "2"),
        ("unique", "[1,2,5,3,5,3,1,3]", "[1,2,3,5]"),
        (
            "unique_by(.foo) | length",
            r#"[{"foo":1},{"foo":3},{"foo":1}]"#,
            "2",
        ),
        ("reverse", "[1,2,3,4]", "[4,3,2,1]"),
        (
            r#"contains({foo:12, bar:[{barp:12}]})"#,
            r#"{"foo":12,"bar":[1,2,{"barp":12,"blip":13}]}"#,
            "true",
        ),
        (r#"indices(", ")"#, r#""a,b, cd, efg, hijk""#, "[3,7,12]"),
        (r#"inside("foobar")"#, r#""bar""#, "true"),
        (
            r#"[.[] | startswith("foo")]"#,
            r#"["fo","foo","barfoo","foobar"]"#,
            "[false,true,false,true]",
        ),
        (
            r#"[.[] | ltrimstr("foo")]"#,
            r#"["fo","foo","foobar"]"#,
            r#"["fo","","bar"]"#,
        ),
        ("explode | implode", r#""foobar""#, r#""foobar""#),
        (
            r#"split(", ")"#,
            r#""a, b,c, d, e""#,
            r#"["a","b,c","d","e"]"#,
        ),
        (r#"join(", ")"#, r#"["a","b"]"#, r#""a, b""#),
        (
            "ascii_upcase",
            r#""useful but not for é""#,
            r#""USEFUL BUT NOT FOR é""#,
        ),
        (
            "[recurse(.foo[]) | .n]",
            r#"{"n":1,"foo":[{"n":2,"foo":[]}]}"#,
            "[1,2]",
        ),
        ("transpose", "[[1],[2,3]]", "[[1,2],[null,3]]"),
        (r#""one \(.) two""#, "42", r#""one 42 two""#),
        (
            "[.[] | tojson | fromjson]",
            r#"[1,"x",[{}]]"#,
            r#"[1,"x",[{}]]"#,
        ),
        (r#"@html "<\(.)>""#, r#""a<b""#, r#""<a&lt;b>""#),
        ("@uri", r#""ü ?""#, r#""%C3%BC%20%3F""#),
        ("@base64", r#""This is""#, r#""VGhpcyBpcw==""#),
        ("@base64d", r#""VGhpcyBpcw==""#, r#""This is""#),
        ("[limit(3; .[])]", "[0,1,2,3,4]", "[0,1,2]"),
        ("first(.[] | select(. > 1))", "[0,1,2,3]", "2"),
        ("[until(. > 100; . * 2)]", "1", "[128]"),
        (
            "[repeat(. * 2; 3)]?",
            "1",
            r#"["{\"error\":\"the filter repeat is not known\",\"line\":1,\"column\":18}"]"#,
        ),
    ]);
}

#[test]
fn conditions_and_errors() {
    table(&[
        (
            r#"if . == 0 then "zero" elif . == 1 then "one" else "many" end"#,
            "2",
            r#""many""#,
        ),
        ("[.[] | if . then 1 end]", "[true,false]", "[1,false]"),
        ("[.[] == 1]", "[1,1.0,\"1\"]", "[true,true,false]"),
        ("42 and \"a\"", "null", "true"),
        ("(true, false) or false", "null", "true"),
        ("[.[] | not]", "[true,false]", "[false,true]"),
        (".foo // 42", "{}", "42"),
        ("[.[] | try error catch .]", r#"["x"]"#, r#"["x"]"#),
        ("[.[] | .a?]", "[{\"a\":1},2]", "[1]"),
        (r#"try error("message") catch ."#, "null", r#""message""#),
        (
            "[label $out | .[] | if . > 2 then break $out else . end]",
            "[1,2,3,1]",
            "[1,2]",
        ),
    ]);
}

#[test]
fn expressions() {
    table(&[
        (r#"test("foo"; "i")"#, r#""xFOO""#, "true"),
        (
            r#"capture("(?<a>[a-z]+)-(?<n>[0-9]+)")"#,
            r#""xyzzy-14""#,
            r#"{"a":"xyzzy","n":"14"}"#,
        ),
        (r#"[scan("c")]"#, r#""abcdefabc""#, r#"["c","c"]"#),
        (
            r#"split(", *"; null)?"#,
            "1",
            r#"["{\"error\":\"the filter makes no value\"}"]"#,
        ),
        (
            r#"sub("(?<x>[^a-z]*)"; "Z\(.x)")"#,
            r#""123abc456""#,
            r#""Z123abc456""#,
        ),
        (r##"gsub("\\d"; "#")"##, r#""a1b2""#, r##""a#b#""##),
    ]);
}

#[test]
fn variables_and_definitions() {
    table(&[
        (". as [$a, $b] | $a + $b", "[1,2]", "3"),
        (
            ". as {$name, v: [$first]} | [$name, $first]",
            r#"{"name":"n","v":[1]}"#,
            r#"["n",1]"#,
        ),
        (
            "def addvalue(f): f as $x | map(. + $x); addvalue(.[0])",
            "[[1,2],[10,20]]",
            "[[1,2,1,2],[10,20,1,2]]",
        ),
        (
            "def fac: if . == 1 then 1 else . * (. - 1 | fac) end; [.[] | fac]",
            "[1,2,3,4]",
            "[1,2,6,24]",
        ),
        ("reduce .[] as $n (0; . + $n)", "[1,2,3]", "6"),
        (
            "[foreach .[] as $n (0; . + $n; [$n, .])]",
            "[1,2]",
            "[[1,1],[2,3]]",
        ),
        (".foo |= . + 1", r#"{"foo":42}"#, r#"{"foo":43}"#),
        (
            ".foo += 1 | .bar //= 2",
            r#"{"foo":1}"#,
            r#"{"foo":2,"bar":2}"#,
        ),
        (
            "(.posts[] | select(.author == \"s\") | .n) |= 5",
            r#"{"posts":[{"author":"s"},{"author":"t"}]}"#,
            r#"{"posts":[{"author":"s","n":5},{"author":"t"}]}"#,
        ),
        ("[paths]", r#"[1,[2]]"#, "[[0],[1],[1,0]]"),
        ("getpath([\"a\",\"b\"])", "null", "null"),
        (
            "walk(if type == \"array\" then sort else . end)",
            "[[4,1],[2]]",
            "[[1,4],[2]]",
        ),
        ("todate", "1425599621", r#""2015-03-05T23:53:41Z""#),
        ("fromdate", r#""2015-03-05T23:51:47Z""#, "1425599507"),
        ("strftime(\"%Y-%m-%d\")", "1425599621", r#""2015-03-05""#),
    ]);
}

/// A short filter over a long body must not keep an isolate for minutes.
#[test]
fn filters_that_go_through_long_values_again_and_again_end() {
    let body = |count: usize, letters: usize| {
        let items = vec!["0"; count].join(",");
        format!(r#"{{"a":[{items}],"t":"{}"}}"#, "b".repeat(letters))
    };
    for filter in [
        ". as $d | [.a[] | $d.a[]] | length",
        ". as $d | [.a[] | $d.a[]?] | length",
        ". as $d | [.a[] | $d | ..] | length",
        ". as $d | [.a[] as $x | $d.a | sort] | length",
        ". as $d | [.a[] | $d.t | ascii_upcase] | length",
        r#". as $d | [.a[] | $d.t | split("c")] | length"#,
        r#". as $d | [.a[] | $d.t | test("c")] | length"#,
        ". as $d | [.a[] | $d | tojson] | length",
    ] {
        let short = made(filter, &body(50, 3000));
        assert!(short.parse::<usize>().is_ok(), "{filter}: {short}");
        let long = made(filter, &body(5_000, 20_000));
        assert!(
            long.contains("the filter takes too long"),
            "{filter}: {long}"
        );
    }
    // What is gone through may still be changed, and be a path.
    assert_eq!(
        made(".a[] |= . + 1 | [.a[]?, paths]", r#"{"a":[1,2]}"#),
        r#"[2,3,["a"],["a",0],["a",1]]"#
    );
}

#[test]
fn endless_filters_end() {
    for filter in [
        "def f: f; f",
        "[repeat(1)]",
        "last(range(infinite))",
        "reduce range(1e15) as $x (0; . + 1)",
        "until(false; .)",
        "[while(true; .)] | length",
        "first(range(1e15) | select(. < 0))",
    ] {
        let made = made(filter, "{}");
        assert!(made.contains("error"), "{filter}: {made}");
    }
    // Each run has fuel of its own.
    assert_eq!(made("[range(3)]", "{}"), "[0,1,2]");
}
