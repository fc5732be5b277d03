//! Checks that the console reads what the edge writes.

use gatewright_api::figures as written;
use gatewright_model::json::parse;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use super::failures::{
    FailedRequest, FailedUpstream, FailureKind, FailureMinute, FailureSum, Failures,
};
use super::{ApiSums, CloseKey, Figures, Point, Read, Storage, Sums};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn figures_round_trip() {
    let sums = written::Sums {
        requests: 1,
        errors: 2,
        key_failures: 3,
        rate_limited: 4,
        quota_exceeded: 5,
        refused: 6,
        ledger_calls: 15,
        direct_counts: 16,
        leased_counts: 17,
        leases: 20,
        cache_hits: 18,
        cache_misses: 19,
        average_ms: Some(7.25),
        p95_ms: Some(80.0),
    };
    let text = serde_json::to_string(&written::Figures {
        window: "1h".to_owned(),
        since: 8,
        until: 9,
        step_seconds: 10,
        totals: sums.clone(),
        series: vec![written::Point {
            at: 8,
            sums: written::Sums::default(),
        }],
        apis: vec![written::ApiSums {
            api_id: "a".to_owned(),
            name: "b".to_owned(),
            sums,
        }],
        close: vec![written::CloseKey {
            key_hash: "c".to_owned(),
            alias: "d".to_owned(),
            api_id: "e".to_owned(),
            api_name: "f".to_owned(),
            quota_max: 11,
            quota_remaining: 12,
            quota_renews: 13,
            seen_at: 14,
        }],
        processes: Vec::new(),
    })
    .unwrap();
    let sums = Sums {
        requests: 1,
        errors: 2,
        key_failures: 3,
        rate_limited: 4,
        quota_exceeded: 5,
        refused: 6,
        ledger_calls: 15,
        direct_counts: 16,
        leased_counts: 17,
        leases: 20,
        cache_hits: 18,
        cache_misses: 19,
        average: Some(72),
        p95: Some(800),
    };
    let expected = Figures {
        since: 8,
        until: 9,
        step_seconds: 10,
        totals: sums,
        series: vec![Point {
            at: 8,
            sums: Sums::default(),
        }],
        apis: vec![ApiSums {
            api_id: "a".to_owned(),
            name: "b".to_owned(),
            sums,
        }],
        close: vec![CloseKey {
            hash: "c".to_owned(),
            alias: "d".to_owned(),
            api_id: "e".to_owned(),
            api_name: "f".to_owned(),
            max: 11,
            remaining: 12,
            renews: 13,
        }],
        is_part: false,
    };
    assert_eq!(Figures::read(&parse(&text).unwrap()), Ok(expected));
}

#[wasm_bindgen_test]
fn sizes_round_trip() {
    let text = serde_json::to_string(&written::Storage {
        database_bytes: 1,
        database_max_bytes: 2,
        rows: written::StoredRows {
            apis: 3,
            api_revisions: 4,
            documents: 5,
            document_revisions: 6,
            sessions: 7,
            audit: 8,
            notifications: 9,
            deliveries: 10,
            credentials: 11,
        },
        counted_at: "12".to_owned(),
        swept_at: None,
    })
    .unwrap();
    let read = Storage::read(&parse(&text).unwrap()).unwrap();
    assert_eq!((read.database, read.database_max), (1, 2));
    let rows: Vec<u64> = read.rows.iter().map(|(_, rows)| *rows).collect();
    assert_eq!(rows, [3, 4, 5, 6, 7, 8, 9, 10, 11]);
}

#[wasm_bindgen_test]
fn failures_round_trip() {
    let request = written::FailedRequest {
        at: 61,
        method: "GET".to_owned(),
        path: "/a".to_owned(),
        query: vec!["q".to_owned()],
        headers: vec![
            ("accept".to_owned(), Some("b".to_owned())),
            ("cookie".to_owned(), None),
        ],
        link: "upstream".to_owned(),
        key_hash: "h".to_owned(),
        upstream: Some(written::FailedUpstream {
            host: "up".to_owned(),
            ms: 1,
            timeout_ms: 2,
            error: "e".to_owned(),
        }),
    };
    let minute = written::FailureMinute {
        at: 60,
        api_id: "a".to_owned(),
        version: "v".to_owned(),
        status: 500,
        reason: "r".to_owned(),
        count: 2,
        sample: Some(request),
    };
    let text = serde_json::to_string(&written::Failures {
        since: 0,
        until: 120,
        kinds: vec![written::FailureKind {
            api_id: "a".to_owned(),
            version: "v".to_owned(),
            status: 500,
            reason: "r".to_owned(),
            count: 2,
            last_seen: 60,
        }],
        minutes: vec![
            minute.clone(),
            written::FailureMinute {
                sample: None,
                ..minute
            },
        ],
        api_names: [("a".to_owned(), "A".to_owned())].into(),
        key_aliases: [("h".to_owned(), "i".to_owned())].into(),
    })
    .unwrap();
    let kind = FailureKind {
        api_id: "a".to_owned(),
        version: "v".to_owned(),
        status: 500,
        reason: "r".to_owned(),
    };
    let request = FailedRequest {
        at: 61,
        method: "GET".to_owned(),
        path: "/a".to_owned(),
        query: vec!["q".to_owned()],
        headers: vec![
            ("accept".to_owned(), Some("b".to_owned())),
            ("cookie".to_owned(), None),
        ],
        link: "upstream".to_owned(),
        key: "h".to_owned(),
        upstream: Some(FailedUpstream {
            host: "up".to_owned(),
            ms: 1,
            timeout_ms: 2,
            error: "e".to_owned(),
        }),
    };
    let minute = FailureMinute {
        at: 60,
        kind: kind.clone(),
        count: 2,
        sample: Some(request),
    };
    let without = FailureMinute {
        sample: None,
        ..minute.clone()
    };
    let read = Failures::read(&parse(&text).unwrap()).unwrap();
    let sum = FailureSum {
        kind,
        count: 2,
        last: 60,
    };
    assert_eq!(read.kinds, [sum]);
    assert_eq!(read.minutes, [minute, without]);
    assert_eq!((read.api("a"), read.api("b")), ("A", "b"));
    assert_eq!((read.key("h"), read.key("a")), ("i", ""));
}
