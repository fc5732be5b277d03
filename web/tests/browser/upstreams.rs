//! Checks that the console reads the upstreams of an API as the edge writes them.

use gatewright_api::upstreams as written;
use gatewright_model::json::parse;
use gatewright_web::api::read::Read;
use gatewright_web::api::upstreams::{
    Breaker, Check, Discovery, Target, UpstreamHealth, UptimeTest,
};
use wasm_bindgen_test::wasm_bindgen_test;

fn body() -> written::UpstreamHealth {
    written::UpstreamHealth {
        api_id: "a".to_owned(),
        at: 1,
        loaded: true,
        load_balancing: true,
        skips_down: true,
        targets: vec![written::UpstreamTarget {
            url: "http://h/".to_owned(),
            host: "h:80".to_owned(),
            weight: 2,
            state: written::HostState::Down,
            since: Some(3),
        }],
        discovery: Some(written::DiscoveredTargets {
            endpoint: "http://c/".to_owned(),
            state: written::ListState::Stale,
            fetched_at: Some(4),
            targets: vec!["http://h/".to_owned()],
            error: "why".to_owned(),
        }),
        breakers: vec![written::BreakerHealth {
            path: "/p".to_owned(),
            method: "GET".to_owned(),
            state: written::BreakerState::HalfOpen,
            until: Some(5),
            requests: 6,
            failures: 7,
            samples: 8,
            threshold_percent: 0.25,
        }],
        breakers_of: "isolate".to_owned(),
        uptime: written::UptimeHealth {
            enabled: true,
            every_seconds: 9,
            failures_to_down: 10,
            checks_kept: 11,
            tests: vec![written::UptimeTest {
                url: "http://h/t".to_owned(),
                host: "h:80".to_owned(),
                method: "HEAD".to_owned(),
                protocol: "http".to_owned(),
                state: written::HostState::Up,
                since: None,
                next_at: Some(12),
                checks: vec![written::UptimeCheck {
                    at: 13,
                    up: false,
                    status: 503,
                    ms: 14,
                    error: "late".to_owned(),
                }],
            }],
        },
    }
}

#[wasm_bindgen_test]
fn upstream_health_round_trips() {
    let text = serde_json::to_string(&body()).unwrap();
    let expected = UpstreamHealth {
        at: 1,
        loaded: true,
        balances: true,
        skips_down: true,
        targets: vec![Target {
            url: "http://h/".to_owned(),
            weight: 2,
            state: "down".to_owned(),
            since: Some(3),
        }],
        discovery: Some(Discovery {
            endpoint: "http://c/".to_owned(),
            state: "stale".to_owned(),
            fetched_at: Some(4),
            error: "why".to_owned(),
        }),
        breakers: vec![Breaker {
            method: "GET".to_owned(),
            path: "/p".to_owned(),
            state: "half_open".to_owned(),
            until: Some(5),
            requests: 6,
            failures: 7,
            samples: 8,
            threshold: 25,
        }],
        breakers_of_isolate: true,
        tested: true,
        every: 9,
        failures_to_down: 10,
        tests: vec![UptimeTest {
            url: "http://h/t".to_owned(),
            host: "h:80".to_owned(),
            method: "HEAD".to_owned(),
            state: "up".to_owned(),
            since: None,
            checks: vec![Check {
                at: 13,
                up: false,
                status: 503,
                ms: 14,
                error: "late".to_owned(),
            }],
        }],
    };
    assert_eq!(UpstreamHealth::read(&parse(&text).unwrap()), Ok(expected));
}

#[wasm_bindgen_test]
fn unknown_values_are_absent() {
    let text = serde_json::to_string(&written::UpstreamHealth::default()).unwrap();
    let read = UpstreamHealth::read(&parse(&text).unwrap()).unwrap();
    assert_eq!(
        (read.loaded, read.discovery, read.tests.len()),
        (false, None, 0)
    );
}
