//! `meta_data.rate_limit_pattern`: limits count under a text from the request (reference 3.4).

use super::{admin_ok, gateway, get, header, key, put, refusal, reload, session, visit};
use futures_util::FutureExt;
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use gatewright_testkit::traffic::Visit;
use serde_json::{Value, json};

fn patterned(pattern: &str, more: &Value) -> Value {
    let mut sent = session(&["a", "b"], more);
    sent["meta_data"] = json!({ "rate_limit_pattern": pattern, "team": "blue" });
    sent
}

/// Returns why a request with these headers is refused.
fn sent(memory: &Memory, token: &str, more: &[(&str, &str)]) -> Option<Failure> {
    let mut headers = vec![("authorization", token)];
    headers.extend(more);
    let request = Visit {
        method: "GET",
        target: "/a/x",
        headers: &headers,
        body: "",
    };
    visit(memory, request).err().map(|refusal| refusal.failure)
}

#[test]
fn keys_with_the_same_text_count_together() {
    let memory = gateway();
    let limits = json!({ "quota_max": 3, "quota_renewal_rate": 3600 });
    let pattern = "$gateway_meta.team";
    let (one, _) = key(&memory, &patterned(pattern, &limits));
    let (two, _) = key(&memory, &patterned(pattern, &limits));
    let (alone, _) = key(&memory, &session(&["a"], &limits));
    for token in [&one, &two, &one] {
        assert_eq!(refusal(&memory, token, "/a/x"), None);
    }
    for token in [&one, &two] {
        assert_eq!(refusal(&memory, token, "/a/x"), Some(Failure::Quota));
    }
    assert_eq!(refusal(&memory, &alone, "/a/x"), None);
}

#[test]
fn a_key_counts_apart_for_each_text() {
    let memory = gateway();
    let limits = json!({ "rate": 1, "per": 3600 });
    let pattern = "$gateway_context.headers_X_Team";
    let (token, _) = key(&memory, &patterned(pattern, &limits));
    for team in ["blue", "red"] {
        let team = [("x-team", team)];
        assert_eq!(sent(&memory, &token, &team), None);
        assert_eq!(sent(&memory, &token, &team), Some(Failure::RateLimit));
    }
    // Without a text the key counts for itself.
    assert_eq!(sent(&memory, &token, &[]), None);
    assert_eq!(sent(&memory, &token, &[]), Some(Failure::RateLimit));
}

#[test]
fn the_address_of_the_client_can_be_the_text() {
    let memory = gateway();
    let limits = json!({ "rate": 1, "per": 3600 });
    let pattern = "$gateway_context.remote_addr|$gateway_context.path";
    let (token, _) = key(&memory, &patterned(pattern, &limits));
    for target in ["/a/x", "/a/y"] {
        assert_eq!(refusal(&memory, &token, target), None);
        assert_eq!(refusal(&memory, &token, target), Some(Failure::RateLimit));
    }
}

#[test]
fn organisations_and_windows_count_apart() {
    let memory = gateway();
    let pattern = "the same";
    for per in [600, 3600] {
        let limits = json!({ "rate": 1, "per": per });
        let (token, _) = key(&memory, &patterned(pattern, &limits));
        assert_eq!(refusal(&memory, &token, "/a/x"), None, "{per}");
        assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::RateLimit));
    }
    let other = super::api("c", &json!({ "org_id": "other" }));
    super::publish(&memory, &[other]);
    let mut sent = session(
        &["c"],
        &json!({ "rate": 1, "per": 3600, "org_id": "other" }),
    );
    sent["meta_data"] = json!({ "rate_limit_pattern": pattern });
    let (token, _) = key(&memory, &sent);
    assert_eq!(refusal(&memory, &token, "/c/x"), None);
}

#[test]
fn a_pattern_costs_one_more_call_and_only_if_something_is_counted() {
    let memory = gateway();
    let limits = json!({ "rate": 10, "per": 3600 });
    let (token, hash) = key(&memory, &patterned("secret-$gateway_meta.team", &limits));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.isolate.take_calls();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let calls = memory.isolate.take_calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0], format!("key:{hash}"));
    assert!(calls[1].starts_with("pattern:") && !calls[1].contains("blue"));
    let (free, hash) = key(&memory, &patterned("x", &json!({})));
    assert_eq!(refusal(&memory, &free, "/a/x"), None);
    memory.isolate.take_calls();
    assert_eq!(refusal(&memory, &free, "/a/x"), None);
    assert_eq!(memory.isolate.take_calls(), [format!("key:{hash}")]);
}

#[test]
fn nothing_is_counted_for_a_key_that_is_gone_or_changed() {
    let memory = gateway();
    let limits = json!({ "quota_max": 2, "quota_renewal_rate": 3600 });
    let (gone, hash) = key(&memory, &patterned("x", &limits));
    let (token, changed) = key(&memory, &patterned("x", &limits));
    assert_eq!(refusal(&memory, &gone, "/a/x"), None);
    admin_ok(&memory, "DELETE", &format!("keys/{hash}"), &Value::Null);
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &gone, "/a/x"), unknown);
    let passed = get(&memory, &token, "/a/x").unwrap();
    assert_eq!(header(&passed.headers, "x-ratelimit-remaining"), Some("0"));
    // A changed text applies to the next request.
    put(&memory, &changed, "", &patterned("y", &limits));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
}

#[test]
fn a_policy_can_set_the_pattern_and_the_limits_can_be_read() {
    let memory = gateway();
    let mut policy = patterned("$gateway_meta.team", &json!({ "quota_max": 5, "id": "p" }));
    policy["quota_renewal_rate"] = 3600.into();
    admin_ok(&memory, "POST", "policies", &policy);
    reload(&memory);
    let tokens = [(); 2].map(|()| key(&memory, &json!({ "apply_policies": ["p"] })).0);
    for token in &tokens {
        assert_eq!(refusal(&memory, token, "/a/x"), None);
    }
    let headers = [("authorization", tokens[0].as_str())];
    let request = Visit {
        method: "GET",
        target: "/a/gateway/rate-limits/",
        headers: &headers,
        body: "",
    };
    let standing = memory
        .rate_limit_status(&request)
        .now_or_never()
        .unwrap()
        .unwrap();
    let standing: Value = serde_json::from_str(&standing).unwrap();
    assert_eq!(standing["quota"]["quota_remaining"], 3);
}

/// Fault B26: a write that resets a key kept what it had counted under its text.
#[test]
fn a_write_resets_what_is_counted_under_a_text_of_the_key() {
    let memory = gateway();
    let limits = json!({ "quota_max": 2, "quota_renewal_rate": 3600, "rate": 2, "per": 3600 });
    let full = Some(Failure::RateLimit);
    for pattern in ["$gateway_meta.team", "$gateway_context.token", "fixed"] {
        let sent = patterned(pattern, &limits);
        let (token, hash) = key(&memory, &sent);
        let spend = || {
            let passed = [(); 3].map(|()| refusal(&memory, &token, "/a/x"));
            assert_eq!(passed, [None, None, full], "{pattern}");
        };
        spend();
        put(&memory, &hash, "", &sent);
        spend();
        put(&memory, &hash, "&suppress_reset=1", &sent);
        assert_eq!(refusal(&memory, &token, "/a/x"), full);
        put(&memory, &hash, "&dry_run=true", &sent);
        assert_eq!(refusal(&memory, &token, "/a/x"), full);
        // A new key starts from what the others have used.
        if pattern != "$gateway_context.token" {
            let (other, _) = key(&memory, &sent);
            assert_eq!(refusal(&memory, &other, "/a/x"), full);
        }
        put(&memory, &hash, "", &sent);
        spend();
    }
}

#[test]
fn a_pattern_that_depends_on_requests_keeps_its_counters_and_says_so() {
    let memory = gateway();
    let limits = json!({ "rate": 1, "per": 3600 });
    let sent = patterned("$gateway_context.path", &limits);
    let (token, hash) = key(&memory, &sent);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let written = admin_ok(&memory, "PUT", &format!("keys/{hash}?hashed=1"), &sent);
    let issue = &written["issues"][0];
    assert_eq!(issue["pointer"], "/meta_data/rate_limit_pattern");
    assert_eq!(issue["severity"], "info");
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::RateLimit));
}

#[test]
fn a_text_whose_counters_can_not_be_reached_is_a_warning() {
    let memory = gateway();
    let sent = patterned("$gateway_meta.team", &json!({ "rate": 1, "per": 3600 }));
    let (token, hash) = key(&memory, &sent);
    memory.isolate.take_calls();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let calls = memory.isolate.take_calls();
    memory.isolate.fail(calls.last().unwrap());
    let path = format!("keys/{hash}?hashed=1");
    let written = admin_ok(&memory, "PUT", &path, &sent);
    assert_eq!(written["issues"][0]["severity"], "warning");
    memory.isolate.heal();
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::RateLimit));
    let written = admin_ok(&memory, "PUT", &path, &sent);
    assert_eq!(written["issues"], Value::Null);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
}

/// Fault M11: each text that a client sent created another Ledger.
#[test]
fn any_number_of_texts_makes_a_bounded_number_of_ledgers() {
    let memory = gateway();
    memory.stop_clock();
    let pattern = "$gateway_context.headers_X_Team";
    let (token, _) = key(
        &memory,
        &patterned(pattern, &json!({ "rate": 1, "per": 3600 })),
    );
    let texts: Vec<String> = (0..2000).map(|number| format!("team {number}")).collect();
    let mut refused = 0;
    for text in &texts {
        refused += u32::from(sent(&memory, &token, &[("x-team", text)]).is_some());
    }
    // Two of them may share a slot, and thus a limit.
    assert!(refused < 20, "{refused}");
    let ledgers = memory.stored_ledgers();
    let patterns = ledgers.iter().filter(|name| name.starts_with("pattern:"));
    assert!(patterns.count() <= 256);
    // No text gets one request too many.
    for text in texts.iter().step_by(50) {
        let again = sent(&memory, &token, &[("x-team", text)]);
        assert_eq!(again, Some(Failure::RateLimit), "{text}");
    }
}
