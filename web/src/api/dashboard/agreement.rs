//! Checks that the console reads what `gatewright-api` writes, member by member.

use gatewright_api::dashboard::{Envelope, shape};
use gatewright_model::diff::{Change, ChangeKind};
use gatewright_model::json::parse;
use serde_json::value::RawValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::types::{Categories, ClientIdp, Ruleset};
use super::{Created, Page, refusal};
use crate::api::Answer;
use crate::api::agreement::issue;
use crate::api::read::Read;

fn answer(text: String) -> Answer {
    Answer {
        text,
        etag: String::new(),
        pending: false,
        base_api: None,
        request_id: None,
    }
}

#[wasm_bindgen_test]
fn error_round_trips() {
    let written = Envelope {
        issues: vec![issue()],
        ..Envelope::error("a", "b")
    };
    let text = serde_json::to_string(&written).unwrap();
    let read = refusal(&parse(&text).unwrap()).unwrap();
    assert_eq!(
        (read.message.as_str(), read.request_id.as_deref()),
        ("b", Some("a"))
    );
    assert_eq!(read.issues, [issue()]);
}

#[wasm_bindgen_test]
fn creation_round_trips() {
    let written = Envelope {
        issues: vec![issue()],
        ..Envelope::success("created", Some("a".to_owned()), "success")
    };
    let text = serde_json::to_string(&written).unwrap();
    let read = Created::read(&parse(&text).unwrap()).unwrap();
    assert_eq!((read.id.as_str(), read.issues), ("a", vec![issue()]));
}

#[wasm_bindgen_test]
fn preview_round_trips() {
    let document = r#"{ "a": 1.0 }"#;
    let written = shape::Preview {
        dry_run: true,
        revision: 7,
        document: RawValue::from_string(document.to_owned()).unwrap(),
        changes: vec![Change {
            pointer: "/a".to_owned(),
            kind: ChangeKind::Added,
            before: None,
            after: Some("1.0".to_owned()),
        }],
        issues: vec![issue()],
    };
    let read = answer(serde_json::to_string(&written).unwrap()).preview();
    let read = read.unwrap();
    assert_eq!((read.revision, read.document.as_str()), (7, document));
    assert_eq!(read.issues, [issue()]);
}

#[wasm_bindgen_test]
fn a_list_is_counted_and_not_kept() {
    let text = r#"{"client_idps":[{"_id":"1","client_idp_id":"c","name":"n","issuer":"i",
        "api_mappings":{"a":{"scope_to_policy":{"s":"p","t":"q"}},"b":{}},"last_updated":"w"},
        {"_id":"2","api_mappings":null}],"pages":3,"page":2,"total":9}"#;
    let page: Page<ClientIdp> = answer(text.to_owned()).read().unwrap();
    assert_eq!((page.pages, page.page, page.total), (3, 2, 9));
    let counts = |idp: &ClientIdp| (idp.apis.len(), idp.policies.len());
    assert_eq!(
        page.documents.iter().map(counts).collect::<Vec<_>>(),
        [(2, 2), (0, 0)]
    );
    let first = page.documents.first().unwrap();
    assert_eq!(
        (first.client_idp_id.as_str(), first.name.as_str()),
        ("c", "n")
    );
}

#[wasm_bindgen_test]
fn rulesets_and_categories_are_read() {
    let text = r#"{"rulesets":[{"_id":"1","ruleset_id":"r","name":"n","active":true,
        "resource_type":"oas-api","action":"warn","categories":["a","b"],"last_updated":"w"}],
        "pages":1,"page":1,"total":1}"#;
    let page: Page<Ruleset> = answer(text.to_owned()).read().unwrap();
    let ruleset = page.documents.first().unwrap();
    let expected = Ruleset {
        id: "1".to_owned(),
        ruleset_id: "r".to_owned(),
        name: "n".to_owned(),
        active: true,
        resource_type: "oas-api".to_owned(),
        action: "warn".to_owned(),
        categories: vec!["a".to_owned(), "b".to_owned()],
        last_updated: "w".to_owned(),
    };
    assert_eq!(*ruleset, expected);
    let Categories(names) = answer(r#"{"categories":["a"]}"#.to_owned()).read().unwrap();
    assert_eq!(names, ["a"]);
}

#[wasm_bindgen_test]
fn webhooks_are_read() {
    use super::hooks::Hook;
    let text = r#"{"hooks":[{"id":"1","webhook_id":"w","name":"n","method":"POST",
        "target_path":"https://a.example","subscriptions":["*"]}],"pages":1,"page":1,"total":1}"#;
    let page: Page<Hook> = answer(text.to_owned()).read().unwrap();
    let expected = Hook {
        id: "1".to_owned(),
        webhook_id: "w".to_owned(),
        name: "n".to_owned(),
        method: "POST".to_owned(),
        target_path: "https://a.example".to_owned(),
        subscriptions: vec!["*".to_owned()],
    };
    assert_eq!(page.documents, [expected]);
}

#[wasm_bindgen_test]
fn missing_webhook_is_recognised_despite_status_400() {
    use crate::api::{ApiError, Refused};
    let refused = |status| {
        ApiError::Refused(Refused {
            status,
            ..Refused::default()
        })
    };
    let missing =
        |path, status| matches!(super::absent(path, refused(status)), ApiError::Missing(_));
    assert!(missing("/api/hooks/1", 400));
    assert!(!missing("/api/hooks/1", 403));
    assert!(!missing("/api/rulesets/1", 400));
}

#[wasm_bindgen_test]
fn deliveries_round_trip() {
    use super::hooks::{Attempt, Deliveries, Delivery, Received};
    use gatewright_api::dashboard::delivery;
    let written = |state| delivery::Delivery {
        notice_id: "n".to_owned(),
        seq: 7,
        kind: "ApiAdded".to_owned(),
        state,
        attempts: vec![delivery::Attempt {
            at: "a".to_owned(),
            status: Some(503),
            duration_ms: 5,
            error: Some("e".to_owned()),
            response: Some(delivery::Received {
                content_type: "t".to_owned(),
                content_length: Some(9),
                body: Some("b".to_owned()),
                truncated: true,
                withheld: true,
            }),
        }],
        next_at: Some("w".to_owned()),
    };
    let expected = |state: &str| Delivery {
        notice_id: "n".to_owned(),
        seq: 7,
        kind: "ApiAdded".to_owned(),
        state: state.to_owned(),
        attempts: vec![Attempt {
            at: "a".to_owned(),
            status: Some(503),
            duration_ms: 5,
            error: Some("e".to_owned()),
            response: Some(Received {
                content_type: "t".to_owned(),
                content_length: Some(9),
                body: Some("b".to_owned()),
                truncated: true,
                withheld: true,
            }),
        }],
        next_at: Some("w".to_owned()),
    };
    use delivery::DeliveryState::{Delivered, Failed, Pending};
    let page = delivery::Deliveries {
        deliveries: [Pending, Delivered, Failed].map(written).to_vec(),
        next: Some(3),
    };
    let page: Deliveries = read(&page);
    assert_eq!(
        page.deliveries,
        ["pending", "delivered", "failed"].map(expected)
    );
    assert_eq!(page.next, Some(3));
    let last: Deliveries = read(&delivery::Deliveries::default());
    assert_eq!(last, Deliveries::default());
}

#[wasm_bindgen_test]
fn sample_and_secret_round_trip() {
    use super::hooks::{Attempt, NewSecret};
    use gatewright_api::dashboard::delivery;
    for (status, error) in [(Some(204), None), (None, Some("e".to_owned()))] {
        let tested: Attempt = read(&delivery::Tested {
            delivered: error.is_none(),
            status,
            duration_ms: 5,
            error: error.clone(),
        });
        assert_eq!(
            (tested.status, tested.duration_ms, tested.error),
            (status, 5, error)
        );
    }
    let secret: NewSecret = read(&delivery::NewSecret {
        secret: "s".to_owned(),
        previous_until: Some("w".to_owned()),
    });
    assert_eq!(
        (secret.secret.as_str(), secret.previous_until.as_deref()),
        ("s", Some("w"))
    );
    let created: Created = read(&Envelope {
        signing_secret: Some("s".to_owned()),
        ..Envelope::success("created", Some("a".to_owned()), "OK")
    });
    assert_eq!(created.secret.as_deref(), Some("s"));
}

fn read<T: Read>(written: &impl serde::Serialize) -> T {
    answer(serde_json::to_string(written).unwrap())
        .read()
        .unwrap()
}

#[wasm_bindgen_test]
fn credential_round_trips() {
    use super::credentials::{Credential, Issued, OF_DASHBOARD, Wanted};
    use gatewright_api::dashboard::{Access, Parts, Permissions};
    let credential = shape::Credential {
        id: "a".to_owned(),
        name: "b".to_owned(),
        org_id: "c".to_owned(),
        permissions: Permissions {
            rulesets: Access::Deny,
            clientidps: Access::Read,
            hooks: Access::Write,
            apis: Access::Deny,
            gateway: Parts {
                keys: Access::Write,
                ..Parts::default()
            },
        },
        created_at: "d".to_owned(),
        expires_at: Some("e".to_owned()),
        revoked_at: Some("f".to_owned()),
    };
    let mut access = ["deny"; 13];
    access[1] = "read";
    access[2] = "write";
    access[5] = "write";
    let expected = Credential {
        id: "a".to_owned(),
        name: "b".to_owned(),
        org_id: "c".to_owned(),
        access: access.map(str::to_owned),
        created_at: "d".to_owned(),
        expires_at: Some("e".to_owned()),
        revoked_at: Some("f".to_owned()),
    };
    let written = shape::Issued {
        token: "g".to_owned(),
        credential,
        ..shape::Issued::default()
    };
    let read: Issued = answer(serde_json::to_string(&written).unwrap())
        .read()
        .unwrap();
    assert_eq!((read.token.as_str(), read.credential), ("g", expected));

    let wanted = Wanted {
        name: " \"n\" ".to_owned(),
        access,
        ..Wanted::default()
    };
    let body: serde_json::Value = serde_json::from_str(&wanted.body()).unwrap();
    assert_eq!(body.get("name").unwrap(), "\"n\"");
    let granted: Permissions =
        serde_json::from_value(body.get("permissions").unwrap().clone()).unwrap();
    assert_eq!(OF_DASHBOARD, gatewright_api::dashboard::Group::ALL.len());
    assert_eq!(granted.gateway.keys, Access::Write);
    assert_eq!(
        (granted.clientidps, granted.hooks),
        (Access::Read, Access::Write)
    );
}

#[wasm_bindgen_test]
fn audit_trail_round_trips() {
    use super::trail::{Entries, Entry, EntryDetails};
    use gatewright_api::message::Action;
    let entry = shape::AuditEntry {
        seq: 7,
        at: "a".to_owned(),
        org_id: "b".to_owned(),
        actor: "c".to_owned(),
        action: Action::Modified,
        subject: shape::Subject::ClientIdp,
        id: "d".to_owned(),
        name: "e".to_owned(),
        before: Some(1),
        after: None,
        ip_address: Some("f".to_owned()),
        user_agent: Some("g".to_owned()),
        request_id: Some("h".to_owned()),
    };
    let expected = Entry {
        seq: 7,
        at: "a".to_owned(),
        actor: "c".to_owned(),
        action: "modified".to_owned(),
        subject: "client_idp".to_owned(),
        id: "d".to_owned(),
        name: "e".to_owned(),
        before: Some(1),
        after: None,
        ip_address: Some("f".to_owned()),
        user_agent: Some("g".to_owned()),
        request_id: Some("h".to_owned()),
    };
    let written = shape::Audit {
        entries: vec![entry.clone()],
        next: Some(6),
    };
    let read: Entries = answer(serde_json::to_string(&written).unwrap())
        .read()
        .unwrap();
    assert_eq!((read.entries, read.next), (vec![expected.clone()], Some(6)));

    let kinds = [ChangeKind::Added, ChangeKind::Removed, ChangeKind::Changed];
    let changes = kinds.map(|kind| Change {
        pointer: "/p".to_owned(),
        kind,
        before: Some("1.0".to_owned()),
        after: None,
    });
    let written = serde_json::json!({ "entry": entry, "changes": changes });
    let read: EntryDetails = answer(written.to_string()).read().unwrap();
    assert_eq!((read.entry, read.changes), (expected, changes.to_vec()));
}

#[wasm_bindgen_test]
fn notifications_round_trip() {
    use super::notices::{Notice, Notices};
    let notice = |kind: &str, data: serde_json::Value| shape::Notice {
        seq: 3,
        id: "x".to_owned(),
        kind: kind.to_owned(),
        at: "a".to_owned(),
        data,
    };
    let idp = serde_json::json!({
        "_id": "1", "client_idp_id": "idp", "action": "deleted", "revision": 2, "api_ids": ["o", "p"],
    });
    let token = serde_json::json!({
        "key_hash": "00ff", "alias": "a", "action": "modified", "revision": 3,
    });
    let trigger = serde_json::json!({
        "event": "TriggerExceeded", "message": "Quota trigger reached", "path": "/a/x",
        "origin": "192.0.2.1", "key": "00ff", "org": "o", "api_id": "a", "trigger_limit": 80,
    });
    let reload = serde_json::json!({ "generation": 4, "loaded": 5, "skipped": 6 });
    let written = shape::Notices {
        notifications: vec![
            notice("NoticeClientIdPChanged", idp),
            notice("GroupReload", reload),
            notice("Unheard", serde_json::json!({})),
            notice("TokenUpdated", token),
            notice("TriggerExceeded", trigger),
        ],
        last: 9,
    };
    let read: Notices = answer(serde_json::to_string(&written).unwrap())
        .read()
        .unwrap();
    assert_eq!(read.last, 9);
    let expected = Notice {
        seq: 3,
        kind: "NoticeClientIdPChanged".to_owned(),
        at: "a".to_owned(),
        subject: "client_idp",
        about: "1".to_owned(),
        name: "idp".to_owned(),
        gone: true,
        detail: "deleted, revision 2; mappings of o, p".to_owned(),
    };
    assert_eq!(read.notices.first(), Some(&expected));
    let details: Vec<&str> = read
        .notices
        .iter()
        .map(|notice| notice.detail.as_str())
        .collect();
    assert_eq!(
        details.get(1..).unwrap(),
        [
            "generation 4: 5 served, 6 skipped",
            "",
            "modified, revision 3",
            "Quota trigger reached: 80 % at /a/x from 192.0.2.1, key 00ff",
        ]
    );
}
