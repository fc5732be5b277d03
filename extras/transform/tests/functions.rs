//! The functions of templates, which work as in Go.

mod common;

use common::{made, table};

#[test]
fn snakecase_keeps_digits_with_their_words() {
    for (name, expected) in [
        ("http2xx", "http_2xx"),
        ("HTTP20xOK", "http_20x_ok"),
        ("Duration2m3s", "duration_2m3s"),
        ("Bld4Floor3rd", "bld4_floor_3rd"),
        ("FirstName2", "first_name2"),
    ] {
        let template = format!("{{{{ snakecase {name:?} }}}}");
        assert_eq!(made(&template, "{}"), expected);
    }
}

#[test]
fn case_functions_map_each_letter_to_one() {
    table(&[(
        "{{ upper .s }} {{ lower .s }} {{ title .s }} {{ swapcase .s }}",
        r#"{"s":"ßaÄİΣ"}"#,
        "ßAÄİΣ ßaäİσ ßaÄİΣ ßAäİσ",
    )]);
}

#[test]
fn must_functions_fail_on_unreadable_input() {
    table(&[
        (
            r#"{{ fromJson "x" }}{{ toDate "2006" "x" | unixEpoch }}"#,
            "{}",
            "<no value>-62135596800",
        ),
        (
            r#"{{ durationRound "2h10m5s" }} {{ durationRound "400h" }} {{ durationRound "x" }}"#,
            "{}",
            "2h 16d 0s",
        ),
    ]);
    for template in [
        r#"{{ mustFromJson "x" }}"#,
        r#"{{ mustToDate "2006" "x" }}"#,
        r#"{{ mustDateModify "x" now }}"#,
    ] {
        let failed = made(template, "{}");
        assert!(failed.contains("can't be read"), "{template}: {failed}");
    }
}

#[test]
fn verbs_of_printf() {
    table(&[
        (
            r#"{{ printf "%5v|%-3v|%6.3v|%+v|%v" .l .l 3.14159 .n .n }}"#,
            r#"{"l":["a",1],"n":12345678}"#,
            "[    a     1]|[a   1  ]|  3.14|1.2345678e+07|1.2345678e+07",
        ),
        (
            r#"{{ printf "%5d|%.2f|%+d|%10s|" .n "hello" .n 7 }}"#,
            r#"{"n":3}"#,
            "%!d(float64=    3)|%!f(string=he)|%!d(float64=+3)|%!s(int=         7)|",
        ),
        (
            r#"{{ printf "%[2]s-%[1]s-%[1]s|%[5]s" "a" "b" }} {{ printf "%*d %.*f" 5 3 2 3.14159 }}"#,
            "{}",
            "b-a-a|%!s(BADINDEX)     3 3.14",
        ),
        (r#"{{ printf "% x" "hi" }}"#, "{}", "68 69"),
    ]);
}

#[test]
fn functions_check_their_arguments() {
    for (call, why) in [
        (
            "until .n",
            "wrong type for value of until; expected int; got float64",
        ),
        (
            "trunc .n .s",
            "wrong type for value of trunc; expected int; got float64",
        ),
        (
            r#"ternary "a" "b" .s"#,
            "wrong type for value of ternary; expected bool; got string",
        ),
        (
            "upper .n",
            "wrong type for value of upper; expected string; got float64",
        ),
        (
            "upper .s .s",
            "wrong number of args for upper: want 1 got 2",
        ),
        ("upper", "wrong number of args for upper: want 1 got 0"),
        (
            "default",
            "wrong number of args for default: want at least 1 got 0",
        ),
        ("first .none", "first: <nil> is no list"),
        ("repeat -1 .s", "repeat: a count below 0"),
        ("substr 5 2 .s", "slice bounds out of range"),
        ("divf 1 0", "decimal division by 0"),
        (r#"semver "x""#, "Invalid Semantic Version"),
    ] {
        let failed = made(&format!("{{{{ {call} }}}}"), r#"{"n":3,"s":"abcdef"}"#);
        assert_eq!(failed, format!("{{\"error\":\"{why}\"}}"), "{call}");
    }
    table(&[(
        "{{ until (int .n) }} {{ trunc (int .n) .s }} {{ has 1 .none }} {{ round 3.14159 2 1 }}",
        r#"{"n":3,"s":"abcdef"}"#,
        "[0 1 2] abc false 3.14",
    )]);
}

#[test]
fn more_helpers() {
    table(&[
        (
            r#"{{ title "o'neil's way" }} {{ untitle "O'Neil Way" }}"#,
            "{}",
            "O'Neil'S Way o'Neil way",
        ),
        (
            r#"{{ base "" }} {{ base "/" }} {{ osBase "/a/b" }} {{ dir "a/../b/c" }} {{ osDir "/a" }} {{ osExt "a.x" }}"#,
            "{}",
            ". / b b / .x",
        ),
        (
            r#"{{ b64dec "aGk=" }} {{ b64dec "no!pe" }} {{ b64dec "aGVsbG8" }}"#,
            "{}",
            "hi illegal base64 data at input byte 2 illegal base64 data at input byte 4",
        ),
        (
            r#"{{ regexQuoteMeta "a-b.c#" }} {{ urlJoin (dict "host" "h") }} {{ hello }} {{ ago now }}"#,
            "{}",
            r"a-b\.c# //h Hello! 0s",
        ),
        (
            r#"{{ mustSlice (list 1 2 3) 1 }} {{ mustPush (list 1) 2 }} {{ mustChunk 2 (list 1 2 3) }} {{ mustCompact (list 0 1) }}"#,
            "{}",
            "[2 3] [1 2] [[1 2] [3]] [1]",
        ),
        (
            r#"{{ semverCompare ">1.0.0-alpha.2" "1.0.0-alpha.10" }} {{ semverCompare "1.2 - 1.4" "1.3.0" }}"#,
            "{}",
            "true true",
        ),
        ("{{ 017 }} {{ 0 }} {{ 0.5 }}", "{}", "15 0 0.5"),
        (
            "{{ html .none }} {{ urlquery 1 .none }} {{ range $i := 2 }}{{ $i }}{{ end }}",
            "{}",
            "&lt;no value&gt; 1%3Cno+value%3E 01",
        ),
    ]);
}

#[test]
fn maps_are_changed_in_place() {
    table(&[
        (
            r#"{{ $m := dict }}{{ range .l }}{{ $_ := set $m . 1 }}{{ end }}{{ $m | toJson }}"#,
            r#"{"l":["b","a"]}"#,
            r#"{"a":1,"b":1}"#,
        ),
        (
            r#"{{ $_ := set .m "b" 2 }}{{ $_ := unset .m "a" }}{{ .m }} {{ len . }}"#,
            r#"{"m":{"a":1}}"#,
            "map[b:2] 1",
        ),
        (
            r#"{{ $m := dict "a" 1 }}{{ $n := set $m "b" 2 }}{{ $_ := set $n "c" (deepCopy $m) }}{{ $m }}"#,
            "{}",
            "map[a:1 b:2 c:map[a:1 b:2]]",
        ),
        (
            r#"{{ $m := dict "a" 1 }}{{ $_ := merge $m (dict "a" 2 "b" 3) }}{{ $m }}"#,
            "{}",
            "map[a:1 b:3]",
        ),
        (
            r#"{{ keys .m }}{{ hasKey .m "a" }}[{{ get .m "a" }}]{{ merge .m (dict "a" 1) }}{{ unset .m "a" }}"#,
            "{}",
            "[]false[]map[a:1]<no value>",
        ),
        (
            r#"{{ set .m "a" 1 }}"#,
            "{}",
            r#"{"error":"set: the map is nil"}"#,
        ),
        (
            r#"{{ $m := dict }}{{ $_ := set $m "l" (list 1 (dict "m" $m)) }}"#,
            "{}",
            r#"{"error":"a map can't contain itself"}"#,
        ),
        (
            "{{ $m := dict }}{{ range until 100000 }}{{ $_ := set $m \"l\" $.array }}{{ end }}",
            &format!("[{}0]", "0,".repeat(1000)),
            r#"{"error":"the template takes too long"}"#,
        ),
    ]);
}

/// A short template over a long body must not keep an isolate for minutes.
#[test]
fn long_lists_and_maps_take_steps() {
    let list = |count: usize| {
        let items: Vec<String> = (0..count).map(|item| item.to_string()).collect();
        format!("[{}]", items.join(","))
    };
    let map = |count: usize| {
        let members: Vec<String> = (0..count).map(|name| format!("\"{name}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    let uniq = "{{ uniq .array | len }}";
    let append = "{{ $l := list }}{{ range .array }}{{ $l = append $l . }}{{ end }}{{ len $l }}";
    let get = r#"{{ range $name, $_ := . }}{{ $_ := get $ $name }}{{ end }}"#;
    let too_long = r#"{"error":"the template takes too long"}"#;
    table(&[
        (uniq, &list(5_000), "5000"),
        (append, &list(5_000), "5000"),
        (get, &map(5_000), ""),
        (uniq, &list(100_000), too_long),
        (append, &list(100_000), too_long),
        (get, &map(50_000), too_long),
    ]);
}

/// Neither must one over a long text.
#[test]
fn long_texts_take_steps() {
    let over = |count: usize, bytes: usize| {
        let items = vec!["0"; count].join(",");
        let text = "a".repeat(bytes);
        format!(r#"{{"array":[{items}],"text":"{text}","same":"{text}"}}"#)
    };
    let too_long = r#"{"error":"the template takes too long"}"#;
    for call in [
        r#"contains "b" $.text"#,
        r#"regexMatch "b[cdefghijklmnopqrstuvwxyz]+(yes|no|maybe|perhaps)" $.text"#,
        "eq $.text $.same",
        "print $.text",
    ] {
        let template = format!("{{{{ range .array }}}}{{{{ $_ := {call} }}}}{{{{ end }}}}");
        table(&[
            (&template, &over(10, 100_000), ""),
            (&template, &over(2_000, 100_000), too_long),
        ]);
    }
}

#[test]
fn numbers_are_parsed_and_printed() {
    table(&[
        (
            r#"{{ int "0x1f" }} {{ int "-017" }} {{ int "1_000" }} {{ int "12.0" }} {{ int " 1" }} {{ int "12." }} {{ int "08" }}"#,
            "{}",
            "31 -15 1000 12 0 0 0",
        ),
        (
            "{{ divf 2 3 }} {{ divf 2.5 3 }} {{ divf 10 4 }} {{ divf 1 0.00001 }} {{ mulf 0 -2 }} {{ subf 1.5 1.7 }}",
            "{}",
            "0.6666666666666667 0.8333333333333333 2.5 100000 0 -0.2",
        ),
        (
            r#"{{ printf "%03.0f|%08.3f|%05d|%05.3d" 3.0 -2.5 42 7 }}"#,
            "{}",
            "003|-002.500|00042|  007",
        ),
        (
            r"{{ 'a' }} {{ '\n' }} {{ '\u00e9' }} {{ '\'' }}",
            "{}",
            "97 10 233 39",
        ),
    ]);
}

#[test]
fn names_and_lines() {
    table(&[
        (
            r#"{{ camelcase "http_server" }} {{ camelcase "HTTPServer" }} {{ camelcase "_a-b  c_" }} {{ camelcase "iPhone" }}"#,
            "{}",
            "HttpServer Httpserver _AB C_ IPhone",
        ),
        (
            r#"{{ snakecase "_FooBar__x" }} {{ kebabcase "a.b C" }}"#,
            "{}",
            "_foo_bar__x a.b-c",
        ),
        (
            r#"{{ wrap 5 "hello big worldwide x" }}|{{ wrapWith 5 "/" "worldwide x" }}|{{ wrap 3 "  ab  " }}"#,
            "{}",
            "hello\nbig\nworldwide\nx|world/wide/x|ab \n",
        ),
        (
            r#"{{ splitn "," 0 "a,b" }} {{ splitn "," -1 "a,b" }} {{ splitn "," 2 "a,b,c" }}"#,
            "{}",
            "map[] map[_0:a _1:b] map[_0:a _1:b,c]",
        ),
        (
            r#"{{ (urlParse "mailto:a@b").opaque }} {{ (urlParse "//h:1/p").host }} {{ urlJoin (dict "host" "h" "path" "p") }}"#,
            "{}",
            "a@b h:1 //h/p",
        ),
        (
            r#"{{ semverCompare ">1.2" "1.2.5" }} {{ semverCompare "<=1.2" "1.2.5" }} {{ semverCompare "!=1.x" "1.5.0" }}"#,
            "{}",
            "false true false",
        ),
        ("{{ .a | }}", r#"{"a":1}"#, "1"),
    ]);
}
