//! What responses report about limits, and what a request over its rate does.

use super::limits::count_passing;
use super::{Visit, api, gateway, get, header, key, publish, refusal, session, visit, with};
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::limits::Shown;
use serde_json::{Value, json};

#[test]
fn a_request_over_its_rate_waits_and_is_tried_again() {
    let memory = gateway();
    let waiting = |retries: i64, interval: f64| {
        let throttle = json!({ "throttle_interval": interval, "throttle_retry_limit": retries });
        let members = with(json!({ "rate": 1, "per": 1000 }), &throttle);
        key(&memory, &session(&["a"], &members)).0
    };
    let token = waiting(3, 400.5);
    assert_eq!(count_passing(&memory, &token, "/a/x", 2), 2);
    assert_eq!(memory.isolate.take_waits(), [400_500; 3]);
    // Not long enough: as many retries as configured, however many.
    let token = waiting(12, 10.0);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::RateLimit));
    assert_eq!(memory.isolate.take_waits(), [10_000; 12]);
    for token in [waiting(0, 10.0), waiting(3, 0.0), waiting(-1, -1.0)] {
        assert_eq!(count_passing(&memory, &token, "/a/x", 2), 1);
        assert!(memory.isolate.take_waits().is_empty());
    }
}

#[test]
fn a_quota_is_not_waited_for() {
    let memory = gateway();
    let throttle = json!({ "throttle_interval": 1, "throttle_retry_limit": 5 });
    let members = with(
        throttle,
        &json!({ "quota_max": 1, "quota_renewal_rate": 3600 }),
    );
    let (token, _) = key(&memory, &session(&["a"], &members));
    assert_eq!(count_passing(&memory, &token, "/a/x", 3), 1);
    assert!(memory.isolate.take_waits().is_empty());
}

#[test]
fn the_numbers_can_be_those_of_the_rate_and_the_fields_can_be_left_out() {
    let mut memory = gateway();
    memory.gate.shown = Shown::RateLimits;
    memory.gate.fields = false;
    let members = json!({ "rate": 2, "per": 600, "quota_max": 9, "quota_renewal_rate": 3600 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    for left in ["1", "0"] {
        let headers = get(&memory, &token, "/a/x").unwrap().headers;
        assert_eq!(header(&headers, "x-ratelimit-limit"), Some("2"));
        assert_eq!(header(&headers, "x-ratelimit-remaining"), Some(left));
        assert_eq!(limits(&headers).count(), 3, "{headers:?}");
    }
    let refused = get(&memory, &token, "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::RateLimit);
    assert_eq!(header(&refused.headers, "x-ratelimit-remaining"), Some("0"));
    let shown = limits(&refused.headers).count();
    assert_eq!(shown, 3, "{:?}", refused.headers);
}

#[test]
fn no_rule_for_answers_changes_the_numbers() {
    let memory = gateway();
    let version = json!({ "name": "Default", "use_extended_paths": true,
        "global_response_headers": { "X-RateLimit-Remaining": "999" },
        "global_response_headers_remove": ["X-RateLimit-Limit"] });
    let versions = json!({ "not_versioned": true, "versions": { "Default": version } });
    publish(
        &memory,
        &[api("ruled", &json!({ "version_data": versions }))],
    );
    let members = json!({ "quota_max": 9, "quota_renewal_rate": 3600 });
    let (token, _) = key(&memory, &session(&["ruled"], &members));
    let headers = get(&memory, &token, "/ruled/x").unwrap().headers;
    assert_eq!(header(&headers, "x-ratelimit-limit"), Some("9"));
    assert_eq!(header(&headers, "x-ratelimit-remaining"), Some("8"));
}

/// Returns the headers about limits.
fn limits(headers: &[(String, String)]) -> impl Iterator<Item = &(String, String)> {
    let speaks = |name: &str| name.contains("ratelimit") || name == "retry-after";
    headers.iter().filter(move |(name, _)| speaks(name))
}

#[test]
fn the_state_of_limits_is_reported_without_counting() {
    let memory = gateway();
    let members = json!({ "rate": 2, "per": 600, "quota_max": 2, "quota_renewal_rate": 3600 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    let (free, _) = key(&memory, &session(&["a"], &json!({})));
    let (ended, _) = key(&memory, &session(&["a"], &json!({ "is_inactive": true })));
    let standing = |method: &str, token: &str| {
        let asked = Visit {
            method,
            target: "/a/gateway/rate-limits/",
            headers: &[("authorization", token)],
            body: "",
        };
        let limits =
            futures_util::FutureExt::now_or_never(memory.rate_limit_status(&asked)).unwrap();
        limits.map(|text| serde_json::from_str::<Value>(&text).unwrap())
    };
    let rate = json!({ "requests": 2, "per_unit": 600 });
    for left in [2, 1, 0, 0] {
        for method in ["GET", "POST"] {
            let limits = standing(method, &token).unwrap();
            assert_eq!(limits["quota"]["quota_max"], 2);
            assert_eq!(limits["quota"]["quota_remaining"], left);
            assert_eq!(limits["rate_limit"], rate);
        }
        refusal(&memory, &token, "/a/x");
    }
    let none = json!({ "quota": { "quota_max": 0, "quota_remaining": 0, "quota_renews": 0 },
        "rate_limit": { "requests": 0, "per_unit": 0 } });
    assert_eq!(standing("GET", &free).unwrap(), none);
    let unlimited = json!({ "rate": -1, "per": 1, "quota_max": -1 });
    let (unlimited, _) = key(&memory, &session(&["a"], &unlimited));
    let none = json!({ "quota": { "quota_max": -1, "quota_remaining": 0, "quota_renews": 0 },
        "rate_limit": { "requests": -1, "per_unit": 1 } });
    assert_eq!(standing("GET", &unlimited).unwrap(), none);
    assert_eq!(
        standing("GET", &ended).unwrap_err().failure,
        Failure::KeyInactive
    );
    let missing = standing("GET", "").unwrap_err();
    assert_eq!(missing.failure, Failure::CredentialMissing);
}

#[test]
fn without_limits_the_numbers_are_those_of_the_session_and_below_zero_is_no_limit() {
    let memory = gateway();
    let none = json!({ "rate": -1, "per": -1, "quota_max": -1, "quota_renewal_rate": 60 });
    for members in [json!({}), json!({ "rate": 5, "per": 0 }), none] {
        let (token, _) = key(&memory, &session(&["a"], &members));
        assert_eq!(count_passing(&memory, &token, "/a/x", 20), 20, "{members}");
        let headers = get(&memory, &token, "/a/x").unwrap().headers;
        let limit = members["quota_max"]
            .as_i64()
            .unwrap_or_default()
            .to_string();
        for (name, value) in [
            ("limit", limit.as_str()),
            ("remaining", "0"),
            ("reset", "0"),
        ] {
            let name = format!("x-ratelimit-{name}");
            assert_eq!(header(&headers, &name), Some(value), "{members} {name}");
        }
        assert_eq!(header(&headers, "ratelimit"), None);
    }
}

#[test]
fn the_state_of_limits_is_under_cors_rules() {
    let memory = gateway();
    let rules = json!({ "enable": true, "allowed_origins": ["http://page.example"] });
    publish(&memory, &[api("page", &json!({ "CORS": rules }))]);
    let asked = |method: &str, token: &str| {
        let asked = Visit {
            method,
            target: "/page/gateway/rate-limits/",
            headers: &[("origin", "http://page.example"), ("authorization", token)],
            body: "",
        };
        let answer = visit(&memory, asked);
        let (status, headers) = answer.map_or_else(
            |refused| (refused.failure.status(), refused.headers),
            |passed| (passed.status, passed.headers),
        );
        let origin = header(&headers, "access-control-allow-origin");
        (status, origin.map(str::to_owned))
    };
    let (token, _) = key(&memory, &session(&["page"], &json!({})));
    let page = || Some("http://page.example".to_owned());
    assert_eq!(asked("GET", &token), (200, page()));
    assert_eq!(asked("GET", ""), (401, page()));
    assert_eq!(asked("OPTIONS", ""), (200, page()));
}
