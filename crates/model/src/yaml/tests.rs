mod attacks;
mod edits;
#[cfg(not(target_arch = "wasm32"))]
mod round_trip;

use super::*;
use crate::issue::{Issue, IssueCode, Severity};

fn json(yaml: &str) -> String {
    match read(yaml).and_then(|yaml| yaml.json()) {
        Ok((json, _)) => json,
        Err(issues) => panic!("{yaml}: {issues:?}"),
    }
}

fn issues(yaml: &str) -> Vec<Issue> {
    let issues = read(yaml).and_then(|yaml| yaml.json());
    issues.map(|(json, _)| json).unwrap_err()
}

/// Returns the single issue of a text: position, pointer, code and message.
fn issue(yaml: &str) -> (u32, u32, String, IssueCode, String) {
    let issues = issues(yaml);
    let [issue] = issues.as_slice() else {
        panic!("{yaml}: {issues:?}");
    };
    let Issue {
        start,
        pointer,
        code,
        message,
        ..
    } = issue.clone();
    (start.line, start.column, pointer, code, message)
}

#[test]
fn every_notation_matches_its_json() {
    for (yaml, expected) in [
        (
            "a: 1\nb: [x, 2.0, true, ~]\n",
            r#"{"a":1,"b":["x",2.0,true,null]}"#,
        ),
        ("z: 1\na: 2\nm: 3", r#"{"z":1,"a":2,"m":3}"#),
        (
            "a: '1'\nb: \"2\"\nc: !!str 3\nd: ! 4",
            r#"{"a":"1","b":"2","c":"3","d":"4"}"#,
        ),
        (
            "a: !!int \"5\"\nb: !!float 1\nc: !!null ''\nd: !!bool 'true'",
            r#"{"a":5,"b":1,"c":null,"d":true}"#,
        ),
        (
            "d: |\n  one\n\n  two\ne: >-\n  a\n  b\n",
            r#"{"d":"one\n\ntwo\n","e":"a b"}"#,
        ),
        ("d: |+\n  one\n\n\ne: 1", r#"{"d":"one\n\n\n","e":1}"#),
        ("d: \"\\u00e9\\x41\\t\\\"\"", "{\"d\":\"éA\\t\\\"\"}"),
        ("d: \"\\ud83d\\ude00\"", "{\"d\":\"😀\"}"),
        (
            "200: a\n'404': b\n3.10: c\ntrue: d\nnull: e\n: f",
            r#"{"200":"a","404":"b","3.10":"c","true":"d","null":"e","":"f"}"#,
        ),
        ("? a\n: 1\n? b\n", r#"{"a":1,"b":null}"#),
        ("- - 1\n  - 2\n-\n  a: b", r#"[[1,2],{"a":"b"}]"#),
        ("%YAML 1.2\n---\na: 1\n...\n", r#"{"a":1}"#),
        ("# only\n--- # a comment\n{}\n", "{}"),
        (
            "a: 2001-12-14\nb: 12:30\nc: no\nd: 0o17\ne: 1_000",
            r#"{"a":"2001-12-14","b":"12:30","c":"no","d":15,"e":"1_000"}"#,
        ),
        (
            r#"{"a": [1, {"b": "c"}], "d": -1.50E+3}"#,
            r#"{"a":[1,{"b":"c"}],"d":-1.50E+3}"#,
        ),
        ("a: 1\r\nb: |\r\n  x\r\n  y\r\n", r#"{"a":1,"b":"x\ny\n"}"#),
    ] {
        assert_eq!(json(yaml), expected, "{yaml}");
    }
}

#[test]
fn aliases_are_written_out_and_maps_merged() {
    let yaml = "base: &base {x: 1, y: 2}\nmore: &more\n  <<: *base\n  y: 3\n  z: &z [*base]\none: *z\ntwo:\n  <<: [*more, {w: 5, y: 6}]\n";
    assert_eq!(
        json(yaml),
        r#"{"base":{"x":1,"y":2},"more":{"y":3,"z":[{"x":1,"y":2}],"x":1},"one":[{"x":1,"y":2}],"two":{"y":3,"z":[{"x":1,"y":2}],"x":1,"w":5}}"#
    );
    // The last anchor with a name counts, and a quoted name is a name.
    assert_eq!(
        json("a: &x 1\nb: &x 2\nc: *x\n\"<<\": 3\n*x : d"),
        r#"{"a":1,"b":2,"c":2,"<<":3,"2":"d"}"#
    );
}

#[test]
fn refusals_have_position_and_remedy() {
    use IssueCode::{DuplicateMember, Syntax};
    for (yaml, line, column, pointer, code, message) in [
        ("", 1, 1, "", Syntax, "empty"),
        ("# nothing\n", 1, 1, "", Syntax, "empty"),
        ("\u{feff}a: 1", 1, 1, "", Syntax, "byte order mark"),
        ("a: 1\n---\nb: 2", 2, 1, "", Syntax, "one at a time"),
        ("a: 1\n---\n", 2, 1, "", Syntax, "one at a time"),
        ("%YAML 1.1\n---\na: no", 2, 1, "", Syntax, "YAML 1.1"),
        ("%YAML 2.0\n---\na: no", 1, 1, "", Syntax, "version"),
        ("a:\n\tb: 1", 2, 2, "/a", Syntax, "tabs"),
        ("a:\n  b: c: d", 2, 7, "/a", Syntax, "quotes"),
        (
            "a:\n  - b\n  - \"c",
            3,
            5,
            "/a/1",
            Syntax,
            "no closing quote",
        ),
        ("a: [1, 2", 1, 4, "/a/1", Syntax, "not closed"),
        ("a: \"\\q\"", 1, 4, "/a", Syntax, "escape"),
        ("a:\n  b: *x", 2, 6, "/a/b", Syntax, "anchor"),
        ("a: @b", 1, 4, "/a", Syntax, "quotes"),
        (
            "a: 1\na: 2",
            2,
            1,
            "/a",
            DuplicateMember,
            "first at line 1, column 1",
        ),
        (
            "r:\n  200: a\n  '200': b",
            3,
            3,
            "/r/200",
            DuplicateMember,
            "remove one",
        ),
        ("a: 1\n[b]: 2", 2, 1, "", Syntax, "is a text"),
        ("a:\n  zip: 01234", 2, 8, "/a/zip", Syntax, "quotes"),
        ("a: -.inf", 1, 4, "/a", Syntax, "finite"),
        ("a: !!binary aGk=", 1, 13, "/a", Syntax, "!!binary"),
        (
            "a: !!timestamp 2001-12-14",
            1,
            16,
            "/a",
            Syntax,
            "!!timestamp",
        ),
        ("a: !Ref b", 1, 9, "/a", Syntax, "!Ref"),
        ("a: !!int b", 1, 10, "/a", Syntax, "no !!int"),
        ("a: !!set\n  ? b", 2, 3, "/a", Syntax, "!!set"),
        ("a: !!seq {}", 1, 10, "/a", Syntax, "no !!seq"),
        ("a: !x!y b", 1, 4, "/a", Syntax, "handle"),
        ("a:\n  <<: 1", 2, 7, "/a", Syntax, "merges maps"),
        ("a: &x [*x]", 1, 8, "/a/0", Syntax, "part of"),
        ("a: &x {<<: *x}", 1, 12, "/a/<<", Syntax, "part of"),
    ] {
        let (at_line, at_column, at, is, said) = issue(yaml);
        assert_eq!(
            (at_line, at_column, at.as_str(), is),
            (line, column, pointer, code),
            "{yaml}: {said}"
        );
        assert!(said.contains(message), "{yaml}: {said}");
    }
}

#[test]
fn everything_without_json_equivalent_is_reported_at_once() {
    let found = issues("a: .nan\nb: 007\nc: &c !x 1\nd: *c\ne: 1\ne: 2");
    let pointers: Vec<_> = found.iter().map(|issue| issue.pointer.as_str()).collect();
    assert_eq!(pointers, ["/a", "/b", "/c", "/d", "/e"]);
}

#[test]
fn yaml_1_1_booleans_are_reported() {
    let (json, notes) = read("a: no\nb: 'no'\nc: [On, none]\non: 1")
        .unwrap()
        .json()
        .unwrap();
    assert_eq!(json, r#"{"a":"no","b":"no","c":["On","none"],"on":1}"#);
    let told: Vec<_> = notes
        .iter()
        .map(|issue| (issue.severity, issue.pointer.as_str(), issue.start.line))
        .collect();
    let expected = [(Severity::Info, "/a", 1), (Severity::Info, "/c/0", 3)];
    assert_eq!(told, expected);
}

#[test]
fn json_issues_are_mapped_to_yaml_positions() {
    let yaml = "a: &a\n  b: [1, {c: é}]\nd:\n  <<: *a\n  e: >\n    text\nf:\n";
    let read = read(yaml).unwrap();
    for (pointer, line, column, end) in [
        ("", 1, 1, 2),
        ("/a", 1, 1, 2),
        ("/a/b/0", 2, 7, 8),
        ("/a/b/1", 2, 10, 11),
        ("/a/b/1/c", 2, 14, 15),
        ("/d/b/1/c", 2, 14, 15),
        ("/d/x", 3, 1, 2),
        ("/d/e", 6, 5, 9),
        ("/f/g", 7, 1, 2),
    ] {
        let issue = Issue {
            pointer: pointer.to_owned(),
            ..issues("[").remove(0)
        };
        let placed = read.placed(vec![issue]).remove(0);
        assert_eq!(
            (placed.start.line, placed.start.column, placed.end.column),
            (line, column, end),
            "{pointer}"
        );
    }
}
