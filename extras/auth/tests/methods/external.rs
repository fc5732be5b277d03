//! Tokens of another provider (reference 3.10), and malformed ones.

use super::{HS, SET, facts, prove, refused, says, set, shared, token};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_extra_auth::call;
use gatewright_model::json::{Value, parse};

#[test]
fn opaque_tokens_are_introspected() {
    let settings = |cache: &str, more: &str| {
        format!(
            r#"{{"api_id":"a","name":"A","versions":["v1"],"external_oauth":{{"providers":[{{"introspection":{{"enabled":true,"url":"https://idp/ask","client_id":"me","client_secret":"s&s","cache":{cache}{more}}}}}]}}}}"#
        )
    };
    let plain = settings("null", "");
    let ask = |settings: &str, answers: &[&str]| {
        prove(
            "externalOAuth",
            settings,
            &facts(Some("Bearer opaque+1"), ""),
            answers,
        )
    };
    let wish = ask(&plain, &[]);
    assert_eq!(
        says(&wish, "/fetch/form"),
        "\"client_id=me&client_secret=s%26s&token=opaque%2B1\""
    );
    assert_eq!(says(&wish, "/fetch/seconds"), "0");
    let kept = settings(r#"{"enabled":true,"timeout":5}"#, "");
    assert_eq!(says(&ask(&kept, &[]), "/fetch/seconds"), "5");
    let good = ask(&plain, &[&set(r#"{"active":true,"sub":"anna"}"#)]);
    assert_eq!(
        says(&good, "/session/access_rights"),
        r#"{"a":{"api_id":"a","api_name":"A","versions":["v1"]}}"#
    );
    let invalid = (401, "access token is not valid");
    let failed = (500, "error happened during the access token validation");
    for (answer, refusal) in [
        (set(r#"{"active":false}"#), invalid),
        (set(r#"{"active":true}"#), invalid),
        (set(r#"{"sub":"anna"}"#), failed),
        (set(r#"{"active":"true","sub":"anna"}"#), failed),
        (set("sorry"), failed),
        (
            r#"{"status":500,"body":"{\"active\":true,\"sub\":\"a\"}"}"#.to_owned(),
            failed,
        ),
        (r#"{"status":0,"body":""}"#.to_owned(), failed),
        (
            set(r#"{"active":true,"sub":"anna","exp":1}"#),
            (401, "key not authorized: token has expired"),
        ),
    ] {
        refused(&ask(&plain, &[&answer]), refusal);
    }
    let named = settings("null", r#","identity_base_field":"username""#);
    let good = ask(&named, &[&set(r#"{"active":true,"username":"berta"}"#)]);
    assert_eq!(says(&good, "/session/alias"), "\"berta\"");
    let empty = set(r#"{"active":true,"username":"","sub":"anna"}"#);
    refused(&ask(&named, &[&empty]), invalid);
    refused(
        &prove("externalOAuth", &plain, &facts(None, ""), &[]),
        (400, "authorization field missing"),
    );
    refused(
        &ask(r#"{"api_id":"a","external_oauth":{"providers":[{}]}}"#, &[]),
        (500, "access token validation method is not specified"),
    );
    refused(
        &ask(r#"{"api_id":"a","external_oauth":{"providers":[]}}"#, &[]),
        (404, "there should be at least one provider configured"),
    );
}

#[test]
fn provider_settings_apply_to_its_tokens() {
    let source = BASE64_STANDARD.encode("secret");
    let settings = format!(
        r#"{{"api_id":"a","external_oauth":{{"providers":[{{"jwt":{{"enabled":true,"signing_method":"hmac","source":"{source}"}}}}]}}}}"#
    );
    let ask = |header: &str, claims: &str, answers: &[&str]| {
        let token = token(header, claims);
        prove(
            "externalOAuth",
            &settings,
            &facts(Some(&token), ""),
            answers,
        )
    };
    let good = ask(HS, r#"{"sub":"anna"}"#, &["true"]);
    assert_eq!(says(&good, "/session/alias"), "\"anna\"");
    let invalid = (401, "access token is not valid");
    refused(&ask(HS, r#"{"sub":"anna"}"#, &["false"]), invalid);
    refused(&ask(HS, "{}", &["true"]), invalid);
    refused(
        &ask(r#"{"alg":"none"}"#, r#"{"sub":"anna"}"#, &["true"]),
        invalid,
    );
    refused(
        &ask(r#"{"alg":"RS256"}"#, r#"{"sub":"anna"}"#, &["true"]),
        invalid,
    );
    refused(
        &ask(HS, r#"{"sub":"anna","exp":1}"#, &["true"]),
        (401, "key not authorized: token has expired"),
    );
}

#[test]
fn provider_without_keys_is_not_the_clients_fault() {
    let failed = (500, "error happened during the access token validation");
    let ask = |source: &str, header: &str, answers: &[&str]| {
        let settings = format!(
            r#"{{"api_id":"a","external_oauth":{{"providers":[{{"jwt":{{"enabled":true,"source":"{source}"}}}}]}}}}"#
        );
        let token = token(header, r#"{"sub":"anna"}"#);
        let facts = facts(Some(&token), "");
        prove("externalOAuth", &settings, &facts, answers)
    };
    for source in ["", "no base64 !"] {
        refused(&ask(source, HS, &[]), failed);
    }
    let url = "https://idp/keys";
    let kid = r#"{"alg":"HS256","kid":"o2"}"#;
    for answer in [r#"{"status":0,"body":""}"#, &set("{}")] {
        refused(&ask(url, kid, &[answer, answer]), failed);
    }
    let answers = [set(SET), set(SET)];
    let invalid = (401, "access token is not valid");
    refused(&ask(url, kid, &[&answers[0], &answers[1]]), invalid);
    refused(&ask(url, HS, &[]), invalid);
}

#[test]
fn every_response_is_handled_without_reporting_the_token() {
    let secret = "canary-signature";
    let token = format!(
        "{}.{}",
        token(HS, r#"{"sub":"a"}"#).rsplit_once('.').unwrap().0,
        secret
    );
    for answers in ["[]", "[false]", "[true]", "[{}]", "[null,1]", "{}", "null"] {
        let report = call(
            "jwt",
            &shared(""),
            &facts(Some(&token), ""),
            answers.as_bytes(),
        );
        let report = &report[0];
        let is_wish = report.starts_with("{\"verify\"");
        assert!(is_wish || !report.contains(secret), "{report}");
        assert!(parse(report).is_ok_and(|report| !Value::members(&report).is_empty()));
    }
    for (method, settings, facts) in [
        ("jwt", "", "{}"),
        ("jwt", "{}", ""),
        ("nothing", "{}", "{}"),
    ] {
        assert_eq!(call(method, settings, facts, b"[]"), [String::new()]);
    }
}
