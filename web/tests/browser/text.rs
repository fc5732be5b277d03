//! Addresses, commands, times and formatted JSON.

use gatewright_web::routes;
use gatewright_web::state::clock::{bytes, duration, relative, until};
use gatewright_web::state::curl::Curl;
use gatewright_web::state::pretty::pretty;
use gatewright_web::state::query_string::{decode, encode, join, pairs};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn a_value_survives_the_query_string() {
    for text in ["", "a b&c=d", "ä/ö?#%", "100 %", "+", "\u{1F600}"] {
        assert_eq!(decode(&encode(text)), text);
    }
}

#[wasm_bindgen_test]
fn broken_escape_is_unchanged() {
    assert_eq!(decode("%zz%4"), "%zz%4");
    assert_eq!(decode("%ff"), "\u{FFFD}");
}

#[wasm_bindgen_test]
fn pairs_are_decoded_and_empty_ones_left_out() {
    let found = pairs("?q=a+b&tag=%C3%A4&flag");
    let expected = [("q", "a b"), ("tag", "ä"), ("flag", "")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(found, expected);
    assert_eq!(
        join(&[("q", "a b".to_owned()), ("tag", String::new())]),
        "q=a%20b"
    );
}

#[wasm_bindgen_test]
fn a_command_never_holds_the_secret_and_quotes_for_the_shell() {
    let command = Curl::new("PUT", "http://127.0.0.1:8788/gateway/apis/a")
        .secret()
        .json("{\"name\":\"it's $HOME\"}")
        .command();
    let expected = r#"curl --fail-with-body --request PUT 'http://127.0.0.1:8788/gateway/apis/a' \
  --header "X-Gateway-Authorization: $GATEWAY_SECRET" \
  --header 'Content-Type: application/json' \
  --data-binary '{"name":"it'\''s $HOME"}'"#;
    assert_eq!(command, expected);
}

#[wasm_bindgen_test]
fn a_base_can_be_overridden_by_a_variable() {
    let command = Curl::below_variable(
        "POST",
        "GATEWAY_URL",
        "http://127.0.0.1:8787",
        "/a b/gateway/batch/",
    )
    .command();
    let expected = r#"curl --fail-with-body --request POST "${GATEWAY_URL:-http://127.0.0.1:8787}"'/a b/gateway/batch/'"#;
    assert_eq!(command, expected);
}

#[wasm_bindgen_test]
fn times_are_relative() {
    let minute = 60_000.0;
    let cases = [
        (-5.0 * minute, "just now"),
        (0.2 * minute, "just now"),
        (2.0 * minute, "2 min ago"),
        (60.0 * minute, "1 h ago"),
        (26.0 * 60.0 * minute, "1 d ago"),
        (90.0 * 24.0 * 60.0 * minute, "3 mo ago"),
        (800.0 * 24.0 * 60.0 * minute, "2 y ago"),
    ];
    for (ago, expected) in cases {
        assert_eq!(relative(1e13, 1e13 - ago), expected);
    }
    assert_eq!(
        (duration(412.3), duration(1_250.0)),
        ("412 ms".to_owned(), "1.3 s".to_owned())
    );
    assert_eq!(
        [bytes(999), bytes(1_500), bytes(2_000_000)],
        ["999 B", "1.5 kB", "2.0 MB"]
    );
}

#[wasm_bindgen_test]
fn future_times_show_the_time_left() {
    for (left, expected) in [
        (-5_000.0, "now"),
        (400.0, "now"),
        (1_000.0, "in 1 s"),
        (44_000.0, "in 44 s"),
        (60_000.0, "in 1 min"),
        (7_200_000.0, "in 2 h"),
        (86_400_000.0, "in 1 d"),
    ] {
        assert_eq!(until(1e13, 1e13 + left), expected);
    }
}

#[wasm_bindgen_test]
fn laying_json_out_keeps_numbers_and_order() {
    let text = r#"{"b":1.0,"a":[9007199254740993,{}],"c":"ä\n"}"#;
    let expected =
        "{\n  \"b\": 1.0,\n  \"a\": [\n    9007199254740993,\n    {}\n  ],\n  \"c\": \"ä\\n\"\n}";
    assert_eq!(pretty(text).as_deref(), Some(expected));
    assert_eq!(pretty("no json"), None);
}

#[wasm_bindgen_test]
fn connecting_leads_only_to_pages_of_the_console() {
    for outside in [
        None,
        Some("https://example.com/"),
        Some("//example.com/console/"),
        Some("/gateway/apis"),
        Some(routes::CONNECT),
        Some("/console/"),
        Some("/console/?x=1"),
    ] {
        assert_eq!(routes::after_connect(outside, routes::APIS), routes::APIS);
    }
    assert_eq!(
        routes::after_connect(Some("/console/apis/a?x=1"), routes::APIS),
        "/console/apis/a?x=1"
    );
    assert_eq!(
        routes::connect("/console/apis?q=a"),
        "/console/connect?next=%2Fconsole%2Fapis%3Fq%3Da"
    );
}
