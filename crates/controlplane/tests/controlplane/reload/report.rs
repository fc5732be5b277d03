//! What a reload reports, how large that may be, and when a failed one is retried.

use super::{Memory, Platform, add, definition, reload, send, serves, status};
use gatewright_testkit::sql::{Fault, dump};
use gatewright_testkit::sqlite::Sql;
use serde_json::{Value, json};

on_every_kv!(
    report_is_bounded_by_api,
    unstorable_report_does_not_stop_the_reload,
    failing_reload_backs_off,
    single_row_report_is_read_until_the_next_reload,
);

/// Returns a definition with this many members that have no effect here.
fn noisy(id: &str, members: usize) -> String {
    let members: String = (0..members)
        .map(|n| format!("\"no_such_member_{n}\": {n}, "))
        .collect();
    definition(id, &format!("/{id}/")).replacen('{', &format!("{{{members}"), 1)
}

fn report_is_bounded_by_api(platform: Platform) {
    let memory = platform();
    for id in ["a", "b"] {
        let text = noisy(id, 3000);
        assert_eq!(send(&memory, "POST", "/gateway/apis", &text).status, 200);
    }
    let skipped = noisy("skipped", 3000).replacen('{', "{\"use_go_plugin_auth\": true, ", 1);
    assert_eq!(send(&memory, "POST", "/gateway/apis", &skipped).status, 200);
    memory.kv.set(
        "apis/huge.json",
        &definition(&"h".repeat(3_000_000), "/huge/"),
    );
    assert_eq!(reload(&memory), 200);
    memory.restart();
    let text = send(&memory, "GET", "/gateway/reload/status", "").body;
    assert!(text.len() < 40_000, "{} bytes", text.len());
    let mut report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["loaded_total"], 2);
    for api in report["loaded"].as_array().unwrap().iter().take(2) {
        let first = api["warnings"].as_array().unwrap().len();
        assert!((10..=20).contains(&first), "{first}");
        assert!(api["warnings_total"].as_u64().unwrap() >= 2000, "{api}");
    }
    assert!(
        report["skipped"][0]["reason"]
            .as_str()
            .unwrap()
            .starts_with("Not served")
    );
    assert_eq!(report["skipped"][1]["file"], "apis/huge.json");
    let short = send(&memory, "GET", "/gateway/reload/status?loaded=false", "").body;
    report["loaded"] = json!([]);
    assert_eq!(serde_json::from_str::<Value>(&short).unwrap(), report);
    let sql = dump(&memory.sql).unwrap();
    let longest = sql
        .lines()
        .filter(|line| line.contains("| loaded |") || line.contains("| skipped |"))
        .map(str::len)
        .max();
    assert!(longest.unwrap() < 10_000, "{longest:?}");
}

fn unstorable_report_does_not_stop_the_reload(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    // After the writes that reserve the number and store the chunk and the policies.
    memory.sql.fail_after(3, Fault::BeforePersist);
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
    assert!(!memory.is_unfinished());
    let report = status(&memory);
    assert_eq!(
        (&report["generation"], &report["state"]),
        (&json!(1), &json!("idle"))
    );
    assert_eq!(report["loaded"], json!([]));
    assert_eq!(report["pending_total"], 0);
    assert_eq!(reload(&memory), 200);
    assert_eq!(status(&memory)["loaded"][0]["api_id"], "a");
}

fn failing_reload_backs_off(platform: Platform) {
    let memory = platform();
    memory.stop_clock();
    add(&memory, "a", "/a/");
    memory.kv.fail("put", "generation");
    assert_eq!(memory.retry_at(), None);
    let mut waits = Vec::new();
    for _ in 0..9 {
        memory.wait(1);
        assert_eq!(reload(&memory), 503);
        // What is no longer in memory is still known.
        memory.restart();
        waits.push((memory.retry_at().unwrap() - memory.now_ms()) / 1000);
    }
    assert_eq!(waits, [10, 20, 40, 80, 160, 320, 640, 640, 640]);
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    assert_eq!(memory.retry_at(), None);
    memory.kv.fail("put", "generation");
    assert_eq!(reload(&memory), 503);
    assert_eq!(memory.retry_at(), Some(memory.now_ms() + 10_000));
}

fn single_row_report_is_read_until_the_next_reload(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    reload(&memory);
    let before = status(&memory);
    // As stored by earlier versions.
    let old = json!({
        "generation": 1, "chunks": 1, "before": [0, 0], "reloaded_at": before["reloaded_at"],
        "error": null, "loaded_total": 1, "loaded": before["loaded"],
        "skipped": [{"api_id": "s", "name": "s", "file": "apis/s.json", "revision": 1, "reason": "r", "issues": []}],
    });
    let set = |name: &str, value: &str| {
        let statement = "INSERT OR REPLACE INTO value (name, value) VALUES (?, ?)";
        memory
            .sql
            .query(statement, &[name.into(), value.into()])
            .unwrap();
    };
    set("reload-report", &old.to_string());
    set("reload-policies", "");
    memory.sql.query("DELETE FROM published", &[]).unwrap();
    memory.restart();
    let read = status(&memory);
    assert_eq!(read["loaded"], before["loaded"]);
    assert_eq!(read["skipped"], old["skipped"]);
    memory.kv.fail("put", "generation");
    assert_eq!(reload(&memory), 503);
    memory.restart();
    let failed = status(&memory);
    assert_eq!(
        (&failed["loaded"], &failed["skipped"]),
        (&read["loaded"], &read["skipped"])
    );
    assert_eq!(failed["state"], "failed");
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    assert_eq!(status(&memory)["skipped"], json!([]));
}
