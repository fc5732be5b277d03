//! What is delivered and when, and what is retained of it.

use super::*;

#[test]
fn notification_is_delivered_after_commit() {
    let gate = subscribed(&["NoticeClientIdPChanged"]);
    answers(&gate, 204);
    patch(&gate, 1);
    let [waiting] = &log(&gate)[..] else { panic!() };
    assert_eq!(
        (&waiting["state"], &waiting["attempts"]),
        (&json!("pending"), &json!([]))
    );
    assert_eq!(now(gate.deliver()), Ok(None));
    let sent = gate.web.take_sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].url, TARGET);
    assert_eq!(header(&sent[0], "x-team"), "ops");
    let body: Value = serde_json::from_str(sent[0].body.as_deref().unwrap()).unwrap();
    let notice = &value(&call(&gate, "GET", "/api/notifications?after=1", ""))["notifications"][0];
    assert_eq!(header(&sent[0], "webhook-id"), notice["id"]);
    assert_eq!(
        body,
        json!({"type": "NoticeClientIdPChanged", "timestamp": notice["at"], "data": notice["data"]})
    );
    let [done] = &log(&gate)[..] else { panic!() };
    assert_eq!(
        (
            &done["state"],
            &done["attempts"][0]["status"],
            &done["next_at"]
        ),
        (&json!("delivered"), &json!(204), &Value::Null)
    );
    now(gate.deliver()).unwrap();
    assert!(gate.web.take_sent().is_empty(), "it is sent once");
}

#[test]
fn only_subscribers_of_the_organisation_are_notified() {
    for (subscriptions, count) in [
        (&["*"][..], 1),
        (&["ApiAdded", "NoticeClientIdPChanged"], 1),
        (&["ApiAdded"], 0),
        (&[], 0),
    ] {
        let gate = subscribed(subscriptions);
        let body = json!({"name": "o", "org_id": "other", "permissions": {"hooks": "write", "clientidps": "read", "apis": "read"}});
        let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
        let other = value(&issued)["token"].as_str().unwrap().to_owned();
        let made = call_as(&gate, &other, "POST", "/api/hooks", &webhook(&["*"]));
        assert_eq!(made.status, 200);
        patch(&gate, 1);
        answers(&gate, 200);
        now(gate.deliver()).unwrap();
        assert_eq!(gate.web.take_sent().len(), count, "{subscriptions:?}");
        let log = value(&call_as(
            &gate,
            &other,
            "GET",
            "/api/hooks/h/deliveries",
            "",
        ));
        assert_eq!(log["deliveries"], json!([]));
    }
}

#[test]
fn a_commit_that_fails_leaves_no_delivery() {
    let gate = subscribed(&["*"]);
    gate.sql.fail_next(Fault::BeforePersist);
    let patch = r#"{"a":{"scope_to_policy":{}}}"#;
    assert_eq!(
        call(&gate, "PATCH", "/api/clientidps/kc/mappings", patch).status,
        503
    );
    assert_eq!(
        call(
            &gate,
            "PATCH",
            "/api/clientidps/kc/mappings?dry_run=true",
            patch
        )
        .status,
        200
    );
    now(gate.deliver()).unwrap();
    assert!(gate.web.take_sent().is_empty());
    assert_eq!(log(&gate), Vec::<Value>::new());
}

#[test]
fn unstored_attempt_is_repeated_with_the_same_id() {
    let gate = subscribed(&["*"]);
    answers(&gate, 200);
    patch(&gate, 1);
    gate.sql.fail_next(Fault::BeforePersist);
    assert!(now(gate.deliver()).is_err());
    // Whatever ends the object in between, its memory is lost, but not its rows.
    gate.restart();
    assert_eq!(now(gate.deliver()), Ok(None));
    let sent = gate.web.take_sent();
    assert_eq!(sent.len(), 2);
    assert_eq!(ids(&sent)[0], ids(&sent)[1]);
    assert_eq!(log(&gate)[0]["state"], "delivered");
}

#[test]
fn failing_receiver_is_retried_and_then_abandoned() {
    let gate = subscribed(&["*"]);
    gate.web.answer(TARGET, Err(Unfetched::TimedOut));
    patch(&gate, 1);
    let mut seen = Vec::new();
    for _ in 0..40 {
        let next = now(gate.deliver()).unwrap();
        seen.extend(gate.web.take_sent());
        gate.restart();
        if next.is_none() {
            break;
        }
        gate.wait(600);
    }
    assert_eq!(seen.len(), 7);
    assert!(ids(&seen).iter().all(|id| *id == ids(&seen)[0]));
    let stamps: Vec<&str> = seen
        .iter()
        .map(|one| header(one, "webhook-timestamp"))
        .collect();
    assert!(
        stamps.windows(2).all(|pair| pair[0] < pair[1]),
        "{stamps:?}"
    );
    let [failed] = &log(&gate)[..] else { panic!() };
    assert_eq!(
        (&failed["state"], &failed["next_at"]),
        (&json!("failed"), &Value::Null)
    );
    assert_eq!(
        failed["attempts"][0]["error"],
        "The server did not answer in time"
    );
    // A manual retry starts with a full set of attempts.
    answers(&gate, 200);
    let id = failed["notice_id"].as_str().unwrap();
    let path = format!("/api/hooks/h/deliveries/{id}/retry");
    let retried = call(&gate, "POST", &path, "");
    assert_eq!(
        (retried.status, &value(&retried)["state"]),
        (200, &json!("pending"))
    );
    now(gate.deliver()).unwrap();
    assert_eq!(ids(&gate.web.take_sent()), [id]);
    assert_eq!(log(&gate)[0]["state"], "delivered");
    // A delivered one can be sent again, too.
    assert_eq!(call(&gate, "POST", &path, "").status, 200);
    now(gate.deliver()).unwrap();
    assert_eq!(ids(&gate.web.take_sent()), [id]);
    let unknown = call(&gate, "POST", "/api/hooks/h/deliveries/ntc_x_1/retry", "");
    assert_eq!(unknown.status, 404);
}

#[test]
fn the_response_is_for_those_who_may_write_apis() {
    let gate = subscribed(&["*"]);
    let fetched = Fetched {
        status: 500,
        content_type: "text/plain".to_owned(),
        body: b"no such team: ops, or ops-secret".to_vec(),
        ..Fetched::default()
    };
    gate.web.answer(TARGET, Ok(fetched));
    patch(&gate, 1);
    now(gate.deliver()).unwrap();
    let response = json!({
        "content_type": "text/plain", "content_length": null,
        "body": "no such team: ops, or ops-secret", "truncated": false, "withheld": false,
    });
    assert_eq!(log(&gate)[0]["attempts"][0]["response"], response);
    let withheld = json!({
        "content_type": "text/plain", "content_length": null,
        "body": null, "truncated": false, "withheld": true,
    });
    for (apis, expected) in [("read", &withheld), ("write", &response)] {
        let body = json!({"name": "o", "permissions": {"hooks": "write", "clientidps": "read", "apis": apis}});
        let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
        let token = value(&issued)["token"].as_str().unwrap().to_owned();
        let seen = value(&call_as(
            &gate,
            &token,
            "GET",
            "/api/hooks/h/deliveries",
            "",
        ));
        let seen = &seen["deliveries"][0];
        assert_eq!(&seen["attempts"][0]["response"], expected, "{apis}");
        let id = seen["notice_id"].as_str().unwrap();
        let path = format!("/api/hooks/h/deliveries/{id}/retry");
        let again = value(&call_as(&gate, &token, "POST", &path, ""));
        assert_eq!(&again["attempts"][0]["response"], expected, "{apis}");
    }
    // It is stored once, with the latest attempt that had one, also of a test.
    now(gate.deliver()).unwrap();
    let attempts = log(&gate)[0]["attempts"].clone();
    assert_eq!(attempts[0].get("response"), None);
    assert_eq!(attempts[1]["response"], response);
    assert_eq!(call(&gate, "POST", "/api/hooks/h/test", "").status, 200);
    assert_eq!(log(&gate)[0]["attempts"][0]["response"], response);
}

#[test]
fn gone_receiver_is_called_once() {
    let gate = subscribed(&["*"]);
    answers(&gate, 410);
    patch(&gate, 1);
    assert_eq!(now(gate.deliver()), Ok(None));
    assert_eq!(log(&gate)[0]["state"], "failed");
}

#[test]
fn pending_deliveries_of_deleted_webhook_are_abandoned() {
    let gate = subscribed(&["*"]);
    patch(&gate, 1);
    assert_eq!(call(&gate, "DELETE", "/api/hooks/h", "").status, 200);
    patch(&gate, 2);
    assert_eq!(now(gate.deliver()), Ok(None));
    assert!(gate.web.take_sent().is_empty());
    let log = log(&gate);
    assert_eq!((log.len(), &log[0]["state"]), (1, &json!("failed")));
}

#[test]
fn the_log_is_read_in_pages_and_bounded() {
    let gate = subscribed(&["*"]);
    answers(&gate, 200);
    let many = usize::try_from(KEPT).unwrap() + 60;
    for n in 0..many {
        patch(&gate, n % 5);
        now(gate.deliver()).unwrap();
    }
    let mut after = String::new();
    let mut seqs = Vec::new();
    loop {
        let page = call(
            &gate,
            "GET",
            &format!("/api/hooks/h/deliveries?limit=200{after}"),
            "",
        );
        let page = value(&page);
        seqs.extend(
            page["deliveries"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["seq"].as_u64().unwrap()),
        );
        let Some(next) = page["next"].as_u64() else {
            break;
        };
        after = format!("&after={next}");
    }
    assert!(
        seqs.len() >= usize::try_from(KEPT).unwrap() && seqs.len() < many,
        "{}",
        seqs.len()
    );
    assert_eq!(seqs[0], u64::try_from(many).unwrap() + 1);
    assert!(seqs.windows(2).all(|pair| pair[0] == pair[1] + 1));
    for query in ["limit=x", "after=x"] {
        let wrong = call(
            &gate,
            "GET",
            &format!("/api/hooks/h/deliveries?{query}"),
            "",
        );
        assert_eq!(wrong.status, 400);
    }
}

#[test]
fn busy_webhook_does_not_delay_another() {
    let gate = subscribed(&["*"]);
    for n in 0..20 {
        patch(&gate, n);
    }
    let other = "https://other.example/in";
    let second = json!({"method": "POST", "target_path": other, "subscriptions": ["*"]});
    call(&gate, "POST", "/api/hooks", &second.to_string());
    patch(&gate, 21);
    answers(&gate, 200);
    let well = Fetched {
        status: 200,
        ..Fetched::default()
    };
    gate.web.answer(other, Ok(well));
    // A run ends after a while, and reports that there is more.
    while now(gate.deliver()).unwrap().is_some() {}
    let sent = gate.web.take_sent();
    let at = sent.iter().position(|one| one.url == other).unwrap();
    assert!(at < 4, "{at}");
    assert_eq!(sent.len(), 22);
}
