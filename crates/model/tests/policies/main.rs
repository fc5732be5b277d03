//! Properties of every session and all policies applied to it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test"
)]

mod generate;

use std::collections::BTreeSet;

use gatewright_model::document;
use gatewright_model::json;
use gatewright_model::policy::{self, ApplyError, Named};
use gatewright_model::session::{Rate, Session};
use gatewright_model::shape::Root;
use generate::{any_json, member_name, per_api, session, some_policies, without_per_api};
use proptest::prelude::*;
use serde_json::{Value, json};

fn apply(session: &str, policies: &[String]) -> Result<String, ApplyError> {
    let ids = ["p", "q", "r", "s"];
    let named = policies.iter().zip(ids).map(|(text, id)| Named {
        id,
        text: Some(text),
    });
    policy::apply(session, &named.collect::<Vec<_>>())
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn policy_without_throttling_adds_none() {
    let policy = r#"{"access_rights":{"a":{}},"throttle_interval":-1,"throttle_retry_limit":-1}"#;
    let applied = object(&apply(r#"{"apply_policies":["p"]}"#, &[policy.to_owned()]).unwrap());
    for name in ["throttle_interval", "throttle_retry_limit"] {
        assert_eq!(applied.get(name), None);
        assert_eq!(
            applied["access_rights"]["a"]
                .get("limit")
                .and_then(|limit| limit.get(name)),
            None
        );
    }
}

#[test]
fn attempt_shows_what_the_policies_before_a_conflict_change() {
    let session = r#"{"apply_policies":["p","q"],"rate":10,"per":10,"quota_max":100,"tags":["t"],
        "access_rights":{"own":{}},"meta_data":{"a":1}}"#;
    let rate = r#"{"partitions":{"rate_limit":true},"access_rights":{"a":{}},"rate":1,"per":1,"tags":["n"],"meta_data":{"b":2}}"#;
    let per_api = r#"{"partitions":{"per_api":true},"access_rights":{"a":{}},"rate":3,"per":1,"tags":["n"],"meta_data":{"b":2}}"#;
    let broken = r#"{"partitions":{"per_api":true,"acl":true},"access_rights":{"a":{}}}"#;
    let rights = r#""apply_policies":["p","q"],"access_rights":{"own":{}}"#;
    for (policies, error, expected) in [
        (
            vec![rate],
            ApplyError::NothingGranted,
            r#""rate":1,"per":1,"quota_max":100,"tags":["t","n"],"meta_data":{"a":1,"b":2}"#,
        ),
        // The first is without partitions, so everything is cleared for it.
        (
            vec![per_api, rate],
            ApplyError::Mixed,
            r#""tags":["t"],"meta_data":{"a":1,"b":2}"#,
        ),
        (
            vec![rate, per_api],
            ApplyError::Mixed,
            r#""rate":1,"per":1,"tags":["t"],"meta_data":{"a":1,"b":2}"#,
        ),
        (
            vec![rate, broken],
            ApplyError::PerApiAndPartitions { id: "q".to_owned() },
            r#""rate":1,"per":1,"quota_max":100,"tags":["t"],"meta_data":{"a":1,"b":2}"#,
        ),
    ] {
        let named = policies.iter().zip(["p", "q"]);
        let named = named.map(|(text, id)| Named {
            id,
            text: Some(text),
        });
        let named: Vec<_> = named.collect();
        assert_eq!(policy::apply(session, &named), Err(error));
        let shown = policy::shown(&policy::attempted(session, &named), &[]);
        assert_eq!(object(&shown), object(&format!("{{{rights},{expected}}}")));
    }
    let missing = [Named {
        id: "p",
        text: None,
    }];
    assert_eq!(policy::attempted(session, &missing), session);
}

#[test]
fn renewal_rate_of_minus_one_is_the_largest_with_limits_per_api() {
    let policy = |rate: i64| {
        format!(
            r#"{{"partitions":{{"per_api":true}},"quota_max":9,"quota_renewal_rate":{rate},"access_rights":{{"a":{{}}}}}}"#
        )
    };
    for (first, then) in [(60, -1), (-1, 60)] {
        let policies = [policy(first), policy(then)];
        let applied = object(&apply(r#"{"apply_policies":["p","q"]}"#, &policies).unwrap());
        assert_eq!(
            applied["access_rights"]["a"]["limit"]["quota_renewal_rate"],
            -1
        );
    }
}

#[test]
fn equal_tags_are_kept_once() {
    for (own, of_policy, expected) in [
        (r#"["x","x"]"#, "[]", r#"["x"]"#),
        (r#"["x","x"]"#, r#"["y","x"]"#, r#"["x","y"]"#),
        (r#"["y","x"]"#, r#"["x"]"#, r#"["y","x"]"#),
    ] {
        let policy = format!(r#"{{"access_rights":{{"a":{{}}}},"tags":{of_policy}}}"#);
        let session = format!(r#"{{"apply_policies":["p"],"tags":{own}}}"#);
        let applied = object(&apply(&session, &[policy]).unwrap());
        assert_eq!(applied["tags"], object(expected));
    }
}

#[test]
fn policy_for_all_apis_replaces_values_below_zero_of_limits_per_api() {
    let per_api = r#"{"partitions":{"per_api":true},"access_rights":{"a":{"limit":{"rate":5,"per":1,
        "quota_max":9,"quota_renewal_rate":-1,"throttle_interval":-1,"throttle_retry_limit":-1}}}}"#;
    let apply_with = |whole: &str| {
        let policies = [per_api.to_owned(), whole.to_owned()];
        let applied = object(&apply(r#"{"apply_policies":["p","q"]}"#, &policies).unwrap());
        applied["access_rights"]["a"]["limit"].clone()
    };
    let limit = apply_with(r#"{"access_rights":{"a":{}},"throttle_interval":-1}"#);
    assert_eq!(limit, object(r#"{"rate":5,"per":1,"quota_max":9}"#));
    let limit = apply_with(
        r#"{"access_rights":{"a":{}},"quota_renewal_rate":60,"throttle_retry_limit":2}"#,
    );
    let expected =
        r#"{"rate":5,"per":1,"quota_max":9,"quota_renewal_rate":60,"throttle_retry_limit":2}"#;
    assert_eq!(limit, object(expected));
}

/// Whether two rates are equally permissive: neither is faster than the other.
fn same_pace(a: Rate, b: Rate) -> bool {
    !a.is_faster_than(b) && !b.is_faster_than(a)
}

/// For one API: its id, its quota, renewal rate and depth, and its versions.
type Unordered = (String, [i64; 3], BTreeSet<String>);

/// Returns what doesn't depend on the order of policies.
fn unordered(text: &str) -> (bool, BTreeSet<String>, Vec<Unordered>) {
    let session = Session::parse(text).unwrap();
    let set = |texts: &[String]| texts.iter().cloned().collect::<BTreeSet<_>>();
    let mut rights: Vec<_> = session
        .access_rights
        .iter()
        .map(|(api, access)| {
            let limit = access.limit.unwrap_or_default();
            let most = |number: i64| if number == 0 { -2 } else { number };
            let numbers = [
                most(limit.quota_max),
                limit.quota_renewal_rate.max(0),
                most(limit.max_query_depth),
            ];
            (api.clone(), numbers, set(&access.versions))
        })
        .collect();
    rights.sort();
    (session.is_inactive, set(&session.tags), rights)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn applying_is_idempotent(session in session(), policies in some_policies()) {
        let session = session.to_string();
        if let Ok(once) = apply(&session, &policies) {
            prop_assert_eq!(apply(&once, &policies), Ok(once));
        }
    }

    #[test]
    fn the_result_is_a_session_without_errors(session in session(), policies in some_policies()) {
        let session = session.to_string();
        if let Ok(applied) = apply(&session, &policies) {
            let issues = document::validate(Root::Session, &applied);
            let wrong = issues.iter().find(|issue| issue.is_error());
            prop_assert!(wrong.is_none(), "{:?}\n{}", wrong, applied);
            if !policies.is_empty() {
                prop_assert!(!Session::parse(&applied).unwrap().access_rights.is_empty());
            }
            let (before, after) = (object(&session), object(&applied));
            prop_assert_eq!(before.get("unknown"), after.get("unknown"));
        }
    }

    #[test]
    fn only_access_policies_give_access(session in session(), policies in prop::collection::vec(without_per_api(), 1..4)) {
        if let Ok(applied) = apply(&session.to_string(), &policies) {
            let granting = policies.iter().map(|text| object(text)).filter(|policy| {
                let on = |part: &str| policy["partitions"][part] == json!(true);
                on("acl") || !["quota", "rate_limit", "complexity"].into_iter().any(on)
            });
            let granted: BTreeSet<String> = granting
                .flat_map(|policy| policy["access_rights"].as_object().unwrap().keys().cloned().collect::<Vec<_>>())
                .collect();
            let session = Session::parse(&applied).unwrap();
            let has: BTreeSet<String> = session.access_rights.into_iter().map(|(api, _)| api).collect();
            prop_assert_eq!(has, granted);
        }
    }

    #[test]
    fn limits_and_rights_do_not_depend_on_the_order(session in session(), policies in prop::collection::vec(without_per_api(), 2..4)) {
        let session = session.to_string();
        let other: Vec<_> = policies.iter().rev().cloned().collect();
        match (apply(&session, &policies), apply(&session, &other)) {
            (Ok(a), Ok(b)) => {
                prop_assert_eq!(unordered(&a), unordered(&b));
                let (a, b) = (Session::parse(&a).unwrap(), Session::parse(&b).unwrap());
                prop_assert!(same_pace(a.limit.rate, b.limit.rate));
                for (api, _) in &a.access_rights {
                    let rate = |session: &Session| session.access(api).unwrap().limit.unwrap_or_default().rate;
                    prop_assert!(same_pace(rate(&a), rate(&b)), "{}", api);
                }
            }
            (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
        }
    }

    #[test]
    fn the_greater_limits_of_per_api_do_not_depend_on_the_order(policies in prop::collection::vec(per_api(), 2..4)) {
        let other: Vec<_> = policies.iter().rev().cloned().collect();
        if let (Ok(a), Ok(b)) = (apply("{}", &policies), apply("{}", &other)) {
            let (a, b) = (Session::parse(&a).unwrap(), Session::parse(&b).unwrap());
            for (api, access) in &a.access_rights {
                let (a, b) = (access.limit.unwrap_or_default(), b.access(api).unwrap().limit.unwrap_or_default());
                prop_assert!(same_pace(a.rate, b.rate), "{}", api);
                prop_assert_eq!(a.quota_max, b.quota_max);
            }
        }
    }

    #[test]
    fn nothing_panics(session in "[{}\\[\\]\",:a-c0-9 ]{0,24}", policy in "[{}\\[\\]\",:a-c0-9 ]{0,24}") {
        let named = [Named { id: "p", text: Some(&policy) }];
        let _ = policy::apply(&session, &named);
        let _ = policy::apply(&session, &[]);
        let _ = policy::named(&session);
    }

    #[test]
    fn members_of_any_type_are_read(value in any_json(), name in member_name(), inner in member_name()) {
        let text = json!({name.clone(): value, "access_rights": {"x": {inner: value}}}).to_string();
        let session = Session::parse(&text).unwrap();
        let _ = session.applied("x");
        for (session, policy) in [("{}", text.as_str()), (text.as_str(), r#"{"access_rights":{"x":{}}}"#)] {
            let policies = [policy.to_owned(), policy.to_owned()];
            if let Ok(applied) = apply(session, &policies) {
                prop_assert!(json::parse(&applied).is_ok());
                prop_assert_eq!(apply(&applied, &policies), Ok(applied));
            }
        }
    }
}

#[test]
fn many_apis_are_combined_quickly() {
    let begun = std::time::Instant::now();
    let rights = |from: usize| {
        let each = (from..from + 10_000).map(|api| {
            let urls = json!([{"url": format!("/{api}"), "methods": ["GET"]}]);
            (
                format!("api{api}"),
                json!({"allowed_urls": urls, "limit": {"rate": 1, "per": 1}}),
            )
        });
        Value::Object(each.collect())
    };
    let session = json!({"access_rights": rights(5_000)}).to_string();
    let policies = [0, 5_000].map(|from| json!({"access_rights": rights(from)}).to_string());
    let applied = apply(&session, &policies).unwrap();
    assert_eq!(
        Session::parse(&applied).unwrap().access_rights.len(),
        15_000
    );
    let urls: Vec<Value> = (0..20_000)
        .map(|n| json!({"url": format!("/{n}"), "methods": ["GET"]}))
        .collect();
    let policy = json!({"access_rights": {"x": {"allowed_urls": urls}}}).to_string();
    assert!(apply("{}", &[policy.clone(), policy]).is_ok());
    // Generous: it takes two seconds without optimisation, and minutes if one step were quadratic.
    assert!(begun.elapsed().as_secs() < 20);
}
