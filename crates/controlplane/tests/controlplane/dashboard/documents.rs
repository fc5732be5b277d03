//! Documents that are stored, patched and tested, and the mappings of providers one by one.

use super::*;

#[test]
fn document_is_stored_verbatim_plus_server_members() {
    let gate = provider();
    let read = call(&gate, "GET", "/api/clientidps/kc", "");
    assert_eq!(read.status, 200);
    assert!(
        read.body.starts_with(&IDP[..IDP.len() - 1]),
        "{}",
        read.body
    );
    assert_eq!(header(&read, "etag"), Some("\"1\""));
    let internal = value(&read)["_id"].as_str().unwrap().to_owned();
    assert_eq!(internal.len(), 24);
    let by_id = call(&gate, "GET", &format!("/api/clientidps/{internal}"), "");
    assert_eq!(by_id.body, read.body);
    let list = value(&call(&gate, "GET", "/api/clientidps", ""));
    assert_eq!(
        (&list["pages"], &list["client_idps"][0]["_id"]),
        (&json!(1), &json!(internal))
    );
}

#[test]
fn whatever_has_a_get_has_a_head() {
    let gate = provider();
    for path in [
        "/api/clientidps",
        "/api/clientidps/kc",
        "/api/clientidps/none",
        "/api/notifications/stream",
    ] {
        let read = call(&gate, "GET", path, "");
        let head = call(&gate, "HEAD", path, "");
        assert_eq!(head.status, read.status, "{path}");
        assert_eq!(header(&head, "etag"), header(&read, "etag"), "{path}");
        assert!(head.body.is_empty() && head.stream.is_none(), "{path}");
    }
    let restore = call(&gate, "HEAD", "/api/rulesets/any/restore", "");
    assert_eq!(restore.status, 405);
    let denied = call_as(&gate, "wrong", "HEAD", "/api/clientidps", "");
    assert_eq!(denied.status, 401);
    assert!(denied.body.is_empty());
}

#[test]
fn a_patch_is_one_write_with_one_notification() {
    let gate = provider();
    let patch = r#"{"a":{"scope_to_policy":{"read":"p1","write":"p2"}},"b":{"note":true}}"#;
    let answer = call(&gate, "PATCH", "/api/clientidps/kc/mappings", patch);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(header(&answer, "etag"), Some("\"2\""));
    let patch = r#"{"a":{"scope_to_policy":{"write":null}},"c":null}"#;
    let answer = call(&gate, "PATCH", "/api/clientidps/kc/mappings", patch);
    let mappings = &value(&answer)["api_mappings"];
    assert_eq!(
        mappings,
        &json!({"a": {"scope_to_policy": {"read": "p1"}}, "b": {"note": true}})
    );
    assert_eq!(
        notices(&gate).len(),
        3,
        "one for creating, one for each patch"
    );
    // One call is one notification, even if it changes nothing.
    call(&gate, "PATCH", "/api/clientidps/kc/mappings", "{}");
    assert_eq!(notices(&gate).len(), 4);
    let seqs: Vec<_> = notices(&gate).iter().map(|n| n["seq"].clone()).collect();
    assert_eq!(seqs, [1, 2, 3, 4]);
}

#[test]
fn null_removes_a_member_at_every_level() {
    let gate = provider();
    let path = "/api/clientidps/kc/mappings";
    let patch =
        r#"{"a":{"scope_to_policy":{"read":"p1"},"note":1},"b":{"scope_to_policy":{"s":"p"}}}"#;
    assert_eq!(call(&gate, "PATCH", path, patch).status, 200);
    let patch = r#"{"a":{"scope_to_policy":null},"b":{"scope_to_policy":{"s":null},"other":null}}"#;
    let answer = call(&gate, "PATCH", path, patch);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let left = json!({ "a": { "note": 1 }, "b": { "scope_to_policy": {} } });
    assert_eq!(value(&answer)["api_mappings"], left);
}

#[test]
fn a_refused_patch_leaves_nothing() {
    let gate = provider();
    let before = call(&gate, "GET", "/api/clientidps/kc", "").body;
    for (patch, status) in [("{", 400), ("[]", 400), (r#"{"a":1}"#, 400), ("", 400)] {
        let answer = call(&gate, "PATCH", "/api/clientidps/kc/mappings", patch);
        assert_eq!(answer.status, status, "{patch}");
        assert_eq!(value(&answer)["Status"], "Error");
    }
    assert_eq!(
        call(&gate, "PATCH", "/api/clientidps/x/mappings", "{}").status,
        404
    );
    gate.sql.fail_next(Fault::BeforePersist);
    assert_eq!(
        call(&gate, "PATCH", "/api/clientidps/kc/mappings", "{}").status,
        503
    );
    let guarded = now(gate.send_with(
        "PATCH",
        "/api/clientidps/kc/mappings",
        "{}",
        &[
            ("authorization", &format!("Bearer {DASHBOARD_TOKEN}")),
            ("if-match", "\"7\""),
        ],
    ));
    assert_eq!(
        (guarded.status, header(&guarded, "etag")),
        (412, Some("\"1\""))
    );
    assert_eq!(call(&gate, "GET", "/api/clientidps/kc", "").body, before);
    assert_eq!(notices(&gate).len(), 1);
}

#[test]
fn patches_survive_a_restart() {
    let gate = provider();
    for number in 0..50 {
        let patch = format!(r#"{{"api-{number}":{{"scope_to_policy":{{"s":"p{number}"}}}}}}"#);
        assert_eq!(
            call(&gate, "PATCH", "/api/clientidps/kc/mappings", &patch).status,
            200
        );
    }
    let before = call(&gate, "GET", "/api/clientidps/kc", "").body;
    gate.restart();
    assert_eq!(call(&gate, "GET", "/api/clientidps/kc", "").body, before);
    let old = call(&gate, "GET", "/api/clientidps/kc/revisions/31", "");
    assert_eq!(value(&old)["api_mappings"].as_object().unwrap().len(), 30);
    let again = call(&gate, "PATCH", "/api/clientidps/kc/mappings", "{}");
    assert_eq!(header(&again, "etag"), Some("\"52\""));
}

#[test]
fn dry_run_reports_and_stores_nothing() {
    let gate = provider();
    let patch = r#"{"a":{"scope_to_policy":{"s":"p"}}}"#;
    let path = "/api/clientidps/kc/mappings?dry_run=1";
    let mistaken = call(&gate, "PATCH", path, patch);
    assert_eq!(mistaken.status, 400, "{}", mistaken.body);
    let answer = call(
        &gate,
        "PATCH",
        "/api/clientidps/kc/mappings?dry_run=true",
        patch,
    );
    let preview = value(&answer);
    assert_eq!(
        (&preview["dry_run"], &preview["revision"]),
        (&json!(true), &json!(2))
    );
    let changes = preview["changes"].as_array().unwrap();
    assert!(
        changes
            .iter()
            .any(|change| change["pointer"] == "/api_mappings")
    );
    assert_eq!(preview["issues"][0]["pointer"], "/a", "no API has this id");
    assert_eq!(notices(&gate).len(), 1);
    assert_eq!(
        header(&call(&gate, "GET", "/api/clientidps/kc", ""), "etag"),
        Some("\"1\"")
    );
}

#[test]
fn mappings_are_read_replaced_and_removed_one_by_one() {
    let gate = provider();
    let one = "/api/clientidps/kc/mappings/orders";
    assert_eq!(call(&gate, "GET", one, "").status, 404);
    assert_eq!(call(&gate, "DELETE", one, "").status, 404);
    let mapping = r#"{"scope_to_policy": {"s": "p"}, "kept": 1.0}"#;
    assert_eq!(call(&gate, "PUT", one, mapping).status, 200);
    assert_eq!(call(&gate, "GET", one, "").body, mapping);
    assert_eq!(
        call(&gate, "PUT", one, r#"{"scope_to_policy":3}"#).status,
        400
    );
    let gone = call(&gate, "DELETE", one, "");
    assert_eq!(value(&gone)["Message"], "client idp mapping deleted");
    assert_eq!(call(&gate, "GET", one, "").status, 404);
    assert_eq!(
        call(&gate, "PUT", "/api/clientidps/kc/mappings/a%2fb", "{}").status,
        400
    );
}

/// Names and subscriptions of all organisations are in the memory of the only Registry.
#[test]
fn what_the_registry_holds_of_a_document_is_bounded() {
    let gate = provider();
    let named = |length: usize| json!({ "name": "n".repeat(length) }).to_string();
    let subscribed = |count: usize| {
        json!({ "name": "h", "method": "POST", "target_path": "https://hooks.example/",
            "subscriptions": vec!["ApiAdded"; count] })
        .to_string()
    };
    for (path, body, pointer) in [
        ("/api/rulesets", named(1025), "/name"),
        ("/api/hooks", subscribed(101), "/subscriptions"),
    ] {
        let refused = call(&gate, "POST", path, &body);
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert_eq!(value(&refused)["issues"][0]["pointer"], pointer);
    }
    let longest = call(&gate, "POST", "/api/rulesets", &named(1024));
    assert_eq!(longest.status, 201, "{}", longest.body);
    let most = call(&gate, "POST", "/api/hooks", &subscribed(100));
    assert_eq!(most.status, 200, "{}", most.body);
}

#[test]
fn page_of_documents_is_bounded_in_bytes() {
    let gate = provider();
    let text = "x".repeat(1_000_000);
    for name in 0..18 {
        let body = json!({ "name": format!("r{name}"), "description": text }).to_string();
        let made = call(&gate, "POST", "/api/rulesets", &body);
        assert_eq!(made.status, 201, "{}", made.body);
    }
    for query in ["", "?p=-1"] {
        let refused = call(&gate, "GET", &format!("/api/rulesets{query}"), "");
        assert_eq!(refused.status, 413, "{query}");
        assert!(refused.body.contains("fewer per page"), "{}", refused.body);
    }
    let page = value(&call(&gate, "GET", "/api/rulesets?per_page=10&p=2", ""));
    assert_eq!(page["rulesets"].as_array().map(Vec::len), Some(8));
}
