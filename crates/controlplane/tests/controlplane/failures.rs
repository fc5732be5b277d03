//! Failed requests: what the Meter is asked, and how names are added to its response.

use futures_util::FutureExt;
use gatewright_protocol::figures::Failing;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

fn send(memory: &Memory, method: &str, target: &str, body: &str) -> Response {
    memory.send(method, target, body).now_or_never().unwrap()
}

fn get(memory: &Memory, target: &str) -> (u16, Value) {
    let response = send(memory, "GET", target, "");
    (
        response.status,
        serde_json::from_str(&response.body).unwrap(),
    )
}

/// Returns what the Meter was last asked.
fn last_query(memory: &Memory) -> Failing {
    memory.failures.borrow().1.last().unwrap().clone()
}

#[test]
fn query_is_parsed() {
    let memory = Memory::default();
    let (status, body) = get(
        &memory,
        "/gateway/health/failures?api_id=a&version=v1&status=5xx&reason=no-name&path=/x&key=h&since=1000&until=2000",
    );
    assert_eq!(status, 200, "{body}");
    let wanted = Failing {
        since: 960,
        until: 2000,
        api_id: "a".to_owned(),
        version: "v1".to_owned(),
        statuses: (500, 599),
        reason: "no-name".to_owned(),
        path: "/x".to_owned(),
        key_hash: "h".to_owned(),
        most: 200,
    };
    assert_eq!(last_query(&memory), wanted);
    assert_eq!(
        body,
        json!({ "since": 960, "until": 2000, "kinds": [], "minutes": [], "api_names": {}, "key_aliases": {} })
    );
    assert_eq!(get(&memory, "/gateway/health/failures?status=429").0, 200);
    assert_eq!(last_query(&memory).statuses, (429, 429));
    get(&memory, "/gateway/health/failures?window=15m");
    let quarter = last_query(&memory);
    get(&memory, "/gateway/health/failures?window=24h");
    let day = last_query(&memory);
    assert!(quarter.since - day.since > 23 * 3600);
    assert!(quarter.since.is_multiple_of(60) && quarter.until > quarter.since);
}

#[test]
fn invalid_query_says_why() {
    let memory = Memory::default();
    for (query, message) in [
        ("window=2h", "window is one of 15m, 1h, 24h and 7d"),
        ("status=bad", "status is a number, 4xx or 5xx"),
        ("since=now", "since is a time in seconds since 1970"),
        ("until=-1", "until is a time in seconds since 1970"),
    ] {
        let (status, body) = get(&memory, &format!("/gateway/health/failures?{query}"));
        assert_eq!((status, &body["message"]), (400, &json!(message)));
    }
    assert!(memory.failures.borrow().1.is_empty());
}

#[test]
fn meter_replies_are_merged_and_named() {
    let memory = Memory::default();
    let definition = json!({ "name": "Orders", "api_id": "a", "use_keyless": true,
        "proxy": { "listen_path": "/a/", "target_url": "http://up/" } });
    let made = send(&memory, "POST", "/gateway/apis", &definition.to_string());
    assert_eq!(made.status, 200, "{}", made.body);
    assert_eq!(
        send(&memory, "GET", "/gateway/reload?block=true", "").status,
        200
    );
    let session = json!({ "alias": "acme", "access_rights": { "a": { "api_id": "a" } } });
    let key = send(&memory, "POST", "/gateway/keys", &session.to_string());
    assert_eq!(key.status, 200, "{}", key.body);
    let key: Value = serde_json::from_str(&key.body).unwrap();
    let hash = &key["key_hash"];
    let sum = |count: u64, last: u64| json!({ "api_id": "a", "version": "", "status": 429, "reason": "r", "count": count, "last_seen": last });
    let row = |at: u64, sample: Value| {
        json!({ "at": at, "api_id": "a", "version": "", "status": 429, "reason": "r", "count": 1,
            "sample": sample })
    };
    let gone = json!({ "api_id": "gone", "version": "v", "status": 500, "reason": "x", "count": 9,
        "last_seen": 60 });
    // A subset of what an older release writes, and a member that this release does not know.
    let sample = json!({ "at": 61, "method": "GET", "path": "/a/", "key_hash": hash, "later": 1,
        "headers": [["accept", "*/*"], ["authorization", null]] });
    memory.failures.borrow_mut().0 = [
        format!("s {}", sum(2, 60)),
        format!("r {}", row(60, sample)),
        format!("s {}", sum(5, 120)),
        format!("s {gone}"),
        format!("r {}", row(120, Value::Null)),
        "nothing".to_owned(),
    ]
    .join("\n");
    let (status, body) = get(&memory, "/gateway/health/failures");
    assert_eq!(status, 200, "{body}");
    let kinds: Vec<_> = body["kinds"].as_array().unwrap().iter().collect();
    let counts = kinds.iter().map(|kind| kind["count"].as_u64().unwrap());
    assert_eq!(counts.collect::<Vec<_>>(), [9, 5, 2]);
    assert_eq!(body["api_names"], json!({ "a": "Orders" }));
    assert_eq!(
        body["key_aliases"],
        json!({ hash.as_str().unwrap(): "acme" })
    );
    assert_eq!(body["minutes"][0]["at"], 120);
    assert_eq!(body["minutes"][0]["sample"], Value::Null);
    let shown = &body["minutes"][1]["sample"];
    assert_eq!(&shown["key_hash"], hash);
    assert_eq!(shown["headers"][1], json!(["authorization", null]));
    // The response can be parsed into the types that describe it.
    let read: gatewright_api::figures::Failures = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(read.minutes[1].sample.as_ref().unwrap().method, "GET");
}
