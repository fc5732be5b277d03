//! Which of several operations with the same path a request is for.

use super::*;

#[test]
fn candidates_are_distinguished_by_parameters() {
    let id = |name: &str, schema: &str| {
        format!(r#"{{"name":"{name}","in":"path","required":true,"schema":{schema}}}"#)
    };
    let key = |name: &str| {
        format!(r#"{{"name":"{name}","in":"query","required":true,"schema":{{"type":"string"}}}}"#)
    };
    let paths = format!(
        r#"{{"/s/{{num}}":{{"get":{{"operationId":"n","x-status":400,"parameters":[{},{}]}}}},
        "/s/{{code}}":{{"get":{{"operationId":"c","x-status":409,"parameters":[{},{}]}}}}}}"#,
        id("num", r#"{"type":"integer"}"#),
        key("k"),
        id("code", r#"{"type":"string","pattern":"^[A-Z]+$"}"#),
        key("z"),
    );
    let api = api(&paths, "");
    for (address, expected) in [
        ("/s/42?k=1", "{}"),
        (
            "/s/42",
            r#""status":400,"message":"request validation error: parameter \"k\""#,
        ),
        ("/s/AB?z=1", "{}"),
        (
            "/s/AB",
            r#""status":409,"message":"request validation error: parameter \"z\""#,
        ),
        (
            "/s/abc",
            r#""status":400,"message":"request validation error: path parameter doesn't match any endpoint""#,
        ),
    ] {
        let report = api.ask(address, &[], "").remove(0);
        assert!(report.contains(expected), "{address} {report}");
    }
}

#[test]
fn candidates_are_not_distinguished_by_every_keyword() {
    let operation = |path: &str, id: &str, status: u16, schema: &str| {
        format!(
            r#""{path}":{{"get":{{"operationId":"{id}","x-status":{status},"parameters":[
            {{"name":"{id}","in":"path","required":true,"schema":{schema}}}]}}}}"#
        )
    };
    let paths = [
        operation(
            "/s/{num}",
            "num",
            409,
            r#"{"type":"integer","minimum":100}"#,
        ),
        operation(
            "/s/{uid}",
            "uid",
            400,
            r#"{"type":"string","format":"uuid"}"#,
        ),
        operation(
            "/s/{mail}",
            "mail",
            410,
            r#"{"type":"string","format":"email","pattern":"e$"}"#,
        ),
    ];
    let api = api(&format!("{{{}}}", paths.join(",")), "");
    let too_small = r#""status":409,"message":"request validation error: parameter \"num\" in path has an error: number must be at least 100""#;
    let none = "path parameter doesn't match any endpoint";
    for (address, expected) in [
        ("/s/42", too_small),
        ("/s/420", "{}"),
        ("/s/6f1c7a52-0b5e-4c1d-9a53-0d8c6a3f5e11", "{}"),
        ("/s/a@b.example", "{}"),
        ("/s/abc", none),
        ("/s/a@b", none),
    ] {
        let report = api.ask(address, &[], "").remove(0);
        assert!(report.contains(expected), "{address} {report}");
    }
}
