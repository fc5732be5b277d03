//! Checks that the console reads keys and policies as `gatewright-api` writes them, member by member.

use gatewright_api::message::{Action, ModifySuccess, StatusMessage};
use gatewright_api::session::{KeyPage, KeyState, KeySummary, KeyWritten};
use gatewright_model::json::parse;
use serde::Serialize;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{KeyRow, Made, Organisations, StoredPolicy};
use crate::api::Answer;
use crate::api::agreement::issue;
use crate::api::group::{Created, Page};
use crate::api::read::Read;
use crate::api::types::Refusal;

fn read<T: Read>(written: &impl Serialize) -> T {
    let text = serde_json::to_string(written).unwrap();
    T::read(&parse(&text).unwrap()).unwrap()
}

#[wasm_bindgen_test]
fn page_of_keys_round_trips() {
    let written = KeyPage {
        keys: vec![KeySummary {
            key_hash: "a".to_owned(),
            org_id: "b".to_owned(),
            alias: "c".to_owned(),
            state: KeyState::Expired,
            expires: 5,
            policies: vec!["d".to_owned()],
            apis: vec!["e".to_owned()],
            tags: vec!["f".to_owned()],
            revision: 6,
            created_at: "g".to_owned(),
            updated_at: "h".to_owned(),
        }],
        total: 7,
        page: 2,
        pages: 3,
    };
    let page: Page<KeyRow> = read(&written);
    assert_eq!((page.total, page.page, page.pages), (7, 2, 3));
    let expected = KeyRow {
        hash: "a".to_owned(),
        org_id: "b".to_owned(),
        alias: "c".to_owned(),
        state: "expired".to_owned(),
        expires: 5,
        policies: vec!["d".to_owned()],
        apis: vec!["e".to_owned()],
        tags: vec!["f".to_owned()],
        updated_at: "h".to_owned(),
    };
    assert_eq!(page.documents, [expected]);
}

#[wasm_bindgen_test]
fn writes_round_trip() {
    let key = KeyWritten {
        key_hash: "h".to_owned(),
        issues: vec![issue()],
        ..KeyWritten::of("t", Action::Added)
    };
    let made: Made = read(&key);
    assert_eq!((made.token.as_str(), made.hash.as_str()), ("t", "h"));
    assert_eq!(made.issues, [issue()]);
    let policy = ModifySuccess {
        key: "p".to_owned(),
        status: "ok".to_owned(),
        action: Action::Added,
        issues: vec![issue()],
        dry_run: false,
    };
    let created: Created = read(&policy);
    assert_eq!((created.id.as_str(), created.issues), ("p", vec![issue()]));
    let refused = StatusMessage {
        details: "because".to_owned(),
        ..StatusMessage::error("No.")
    };
    assert_eq!(read::<Refusal>(&refused).message, "No. because");
}

#[wasm_bindgen_test]
fn policies_keep_every_byte_and_organisations_are_ids() {
    let answer = Answer {
        text: r#"[{"_id":"1","id":"gold","name":"Gold","rate":1.0},{"_id":"2"}]"#.to_owned(),
        etag: String::new(),
        pending: false,
        base_api: None,
        request_id: None,
    };
    let policies = answer.policies().unwrap();
    let gold = StoredPolicy {
        id: "gold".to_owned(),
        internal: "1".to_owned(),
        name: "Gold".to_owned(),
        text: r#"{"_id":"1","id":"gold","name":"Gold","rate":1.0}"#.to_owned(),
    };
    assert_eq!(policies.first(), Some(&gold));
    let named = |policy: &StoredPolicy| (policy.id.clone(), policy.name.clone());
    assert_eq!(
        policies.get(1).map(named),
        Some(("2".to_owned(), "2".to_owned()))
    );
    let found: Organisations = read(&serde_json::json!({ "keys": ["acme"] }));
    assert_eq!(found.0, ["acme"]);
}
