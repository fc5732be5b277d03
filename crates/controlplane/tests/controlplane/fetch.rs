//! Documents from other servers, with servers in memory: what is called, and how responses are handled.

use futures_util::FutureExt;
use gatewright_api::shape::FetchedDocument;
use gatewright_controlplane::egress::TEXT_MAX_BYTES;
use gatewright_controlplane::ports::{Fetched, Unfetched};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const URL: &str = "https://example.com/openapi.json";

/// Fetches a URL and returns status and body.
fn fetch(memory: &Memory, url: &str) -> (u16, Value) {
    let body = json!({ "url": url }).to_string();
    let sent = memory.send("POST", "/gateway/openapi/fetch", &body);
    let response = sent.now_or_never().unwrap();
    (
        response.status,
        serde_json::from_str(&response.body).unwrap(),
    )
}

fn page(status: u16, body: impl Into<Vec<u8>>) -> Fetched {
    Fetched {
        status,
        content_type: "application/json".to_owned(),
        body: body.into(),
        location: None,
    }
}

/// Returns status and message of a fetch that fails with this response.
fn refusal(answer: Result<Fetched, Unfetched>) -> (u16, String) {
    let memory = Memory::default();
    memory.web.answer(URL, answer);
    let (status, body) = fetch(&memory, URL);
    assert_eq!(body["status"], "error");
    (status, body["message"].as_str().unwrap().to_owned())
}

#[test]
fn a_text_arrives_byte_by_byte() {
    let memory = Memory::default();
    let text = "\u{feff}{\"n\": 1.0,\r\n \"ü\": \"\\u0000\"}\n";
    memory.web.answer(URL, Ok(page(200, text)));
    let (status, body) = fetch(&memory, &format!(" {URL}#/paths"));
    assert_eq!(status, 200, "{body}");
    let answer: FetchedDocument = serde_json::from_value(body).unwrap();
    assert_eq!(
        answer,
        FetchedDocument {
            status: "success".to_owned(),
            url: URL.to_owned(),
            content_type: "application/json".to_owned(),
            text: text.to_owned(),
        }
    );
    assert_eq!(memory.web.take_calls(), [URL]);
}

#[test]
fn private_host_is_called_only_if_allowed() {
    let url = "http://169.254.169.254/latest/meta-data/";
    let memory = Memory::default();
    memory.web.answer(url, Ok(page(200, "metadata")));
    let (status, body) = fetch(&memory, url);
    assert_eq!(status, 400);
    assert_eq!(
        body["message"],
        "The host 169.254.169.254 is part of a private network, which is not called from here unless EGRESS_ALLOW_PRIVATE is true"
    );
    assert!(memory.web.take_calls().is_empty());

    memory.web.allow_private(true);
    assert_eq!(fetch(&memory, url).0, 200);
}

#[test]
fn invalid_url_is_refused_before_calling() {
    let memory = Memory::default();
    for url in [
        "",
        "example.com",
        "ftp://example.com/",
        "http://u:p@example.com/",
    ] {
        let (status, body) = fetch(&memory, url);
        assert_eq!(status, 400, "{url}");
        let message = body["message"].as_str().unwrap();
        assert!(message.starts_with("The address is wrong: "), "{message}");
    }
    for body in ["{}", "[]", "{\"url\": 1}", "{\"url\": null}"] {
        let sent = memory.send("POST", "/gateway/openapi/fetch", body);
        let response = sent.now_or_never().unwrap();
        assert_eq!(response.status, 400, "{body}");
        assert!(
            response.body.contains("The body names an address"),
            "{body}"
        );
    }
    let sent = memory.send("POST", "/gateway/openapi/fetch", "{\"url\"");
    let response = sent.now_or_never().unwrap();
    assert_eq!(response.status, 400);
    assert!(response.body.contains("Request malformed"));
    assert!(memory.web.take_calls().is_empty());
}

#[test]
fn redirect_is_reported_and_not_followed() {
    let to = |location: Option<&str>| Fetched {
        location: location.map(str::to_owned),
        ..page(302, "moved")
    };
    let (status, message) = refusal(Ok(to(Some("http://127.0.0.1/\u{7}x"))));
    assert_eq!(status, 502);
    assert_eq!(
        message,
        "The server answered 302 and sends on to http://127.0.0.1/x; fetch that address instead"
    );
    let long = refusal(Ok(to(Some(&"x".repeat(10_000))))).1;
    assert!(long.len() < 700, "{}", long.len());
    assert_eq!(refusal(Ok(to(None))).0, 502);
}

#[test]
fn every_failure_has_its_status() {
    let (status, message) = refusal(Ok(page(404, "no")));
    assert_eq!(
        (status, message.as_str()),
        (502, "The server answered with status 404")
    );
    let (status, message) = refusal(Ok(page(200, [0xff, 0xfe])));
    assert_eq!(
        (status, message.as_str()),
        (502, "What the server sent is no text in UTF-8")
    );
    assert_eq!(refusal(Err(Unfetched::TimedOut)).0, 504);
    assert_eq!(refusal(Err(Unfetched::Unreachable)).0, 502);
    assert_eq!(refusal(Err(Unfetched::TooLarge)).0, 413);
    assert_eq!(
        refusal(Ok(page(200, vec![b'x'; TEXT_MAX_BYTES + 1]))).0,
        413
    );

    let memory = Memory::default();
    memory
        .web
        .answer(URL, Ok(page(200, vec![b'x'; TEXT_MAX_BYTES])));
    assert_eq!(fetch(&memory, URL).0, 200);
}
