//! What is written can be read back.

use super::*;
use crate::json::parse;
use proptest::prelude::*;

fn yaml(json: &str) -> String {
    written(&parse(json).unwrap())
}

#[test]
fn document_is_readable() {
    let text = r##"{"openapi":"3.0.3","info":{"title":"Pets & co","version":"1.0","description":"First\n\n  second: #3\nlast\n"},
        "paths":{"/pets/{id}":{"get":{"responses":{"200":{"description":"It's here"},"default":{"$ref":"#/r"}},"tags":[],"x":{}}}},
        "servers":[{"url":"https://a.example/v1","variables":{"v":{"enum":["no","y","1"]}}},[1,[2.0]],null],"e":"","n":"null","m":"x"}"##;
    let expected = r##"openapi: "3.0.3"
info:
  title: Pets & co
  version: "1.0"
  description: |
    First

      second: #3
    last
paths:
  /pets/{id}:
    get:
      responses:
        "200":
          description: It's here
        default:
          $ref: "#/r"
      tags: []
      x: {}
servers:
  - url: https://a.example/v1
    variables:
      v:
        enum:
          - "no"
          - "y"
          - "1"
  - - 1
    - - 2.0
  - null
e: ""
"n": "null"
m: x
"##;
    assert_eq!(yaml(text), expected);
    let value = parse(text).unwrap();
    assert_eq!(json(expected), crate::json::written(&value));
}

#[test]
fn every_value_is_read_back() {
    let long = "k".repeat(2000);
    for text in [
        "null",
        "1.0",
        "\"a\"",
        "\"a\\nb\"",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        "[[1],[2,[3]]]",
        r#"[{"a":1,"b":[{"c":null}]}]"#,
        r#"{"a":" x","b":"x ","c":"x\n","d":"\nx","e":"x\n\n","f":"x\ty","g":"x\r\ny","h":"\u0000","i":"x \ny","j":"-","k":"- a"}"#,
        r##"{"a":"# x","b":"x # y","c":"x: y","d":"x:","e":":x","f":"*x","g":"&x","h":"!x","i":"%x","j":"@x","k":"`x","l":"?","m":"? x"}"##,
        r#"{"a":"<<","<<":1,"~":2,"null":3,"true":4,"1":5,"":6,"---":7,"...":8,"=":9,"a b":10,"a: b":11,"{":12,"[x]":13}"#,
        "{\"a\":\"\u{7f}\u{85}\u{a0}\u{2028}\u{feff}\u{ffff}😀\",\"b\":\"x\\n\u{2028}y\",\"é\":\"ß y\"}",
        r#"{"a":[{"b":"x\ny"},"x\ny","p\nq\n",["x\ny"]],"c":"x\n  y\nz"}"#,
        r#"{"a":-0,"b":1E400,"c":123456789012345678901234567890,"d":0.10,"e":"0x1F","f":"1e3","g":"12:30","h":"2001-12-14","i":".5"}"#,
        &format!("{{\"{long}\":{{\"{long}\":[1,{{\"{long}\":\"x\\ny\"}}]}}}}"),
    ] {
        let value = parse(text).unwrap();
        let yaml = written(&value);
        assert_eq!(json(&yaml), crate::json::written(&value), "{yaml}");
    }
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ -~]{0,8}",
        "[a-c:#\\-?*&!|>%@`'\"{}\\[\\], \\n\\t.0-9~]{0,10}",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        text.clone().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            prop::collection::vec((text.clone(), inner), 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_written_value_is_read_back(value in value()) {
        let text = value.to_string();
        let value = parse(&text).unwrap();
        let yaml = written(&value);
        prop_assert_eq!(json(&yaml), crate::json::written(&value), "{}", yaml);
    }

    #[test]
    fn any_edit_yields_the_intended_value(before in value(), after in value(), in_json: bool) {
        let (before, after) = (before.to_string(), after.to_string());
        let yaml = match in_json {
            true => before,
            false => written(&parse(&before).unwrap()),
        };
        let edited = edited(&yaml, &after, None);
        let (is, should) = (json(&edited.text), parse(&after).unwrap());
        prop_assert!(parse(&is).unwrap().same(&should), "{}\n{}", yaml, edited.text);
        prop_assert!(edited.lost.is_none());
    }

    #[test]
    fn no_text_panics(text in "([ -~\\n\\t]|[-?:,\\[\\]{}#&*!|>'\"%@`\\n ]{1,4}){0,60}") {
        if let Ok(yaml) = read(&text)
            && let Ok((json, _)) = yaml.json()
        {
            prop_assert!(parse(&json).is_ok(), "{}", json);
            let same = edited(&text, &json, None);
            prop_assert_eq!(same.text, text);
        }
    }
}
