//! The console reads responses into structs of its own, because the edge's would bring a second JSON parser into the
//! first load. These tests keep the two in agreement: the console reads what `gatewright-api` writes, member by member.

mod trace;

use gatewright_api::{message, shape};
use gatewright_model::json::parse;
use gatewright_model::openapi::DocumentKind;
use gatewright_model::{Issue, IssueCode, Position, Severity};
use serde::Serialize;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use super::read::Read;
use super::types::{
    Fetched, Modified, PastGeneration, PastGenerations, Pending, Refusal, ReloadStatus, Revision,
    Revisions, Skipped, Summary, SummaryPage,
};
use super::versions::{ApiVersion, Versions};

wasm_bindgen_test_configure!(run_in_browser);

fn read<T: Read>(written: &impl Serialize) -> T {
    let text = serde_json::to_string(written).unwrap();
    T::read(&parse(&text).unwrap()).unwrap()
}

pub(super) fn issue() -> Issue {
    Issue {
        pointer: "/proxy/listen_path".to_owned(),
        code: IssueCode::Required,
        severity: Severity::Error,
        message: "write it".to_owned(),
        start: Position { line: 2, column: 3 },
        end: Position { line: 4, column: 5 },
    }
}

#[wasm_bindgen_test]
fn page_of_summaries_round_trips() {
    let written = shape::SummaryPage {
        apis: vec![shape::Summary {
            api_id: "a".to_owned(),
            name: "b".to_owned(),
            org_id: "c".to_owned(),
            listen_path: "/d/".to_owned(),
            domain: "e.example".to_owned(),
            target_url: "http://f".to_owned(),
            tags: vec!["g".to_owned()],
            active: true,
            internal: true,
            keyless: true,
            batch: true,
            state: shape::State::Invalid,
            pending: Some(shape::Change::Modified),
            problem: Some("h".to_owned()),
            warnings: 7,
            revision: 8,
            updated_at: "i".to_owned(),
            document: Some(DocumentKind::Mcp),
        }],
        page: 2,
        pages: 3,
        total: 4,
    };
    let expected = SummaryPage {
        apis: vec![Summary {
            api_id: "a".to_owned(),
            name: "b".to_owned(),
            listen_path: "/d/".to_owned(),
            domain: "e.example".to_owned(),
            target_url: "http://f".to_owned(),
            tags: vec!["g".to_owned()],
            active: true,
            keyless: true,
            batch: true,
            state: "invalid".to_owned(),
            pending: Some("modified".to_owned()),
            problem: Some("h".to_owned()),
            warnings: 7,
            revision: 8,
            updated_at: "i".to_owned(),
            document: Some(DocumentKind::Mcp),
        }],
        page: 2,
        pages: 3,
        total: 4,
    };
    assert_eq!(read::<SummaryPage>(&written), expected);
}

#[wasm_bindgen_test]
fn reload_report_round_trips() {
    let written = shape::ReloadStatus {
        generation: 1,
        reloaded_at: Some("a".to_owned()),
        state: shape::ReloadState::Failed,
        error: Some("b".to_owned()),
        full_error: Some("o".to_owned()),
        loaded_total: 2,
        skipped_total: 1,
        loaded: Vec::new(),
        skipped: vec![shape::Skipped {
            api_id: "c".to_owned(),
            name: "d".to_owned(),
            file: "e".to_owned(),
            revision: 3,
            reason: "f".to_owned(),
            issues: vec![issue()],
            issues_total: Some(9),
        }],
        pending_total: 4,
        pending: vec![shape::Pending {
            api_id: "g".to_owned(),
            name: "h".to_owned(),
            listen_path: "/i/".to_owned(),
            change: shape::Change::Deleted,
            revision: 5,
            loaded_revision: Some(6),
            outlook: shape::Outlook::Skipped,
            reason: Some("l".to_owned()),
            served_now: true,
            served_path: Some("/m/".to_owned()),
            takes_over: Some("n".to_owned()),
        }],
        pending_policies: vec![shape::PendingPolicy {
            id: "j".to_owned(),
            name: "k".to_owned(),
            change: shape::Change::Added,
            revision: 7,
            loaded_revision: None,
        }],
    };
    let expected = ReloadStatus {
        generation: 1,
        reloaded_at: Some("a".to_owned()),
        state: "failed".to_owned(),
        error: Some("b".to_owned()),
        full_error: Some("o".to_owned()),
        loaded_total: 2,
        skipped: vec![Skipped {
            api_id: "c".to_owned(),
            name: "d".to_owned(),
            file: "e".to_owned(),
            reason: "f".to_owned(),
            issues: vec![issue()],
        }],
        pending_total: 4,
        pending: vec![
            Pending {
                policy: false,
                api_id: "g".to_owned(),
                name: "h".to_owned(),
                listen_path: "/i/".to_owned(),
                change: "deleted".to_owned(),
                revision: 5,
                loaded_revision: Some(6),
                outlook: "skipped".to_owned(),
                reason: Some("l".to_owned()),
                served_now: true,
                served_path: Some("/m/".to_owned()),
                takes_over: Some("n".to_owned()),
            },
            Pending {
                policy: true,
                api_id: "j".to_owned(),
                name: "k".to_owned(),
                change: "added".to_owned(),
                revision: 7,
                ..Pending::default()
            },
        ],
    };
    assert_eq!(read::<ReloadStatus>(&written), expected);
}

#[wasm_bindgen_test]
fn generations() {
    let written = shape::PastGenerations {
        generations: vec![shape::PastGeneration {
            generation: 9,
            reloaded_at: Some("a".to_owned()),
            by: "b".to_owned(),
            loaded: 1,
            skipped: 2,
            policies: 3,
            changes: 4,
            selected: true,
            again: Some(5),
            served: true,
        }],
    };
    let expected = PastGeneration {
        generation: 9,
        reloaded_at: Some("a".to_owned()),
        by: "b".to_owned(),
        loaded: 1,
        skipped: 2,
        policies: 3,
        changes: 4,
        selected: true,
        again: Some(5),
        served: true,
    };
    assert_eq!(read::<PastGenerations>(&written).0, [expected]);
}

#[wasm_bindgen_test]
fn revisions_round_trip() {
    let written = shape::Revisions {
        api_id: "a".to_owned(),
        revisions: vec![shape::Revision {
            revision: 1,
            at: "b".to_owned(),
            action: message::Action::Restored,
            bytes: 2,
            current: true,
            by: "c".to_owned(),
        }],
    };
    let expected = vec![Revision {
        revision: 1,
        at: "b".to_owned(),
        action: "restored".to_owned(),
        bytes: 2,
        current: true,
        by: "c".to_owned(),
    }];
    assert_eq!(read::<Revisions>(&written).revisions, expected);
}

#[wasm_bindgen_test]
fn write_responses_round_trip() {
    let stored = message::ModifySuccess {
        key: "a".to_owned(),
        status: "ok".to_owned(),
        action: message::Action::Added,
        issues: vec![issue()],
        dry_run: false,
    };
    let modified: Modified = read(&stored);
    assert_eq!(
        (modified.key.as_str(), modified.action.as_str()),
        ("a", "added")
    );
    assert_eq!(modified.issues, [issue()]);

    let refused = message::StatusMessage {
        issues: vec![issue()],
        request_id: Some("b".to_owned()),
        ..message::StatusMessage::error("c")
    };
    let refusal: Refusal = read(&refused);
    assert_eq!(
        (refusal.message.as_str(), refusal.request_id.as_deref()),
        ("c", Some("b"))
    );
    assert_eq!(refusal.issues, [issue()]);
}

#[wasm_bindgen_test]
fn fetched_document_round_trips() {
    let written = shape::FetchedDocument {
        status: "success".to_owned(),
        url: "https://a.example/".to_owned(),
        content_type: "text/plain".to_owned(),
        text: "\u{FEFF}openapi: 3.1.0\n".to_owned(),
    };
    let expected = Fetched {
        url: "https://a.example/".to_owned(),
        text: "\u{FEFF}openapi: 3.1.0\n".to_owned(),
    };
    assert_eq!(read::<Fetched>(&written), expected);
}

#[wasm_bindgen_test]
fn versions_round_trip() {
    let written = shape::Versions {
        status: "success".to_owned(),
        apis: Some(vec![shape::Version {
            id: "a".to_owned(),
            name: "b".to_owned(),
            version_name: "v1".to_owned(),
            internal: true,
            expiration_date: "2030-01-01 00:00".to_owned(),
            is_default_version: true,
        }]),
    };
    let expected = ApiVersion {
        id: "a".to_owned(),
        name: "b".to_owned(),
        version_name: "v1".to_owned(),
        internal: true,
        expires: "2030-01-01 00:00".to_owned(),
        is_default: true,
    };
    assert_eq!(read::<Versions>(&written).0, [expected]);
    let none = shape::Versions {
        apis: None,
        ..written
    };
    assert!(read::<Versions>(&none).0.is_empty());
}

#[wasm_bindgen_test]
fn requests_have_the_headers_the_edge_reads() {
    assert!(super::CONSOLE_HEADER.eq_ignore_ascii_case(message::CONSOLE_HEADER));
    assert!(super::SECRET_HEADER.eq_ignore_ascii_case(message::SECRET_HEADER));
}
