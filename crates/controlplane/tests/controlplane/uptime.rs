//! Uptime tests: from a published definition to the hosts that are down, their notifications, and the response about
//! the upstreams of an API.

use futures_util::FutureExt;
use gatewright_controlplane::config::UptimeConfig;
use gatewright_controlplane::ports::{Platform as _, UpstreamFacts};
use gatewright_controlplane::uptime::{CHECKS_KEPT, Uptime};
use gatewright_protocol::registry::{Command, decode, encode};
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::{Fault, FaultySql};
use gatewright_testkit::sqlite::Sqlite;
use serde_json::{Value, json};

/// When every test starts, in Unix milliseconds.
const AT: u64 = 1_767_225_600_000;
const CONFIG: UptimeConfig = UptimeConfig {
    enabled: true,
    every_ms: 10_000,
    limit: 3,
};

fn send(memory: &Memory, method: &str, target: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let response = memory.send(method, target, &body).now_or_never().unwrap();
    (
        response.status,
        serde_json::from_str(&response.body).unwrap_or_default(),
    )
}

fn definition(members: &Value) -> Value {
    let mut definition = json!({ "name": "A", "api_id": "a", "org_id": "o", "use_keyless": true,
        "proxy": { "listen_path": "/a/", "target_url": "http://one/" } });
    for (name, value) in members.as_object().unwrap() {
        definition[name] = value.clone();
    }
    definition
}

/// Stores and publishes a definition.
fn publish(memory: &Memory, members: &Value) {
    let (status, body) = send(memory, "POST", "/gateway/apis", &definition(members));
    assert_eq!(status, 200, "{body}");
    let (status, body) = send(memory, "GET", "/gateway/reload?block=true", &Value::Null);
    assert_eq!(status, 200, "{body}");
}

fn open(sql: &Sqlite) -> Uptime {
    Uptime::open(sql.clone(), CONFIG).unwrap()
}

/// Sends a message of the uptime tests to the Registry.
fn call(memory: &Memory, message: &str) -> String {
    let (command, text) = decode::<Command>(message).unwrap();
    let answered = memory.call(&command, text).now_or_never().unwrap();
    let (reply, text) = answered.unwrap();
    encode(&reply, &text).unwrap()
}

fn learn(memory: &Memory, uptime: &mut Uptime) {
    let answer = call(memory, &uptime.ask().unwrap());
    uptime.apply(&answer).unwrap();
}

/// Returns the URLs that are due.
fn due(uptime: &mut Uptime, now: u64) -> Vec<String> {
    let due: Value = serde_json::from_str(&uptime.due(now).unwrap()).unwrap();
    let url = |test: &Value| test["url"].as_str().unwrap().to_owned();
    due.as_array().unwrap().iter().map(url).collect()
}

/// Runs all due tests for this many rounds: each gets this status, 0 for no response.
fn rounds(uptime: &mut Uptime, from: u64, count: u64, status: u16) -> u64 {
    let mut now = from;
    for _ in 0..count {
        for url in due(uptime, now) {
            let error = if status == 0 { "refused" } else { "" };
            let came = json!({ "status": status, "ms": 5, "error": error }).to_string();
            uptime
                .record_result(("a", &url), &came, (now, now + 5))
                .unwrap();
        }
        now += CONFIG.every_ms;
    }
    now
}

fn health(uptime: &Uptime, now: u64) -> Value {
    serde_json::from_str(&uptime.read("a", now).unwrap()).unwrap()
}

/// Sends all pending events to the Registry.
fn send_events(memory: &Memory, uptime: &Uptime) {
    while let Some((upto, message)) = uptime.events().unwrap() {
        call(memory, &message);
        uptime.events_sent(upto).unwrap();
    }
}

fn notices(memory: &Memory) -> Vec<Value> {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let answer = memory.send_with("GET", "/api/notifications", "", &headers);
    let body: Value = serde_json::from_str(&answer.now_or_never().unwrap().body).unwrap();
    let mut all = body["notifications"].as_array().unwrap().clone();
    all.retain(|notice| notice["type"].as_str().unwrap().starts_with("Host"));
    all
}

#[test]
fn tests_come_from_the_published_set() {
    let memory = Memory::default();
    let mut uptime = open(&Sqlite::default());
    learn(&memory, &mut uptime);
    assert_eq!(uptime.next(), None);
    let checks = json!({ "uptime_tests": { "check_list": [{ "url": "http://one/up" }, { "url": "http://two/up" }] } });
    publish(&memory, &checks);
    learn(&memory, &mut uptime);
    assert_eq!(uptime.next(), Some(0));
    assert_eq!(due(&mut uptime, AT), ["http://one/up", "http://two/up"]);
    // Each is due again after its interval.
    assert!(due(&mut uptime, AT + 9999).is_empty());
    assert_eq!(uptime.next(), Some(AT + 10_000));
    // A write without a reload changes nothing.
    let (status, _) = send(&memory, "POST", "/gateway/apis", &definition(&json!({})));
    assert_eq!(status, 200);
    learn(&memory, &mut uptime);
    assert_eq!(due(&mut uptime, AT + 10_000).len(), 2);
    publish(
        &memory,
        &json!({ "uptime_tests": { "disabled": true, "check_list": [{ "url": "http://one/up" }] } }),
    );
    learn(&memory, &mut uptime);
    assert_eq!(
        (uptime.next(), health(&uptime, AT)["enabled"].as_bool()),
        (None, Some(false))
    );
    // If the operator has disabled them, there are none.
    let mut off = Uptime::open(
        Sqlite::default(),
        UptimeConfig {
            enabled: false,
            ..CONFIG
        },
    )
    .unwrap();
    publish(&memory, &checks);
    learn(&memory, &mut off);
    assert_eq!(off.next(), None);
}

#[test]
fn host_down_after_three_failures_is_notified() {
    let memory = Memory::default();
    let sql = Sqlite::default();
    let mut uptime = open(&sql);
    let handlers = json!([
        { "handler_name": "eh_log_handler", "handler_meta": { "prefix": "host" } },
        { "handler_name": "eh_web_hook_handler", "handler_meta": { "method": "POST", "target_path": "https://hook.example/in" } },
    ]);
    publish(
        &memory,
        &json!({ "org_id": "default", "uptime_tests": { "check_list": [{ "url": "http://One:80/up" }] },
            "event_handlers": { "events": { "HostDown": handlers } } }),
    );
    learn(&memory, &mut uptime);
    let now = rounds(&mut uptime, AT, 2, 503);
    assert_eq!(
        (uptime.down("default"), uptime.events().unwrap().is_none()),
        (String::new(), true)
    );
    // What it knows survives the object.
    drop(uptime);
    let mut uptime = open(&sql);
    learn(&memory, &mut uptime);
    assert_eq!(due(&mut uptime, now).len(), 1);
    let came = json!({ "status": 0, "ms": 5, "error": "refused" }).to_string();
    let lines = uptime
        .record_result(("a", "http://One:80/up"), &came, (now, now + 5))
        .unwrap();
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].starts_with(
            "host {\"Type\":\"HostDown\",\"Meta\":{\"Message\":\"Uptime test failed\""
        ),
        "{lines:?}"
    );
    assert_eq!(
        (uptime.down("default"), uptime.down("other")),
        ("one".to_owned(), String::new())
    );
    send_events(&memory, &uptime);
    let notified = notices(&memory);
    let expected = json!({ "event": "HostDown", "message": "Uptime test failed", "url": "http://One:80/up",
        "response_code": 0, "tcp_error": true, "host": "one", "api_id": "a", "org": "default" });
    assert_eq!((notified.len(), &notified[0]["data"]), (1, &expected));
    assert!(uptime.events().unwrap().is_none());
    // More failures cause no event; three successes do, although no handler receives it.
    let now = rounds(&mut uptime, now + 10_000, 4, 500);
    let now = rounds(&mut uptime, now, 2, 200);
    assert_eq!(uptime.down("default"), "one");
    let now = rounds(&mut uptime, now, 1, 200);
    assert_eq!(uptime.down("default"), "");
    send_events(&memory, &uptime);
    let notified = notices(&memory);
    assert_eq!(notified.len(), 2);
    assert!(
        notified
            .iter()
            .any(|notice| notice["data"]["message"] == "Uptime test succeeded")
    );
    let health = health(&uptime, now);
    assert_eq!(
        (
            &health["tests"][0]["state"],
            health["tests"][0]["checks"].as_array().unwrap().len()
        ),
        (&json!("up"), 10)
    );
}

#[test]
fn hosts_failing_in_the_same_second_are_all_notified() {
    let memory = Memory::default();
    memory.stop_clock();
    let mut uptime = open(&Sqlite::default());
    let urls = ["http://one/", "http://two/", "http://three/"];
    let list = urls.map(|url| json!({ "url": url }));
    publish(
        &memory,
        &json!({ "org_id": "default", "uptime_tests": { "check_list": list } }),
    );
    learn(&memory, &mut uptime);
    rounds(&mut uptime, AT, 3, 0);
    send_events(&memory, &uptime);
    let mut notified: Vec<String> = notices(&memory)
        .iter()
        .map(|notice| notice["data"]["host"].as_str().unwrap().to_owned())
        .collect();
    notified.sort_unstable();
    assert_eq!(notified, ["one", "three", "two"]);
    assert_eq!(uptime.down("default"), "one\nthree\ntwo");
}

#[test]
fn results_are_bounded_and_expire() {
    let memory = Memory::default();
    let mut uptime = open(&Sqlite::default());
    let checks = |config: Value| json!({ "uptime_tests": { "check_list": [{ "url": "http://one/" }], "config": config } });
    publish(&memory, &checks(json!({})));
    learn(&memory, &mut uptime);
    let now = rounds(&mut uptime, AT, u64::from(CHECKS_KEPT) + 20, 200);
    let kept = |uptime: &Uptime, now| {
        health(uptime, now)["tests"][0]["checks"]
            .as_array()
            .unwrap()
            .clone()
    };
    let all = kept(&uptime, now);
    assert_eq!(all.len(), usize::try_from(CHECKS_KEPT).unwrap());
    assert_eq!(all.last().unwrap()["at"], (now - 10_000) / 1000);
    publish(&memory, &checks(json!({ "expire_utime_after": 60 })));
    learn(&memory, &mut uptime);
    let now = rounds(&mut uptime, now, 1, 200);
    assert_eq!(kept(&uptime, now - 10_000).len(), 6);
    // A test that no longer exists is removed.
    publish(&memory, &json!({}));
    learn(&memory, &mut uptime);
    assert_eq!(health(&uptime, now)["tests"], json!([]));
}

#[test]
fn down_host_has_its_own_interval() {
    let memory = Memory::default();
    let mut uptime = open(&Sqlite::default());
    publish(
        &memory,
        &json!({ "uptime_tests": { "check_list": [{ "url": "http://one/" }], "config": { "recheck_wait": 60 } } }),
    );
    learn(&memory, &mut uptime);
    let now = rounds(&mut uptime, AT, 3, 500);
    assert_eq!(uptime.next(), Some(now - 10_000 + 60_000));
}

#[test]
fn discovered_list_is_used_until_replaced() {
    let memory = Memory::default();
    let sql = Sqlite::default();
    let mut uptime = open(&sql);
    let service = json!({ "use_discovery_service": true, "query_endpoint": "http://r/list", "data_path": "tests" });
    let uptime_tests = json!({ "config": { "service_discovery": service, "recheck_wait": 20 } });
    publish(&memory, &json!({ "uptime_tests": uptime_tests }));
    learn(&memory, &mut uptime);
    assert_eq!(uptime.lists(AT), "a\nhttp://r/list");
    assert_eq!(uptime.lists(AT), "");
    assert!(!uptime.listed("a", None).unwrap());
    assert_eq!(
        (uptime.next(), uptime.lists(AT + 10_000).as_str()),
        (Some(AT + 10_000), "a\nhttp://r/list")
    );
    assert!(
        uptime
            .listed("a", Some(r#"{"tests":"[{\"url\":\"http://one/\"}]"}"#))
            .unwrap()
    );
    let now = rounds(&mut uptime, AT + 10_000, 3, 500);
    assert_eq!(uptime.down("o"), "one");
    // A new object has no list yet, and the stored state still counts.
    drop(uptime);
    let mut uptime = open(&sql);
    learn(&memory, &mut uptime);
    assert_eq!(
        (uptime.down("o").as_str(), due(&mut uptime, now).len()),
        ("one", 0)
    );
    assert_eq!(uptime.lists(now), "a\nhttp://r/list");
    assert!(
        uptime
            .listed("a", Some(r#"{"tests":[{"url":"http://two/"}]}"#))
            .unwrap()
    );
    assert_eq!(uptime.down("o"), "");
    assert_eq!(due(&mut uptime, now), ["http://two/"]);
    assert_eq!(uptime.lists(now + 20_000), "");
    assert_eq!(uptime.lists(now + 120_000), "a\nhttp://r/list");
}

#[test]
fn unstored_result_has_no_effect() {
    let memory = Memory::default();
    let sql = FaultySql::over(Sqlite::default());
    let mut uptime = Uptime::open(sql.clone(), CONFIG).unwrap();
    publish(
        &memory,
        &json!({ "uptime_tests": { "check_list": [{ "url": "http://one/" }] } }),
    );
    learn(&memory, &mut uptime);
    rounds(&mut uptime, AT, 2, 500);
    let before = health(&uptime, AT);
    let came = json!({ "status": 500 }).to_string();
    sql.fail_next(Fault::BeforePersist);
    uptime
        .record_result(("a", "http://one/"), &came, (AT + 20_000, AT + 20_000))
        .unwrap_err();
    assert_eq!(
        (uptime.down("o").as_str(), health(&uptime, AT)),
        ("", before)
    );
    uptime
        .record_result(("a", "http://one/"), &came, (AT + 20_000, AT + 20_000))
        .unwrap();
    assert_eq!(uptime.down("o"), "one");
}

#[test]
fn response_has_targets_breakers_and_tests() {
    let memory = Memory::default();
    let (status, body) = send(
        &memory,
        "GET",
        "/gateway/health/upstreams/none",
        &Value::Null,
    );
    memory.upstreams.borrow_mut().uptime = "{}".to_owned();
    assert_eq!(
        (status, &body["message"]),
        (404, &json!("API ID not found"))
    );
    publish(
        &memory,
        &json!({ "proxy": { "listen_path": "/a/", "target_url": "http://up/", "enable_load_balancing": true,
            "check_host_against_uptime_tests": true, "target_list": ["http://one/v2", "http://u:p@two", "http://one/v2"],
            "service_discovery": { "use_discovery_service": true, "query_endpoint": "http://u:p@r", "data_path": "h" } } }),
    );
    let test = |host: &str, state: &str| {
        json!({ "url": format!("http://{host}/up"), "host": host, "method": "GET", "protocol": "http", "state": state,
            "since": 7, "next_at": 9, "checks": [] })
    };
    let uptime = json!({ "enabled": true, "every_seconds": 10, "failures_to_down": 3, "checks_kept": 360,
        "tests": [test("one", "up"), test("one", "down")] });
    *memory.upstreams.borrow_mut() = UpstreamFacts {
        breakers: Some("machine\n12 7 1767225630000 0 5 500000 GET /orders/{id} x\n0 0 0 0 1 1000000 POST /b\n".to_owned()),
        list: "0 status 500\n".to_owned(),
        uptime: uptime.to_string(),
    };
    let (status, body) = send(&memory, "GET", "/gateway/health/upstreams/a", &Value::Null);
    assert_eq!(status, 200, "{body}");
    assert_eq!(
        (
            &body["loaded"],
            &body["load_balancing"],
            &body["skips_down"],
            &body["breakers_of"]
        ),
        (&json!(true), &json!(true), &json!(true), &json!("machine"))
    );
    // Addresses are shown without user names and passwords.
    let target = |url: &str, host: &str, weight: u32, state: &str, since: Value| json!({ "url": url, "host": host, "weight": weight, "state": state, "since": since });
    assert_eq!(
        body["targets"],
        json!([
            target("http://one/v2", "one", 2, "down", json!(7)),
            target("http://two", "two", 1, "untested", Value::Null)
        ])
    );
    assert_eq!(
        body["breakers"],
        json!([
            { "path": "/orders/{id} x", "method": "GET", "state": "open", "until": 1_767_225_630, "requests": 12,
                "failures": 7, "samples": 5, "threshold_percent": 0.5 },
            { "path": "/b", "method": "POST", "state": "closed", "until": null, "requests": 0, "failures": 0,
                "samples": 1, "threshold_percent": 1.0 },
        ])
    );
    assert_eq!(
        body["discovery"],
        json!({ "endpoint": "http://r", "state": "failed", "fetched_at": null, "targets": [], "error": "status 500" })
    );
    assert_eq!(body["uptime"], uptime);
    // Targets from a registry replace the list.
    memory.upstreams.borrow_mut().list = "5000 late\n{\"h\":\"three\"}".to_owned();
    let (_, body) = send(&memory, "GET", "/gateway/health/upstreams/a", &Value::Null);
    assert_eq!(
        (&body["discovery"]["state"], &body["targets"][0]["url"]),
        (&json!("stale"), &json!("http://three"))
    );
    memory.upstreams.borrow_mut().breakers = None;
    let (_, body) = send(&memory, "GET", "/gateway/health/upstreams/a", &Value::Null);
    assert_eq!(
        (&body["loaded"], &body["targets"]),
        (&json!(false), &json!([]))
    );
}
