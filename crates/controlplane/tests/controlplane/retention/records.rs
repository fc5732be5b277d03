//! Entries of the trail, notifications, deliveries and credentials.

use super::*;

#[test]
fn old_entries_expire_but_the_newest_number_stays() {
    let gate = stored(700);
    gate.wait(9 * DAY);
    change(&gate, 701..=703);
    gate.retain(Retention {
        audit_days: Some(9),
        ..ALL
    });
    let steps = sweep(&gate);
    assert!(steps > 4, "700 rows are more than one step: {steps}");
    let seqs = |gate: &Memory| {
        let list = value(&call(gate, "GET", "/api/audit", &Value::Null));
        let entries = list["entries"].as_array().unwrap().clone();
        entries
            .iter()
            .map(|entry| entry["seq"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(seqs(&gate), [703, 702, 701]);
    gate.wait(10 * DAY);
    sweep(&gate);
    assert_eq!(seqs(&gate), [703]);
    gate.restart();
    change(&gate, 704..=704);
    assert_eq!(seqs(&gate), [704, 703]);
    assert!(
        gate.log
            .borrow()
            .iter()
            .any(|line| line == "retention: 700 rows of the past removed")
    );
}

#[test]
fn entry_without_revisions_has_no_changes() {
    let gate = stored(5);
    let changes = |seq: u64| {
        let detail = value(&call(
            &gate,
            "GET",
            &format!("/api/audit/{seq}"),
            &Value::Null,
        ));
        detail["changes"].as_array().unwrap().len()
    };
    assert_eq!((changes(3), changes(4), changes(5)), (1, 1, 1));
    gate.retain(Retention {
        revision_days: Some(0),
        ..ALL
    });
    sweep(&gate);
    assert_eq!((changes(3), changes(4), changes(5)), (0, 0, 1));
}

#[test]
fn notifications_go_with_their_deliveries_but_not_before_those_have_ended() {
    let gate = Memory::default();
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h", "subscriptions": ["*"] });
    assert_eq!(call(&gate, "POST", "/api/hooks", &hook).status, 200);
    provider(&gate, 0..5);
    gate.web.answer(
        TARGET,
        Ok(Fetched {
            status: 200,
            ..Fetched::default()
        }),
    );
    now(gate.deliver()).unwrap();
    provider(&gate, 5..10);
    gate.retain(Retention {
        notification_days: Some(1),
        ..ALL
    });
    gate.wait(2 * DAY);
    sweep(&gate);
    let list = |target: &str, member: &str| {
        let list = value(&call(&gate, "GET", target, &Value::Null));
        list[member].as_array().unwrap().len()
    };
    // The last five are pending.
    assert_eq!(list("/api/notifications", "notifications"), 5);
    assert_eq!(list("/api/hooks/h/deliveries", "deliveries"), 5);
    now(gate.deliver()).unwrap();
    assert_eq!(gate.web.take_sent().len(), 11);
    sweep_later(&gate);
    assert_eq!(list("/api/notifications", "notifications"), 1);
    let last = value(&call(&gate, "GET", "/api/notifications", &Value::Null));
    assert_eq!(last["last"], 11);
}

#[test]
fn of_each_webhook_the_newest_deliveries_are_kept() {
    let gate = Memory::default();
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h", "subscriptions": ["*"] });
    assert_eq!(call(&gate, "POST", "/api/hooks", &hook).status, 200);
    provider(&gate, 0..30);
    gate.web.answer(
        TARGET,
        Ok(Fetched {
            status: 200,
            ..Fetched::default()
        }),
    );
    while now(gate.deliver()).unwrap().is_some() {}
    let log = |gate: &Memory| {
        let list = value(&call(gate, "GET", "/api/hooks/h/deliveries", &Value::Null));
        let list = list["deliveries"].as_array().unwrap().clone();
        list.iter()
            .map(|delivery| delivery["seq"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(log(&gate).len(), 31);
    gate.retain(Retention {
        deliveries: 3,
        ..ALL
    });
    sweep(&gate);
    assert_eq!(log(&gate), [31, 30, 29]);
}

#[test]
fn ended_credential_is_eventually_deleted() {
    let gate = Memory::default();
    let issue = |name: &str, expires: Value| {
        let body =
            json!({ "name": name, "permissions": { "apis": "read" }, "expires_at": expires });
        let made = value(&admin(
            &gate,
            "POST",
            "/gateway/dashboard/credentials",
            &body,
        ));
        made["credential"]["id"].as_str().unwrap().to_owned()
    };
    issue("stays", Value::Null);
    let revoked = issue("revoked", Value::Null);
    issue("expires", "2026-01-03T00:00:00.000Z".into());
    issue("later", "2026-03-01T00:00:00.000Z".into());
    let target = format!("/gateway/dashboard/credentials/{revoked}");
    assert_eq!(admin(&gate, "DELETE", &target, &Value::Null).status, 200);
    gate.retain(Retention {
        credential_days: Some(5),
        ..ALL
    });
    let names = || {
        let list = value(&admin(
            &gate,
            "GET",
            "/gateway/dashboard/credentials",
            &Value::Null,
        ));
        let list = list["credentials"].as_array().unwrap().clone();
        let mut names: Vec<String> = list
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    sweep(&gate);
    assert_eq!(names().len(), 4);
    gate.wait(6 * DAY);
    sweep(&gate);
    assert_eq!(names(), ["expires", "later", "stays"]);
    gate.wait(3 * DAY);
    sweep(&gate);
    assert_eq!(names(), ["later", "stays"]);
    gate.restart();
    assert_eq!(names(), ["later", "stays"]);
}

/// Clients choose the internal ids of policies, and one may be that of a webhook.
#[test]
fn deleted_policy_takes_no_secret_of_a_webhook_along() {
    let gate = Memory::default();
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h" });
    let made = value(&call(&gate, "POST", "/api/hooks", &hook));
    let policy = json!({ "id": "p", "_id": made["Meta"], "name": "p", "access_rights": {} });
    let added = admin(&gate, "POST", "/gateway/policies", &policy);
    assert_eq!(added.status, 200, "{}", added.body);
    let gone = admin(&gate, "DELETE", "/gateway/policies/p", &Value::Null);
    assert_eq!(gone.status, 200, "{}", gone.body);
    gate.wait(2 * DAY);
    gate.retain(Retention {
        revision_days: Some(1),
        ..ALL
    });
    sweep(&gate);
    gate.web.answer(
        TARGET,
        Ok(Fetched {
            status: 200,
            ..Fetched::default()
        }),
    );
    let tested = value(&call(&gate, "POST", "/api/hooks/h/test", &Value::Null));
    assert_eq!(tested["delivered"], true, "{tested}");
}
