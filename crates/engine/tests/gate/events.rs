//! Events: which request is one, who hears of it, and what is told.

use super::{api, done, get, key, publish, put, session, why, with};
use futures_util::FutureExt;
use gatewright_engine::plane::events::outbox::ROOM;
use gatewright_engine::ports::{Fetched, Outgoing};
use gatewright_engine::token;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use serde_json::{Value, json};

const TARGET: &str = "https://events.example/in";

fn log_handler() -> Value {
    json!({ "handler_name": "eh_log_handler", "handler_meta": { "prefix": "heard" } })
}

fn inline(more: &Value) -> Value {
    let settings =
        json!({ "method": "POST", "target_path": TARGET, "header_map": { "X-Team": "ops" } });
    json!({ "handler_name": "eh_web_hook_handler", "handler_meta": with(settings, more) })
}

/// A definition with these handlers of each event that is raised.
fn heard(id: &str, handlers: &[Value], more: &Value) -> Value {
    let names = [
        "AuthFailure",
        "KeyExpired",
        "RatelimitExceeded",
        "QuotaExceeded",
        "OrgQuotaExceeded",
        "OrgRateLimitExceeded",
        "VersionFailure",
        "TriggerExceeded",
        "TokenCreated",
        "TokenUpdated",
        "TokenDeleted",
    ];
    let events: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(handlers)))
        .collect();
    let base = api(id, &json!({ "event_handlers": { "events": events } }));
    with(base, more)
}

fn gateway(handlers: &[Value]) -> Memory {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 1, "per": 3600 } });
    let acme = json!({ "org_id": "acme" });
    let definitions = [
        heard("a", handlers, &json!({})),
        heard("rated", handlers, &rated),
        heard("acme", handlers, &acme),
        api("deaf", &json!({})),
    ];
    publish(&memory, &definitions);
    memory
}

/// What the log has heard since this was last asked: the lines without their prefix.
fn lines(memory: &Memory) -> Vec<Value> {
    let lines = memory.log.take();
    let line = |line: &String| serde_json::from_str(line.strip_prefix("heard ").unwrap()).unwrap();
    lines.iter().map(line).collect()
}

/// Types and messages of these.
fn told(memory: &Memory) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = lines(memory);
    let told = lines
        .iter()
        .map(|line| (text(&line["Type"]), text(&line["Meta"]["Message"])));
    told.collect()
}

fn one(kind: &str, message: &str) -> Vec<(String, String)> {
    vec![(kind.to_owned(), message.to_owned())]
}

/// The calls to webhooks that are due, which answer this.
fn delivered(memory: &Memory, status: u16) -> Vec<Outgoing> {
    let fetched = Fetched {
        status,
        ..Fetched::default()
    };
    memory.web.answer(TARGET, Ok(fetched));
    memory.deliver().now_or_never().unwrap().unwrap();
    memory.web.take_sent()
}

fn body(outgoing: &Outgoing) -> Value {
    serde_json::from_str(outgoing.body.as_deref().unwrap()).unwrap()
}

fn dashboard(memory: &Memory, method: &str, target: &str, body: &str) -> Value {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let answer = memory.send_with(method, target, body, &headers);
    let answer = answer.now_or_never().unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// A stored webhook. Answers its id.
fn stored_hook(memory: &Memory, subscriptions: &[&str]) -> String {
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h",
        "subscriptions": subscriptions });
    let made = dashboard(memory, "POST", "/api/hooks", &hook.to_string());
    made["Meta"].as_str().unwrap().to_owned()
}

#[test]
fn each_refusal_that_is_an_event_is_told_and_no_other() {
    for (api, session_of, target, times, expected) in [
        (
            "a",
            json!({ "is_inactive": true }),
            "/a/x",
            1,
            one("KeyExpired", "Attempted access from inactive key."),
        ),
        (
            "a",
            json!({ "expires": 1 }),
            "/a/x",
            1,
            one("KeyExpired", "Attempted access from expired key."),
        ),
        (
            "a",
            json!({ "rate": 1, "per": 3600 }),
            "/a/x",
            2,
            one("RatelimitExceeded", "Key Rate Limit Exceeded"),
        ),
        (
            "a",
            json!({ "quota_max": 1, "quota_renewal_rate": 60 }),
            "/a/x",
            2,
            one("QuotaExceeded", "Key Quota Limit Exceeded"),
        ),
        (
            "rated",
            json!({}),
            "/rated/x",
            2,
            one("RatelimitExceeded", "API Rate Limit Exceeded"),
        ),
        ("deaf", json!({ "is_inactive": true }), "/deaf/x", 1, vec![]),
        // A key of the right organisation without a right to the API is no event.
        ("deaf", json!({}), "/a/x", 1, vec![]),
    ] {
        let memory = gateway(&[log_handler()]);
        let (token, hash) = key(&memory, &session(&[api], &session_of));
        lines(&memory);
        for _ in 0..times {
            let _ = get(&memory, &token, target);
        }
        let heard = lines(&memory);
        let kinds: Vec<_> = heard
            .iter()
            .map(|line| {
                (
                    line["Type"].as_str().unwrap().to_owned(),
                    line["Meta"]["Message"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        assert_eq!(kinds, expected, "{session_of} {target}");
        for line in &heard {
            let meta = &line["Meta"];
            assert_eq!(meta["Key"], hash.as_str());
            assert_eq!(meta["Path"], target);
            assert_eq!(meta["Origin"], "192.0.2.7");
            assert_eq!(meta["Org"], "default");
            assert_eq!(meta["ApiId"], api);
        }
    }
}

#[test]
fn an_unknown_credential_is_told_by_its_hash_and_a_missing_one_not_at_all() {
    let memory = gateway(&[log_handler()]);
    assert!(why(&memory, "", "/a/x").is_some());
    assert!(lines(&memory).is_empty());
    let foreign = token::token("elsewhere", "an-id", token::HashFunction::Sha256);
    for sent in ["nobody-knows-this", foreign.as_str()] {
        assert!(why(&memory, sent, "/a/x").is_some());
        let heard = lines(&memory);
        assert_eq!(heard.len(), 1);
        assert_eq!(heard[0]["Type"], "AuthFailure");
        assert_eq!(heard[0]["Meta"]["Message"], "Auth Failure");
        assert_eq!(heard[0]["Meta"]["Key"], token::hash(sent).as_str());
        assert!(!heard[0].to_string().contains(sent));
    }
    // Asking how limits stand lets nobody try tokens unheard.
    let headers = [("authorization", "nobody-knows-this")];
    let visit = gatewright_testkit::gate::Visit {
        method: "GET",
        target: "/a/gateway/rate-limits",
        headers: &headers,
    };
    assert!(memory.standing(&visit).now_or_never().unwrap().is_err());
    assert_eq!(told(&memory), one("AuthFailure", "Auth Failure"));
}

#[test]
fn a_version_that_the_key_may_not_use_is_told_with_the_reason() {
    let memory = gateway(&[log_handler()]);
    let rights = json!({ "access_rights": { "a": { "versions": ["v9"] } } });
    let (token, _) = key(&memory, &rights);
    lines(&memory);
    assert!(why(&memory, &token, "/a/x").is_some());
    let heard = lines(&memory);
    assert_eq!(heard[0]["Type"], "VersionFailure");
    assert_eq!(
        heard[0]["Meta"]["Reason"],
        "Access to this API has been disallowed"
    );
}

#[test]
fn the_limits_of_an_organisation_are_told() {
    for (limits, expected) in [
        (
            json!({ "quota_max": 1, "quota_renewal_rate": 60 }),
            one("OrgQuotaExceeded", "Organisation quota has been exceeded"),
        ),
        (
            json!({ "rate": 1, "per": 3600 }),
            one(
                "OrgRateLimitExceeded",
                "Organisation rate limit has been exceeded",
            ),
        ),
    ] {
        let memory = gateway(&[log_handler()]);
        done(&memory, "POST", "org/keys/acme", &limits);
        let (token, _) = key(&memory, &session(&["acme"], &json!({ "org_id": "acme" })));
        lines(&memory);
        assert_eq!(why(&memory, &token, "/acme/x"), None);
        assert!(why(&memory, &token, "/acme/x").is_some());
        assert_eq!(told(&memory), expected);
    }
}

#[test]
fn a_trigger_is_told_once_a_window_whoever_else_counts() {
    let memory = gateway(&[log_handler()]);
    let quota = json!({ "quota_max": 10, "quota_renewal_rate": 3600,
        "monitor": { "trigger_limits": [80, 50, 100] } });
    let (token, hash) = key(&memory, &session(&["a", "deaf"], &quota));
    lines(&memory);
    let mut fired = Vec::new();
    for request in 1..=12 {
        // The request that is counted is the one that crosses; that of an API without handlers is
        // counted too.
        let target = if request == 8 { "/deaf/x" } else { "/a/x" };
        let _ = get(&memory, &token, target);
        for line in lines(&memory) {
            if line["Type"] == "TriggerExceeded" {
                assert_eq!(line["Meta"]["Message"], "Quota trigger reached");
                assert_eq!(line["Meta"]["Key"], hash.as_str());
                fired.push((request, line["Meta"]["TriggerLimit"].as_u64().unwrap()));
            }
        }
    }
    assert_eq!(fired, [(5, 50), (10, 100)]);
    memory.wait(3700);
    for _ in 0..5 {
        let _ = get(&memory, &token, "/a/x");
    }
    assert_eq!(
        told(&memory),
        one("TriggerExceeded", "Quota trigger reached")
    );
}

#[test]
fn a_handler_that_says_what_is_called_gets_the_reference_s_object_unsigned() {
    let memory = gateway(&[inline(&json!({}))]);
    assert!(why(&memory, "nobody-knows-this", "/a/x").is_some());
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
        "key": token::hash("nobody-knows-this"), "org": "default", "api_id": "a",
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
fn what_fails_is_tried_again_and_told_to_the_log() {
    let memory = gateway(&[inline(&json!({}))]);
    assert!(why(&memory, "nobody-knows-this", "/a/x").is_some());
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
        assert!(why(&memory, "nobody-knows-this", "/a/x").is_some());
        memory.send_events().unwrap();
        let sent = delivered(&memory, 200);
        // Once, although it is named twice and has perhaps subscribed too.
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
            token::hash("nobody-knows-this").as_str()
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
        &[heard("acme", &[handler], &json!({ "org_id": "acme" }))],
    );
    stored_hook(&memory, &[]);
    assert!(why(&memory, "nobody-knows-this", "/acme/x").is_some());
    memory.send_events().unwrap();
    assert!(delivered(&memory, 200).is_empty());
    assert_eq!(memory.log.take().len(), 1);
}

#[test]
fn the_same_is_not_told_again_within_the_handler_s_time_not_even_after_a_restart() {
    let memory = gateway(&[inline(&json!({ "event_timeout": 600 }))]);
    let try_it = |sent: &str| {
        assert!(why(&memory, sent, "/a/x").is_some());
        // As another isolate would: this one forgets what it has told.
        memory.guard.forget_told();
        memory.send_events().unwrap();
        delivered(&memory, 200).len()
    };
    assert_eq!(try_it("nobody-knows-this"), 1);
    assert_eq!(try_it("nobody-knows-this"), 0);
    memory.restart();
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(try_it("nobody-knows-this"), 0);
    assert_eq!(try_it("nor-this"), 1);
    memory.wait(700);
    assert_eq!(try_it("nobody-knows-this"), 1);
}

#[test]
fn a_handler_that_does_not_answer_keeps_a_bounded_number_waiting() {
    let memory = gateway(&[inline(&json!({}))]);
    memory.web.answer(
        TARGET,
        Err(gatewright_engine::ports::Unfetched::Unreachable),
    );
    let mut stored = 0;
    for round in 0..15 {
        for number in 0..ROOM {
            let _ = get(&memory, &format!("nobody-{round}-{number}"), "/a/x");
        }
        assert_eq!(memory.send_events().unwrap(), ROOM);
        let notices = dashboard(&memory, "GET", "/api/notifications?after=0", "");
        stored = notices["last"].as_u64().unwrap();
    }
    assert!((1000..1020).contains(&stored), "{stored}");
}

#[test]
fn what_happens_to_keys_is_told_with_the_write_to_the_apis_they_open() {
    let memory = gateway(&[inline(&json!({})), log_handler()]);
    let (_, hash) = key(&memory, &session(&["a", "deaf"], &json!({})));
    assert_eq!(told(&memory), one("TokenCreated", "Key generated."));
    let made = delivered(&memory, 200);
    assert_eq!(made.len(), 1);
    let expected = json!({ "event": "TokenCreated", "message": "Key generated.", "path": "",
        "origin": "", "key": hash, "org": "default" });
    assert_eq!(body(&made[0]), expected);
    put(
        &memory,
        &hash,
        "",
        &session(&["a"], &json!({ "alias": "x" })),
    );
    assert_eq!(told(&memory), one("TokenUpdated", "Key modified."));
    assert_eq!(body(&delivered(&memory, 200)[0])["event"], "TokenUpdated");
    done(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    assert_eq!(told(&memory), one("TokenDeleted", "Key deleted."));
    assert_eq!(body(&delivered(&memory, 200)[0])["event"], "TokenDeleted");

    let (_, hash) = key(&memory, &session(&["deaf"], &json!({})));
    put(
        &memory,
        &hash,
        "&dry_run=true",
        &session(&["a"], &json!({})),
    );
    assert!(memory.log.take().is_empty() && delivered(&memory, 200).is_empty());
    // An API of another organisation is none that the key may use.
    key(&memory, &session(&["acme"], &json!({})));
    assert!(memory.log.take().is_empty() && delivered(&memory, 200).is_empty());
}

#[test]
fn old_notifications_are_forgotten_with_their_deliveries_unless_they_wait() {
    let memory = gateway(&[inline(&json!({}))]);
    memory.keep_notices(20);
    let flood = |from: u32, to: u32, status: u16| {
        for number in from..to {
            let _ = get(&memory, &format!("nobody-{number}"), "/a/x");
            memory.send_events().unwrap();
            delivered(&memory, status);
        }
    };
    let kept = || {
        let notices = dashboard(&memory, "GET", "/api/notifications?after=0&limit=1000", "");
        let list = notices["notifications"].as_array().unwrap().clone();
        (
            list[0]["seq"].as_u64().unwrap(),
            notices["last"].as_u64().unwrap(),
        )
    };
    flood(0, 120, 200);
    let (first, last) = kept();
    assert!(first > last - 70 && last >= 120, "{first} {last}");
    // Numbers go on, and what waits stays.
    flood(120, 125, 500);
    let waiting = kept().1;
    flood(125, 230, 500);
    let (first, last) = kept();
    assert!(
        first <= waiting - 4 && last == waiting + 105,
        "{first} {last}"
    );
}
