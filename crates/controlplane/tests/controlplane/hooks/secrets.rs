//! Webhooks' secrets, allowed targets, and the right to subscribe.

use super::*;

#[test]
fn secret_is_shown_only_once() {
    let gate = Memory::default();
    let dry = call(&gate, "POST", "/api/hooks?dry_run=true", &webhook(&["*"]));
    assert!(!dry.body.contains("whsec_"), "{}", dry.body);
    let made = call(&gate, "POST", "/api/hooks", &webhook(&["*"]));
    let first = value(&made)["signing_secret"].as_str().unwrap().to_owned();
    assert!(first.starts_with("whsec_"));
    let rotated = call(&gate, "POST", "/api/hooks/h/secret", "");
    let second = value(&rotated)["secret"].as_str().unwrap().to_owned();
    assert!(second != first && value(&rotated)["previous_until"].is_string());
    let put = call(&gate, "PUT", "/api/hooks/h", &webhook(&["*"]));
    let tested = call(&gate, "POST", "/api/hooks/h/test", "");
    let all = [
        put.body,
        tested.body,
        call(&gate, "GET", "/api/hooks", "").body,
        call(&gate, "GET", "/api/hooks/h", "").body,
        call(&gate, "GET", "/api/hooks/h/revisions/1", "").body,
        call(&gate, "POST", "/api/hooks/h/revisions/1/restore", "").body,
        call(&gate, "GET", "/api/hooks/h/deliveries", "").body,
        call(&gate, "GET", "/api/audit", "").body,
        call(&gate, "GET", "/api/notifications", "").body,
    ];
    for body in all {
        assert!(!body.contains("whsec_"), "{body}");
    }
    let audit = value(&call(&gate, "GET", "/api/audit?subject=webhook", ""));
    assert_eq!(
        audit["entries"].as_array().unwrap().len(),
        4,
        "made, rotated, replaced, restored"
    );
}

#[test]
fn read_only_callers_see_no_webhook_headers() {
    let gate = subscribed(&[]);
    let issue = |access: &str| {
        let body = json!({"name": access, "permissions": {"hooks": access}}).to_string();
        let made = now(gate.send("POST", "/gateway/dashboard/credentials", &body));
        value(&made)["token"].as_str().unwrap().to_owned()
    };
    let (reader, writer) = (issue("read"), issue("write"));
    for path in ["/api/hooks", "/api/hooks/h", "/api/hooks/h/revisions/1"] {
        let whole = call(&gate, "GET", path, "").body;
        assert!(whole.contains(r#""X-Team":"ops""#), "{whole}");
        assert_eq!(call_as(&gate, &writer, "GET", path, "").body, whole);
        let shown = call_as(&gate, &reader, "GET", path, "");
        let masked = whole.replace(r#""ops""#, r#""•••""#);
        assert_eq!((shown.status, shown.body), (200, masked), "{path}");
    }
    // The mask shown instead of a secret is never stored.
    let masked = webhook(&[]).replace(r#""ops""#, r#""•••""#);
    let put = call_as(&gate, &writer, "PUT", "/api/hooks/h", &masked);
    assert_eq!(put.status, 400, "{}", put.body);
    assert!(put.body.contains("/header_map/X-Team"), "{}", put.body);
}

#[test]
fn both_secrets_sign_for_a_day() {
    let gate = subscribed(&["*"]);
    answers(&gate, 200);
    let count = |gate: &Memory| {
        assert_eq!(call(gate, "POST", "/api/hooks/h/test", "").status, 200);
        let sent = gate.web.take_sent();
        header(&sent[0], "webhook-signature").split(' ').count()
    };
    assert_eq!(count(&gate), 1);
    call(&gate, "POST", "/api/hooks/h/secret", "");
    assert_eq!(count(&gate), 2);
}

#[test]
fn test_delivery_reports_its_outcome_and_is_logged() {
    let gate = subscribed(&[]);
    answers(&gate, 302);
    let tested = value(&call(&gate, "POST", "/api/hooks/h/test", ""));
    assert_eq!(
        (&tested["delivered"], &tested["status"]),
        (&json!(false), &json!(302))
    );
    assert!(
        tested["error"]
            .as_str()
            .unwrap()
            .contains("redirects are not followed")
    );
    answers(&gate, 200);
    let tested = value(&call(&gate, "POST", "/api/hooks/h/test", ""));
    assert_eq!(
        (&tested["delivered"], &tested["error"]),
        (&json!(true), &Value::Null)
    );
    let sent = gate.web.take_sent();
    let body: Value = serde_json::from_str(sent[1].body.as_deref().unwrap()).unwrap();
    assert_eq!(body["type"], "Test");
    let log = log(&gate);
    let states: Vec<&Value> = log.iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["delivered", "failed"]);
    assert_eq!(log[0]["notice_id"], header(&sent[1], "webhook-id"));
    let id = log[0]["notice_id"].as_str().unwrap();
    let again = call(
        &gate,
        "POST",
        &format!("/api/hooks/h/deliveries/{id}/retry"),
        "",
    );
    assert_eq!(again.status, 404);
    assert_eq!(call(&gate, "POST", "/api/hooks/none/test", "").status, 400);
}

#[test]
fn private_target_is_refused_on_store_and_on_call() {
    let gate = subscribed(&["*"]);
    let private = webhook(&["*"]).replace(TARGET, "http://169.254.169.254/latest");
    for (method, path) in [("POST", "/api/hooks"), ("PUT", "/api/hooks/h")] {
        let refused = call(&gate, method, path, &private);
        assert_eq!(refused.status, 400);
        let refused = value(&refused);
        assert_eq!(refused["Message"], "Webhook object validation failed.");
        assert_eq!(refused["issues"][0]["pointer"], "/target_path");
    }
    gate.web.allow_private(true);
    assert_eq!(call(&gate, "PUT", "/api/hooks/h", &private).status, 200);
    gate.web.allow_private(false);
    patch(&gate, 1);
    now(gate.deliver()).unwrap();
    assert!(gate.web.take_sent().is_empty());
    let error = log(&gate)[0]["attempts"][0]["error"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(error.contains("private network"), "{error}");
}

#[test]
fn a_reader_of_hooks_can_send_nothing() {
    let gate = subscribed(&["*"]);
    let body = json!({"name": "r", "permissions": {"hooks": "read"}}).to_string();
    let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body));
    let reader = value(&issued)["token"].as_str().unwrap().to_owned();
    for path in ["test", "secret", "deliveries/x/retry"] {
        let path = format!("/api/hooks/h/{path}");
        assert_eq!(
            call_as(&gate, &reader, "POST", &path, "").status,
            403,
            "{path}"
        );
    }
    assert_eq!(
        call_as(&gate, &reader, "GET", "/api/hooks/h/deliveries", "").status,
        200
    );
}

#[test]
fn subscribing_requires_read_permission() {
    let gate = subscribed(&["*"]);
    let body = json!({"name": "w", "permissions": {"hooks": "write", "apis": "read"}}).to_string();
    let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body));
    let writer = value(&issued)["token"].as_str().unwrap().to_owned();
    for (subscriptions, status) in [
        (&["ApiAdded", "GroupReload"][..], 200),
        (&[], 200),
        (&["NoticeClientIdPChanged"], 403),
        (&["*"], 403),
    ] {
        let body = webhook(subscriptions).replace(r#""webhook_id":"h""#, r#""webhook_id":"""#);
        let made = call_as(&gate, &writer, "POST", "/api/hooks", &body);
        assert_eq!(made.status, status, "{subscriptions:?}: {}", made.body);
    }
    let redirected = webhook(&["*"]).replace(TARGET, "https://elsewhere.example/");
    assert_eq!(
        call_as(&gate, &writer, "PUT", "/api/hooks/h", &redirected).status,
        403
    );
}
