//! Edits preserve everything else.

use super::*;
use crate::json::parse;

/// Edits a text to be equivalent to its JSON after a merge patch.
fn patched(yaml: &str, patch: &str) -> Edited {
    let document = crate::merge::merge(&json(yaml), patch).unwrap();
    let edited = edited(yaml, &document, None);
    let result = json(&edited.text);
    assert!(
        parse(&result).unwrap().same(&parse(&document).unwrap()),
        "{}",
        edited.text
    );
    edited
}

const PETS: &str = "# Pets
openapi: 3.0.3 # version
info:
  title: Pets
  # the one of the API
  version: \"1\"

servers: # all of them
  # production
  - url: https://a.example
    description: |
      Two
      lines

  - url: https://b.example # second
paths:
  # A pet
  /pets:
    get:
      responses: {200: {description: ok}}

# the end
";

#[test]
fn server_members_are_added_and_the_rest_stays() {
    let edited = patched(
        PETS,
        r#"{"servers":[{"url":"http://gw/"},{"url":"/pets"},{"url":"https://a.example","description":"Two\nlines\n"},{"url":"https://b.example"}],
            "paths":{"/pets":{"get":{"operationId":"petsGET"}}},"components":{},
            "x-gateway-api-gateway":{"info":{"id":"p","state":{"active":true}}}}"#,
    );
    let expected = PETS
        .replace(
            "servers: # all of them\n",
            "servers: # all of them\n  - url: http://gw/\n  - url: /pets\n",
        )
        .replace(
            "{description: ok}}\n",
            "{description: ok}}\n      operationId: petsGET\ncomponents: {}\nx-gateway-api-gateway:\n  info:\n    id: p\n    state:\n      active: true\n",
        );
    assert_eq!(edited.text, expected);
    assert_eq!(edited.lost, None);
}

#[test]
fn members_are_changed_and_removed_in_place() {
    for (yaml, patch, expected) in [
        (
            "a: 1 # x\nb: 2\n",
            r#"{"a":{"c":[1]}}"#,
            "a:\n  c:\n    - 1 # x\nb: 2\n",
        ),
        (
            "a: 1 # x\nb: 2\n",
            r#"{"a":"y: z"}"#,
            "a: \"y: z\" # x\nb: 2\n",
        ),
        (
            "a: 1\n# of b\nb: 2\nc: 3\n",
            r#"{"a":null}"#,
            "# of b\nb: 2\nc: 3\n",
        ),
        (
            "a: 1\nb:\n  c: 2\n  d: 3\n",
            r#"{"b":{"d":null}}"#,
            "a: 1\nb:\n  c: 2\n",
        ),
        ("b:\n  c: 2\nd: 3", r#"{"b":{"c":null}}"#, "b: {}\nd: 3"),
        ("a: |\n  x\n  y\n\nb: 1\n", r#"{"a":"z"}"#, "a: z\n\nb: 1\n"),
        ("a:\nb: ~\n", r#"{"a":{"x":1},"b":2}"#, "a:\n  x: 1\nb: 2\n"),
        (
            "- a: 1\n  b: 2\n",
            "[{\"b\":2,\"c\":3}]",
            "- b: 2\n  c: 3\n",
        ),
        (
            "a:\n- x\n- y\n",
            r#"{"a":["x","y","z"]}"#,
            "a:\n- x\n- y\n- z\n",
        ),
        (
            "a:\n- x\n# of y\n- y\n",
            r#"{"a":["x","w","y"]}"#,
            "a:\n- x\n- w\n# of y\n- y\n",
        ),
        (
            "a:\n  - x\n  - 'y'\n",
            r#"{"a":["x","no"]}"#,
            "a:\n  - x\n  - \"no\"\n",
        ),
        (
            "a: [x, y]\nb: {c: 1, d: 2}\n",
            r#"{"a":["w","x","y"],"b":{"c":null,"e":[3]}}"#,
            "a: [\"w\", x, y]\nb: {d: 2, \"e\": [3]}\n",
        ),
        (
            "{\n  \"a\": 1,\n  \"b\": {}\n}\n",
            r#"{"a":"x","b":{"c":2},"d":[]}"#,
            "{\n  \"a\": \"x\",\n  \"b\": {\"c\": 2}, \"d\": []\n}\n",
        ),
        (
            "a: &a {x: 1}\nb: *a\n",
            r#"{"b":{"z":2}}"#,
            "a: &a {x: 1}\nb:\n  x: 1\n  z: 2\n",
        ),
        (
            "a: &a\n  x: 1\nb:\n  <<: *a\n",
            r#"{"b":{"z":2}}"#,
            "a: &a\n  x: 1\nb:\n  <<: *a\n  z: 2\n",
        ),
        (
            "a: &a\n  x: 1\nb:\n  <<: *a\n",
            r#"{"b":{"x":2}}"#,
            "a: &a\n  x: 1\nb:\n  <<: *a\n  x: 2\n",
        ),
        ("a: 1\r\nb: 2\r\n", r#"{"a":null,"c":3}"#, "b: 2\nc: 3\r\n"),
        (
            "a: x\n  y\nb: >+\n  z\n\n\n",
            r#"{"c":3}"#,
            "a: x\n  y\nb: >+\n  z\n\n\nc: 3\n",
        ),
        (
            "200: a\n",
            r#"{"200":"b","404":"c"}"#,
            "200: b\n\"404\": c\n",
        ),
    ] {
        let edited = patched(yaml, patch);
        assert_eq!(edited.text, expected, "{yaml}");
        assert_eq!(edited.lost, None, "{yaml}");
    }
}

#[test]
fn equivalent_text_stays_unchanged() {
    let yaml = "b: !!str 1 # one\na: {\"x\":   0x10}\n";
    let edited = edited(yaml, r#"{"a":{"x":16},"b":"1"}"#, None);
    assert_eq!((edited.text.as_str(), edited.lost), (yaml, None));
}

#[test]
fn lost_comments_are_reported() {
    // A member merged from another map can't be removed from this one.
    let yaml = "# first\na: &a {x: 1, z: 2}\nb:\n  # second\n  <<: *a\n";
    let edited = patched(yaml, r#"{"b":{"x":null}}"#);
    assert_eq!(edited.text, "# first\na: &a {x: 1, z: 2}\nb:\n  z: 2\n");
    let lost = edited.lost.unwrap();
    assert_eq!((lost.start.line, lost.start.column), (4, 3));
    assert_eq!(lost.severity, Severity::Warning);
    assert!(lost.message.contains("\"second\""), "{}", lost.message);
}

#[test]
fn uneditable_text_is_rewritten() {
    // Another alias of the same anchor must not change.
    let yaml = "# c\na: &a {x: 1}\nb: *a\nc: *a\n";
    let edited = patched(yaml, r#"{"a":{"x":2},"b":{"x":2}}"#);
    assert_eq!(edited.text, "a:\n  x: 2\nb:\n  x: 2\nc:\n  x: 1\n");
    assert!(edited.lost.is_some());
    assert_eq!(super::edited("[", r#"{"a":1}"#, None).text, "a: 1\n");
    assert_eq!(super::edited("", "{}", None).text, "{}\n");
}

#[test]
fn members_keep_comments_from_an_equivalent_text() {
    let donor = "a: 0\n\n# of x\n# more\nx:\n  # inside\n  y: 1 # end\nz: 2\n";
    let text = edited("a: 1\nz: 2\n", r#"{"a":1,"z":2,"x":{"y":1}}"#, Some(donor)).text;
    assert_eq!(
        text,
        "a: 1\nz: 2\n# of x\n# more\nx:\n  # inside\n  y: 1 # end\n"
    );
}
