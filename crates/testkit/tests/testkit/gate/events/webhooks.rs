//! What webhooks of definitions are sent.

use super::super::{admin_ok, get, publish, refusal, session};
use super::{
    TARGET, UNKNOWN_TOKEN, body, dashboard, definition_with, delivered, gateway, hash_of, inline,
    stored_hook,
};
use futures_util::FutureExt;
use gatewright_controlplane::ports::Unfetched;
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_testkit::platform::{Memory, SECRET};
use serde_json::{Value, json};

#[test]
fn a_handler_with_its_own_target_gets_the_object_of_the_reference_unsigned() {
    let memory = gateway(&[inline(&json!({}))]);
    assert!(refusal(&memory, UNKNOWN_TOKEN, "/a/x").is_some());
    assert!(
        delivered(&memory, 200).is_empty(),
        "nobody has told the Registry"
    );
    assert_eq!(memory.send_events().unwrap(), 1);
    let sent = delivered(&memory, 200);
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (sent[0].method.as_str(), sent[0].url.as_str()),
        ("POST", TARGET)
    );
    let names: Vec<&str> = sent[0]
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(names.contains(&"x-team") && names.contains(&"webhook-id"));
    assert!(!names.contains(&"webhook-signature"));
    let expected = json!({
        "event": "AuthFailure", "message": "Auth Failure", "path": "/a/x", "origin": "192.0.2.7",
        "key": hash_of(UNKNOWN_TOKEN), "org": "default", "api_id": "a",
    });
    assert_eq!(body(&sent[0]), expected);
    let notices = dashboard(&memory, "GET", "/api/notifications?after=0", "");
    let last = notices["notifications"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["type"], &last["data"]),
        (&json!("AuthFailure"), &expected)
    );
    assert!(memory.log.take().is_empty());
}

#[test]
fn what_fails_is_tried_again_and_logged() {
    let memory = gateway(&[inline(&json!({}))]);
    assert!(refusal(&memory, UNKNOWN_TOKEN, "/a/x").is_some());
    memory.send_events().unwrap();
    let first = delivered(&memory, 500);
    memory.wait(60);
    let again = delivered(&memory, 200);
    assert_eq!((first.len(), again.len()), (1, 1));
    assert_eq!(first[0].body, again[0].body);
    let log = memory.log.take();
    assert_eq!(log.len(), 1, "{log:?}");
    assert!(
        log[0].contains("AuthFailure/0: The receiver answered 500"),
        "{log:?}"
    );
    assert!(!log[0].contains(TARGET));
}

#[test]
fn a_handler_that_names_a_stored_webhook_is_that_webhook() {
    let handler = |id: &str| inline(&json!({ "id": id, "target_path": "" }));
    for subscriptions in [&[][..], &["*"]] {
        let memory = gateway(&[handler("h"), handler("h")]);
        stored_hook(&memory, subscriptions);
        assert!(refusal(&memory, UNKNOWN_TOKEN, "/a/x").is_some());
        memory.send_events().unwrap();
        let sent = delivered(&memory, 200);
        // Only once, although it is named twice and may have subscribed too.
        assert_eq!(sent.len(), 1);
        assert!(
            sent[0]
                .headers
                .iter()
                .any(|(name, _)| name == "webhook-signature")
        );
        assert_eq!(body(&sent[0])["type"], "AuthFailure");
        assert_eq!(
            body(&sent[0])["data"]["key"],
            hash_of(UNKNOWN_TOKEN).as_str()
        );
        let log = dashboard(&memory, "GET", "/api/hooks/h/deliveries", "");
        assert_eq!(log["deliveries"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_webhook_of_another_organisation_is_not_called() {
    let memory = Memory::default();
    let handler = inline(&json!({ "id": "h", "target_path": "" }));
    publish(
        &memory,
        &[definition_with(
            "acme",
            &[handler],
            &json!({ "org_id": "acme" }),
        )],
    );
    stored_hook(&memory, &[]);
    assert!(refusal(&memory, UNKNOWN_TOKEN, "/acme/x").is_some());
    memory.send_events().unwrap();
    assert!(delivered(&memory, 200).is_empty());
    assert_eq!(memory.log.take().len(), 1);
}

#[test]
fn the_same_is_not_sent_again_within_the_handler_s_time_not_even_after_a_restart() {
    let memory = gateway(&[inline(&json!({ "event_timeout": 600 }))]);
    let try_it = |sent: &str| {
        assert!(refusal(&memory, sent, "/a/x").is_some());
        // Like another isolate: this one forgets what it has sent.
        memory.isolate.forget_signals();
        memory.send_events().unwrap();
        delivered(&memory, 200).len()
    };
    assert_eq!(try_it(UNKNOWN_TOKEN), 1);
    assert_eq!(try_it(UNKNOWN_TOKEN), 0);
    memory.restart();
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(try_it(UNKNOWN_TOKEN), 0);
    assert_eq!(try_it("nor-this"), 1);
    memory.wait(700);
    assert_eq!(try_it(UNKNOWN_TOKEN), 1);
}

#[test]
fn a_stored_webhook_is_not_sent_the_same_again_within_its_time() {
    let named = || inline(&json!({ "id": "h", "target_path": "" }));
    let subscribed = || inline(&json!({}));
    for handler in [named, subscribed] {
        let memory = gateway(&[handler()]);
        stored_hook(&memory, &["*"]);
        let set_timeout = |seconds: i64| {
            let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET,
                "webhook_id": "h", "subscriptions": ["*"], "event_timeout": seconds });
            dashboard(&memory, "PUT", "/api/hooks/h", &hook.to_string());
            delivered(&memory, 200);
        };
        let signed_after = |sent: &str, seconds: u64| {
            memory.wait(seconds);
            assert!(refusal(&memory, sent, "/a/x").is_some());
            memory.send_events().unwrap();
            let signed = |(name, _): &(String, String)| name == "webhook-signature";
            let sent = delivered(&memory, 200).into_iter();
            sent.filter(|sent| sent.headers.iter().any(signed)).count()
        };
        set_timeout(600);
        assert_eq!(signed_after(UNKNOWN_TOKEN, 2), 1);
        assert_eq!(signed_after(UNKNOWN_TOKEN, 2), 0);
        assert_eq!(signed_after("nor-this", 2), 1);
        memory.restart();
        memory.load().now_or_never().unwrap().unwrap();
        assert_eq!(signed_after(UNKNOWN_TOKEN, 2), 0);
        assert_eq!(signed_after(UNKNOWN_TOKEN, 700), 1);
        set_timeout(-1);
        assert_eq!(signed_after(UNKNOWN_TOKEN, 2), 1);
    }
}

/// Returns the notifications of a kind.
fn notices(memory: &Memory, kind: &str) -> Vec<Value> {
    let notices = dashboard(memory, "GET", "/api/notifications?after=0&limit=1000", "");
    let list = notices["notifications"].as_array().unwrap().clone();
    list.into_iter()
        .filter(|notice| notice["type"] == kind)
        .collect()
}

/// Returns how many events the notifications report.
fn counted(notices: &[Value]) -> u64 {
    let count = |notice: &Value| notice["data"]["count"].as_u64().unwrap_or(1);
    notices.iter().map(count).sum()
}

#[test]
fn a_flood_is_one_notification_of_an_api_and_kind_a_second_and_none_is_lost() {
    let memory = gateway(&[inline(&json!({}))]);
    memory.stop_clock();
    // Several isolates report to the Registry in the same second.
    for isolate in 0..5 {
        for number in 0..30 {
            let _ = get(&memory, &format!("nobody-{isolate}-{number}"), "/a/x");
        }
        assert_eq!(memory.send_events().unwrap(), 1);
    }
    let first = notices(&memory, "AuthFailure");
    assert_eq!((first.len(), counted(&first)), (1, 30));
    assert_eq!(first[0]["data"]["key"], hash_of("nobody-0-0"));
    let keys = first[0]["data"]["keys"].as_array().unwrap();
    assert_eq!((keys.len(), &keys[0]), (20, &json!(hash_of("nobody-0-1"))));
    memory.send_counts().unwrap();
    assert_eq!(
        notices(&memory, "AuthFailure").len(),
        1,
        "its second is not over"
    );
    memory.wait(1);
    memory.send_counts().unwrap();
    let both = notices(&memory, "AuthFailure");
    assert_eq!((both.len(), counted(&both)), (2, 150));
    let sent = delivered(&memory, 200);
    assert_eq!(sent.len(), 2);
    assert_eq!(body(&sent[1])["count"], 120);
    memory.wait(1);
    memory.send_counts().unwrap();
    assert_eq!(notices(&memory, "AuthFailure").len(), 2, "nothing is left");
}

#[test]
fn a_flood_of_one_kind_drives_out_nothing_else_and_fills_no_queue() {
    let memory = gateway(&[inline(&json!({ "id": "h", "target_path": "" }))]);
    stored_hook(&memory, &["*"]);
    memory.keep_notices(40);
    let others = |memory: &Memory| {
        let all = dashboard(memory, "GET", "/api/notifications?after=0&limit=1000", "");
        let list = all["notifications"].as_array().unwrap().clone();
        list.into_iter()
            .filter(|notice| notice["type"] != "AuthFailure")
            .collect::<Vec<_>>()
    };
    let before = others(&memory);
    assert!(!before.is_empty());
    for number in 0..300 {
        let _ = get(&memory, &format!("nobody-{number}"), "/a/x");
        memory.send_events().unwrap();
        delivered(&memory, 200);
    }
    assert_eq!(others(&memory), before);
    let failures = notices(&memory, "AuthFailure");
    // A tenth of them is kept, and whatever came since they were last counted.
    assert!((4..60).contains(&failures.len()), "{}", failures.len());
    let last = failures.last().unwrap()["seq"].as_u64().unwrap();
    assert!(last >= 300);
    // While the receiver is unreachable, only a bounded number of them waits for the webhook, next to everything else.
    memory
        .web
        .answer("https://stored.example/in", Err(Unfetched::Unreachable));
    for number in 300..450 {
        let _ = get(&memory, &format!("nobody-{number}"), "/a/x");
        memory.send_events().unwrap();
    }
    let waiting = |kind: &str| {
        let log = dashboard(&memory, "GET", "/api/hooks/h/deliveries?limit=500", "");
        let list = log["deliveries"].as_array().unwrap().clone();
        list.iter()
            .filter(|one| one["type"] == kind && one["state"] == "pending")
            .count()
    };
    assert_eq!(waiting("AuthFailure"), 100);
    publish(&memory, &[definition_with("b", &[], &json!({}))]);
    assert!(waiting("ApiAdded") >= 1);
}

#[test]
fn a_handler_that_does_not_answer_keeps_a_bounded_number_waiting() {
    let memory = gateway(&[inline(&json!({}))]);
    memory.web.answer(TARGET, Err(Unfetched::Unreachable));
    let mut stored = 0;
    for round in 0..1100 {
        let _ = get(&memory, &format!("nobody-{round}"), "/a/x");
        assert_eq!(memory.send_events().unwrap(), 1);
        let notices = dashboard(&memory, "GET", "/api/notifications?after=0", "");
        stored = notices["last"].as_u64().unwrap();
    }
    assert!((1000..1020).contains(&stored), "{stored}");
}

#[test]
fn old_notifications_are_forgotten_with_their_deliveries_unless_they_wait() {
    let memory = gateway(&[inline(&json!({}))]);
    memory.keep_notices(200);
    let flood = |from: u32, to: u32, status: u16| {
        for number in from..to {
            let _ = get(&memory, &format!("nobody-{number}"), "/a/x");
            memory.send_events().unwrap();
            delivered(&memory, status);
        }
    };
    let kept = || {
        let list = notices(&memory, "AuthFailure");
        let seq = |notice: Option<&Value>| notice.unwrap()["seq"].as_u64().unwrap();
        (seq(list.first()), seq(list.last()))
    };
    flood(0, 120, 200);
    let (first, last) = kept();
    assert!(first > last - 70 && last >= 120, "{first} {last}");
    // Numbers continue, and what is waiting stays.
    flood(120, 125, 500);
    let waiting = kept().1;
    flood(125, 230, 500);
    let (first, last) = kept();
    assert!(
        first <= waiting - 4 && last == waiting + 105,
        "{first} {last}"
    );
}

/// Fault M10: a murmur hash is as good as the token, and webhooks, notifications and the log were sent it.
#[test]
fn no_notification_discloses_a_hash_from_which_a_token_can_be_made() {
    let memory = gateway(&[super::log_handler(), inline(&json!({}))]);
    let token = "legacy-token-of-another-gateway";
    let hash = gatewright_protocol::token::hash(token);
    assert_eq!(hash.len(), 8);
    stored_hook(&memory, &["*"]);
    let sent = session(&["a"], &json!({ "rate": 1, "per": 3600 }));
    let path = format!("keys/{hash}?hashed=1");
    admin_ok(&memory, "POST", &path, &sent);
    for _ in 0..2 {
        let _ = get(&memory, token, "/a/x");
    }
    memory.send_events().unwrap();
    admin_ok(&memory, "DELETE", &path, &Value::Null);
    let calls = delivered(&memory, 200);
    let bodies: Vec<String> = calls.into_iter().filter_map(|call| call.body).collect();
    let notices = dashboard(&memory, "GET", "/api/notifications", "").to_string();
    let log = memory.log.take().join("\n");
    assert!(bodies.len() >= 3 && log.contains("TokenDeleted") && notices.contains("TokenDeleted"));
    let names = Pseudonyms::new(Some(SECRET.to_owned()));
    let name = names.of(&hash);
    for text in bodies.iter().chain([&notices, &log]) {
        assert!(!text.contains(&hash), "{text}");
    }
    for text in [&notices, &log] {
        assert!(text.contains(&name), "{text}");
    }
}
