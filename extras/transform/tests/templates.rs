//! Templates and their output, as Go prints it.

mod common;

use common::{made, table};
use gatewright_extra_transform::call;

#[test]
fn values_are_printed_as_go_prints_them() {
    table(&[
        ("{{ .n }}", r#"{"n":12345678}"#, "1.2345678e+07"),
        ("{{ .n }}", r#"{"n":100000}"#, "100000"),
        ("{{ .n }}", r#"{"n":0.000001}"#, "1e-06"),
        (
            "{{ .none }}|{{ .a.b }}",
            r#"{"none":null}"#,
            "<no value>|<no value>",
        ),
        (
            "{{ .l }} {{ .m }}",
            r#"{"l":[1,2.5,null],"m":{"b":1,"a":"x"}}"#,
            "[1 2.5 <nil>] map[a:x b:1]",
        ),
        ("{{ .array }}", "[1]", "[1]"),
        ("{{ .a }} {{ len . }}", "5", "<no value> 0"),
        ("{{ .a }} {{ len . }}", "\"x\"", "<no value> 0"),
        (
            r#"{{ printf "%05.2f|%-4s|%4d|%q|%x|%v|%d" 3.14159 "ab" 7 "q" 255 true .n }}"#,
            r#"{"n":2}"#,
            r#"03.14|ab  |   7|"q"|ff|true|%!d(float64=2)"#,
        ),
    ]);
}

#[test]
fn actions() {
    table(&[
        ("a {{- 1 -}} b", "{}", "a1b"),
        ("{{/* c */}}x", "{}", "x"),
        (
            "{{ if .a }}1{{ else if .b }}2{{ else }}3{{ end }}",
            r#"{"b":"x"}"#,
            "2",
        ),
        (
            "{{ range $i, $e := .l }}{{ if $i }},{{ end }}{{ $e }}{{ end }}",
            r#"{"l":["a","b"]}"#,
            "a,b",
        ),
        ("{{ range .l }}x{{ else }}none{{ end }}", "{}", "none"),
        (
            "{{ range $k, $v := .m }}{{ $k }}={{ $v }};{{ end }}",
            r#"{"m":{"b":2,"a":1}}"#,
            "a=1;b=2;",
        ),
        (
            "{{ range .l }}{{ if eq . 2.0 }}{{ break }}{{ end }}{{ . }}{{ end }}",
            r#"{"l":[1,2,3]}"#,
            "1",
        ),
        (
            "{{ with .a }}{{ .b }}{{ else }}-{{ end }}",
            r#"{"a":{"b":1}}"#,
            "1",
        ),
        (
            r#"{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .a }}"#,
            r#"{"a":"x"}"#,
            "<x>",
        ),
        (
            r#"{{ block "t" .a }}[{{ . }}]{{ end }}"#,
            r#"{"a":"x"}"#,
            "[x]",
        ),
        (
            "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}",
            "{}",
            "2",
        ),
        (
            "{{ and 1 0 }} {{ or 0 \"x\" }} {{ not true }}",
            "{}",
            "0 x false",
        ),
        (
            "{{ index .l 1 }} {{ len .l }} {{ slice .l 1 }} {{ slice .l 0 0 }}",
            r#"{"l":["a","b"]}"#,
            "b 2 [b] []",
        ),
        (
            "{{ if and (gt .n 1.0) (lt .n 3.0) }}in{{ end }}",
            r#"{"n":2}"#,
            "in",
        ),
        (
            "{{ html \"<a>\" }} {{ urlquery \"a b\" }}",
            "{}",
            "&lt;a&gt; a+b",
        ),
    ]);
}

#[test]
fn members_are_the_same_however_they_are_read() {
    let look = "{{ .m.a }} {{ .m.none }} {{ range $n, $v := .m }}{{ $n }}{{ $v }} {{ end }}{{ .m.a }} {{ len .m }}";
    let few = r#"{"m":{"b":1,"a":2,"a":3}}"#;
    table(&[
        (look, few, "3 <no value> a3 b1 3 2"),
        (
            "{{ .m.a }}{{ $_ := set .m \"a\" 4 }} {{ .m.a }} {{ .m }}",
            few,
            "3 4 map[a:4 b:1]",
        ),
        (
            "{{ .m.a }}{{ $_ := unset .m \"a\" }} {{ .m.a }} {{ .m }}",
            few,
            "3 <no value> map[b:1]",
        ),
    ]);
    let names = (0..20).rev().map(|n| format!("\"n{n:02}\":{n},"));
    let many = names.collect::<String>();
    let body = format!("{{\"m\":{{\"a\":2,{many}\"a\":3}}}}");
    let made = made(look, &body);
    assert!(made.starts_with("3 <no value> a3 n000 n011 "), "{made}");
    assert!(made.ends_with(" n1919 3 21"), "{made}");
}

#[test]
fn failing_templates() {
    for (template, what) in [
        ("{{ .name \"}", "broken"),
        ("{{ env \"HOME\" }}", "broken"),
        ("{{ if }}x{{ end }}", "broken"),
        ("{{ $y }}", "broken"),
        ("{{ if .a }}", "broken"),
        ("x {{ index .l 5 }}", "error"),
        ("{{ .n.x }}", "error"),
        ("{{ eq .n 3 }}", "error"),
        ("{{ fail \"no\" }}", "error"),
        (
            "{{ define \"t\" }}{{ template \"t\" }}{{ end }}{{ template \"t\" }}",
            "error",
        ),
        (
            "{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}",
            "error",
        ),
    ] {
        let said = made(template, r#"{"l":[1],"n":3}"#);
        assert!(
            said.starts_with(&format!("{{\"{what}\"")),
            "{template}: {said}"
        );
    }
}

#[test]
fn broken_template_has_a_position() {
    for (template, why, line, column) in [
        ("{{ .name \"}", "unterminated quoted string", 1, 10),
        ("ä𝄞{{ $y }}", "undefined variable \"$y\"", 1, 7),
        (
            "a\n  {{ nothing }}",
            "function \"nothing\" not defined",
            2,
            6,
        ),
        ("{{ if .a }}\nx", "unexpected end of the template", 2, 2),
        ("a\n{{ end }}", "unexpected {{end}}", 2, 3),
        ("{{ | upper }}", "missing value for command", 1, 3),
        ("{{ $x, $y := .l }}", "too many declarations", 1, 11),
        (
            "{{ range $a, $b, $c := .l }}{{ end }}",
            "too many declarations",
            1,
            21,
        ),
        (
            "{{ define \"t\" }}a{{ end }}{{ define \"t\" }}b{{ end }}",
            "multiple definition of template \"t\"",
            1,
            51,
        ),
        ("{{ .a }", "unexpected '}' in an action", 1, 7),
        ("{{ if ) }}{{ end }}", "missing value for command", 1, 6),
        (
            "{{ template x }}",
            "a template's name is expected, not x",
            1,
            13,
        ),
        ("{{ /* a }}", "unexpected '/' in an action", 1, 4),
        ("x\n{{/* a }}", "unclosed comment", 2, 1),
    ] {
        let expected = format!(
            "{{\"broken\":\"{}\",\"column\":{column},\"line\":{line}}}",
            why.replace('"', "\\\"")
        );
        assert_eq!(made(template, "{}"), expected, "{template}");
        assert_eq!(call("check", template, "", b""), [expected], "{template}");
    }
    for template in ["xml\n{{ .a }}", "{{ fail \"x\" }}", ""] {
        assert_eq!(call("check", template, "", b"["), ["{}"], "{template}");
    }
}

#[test]
fn helpers() {
    table(&[
        (
            r#"{{ addf 0.1 0.2 }} {{ mulf 0.1 3 }} {{ subf 0.3 0.1 }} {{ divf 1 3 }}"#,
            "{}",
            "0.3 0.3 0.2 0.3333333333333333",
        ),
        (r#"{{ regexMatch "(" "a" }}"#, "{}", "false"),
        (r#"{{ .a | default "x" | upper | quote }}"#, "{}", r#""X""#),
        (
            r#"{{ trunc 3 "abcdef" }} {{ title "big news" }} {{ snakecase "FirstName" }}"#,
            "{}",
            "abc Big News first_name",
        ),
        (
            r##"{{ regexReplaceAll "[0-9]+" "a1b22" "#" }}"##,
            "{}",
            "a#b#",
        ),
        (
            "{{ jsonMarshal . }}",
            r#"{"b":"<","a":[1,12345678]}"#,
            r#"{"a":[1,12345678],"b":"\u003c"}"#,
        ),
        (
            "{{ xmlMarshal . }}",
            r#"{"r":{"-id":"1","n":["a","b<"]}}"#,
            r#"<r id="1"><n>a</n><n>b&lt;</n></r>"#,
        ),
        (
            r#"{{ date "02 Jan 06 15:04 MST" (toDate "2006-01-02" "2020-02-03") }}"#,
            "{}",
            "03 Feb 20 00:00 UTC",
        ),
        (
            r#"{{ add 1 2 }} {{ div 7 2 }} {{ round 3.14159 2 }}"#,
            "{}",
            "3 3 3.14",
        ),
        (
            r#"{{ semverCompare "^1.2.0" "1.3.0" }} {{ sha1sum "abc" }}"#,
            "{}",
            "true a9993e364706816aba3e25717850c26c9cd0d89d",
        ),
        (
            r#"{{ dict "k" "v" | toJson }} {{ list 1 "two" | toJson }} {{ (split "." "a.b")._1 }}"#,
            "{}",
            r#"{"k":"v"} [1,"two"] b"#,
        ),
    ]);
}

#[test]
fn gateway_variables() {
    let facts = r#"{"now":1,"context":{"path":"/p"},"meta":{"plan":"gold"},"variables":{"$gateway_context.path":"%2Fp"}}"#;
    let settings =
        "json\n{{ ._tyk_context.path }} {{ ._gateway_meta.plan }} $gateway_context.path {{ .x }}";
    let body = r#"{"_gateway_meta":{"plan":"forged"},"x":"$gateway_context.path"}"#;
    let answer = call("request", settings, facts, body.as_bytes());
    assert_eq!(answer[1], "/p gold %2Fp $gateway_context.path");
}

#[test]
fn xml_is_read() {
    let settings = "xml\n{{ . | jsonMarshal }}";
    let read = |body: &str| call("request", settings, "{}", body.as_bytes()).join("");
    let body = r#"<?xml version="1.0"?><s:a xmlns:s="urn:x"><!-- c --><b>1</b><b/><c x="1"/><d><![CDATA[<raw>]]></d> mixed </s:a>"#;
    assert_eq!(
        read(body),
        "{}{\"a\":{\"#text\":\"mixed\",\"-s\":\"urn:x\",\"b\":[\"1\",\"\"],\"c\":{\"-x\":\"1\"},\"d\":\"\\u003craw\\u003e\"}}"
    );
    assert!(read("<a><b></a>").contains("error"));
    let declared = "<!DOCTYPE a [<!ENTITY x '>'><!-- c -->]>\n<a>x\r\ny</a>";
    assert_eq!(read(declared), r#"{}{"a":"x\ny"}"#);
    assert_eq!(read(""), "{}{\"_\":\"\"}");
    let named = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>J\xe4rvi \x80</a>";
    let is_error = |answer: Vec<String>| answer.join("").contains("error");
    assert_eq!(
        call("request", settings, "{}", named),
        ["{}", r#"{"a":"Järvi €"}"#]
    );
    for unnamed in [
        &b"<a>J\xe4rvi</a>"[..],
        b"<?xml encoding=\"UTF-8\"?><a>J\xe4rvi</a>",
    ] {
        assert!(is_error(call("request", settings, "{}", unnamed)));
    }
    assert_eq!(call("response", settings, "{}", b"oops"), ["{}", "{}"]);
}

#[test]
fn an_answer_of_an_unknown_type_is_json() {
    for kind in ["", "yaml", "JSON"] {
        let settings = format!("{kind}\n{{{{ .a }}}}");
        let of = |function| call(function, &settings, "{}", br#"{"a":1}"#).join("");
        assert_eq!(of("response"), "{}1", "{kind}");
        assert!(of("request").contains("error"), "{kind}");
    }
}

#[test]
fn null_has_no_members_and_missing_values_have_missing_members() {
    for template in [
        "{{ .none.x }}",
        "{{ .m.none.x }}",
        "{{ range .l }}{{ .x }}{{ end }}",
    ] {
        let failed = made(
            template,
            r#"{"none":null,"m":{"none":null},"l":[{"x":1},null]}"#,
        );
        assert!(
            failed.contains("nil pointer evaluating"),
            "{template}: {failed}"
        );
    }
    table(&[(
        r#"{{ .missing.x.y }} {{ range .l }}{{ .x.y }}{{ end }} {{ define "t" }}{{ .x }}{{ end }}{{ template "t" }}"#,
        r#"{"l":[{}]}"#,
        "<no value> <no value> <no value>",
    )]);
}

#[test]
fn xml_is_written() {
    table(&[
        (
            "{{ xmlMarshal . }}",
            r#"[{"a":1},{"a":2}]"#,
            "<array><a>1</a></array><array><a>2</a></array>",
        ),
        (
            "{{ xmlMarshal . }}",
            "[1,2]",
            "<doc><array>1</array><array>2</array></doc>",
        ),
        ("{{ xmlMarshal . }}", "[]", "<array/>"),
        (
            "{{ xmlMarshal . }}",
            r##"{"a":{"b":{"-x":1,"#text":""}}}"##,
            r#"<a><b x="1"></b></a>"#,
        ),
        (
            "{{ xmlMarshal .l }}{{ xmlMarshal .s }}",
            r#"{"l":[1,["x",null]],"s":"\"'<\n"}"#,
            "<float64>1</float64>\n<string>x</string><string>&#34;&#39;&lt;&#xA;</string>",
        ),
        (
            "{{ xmlMarshal .l }}",
            r#"{"l":[{"a":1}]}"#,
            r#"{"error":"xml: unsupported type: map[string]interface {}"}"#,
        ),
    ]);
}

#[test]
fn invalid_input() {
    let replaced = call("request", "json\n{{ .a }}", "{}", b"{\"a\":\"\xff\"}");
    assert_eq!(replaced, ["{}", "\u{fffd}"]);
    for body in [" ", "\n", r#"{"a":1e400}"#] {
        let failed = made("{{ . }}", body);
        assert!(failed.contains("not JSON"), "{body:?}: {failed}");
    }
    let settings = "xml\n{{ . | jsonMarshal }}";
    for body in [
        " ",
        "<1a/>",
        "<a><-b/></a>",
        "<a>]]></a>",
        "<a b=\"<\"/>",
        "<a>\u{1}</a>",
        "<a>&#0;</a>",
        "<!DOCTYPE a [<a/>",
    ] {
        let failed = call("request", settings, "{}", body.as_bytes()).join("");
        assert!(failed.contains("error"), "{body:?}: {failed}");
    }
    assert_eq!(
        call("response", settings, "{}", b""),
        ["{}", "{\"_\":\"\"}"]
    );
}

/// A body of a megabyte may have a few hundred thousand elements of the same name, and an isolate serves nobody else
/// meanwhile.
#[test]
fn many_elements_of_one_name_are_read_once() {
    const COUNT: usize = 200_000;
    let body = format!("<r>{}</r>", "<a/>".repeat(COUNT));
    let started = std::time::Instant::now();
    let made = call("request", "xml\n{{ len .r.a }}", "{}", body.as_bytes());
    assert_eq!(made, ["{}".to_owned(), COUNT.to_string()]);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}
