//! What a debugged request reports about its steps (reference 1.8, *debug*).

use super::{admin_ok, api, gateway, key, publish, put, refusal, session, with};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns the steps of a request for `/x` of an API, sent with a token: name, decision and detail of each that has a
/// detail.
fn steps(memory: &Memory, api_id: &str, token: &str) -> Vec<[String; 3]> {
    let request = json!({ "method": "GET", "path": "/x", "headers": { "Authorization": [token] } });
    let ask = json!({ "api_id": api_id, "request": request });
    let answer = admin_ok(memory, "POST", "debug", &ask);
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    let steps = answer["trace"].as_array().unwrap().iter();
    let steps = steps.map(|step| ["name", "decision", "detail"].map(|name| text(step, name)));
    steps.filter(|step| step[1] != "skipped").collect()
}

/// Returns decision and detail of every step with this name.
fn step_outcomes(steps: &[[String; 3]], name: &str) -> Vec<(String, String)> {
    let named = steps.iter().filter(|step| step[0] == name);
    named
        .map(|[_, decision, detail]| (decision.clone(), detail.clone()))
        .collect()
}

fn one(decision: &str, detail: &str) -> Vec<(String, String)> {
    vec![(decision.to_owned(), detail.to_owned())]
}

#[test]
fn a_refusal_that_another_one_comes_before_is_not_shown_as_passed() {
    let memory = gateway();
    let (token, _) = key(&memory, &session(&["b"], &json!({})));
    let off = json!({ "is_inactive": true });
    admin_ok(&memory, "POST", "org/keys/default", &off);
    let steps = steps(&memory, "a", &token);
    assert_eq!(
        step_outcomes(&steps, "access_rights"),
        one(
            "deferred",
            "Its access rights do not name this API. Access to this API has been disallowed"
        )
    );
    let [name, decision, detail] = steps.last().unwrap();
    assert_eq!([name.as_str(), decision], ["counters", "refused"]);
    assert_eq!(
        detail,
        "This organisation access has been disabled, please contact your API administrator"
    );
}

#[test]
fn a_refusal_with_a_session_that_is_out_of_date_is_not_shown_as_passed() {
    let memory = gateway();
    let off = session(&["a"], &json!({ "is_inactive": true }));
    let (token, hash) = key(&memory, &off);
    // The isolate still knows the earlier session.
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::KeyInactive));
    let on = with(off, &json!({ "is_inactive": false, "alias": "shop" }));
    put(&memory, &hash, "", &on);
    let state = step_outcomes(&steps(&memory, "a", &token), "key_state");
    let [first, second] = state.as_slice() else {
        panic!("{state:?}");
    };
    assert_eq!(first.0, "deferred");
    assert!(
        first.1.starts_with(
            "Key is inactive, please renew. Its session is another one by now, revision "
        ) && first.1.ends_with(". Decided again"),
        "{}",
        first.1
    );
    assert_eq!(second.0, "passed");
    assert_eq!(
        second.1,
        "The key shop is active, never expires and has no policies"
    );
}

#[test]
fn a_link_that_refuses_tells_nothing_of_counters_that_count_nothing() {
    let memory = gateway();
    let (token, _) = key(&memory, &session(&["b"], &json!({})));
    let steps = steps(&memory, "a", &token);
    assert_eq!(
        step_outcomes(&steps, "access_rights"),
        one(
            "refused",
            "Its access rights do not name this API. Access to this API has been disallowed"
        )
    );
    assert_eq!(step_outcomes(&steps, "counters"), []);
}

#[test]
fn counters_are_noted_in_sentences() {
    let memory = Memory::default();
    let rates = json!([{ "path": "/x", "method": "GET", "rate": 9, "per": 60 }]);
    let version = json!({ "name": "Default", "use_extended_paths": true, "extended_paths": { "rate_limit": rates } });
    let data = json!({ "not_versioned": true, "versions": { "Default": version } });
    publish(&memory, &[api("a", &json!({ "version_data": data }))]);
    admin_ok(
        &memory,
        "POST",
        "org/keys/default",
        &json!({ "rate": 5, "per": 2.5 }),
    );
    let limits = json!({ "rate": 3, "per": 10, "quota_max": 2, "quota_renewal_rate": 0 });
    let (token, _) = key(&memory, &session(&["a"], &limits));
    let by_counters = || step_outcomes(&steps(&memory, "a", &token), "counters");
    assert_eq!(
        by_counters(),
        one(
            "passed",
            "The organisation has 4 of 5 requests left in 2.5 s. The key has 2 of 3 requests left in \
             10 s. It has 1 of 2 requests left of its quota, which is never renewed. The API has 8 of 9 \
             requests left in 60 s on GET:/x"
        )
    );
    by_counters();
    let refused = by_counters();
    assert_eq!(refused[0].0, "refused");
    assert!(
        refused[0].1.contains(
            ". It has 0 of 2 requests left of its quota, which is never renewed. The API"
        ) && refused[0].1.ends_with(". Quota exceeded"),
        "{}",
        refused[0].1
    );
}

#[test]
fn a_rate_that_refuses_says_when_there_is_room_again() {
    let memory = gateway();
    let limits = json!({ "rate": 1, "per": 3600 });
    let (token, _) = key(&memory, &session(&["a"], &limits));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let counters = step_outcomes(&steps(&memory, "a", &token), "counters");
    let [(decision, detail)] = counters.as_slice() else {
        panic!("{counters:?}");
    };
    assert_eq!(decision, "refused");
    assert!(
        detail.starts_with("The key has 0 of 1 requests left in 3600 s. There is room again in 3")
            && detail.ends_with(" s. Rate Limit Exceeded"),
        "{detail}"
    );
}
