//! Figures about served requests: the reference's five numbers, and what the console draws.

use futures_util::FutureExt;
use gatewright_controlplane::config::HealthConfig;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// 2026-01-01T00:00:00Z, shortly after which the clock of every [`Memory`] starts.
const START: u64 = 1_767_225_600;

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

/// Creates a gateway that serves the API `a`.
fn gateway() -> Memory {
    let memory = Memory::default();
    let definition = json!({ "name": "A", "api_id": "a", "use_keyless": true,
        "proxy": { "listen_path": "/a/", "target_url": "http://up/" } });
    let made = send(&memory, "POST", "/gateway/apis", &definition.to_string());
    assert_eq!(made.status, 200, "{}", made.body);
    assert_eq!(
        send(&memory, "GET", "/gateway/reload?block=true", "").status,
        200
    );
    memory
}

/// Makes the Meter respond with these lines.
fn answers(memory: &Memory, lines: &[String]) {
    memory.meter.borrow_mut().0 = lines.join("\n");
}

/// Returns the numbers of a line: requests, errors, refusals for key, rate, quota and other reasons, responses and the
/// sum of their milliseconds, all of them within 50 ms; how Ledgers were asked, the cache's hits and misses, and
/// leases.
fn numbers(first: [u64; 8], last: [u64; 6]) -> String {
    let buckets = [0, 0, 0, 0, 0, first[6], 0, 0, 0, 0, 0, 0, 0, 0];
    let all = first.iter().chain(&buckets).chain(&last);
    all.map(u64::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn health_has_the_members_of_the_reference_in_their_order() {
    let memory = gateway();
    answers(
        &memory,
        &[format!(
            "a {} a",
            numbers([120, 3, 6, 12, 30, 1, 70, 2_803], [0; 6])
        )],
    );
    let response = send(&memory, "GET", "/gateway/health?api_id=a", "");
    assert_eq!(
        (response.status, response.body.as_str()),
        (
            200,
            "{\"throttle_reqests_per_second\":0.2,\"quota_violations_per_second\":0.5,\
             \"key_failures_per_second\":0.1,\"average_upstream_latency\":40.04,\
             \"average_requests_per_second\":2.0}\n"
        )
    );
    let meter = memory.meter.borrow();
    let span = meter.1.last().unwrap();
    let api = span.api_id.as_deref();
    assert_eq!(
        (span.grain, span.step, span.most, api),
        (10, 0, 0, Some("a"))
    );
    assert_eq!(span.since % 10, 0);
    assert!((START - 60..START).contains(&span.since), "{}", span.since);
}

#[test]
fn an_api_without_requests_has_zeros() {
    let memory = gateway();
    let (status, body) = get(&memory, "/gateway/health?api_id=a");
    assert_eq!(status, 200);
    assert!(
        body.as_object()
            .unwrap()
            .values()
            .all(|number| number == 0.0)
    );
}

#[test]
fn health_rejects_invalid_queries() {
    let mut memory = gateway();
    for (target, status, message) in [
        ("/gateway/health", 400, "missing api_id parameter"),
        ("/gateway/health?api_id=", 400, "missing api_id parameter"),
        ("/gateway/health?api_id=b", 404, "API ID not found"),
    ] {
        let (found, body) = get(&memory, target);
        assert_eq!(
            (found, &body["message"]),
            (status, &json!(message)),
            "{target}"
        );
    }
    // The switch is checked first.
    memory.health = HealthConfig::read(|_| Some("false".to_owned()));
    for target in ["/gateway/health", "/gateway/health?api_id=a"] {
        let (status, body) = get(&memory, target);
        let message = json!("Health checks are not enabled for this node");
        assert_eq!((status, &body["message"]), (400, &message), "{target}");
    }
    assert_eq!(get(&memory, "/gateway/health/figures").0, 200);
}

#[test]
fn figures_fill_every_point_of_their_window() {
    let memory = gateway();
    for (query, window, grain, step, points) in [
        ("", "1h", 10, 60, 60),
        ("?window=15m", "15m", 10, 30, 30),
        ("?window=24h", "24h", 300, 1800, 48),
        ("?window=7d", "7d", 300, 10_800, 56),
    ] {
        let (status, body) = get(&memory, &format!("/gateway/health/figures{query}"));
        assert_eq!((status, &body["window"]), (200, &json!(window)));
        let series = body["series"].as_array().unwrap();
        assert_eq!(series.len(), points, "{window}");
        let until = body["until"].as_u64().unwrap();
        let last = series.last().unwrap()["at"].as_u64().unwrap();
        assert!(last <= until && until < last + step, "{window}");
        assert_eq!(series[0]["at"], body["since"], "{window}");
        let meter = memory.meter.borrow();
        let span = meter.1.last().unwrap();
        assert_eq!((span.grain, span.step), (grain, step), "{window}");
    }
    assert_eq!(get(&memory, "/gateway/health/figures?window=2h").0, 400);
    // An id that looks like further lines of a report is refused.
    let asked = memory.meter.borrow().1.len();
    let target = "/gateway/health/figures?api_id=x\na 1 1";
    assert_eq!(get(&memory, target).0, 400);
    assert_eq!(memory.meter.borrow().1.len(), asked);
}

#[test]
fn figures_are_summed_up_and_named() {
    let memory = gateway();
    let one = numbers([10, 1, 0, 2, 0, 0, 8, 80], [3, 7, 50, 6, 2, 5]);
    let other = numbers([20, 0, 1, 0, 3, 4, 12, 240], [1, 0, 8, 0, 1, 2]);
    let (_, empty) = get(&memory, "/gateway/health/figures?window=15m");
    let at = empty["series"][20]["at"].as_u64().unwrap();
    answers(
        &memory,
        &[
            format!("p {one} {at}"),
            format!("p {other} {}", at + 30),
            format!("a {other} a"),
            format!("a {one} gone"),
        ],
    );
    let (_, body) = get(&memory, "/gateway/health/figures?window=15m");
    let series = body["series"].as_array().unwrap();
    let requests: Vec<_> = series
        .iter()
        .filter(|point| point["sums"]["requests"] != 0)
        .collect();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0]["at"], at);
    assert_eq!(requests[0]["sums"]["average_ms"], 10.0);
    assert_eq!(series[0]["sums"]["average_ms"], Value::Null);
    let expected = json!({ "requests": 30, "errors": 1, "key_failures": 1, "rate_limited": 2,
        "quota_exceeded": 3, "refused": 4, "ledger_calls": 4, "direct_counts": 7, "leased_counts": 58, "leases": 7, "cache_hits": 6, "cache_misses": 3, "average_ms": 16.0, "p95_ms": 48.75 });
    assert_eq!(body["totals"], expected);
    let names: Vec<_> = body["apis"]
        .as_array()
        .unwrap()
        .iter()
        .map(|api| (&api["api_id"], &api["name"]))
        .collect();
    assert_eq!(
        names,
        [(&json!("a"), &json!("A")), (&json!("gone"), &json!(""))]
    );
}

#[test]
fn each_process_reports_generation_and_memory() {
    let memory = gateway();
    let (_, body) = get(&memory, "/gateway/health/figures");
    let generation = body["processes"][0]["generation"].as_u64().unwrap();
    let expected = json!([
        { "name": "objects", "ready": true, "generation": generation, "wasm_bytes": 2_097_152 },
        { "name": "process-1", "ready": false, "generation": null, "wasm_bytes": 0 },
    ]);
    assert_eq!(body["processes"], expected);
}

#[test]
fn keys_near_their_limit_are_named_until_rewritten() {
    let memory = gateway();
    let key = |alias: &str| {
        let session = json!({ "alias": alias, "quota_max": 10, "access_rights": { "a": {} } });
        let made = send(&memory, "POST", "/gateway/keys", &session.to_string());
        let made: Value = serde_json::from_str(&made.body).unwrap();
        made["key_hash"].as_str().unwrap().to_owned()
    };
    let (kept, changed, deleted) = (key("kept"), key("changed"), key("deleted"));
    let now = memory.now_ms();
    let line = |hash: &str| format!("k {now} 10 1 {} {hash} a", now + 5_000);
    answers(
        &memory,
        &[line(&kept), line(&changed), line(&deleted), line("unknown")],
    );
    let aliases = || {
        let (_, body) = get(&memory, "/gateway/health/figures");
        let keys = body["close"].as_array().unwrap().clone();
        keys.iter()
            .map(|key| key["alias"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(aliases(), ["kept", "changed", "deleted"]);
    let path = format!("/gateway/keys/{changed}");
    let session = json!({ "alias": "changed", "quota_max": 99, "access_rights": { "a": {} } });
    assert_eq!(
        send(&memory, "PUT", &path, &session.to_string()).status,
        200
    );
    assert_eq!(
        send(&memory, "DELETE", &format!("/gateway/keys/{deleted}"), "").status,
        200
    );
    assert_eq!(aliases(), ["kept"]);
    let (_, body) = get(&memory, "/gateway/health/figures");
    let expected = json!({ "key_hash": kept, "alias": "kept", "api_id": "a", "api_name": "A",
        "quota_max": 10, "quota_remaining": 1, "quota_renews": (now + 5_000) / 1000,
        "seen_at": now / 1000 });
    assert_eq!(body["close"], json!([expected]));
}

#[test]
fn replies_of_several_meters_are_merged() {
    let memory = gateway();
    let one = numbers([10, 1, 0, 2, 0, 0, 8, 80], [3, 7, 50, 6, 2, 5]);
    let other = numbers([20, 0, 1, 0, 3, 4, 12, 240], [1, 0, 8, 0, 1, 2]);
    let (_, empty) = get(&memory, "/gateway/health/figures?window=15m");
    let at = empty["series"][20]["at"].as_u64().unwrap();
    let columns = one.split(' ').count();
    answers(
        &memory,
        &[
            format!("n {columns}"),
            format!("p {one} {at}"),
            format!("a {one} a"),
            // An API that has moved, from a Meter of the next release.
            format!("n {}", columns + 1),
            format!("p {other} 7 {at}"),
            format!("a {other} 7 b"),
            format!("a {other} 7 a"),
        ],
    );
    let (_, body) = get(&memory, "/gateway/health/figures?window=15m");
    assert_eq!(body["series"][20]["sums"]["requests"], json!(30));
    assert_eq!(body["totals"]["requests"], json!(30));
    let apis: Vec<_> = body["apis"].as_array().unwrap().iter().collect();
    let sums = apis
        .iter()
        .map(|api| (&api["api_id"], &api["sums"]["requests"]));
    let expected = [(json!("a"), json!(30)), (json!("b"), json!(20))];
    assert!(
        sums.eq(expected.iter().map(|(id, sum)| (id, sum))),
        "{apis:?}"
    );
}
