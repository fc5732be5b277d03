//! Requests to try: what is sent, and the equivalent command.

use gatewright_model::json::parse;
use gatewright_web::api::debug::{Step, StepChange};
use gatewright_web::components::Trace;
use gatewright_web::state::trial::{Against, Sender, TokenLocation, Trial, by_phase, step_name};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::Page;

fn trial(sender: Sender) -> Trial {
    Trial {
        method: "POST".to_owned(),
        path: "/x?q=\"1\"".to_owned(),
        headers: vec![
            ("X-A".to_owned(), "1".to_owned()),
            ("x-a".to_owned(), "é\n".to_owned()),
            (String::new(), "not yet named".to_owned()),
        ],
        body: "{\n \"a\": 1.0\n}".to_owned(),
        sender,
    }
}

fn token() -> Sender {
    Sender::Token("t&k".to_owned())
}

/// Returns the text at a pointer of what is sent.
fn sent(trial: &Trial, location: &TokenLocation, pointer: &str) -> String {
    let text = trial.to_json(Against::Loaded("a"), location);
    let value = parse(&text).unwrap();
    let found = value.pointer(pointer).unwrap();
    found
        .as_str()
        .unwrap_or_else(|| found.span.of(&text))
        .to_owned()
}

#[wasm_bindgen_test]
fn typed_request_is_sent_unchanged() {
    let location = TokenLocation::default();
    let trial = trial(Sender::Nobody);
    for (pointer, expected) in [
        ("/api_id", "a"),
        ("/request/method", "POST"),
        ("/request/path", "/x?q=\"1\""),
        ("/request/body", "{\n \"a\": 1.0\n}"),
        ("/request/headers", "{\"x-a\": [\"1\", \"é\\n\"]}"),
    ] {
        assert_eq!(sent(&trial, &location, pointer), expected, "{pointer}");
    }
    let text = trial.to_json(Against::Text("{\"name\": 1.0}"), &location);
    let value = parse(&text).unwrap();
    assert_eq!(value.get("spec").unwrap().span.of(&text), "{\"name\": 1.0}");
    assert!(value.get("api_id").is_none() && value.get("key_hash").is_none());
}

#[wasm_bindgen_test]
fn a_token_goes_where_the_api_looks_for_it() {
    let trial = trial(token());
    let header = TokenLocation::Header("X-Key".to_owned());
    assert_eq!(sent(&trial, &header, "/request/headers/x-key/0"), "t&k");
    let parameter = TokenLocation::Parameter("k y".to_owned());
    assert_eq!(
        sent(&trial, &parameter, "/request/path"),
        "/x?q=\"1\"&k%20y=t%26k"
    );
    let cookie = TokenLocation::Cookie("c".to_owned());
    assert_eq!(sent(&trial, &cookie, "/request/headers/cookie/0"), "c=t&k");
    let stored = Trial {
        sender: Sender::Stored {
            hash: "h".to_owned(),
            name: "n".to_owned(),
        },
        ..trial
    };
    assert_eq!(sent(&stored, &header, "/key_hash"), "h");
}

#[wasm_bindgen_test]
fn token_location_is_the_first_in_the_definition() {
    for (definition, said) in [
        ("", "header Authorization"),
        ("{}", "header Authorization"),
        (r#"{"auth":{"auth_header_name":"X-Old"}}"#, "header X-Old"),
        (
            r#"{"auth":{"auth_header_name":"X-Old"},"auth_configs":{"authToken":{"auth_header_name":"X-New"}}}"#,
            "header X-New",
        ),
        (
            r#"{"auth":{"disable_header":true,"use_param":true,"param_name":"k"}}"#,
            "query parameter k",
        ),
        (
            r#"{"auth":{"disable_header":true,"use_param":true}}"#,
            "query parameter Authorization",
        ),
        (
            r#"{"auth":{"disable_header":true,"use_cookie":true,"cookie_name":"c"}}"#,
            "cookie c",
        ),
    ] {
        assert_eq!(
            TokenLocation::of(definition).description(),
            said,
            "{definition}"
        );
    }
}

#[wasm_bindgen_test]
fn the_command_has_a_variable_in_the_place_of_the_token() {
    let command =
        |sender, location: &TokenLocation| trial(sender).curl("/a/", "api.example", location);
    let plain = command(Sender::Nobody, &TokenLocation::default());
    assert!(
        plain.contains("'/a/x?q=\"1\"'") && !plain.contains("API_TOKEN"),
        "{plain}"
    );
    assert!(plain.contains("--header 'Host: api.example'"), "{plain}");
    for (location, part) in [
        (
            TokenLocation::default(),
            "--header 'Authorization: '\"$API_TOKEN\"",
        ),
        (
            TokenLocation::Parameter("k".to_owned()),
            "'/a/x?q=\"1\"&k='\"$API_TOKEN\"",
        ),
        (
            TokenLocation::Cookie("c".to_owned()),
            "--header 'Cookie: c='\"$API_TOKEN\"",
        ),
    ] {
        let command = command(token(), &location);
        assert!(
            command.contains(part) && !command.contains("t&k"),
            "{command}"
        );
    }
}

fn step(name: &str, phase: &str, decision: &str) -> Step {
    Step {
        name: name.to_owned(),
        phase: phase.to_owned(),
        decision: decision.to_owned(),
        ..Step::default()
    }
}

fn change(what: &str, name: &str, from: Option<&str>, to: Option<&str>) -> StepChange {
    StepChange {
        what: what.to_owned(),
        name: name.to_owned(),
        from: from.map(str::to_owned),
        to: to.map(str::to_owned),
    }
}

#[wasm_bindgen_test]
fn response_phase_starts_at_upstream_and_skipped_links_are_folded() {
    let (phases, folded) = by_phase(vec![
        step("route", "request", "passed"),
        step("ip_list", "request", "skipped"),
        step("headers", "request", "passed"),
        step("cors", "response", "skipped"),
        step("response_headers", "response", "passed"),
        step("forward", "request", "passed"),
        step("upstream", "response", "passed"),
    ]);
    let names: Vec<Vec<&str>> = phases
        .iter()
        .map(|part| {
            part.concerned
                .iter()
                .map(|step| step.name.as_str())
                .collect()
        })
        .collect();
    let expected = [
        vec!["route", "headers", "forward"],
        vec!["upstream", "response_headers"],
    ];
    assert_eq!(names, expected);
    assert_eq!(folded.len(), 2);
    assert_eq!(step_name("ip_list"), "Ip list");
    assert_eq!(step_name("forward"), "Sent on");
}

#[wasm_bindgen_test]
async fn trace_shows_changes_of_each_link() {
    let mut headers = step("headers", "request", "passed");
    headers.changes = vec![
        change("header", "x-team", None, Some("red")),
        change("header", "cookie", Some("a=1"), None),
        change("header", "x-gone", None, None),
        change("target", "", Some("/a"), Some("/b")),
    ];
    let mut back = step("headers", "response", "passed");
    back.changes = vec![change("status", "", Some("200"), Some("202"))];
    let steps = vec![step("route", "request", "skipped"), headers, back];
    let page = Page::of(move || view! { <Trace steps=steps /> }).await;
    let text = page.text();
    for part in [
        "Header x-team added red",
        "Header cookie removed a=1",
        "Header x-gone not sent",
        "Target replaced /a /b",
        "Status replaced 200 202",
        "On the way back",
        "1 link not concerned",
    ] {
        let squeezed = |text: &str| text.replace(' ', "");
        assert!(squeezed(&text).contains(&squeezed(part)), "{part}: {text}");
    }
    assert_eq!(page.count(".panel > .trace > li"), 2);
    assert_eq!(page.count("details:not([open]) .trace > li"), 1);
}
