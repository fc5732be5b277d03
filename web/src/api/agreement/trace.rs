//! The chain as the console reads it: the steps of a request, and the links of an API.

use gatewright_api::{chain, debug};
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::chain::{Chain, Link};
use super::super::debug::{Answered, Debugged, Step, StepChange};
use super::super::types::Refusal;
use super::{issue, read};

#[wasm_bindgen_test]
fn request_steps_round_trip() {
    let written = debug::Debugged {
        message: "ok".to_owned(),
        response: "a".to_owned(),
        logs: "b".to_owned(),
        trace: vec![debug::Step {
            name: "rate".to_owned(),
            phase: debug::Phase::Response,
            decision: debug::Decision::Refused,
            detail: "c".to_owned(),
            at_ms: 7,
            ms: 5,
            changes: vec![debug::Change {
                what: debug::Changed::Header,
                name: Some("h".to_owned()),
                from: None,
                to: Some("i".to_owned()),
            }],
        }],
        answer: Some(debug::Answer {
            status: 429,
            headers: [("D".to_owned(), vec!["e".to_owned(), "f".to_owned()])].into(),
            body: "g".to_owned(),
            body_encoding: Some("base64".to_owned()),
            truncated: true,
        }),
        details: "j".to_owned(),
        issues: Vec::new(),
    };
    let expected = Debugged {
        trace: vec![Step {
            name: "rate".to_owned(),
            phase: "response".to_owned(),
            decision: "refused".to_owned(),
            detail: "c".to_owned(),
            at_ms: 7,
            ms: 5,
            changes: vec![StepChange {
                what: "header".to_owned(),
                name: "h".to_owned(),
                from: None,
                to: Some("i".to_owned()),
            }],
        }],
        answer: Answered {
            status: 429,
            headers: vec![("D".to_owned(), vec!["e".to_owned(), "f".to_owned()])],
            body: "g".to_owned(),
            body_encoding: Some("base64".to_owned()),
            truncated: true,
        },
        dump: "a".to_owned(),
    };
    assert_eq!(read::<Debugged>(&written), expected);
}

#[wasm_bindgen_test]
fn unservable_reason_is_read_from_the_logs() {
    let written = debug::Debugged {
        message: "error".to_owned(),
        logs: "{\"level\":\"error\",\"msg\":\"why\"}\n".to_owned(),
        issues: vec![issue()],
        ..debug::Debugged::default()
    };
    let refusal: Refusal = read(&written);
    assert_eq!(
        (refusal.message.as_str(), refusal.issues),
        ("why", vec![issue()])
    );
}

#[wasm_bindgen_test]
fn chain_round_trips() {
    let written = chain::Chain {
        api_id: "a".to_owned(),
        links: vec![chain::Link {
            name: "version".to_owned(),
            title: "Version".to_owned(),
            phase: chain::LinkPhase::Both,
            version: Some("d".to_owned()),
            pointers: vec!["/b".to_owned()],
            detail: "c".to_owned(),
        }],
    };
    let expected = vec![Link {
        name: "version".to_owned(),
        title: "Version".to_owned(),
        phase: "both".to_owned(),
        version: "d".to_owned(),
        pointers: vec!["/b".to_owned()],
        detail: "c".to_owned(),
    }];
    assert_eq!(read::<Chain>(&written).links, expected);
}
