//! What an import restores.

use super::{Keys, done, everything, export, gateway, import, imported, lines, read, sent};
use gatewright_testkit::platform::Memory;
use gatewright_testkit::sql::{Fault, dump};
use serde_json::{Value, json};

/// Sets two clocks to the same time, so that remaining times are equal.
fn at_the_time_of(other: &Memory) -> Memory {
    let memory = Memory::default();
    memory.stop_clock();
    other.stop_clock();
    memory.wait((other.now_ms() - memory.now_ms()) / 1000);
    memory
}

fn moved(query: &str) -> (Memory, Memory, Keys, Value) {
    let (from, keys) = gateway();
    let to = at_the_time_of(&from);
    let answer = imported(&to, &export(&from, query));
    (from, to, keys, answer)
}

#[test]
fn restore_reproduces_everything_administered() {
    let (from, to, keys, answer) = moved("");
    assert_eq!(everything(&to, &keys), everything(&from, &keys));
    assert_eq!(answer["secrets_left_out"], 0);
    let counts = json!({ "api": 3, "record": 4, "session": 3, "credential": 1, "certificate": 1 });
    assert_eq!(answer["counts"], counts);
    // Also after a restart, and its own export differs only in the time.
    to.restart();
    assert_eq!(everything(&to, &keys), everything(&from, &keys));
    let texts = |memory: &Memory| {
        let file = super::sent(memory, "GET", "/gateway/export", "", &[]).body;
        let mut lines = lines(&file);
        lines.pop();
        lines.split_off(1)
    };
    assert_eq!(texts(&to), texts(&from));
}

#[test]
fn restored_apis_are_served_after_a_reload() {
    let (from, to, _, answer) = moved("");
    assert!(answer["message"].as_str().unwrap().contains("reload"));
    let loaded = |memory: &Memory| {
        done(memory, "GET", "/gateway/reload/status", &Value::Null)["pending"].clone()
    };
    assert_eq!(loaded(&to).as_array().unwrap().len(), 3);
    for memory in [&from, &to] {
        done(memory, "GET", "/gateway/reload?block=true", &Value::Null);
    }
    let chain = "/gateway/apis/a/chain";
    assert_eq!(read(&to, chain), read(&from, chain));
}

#[test]
fn revision_numbers_continue_after_the_imported_ones() {
    let (from, to, keys, _) = moved("");
    let tag = |memory: &Memory| {
        let session = json!({ "apply_policies": ["gold"] });
        let target = format!("/gateway/keys/{}", keys.governed);
        let answer = sent(memory, "PUT", &target, &session.to_string(), &[]);
        let tag = answer.header("etag").unwrap().trim_matches('"').to_owned();
        tag.parse::<u64>().unwrap()
    };
    let before: u64 = tag(&from);
    assert!(tag(&to) >= before);
    let trail = done(&to, "GET", "/api/audit?subject=import", &Value::Null);
    let entry = &trail["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["actor"]),
        (&json!("added"), &json!("gateway"))
    );
}

#[test]
fn counters_survive_a_restore() {
    let (from, keys) = gateway();
    let counted = format!("key:{}", keys.counted);
    let revision = super::revision(&from, &keys.counted);
    super::count(&from, &counted, revision, 3);
    let to = at_the_time_of(&from);
    let answer = imported(&to, &export(&from, ""));
    assert_eq!(answer["counts"]["counters"], 1);
    let key = format!("/gateway/keys/{}", keys.counted);
    assert!(
        read(&to, &key).contains("\"quota_remaining\":2"),
        "{}",
        read(&to, &key)
    );
    assert_eq!(everything(&to, &keys), everything(&from, &keys));
    // Without counters the quota starts anew, and an unused one is not shown.
    let fresh = at_the_time_of(&from);
    imported(&fresh, &export(&from, "counters=false"));
    assert!(
        !read(&fresh, &key).contains("\"quota_remaining\""),
        "{}",
        read(&fresh, &key)
    );
}

#[test]
fn older_revisions_and_deleted_documents_are_restored_on_request() {
    let (from, to, _, _) = moved("revisions=true");
    let internal = done(&from, "GET", "/api/clientidps/i", &Value::Null)["_id"].clone();
    let provider = format!("/api/clientidps/{}/revisions", internal.as_str().unwrap());
    for target in [
        "/gateway/apis/a/revisions",
        "/gateway/apis/a/revisions/1",
        "/gateway/apis/gone/revisions",
        "/gateway/apis/gone/revisions/1",
        &provider,
        &format!("{provider}/1"),
    ] {
        // The authors are in the audit trail, which is not moved.
        let sizes = |text: String| {
            let text = text.replace(",\"by\":\"gateway\"", "");
            text.replace("\"bytes\"", "")
        };
        let answer = |memory: &Memory| {
            let text = read(memory, target);
            // A newest revision that was stored as a patch is now a full text.
            match target.ends_with("revisions") && target.contains("clientidps") {
                true => text.split("\"bytes\"").count().to_string(),
                false => sizes(text),
            }
        };
        assert_eq!(answer(&to), answer(&from), "{target}");
    }
    for memory in [&from, &to] {
        done(
            memory,
            "POST",
            "/gateway/apis/gone/revisions/1/restore",
            &Value::Null,
        );
    }
    assert_eq!(
        read(&to, "/gateway/apis/gone"),
        read(&from, "/gateway/apis/gone")
    );
    // Without older revisions the number is preserved, and there is none below it.
    let (_, to, _, _) = moved("");
    assert_eq!(
        sent(&to, "GET", "/gateway/apis/gone/revisions", "", &[]).status,
        404
    );
    let revisions = done(&to, "GET", "/gateway/apis/a/revisions", &Value::Null);
    assert_eq!(revisions["revisions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_dry_run_counts_everything_and_stores_nothing() {
    let (from, _) = gateway();
    let file = export(&from, "");
    let to = Memory::default();
    super::done(&to, "GET", "/gateway/apis", &Value::Null);
    let before = dump(&to.sql).unwrap();
    let answer = import(&to, "dry_run=true", &file);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains("\"dry_run\":true") && answer.body.contains("\"api\":3"));
    assert_eq!(dump(&to.sql).unwrap(), before);
    assert!(to.stored_ledgers().is_empty());
}

#[test]
fn interrupted_import_can_be_restarted() {
    let (from, keys) = gateway();
    let file = export(&from, "revisions=true");
    let whole = at_the_time_of(&from);
    imported(&whole, &file);
    let (big, many) = super::large();
    let long = export(&big, "");
    let to = at_the_time_of(&big);
    let broken = import(&to, "", super::cut(&long));
    assert_eq!(broken.status, 400, "{}", broken.body);
    assert!(done(&to, "GET", "/gateway/keys", &Value::Null)["keys"][0].is_string());
    to.restart();
    imported(&to, &long);
    assert_eq!(everything(&to, &many), everything(&big, &many));
    let ends: Vec<usize> = file.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in ends.iter().flat_map(|end| [*end, end.saturating_sub(9)]) {
        if cut >= file.len() {
            continue;
        }
        let to = at_the_time_of(&from);
        let broken = import(&to, "", &file[..cut]);
        assert_eq!(broken.status, 400, "{}", broken.body);
        assert!(
            super::message(&broken).contains("cut off"),
            "{}",
            broken.body
        );
        let reload = sent(&to, "GET", "/gateway/reload?block=true", "", &[]);
        let begun = cut >= ends[0];
        assert_eq!(
            reload.status,
            if begun { 503 } else { 200 },
            "{}",
            reload.body
        );
        to.restart();
        imported(&to, &file);
        assert_eq!(everything(&to, &keys), everything(&whole, &keys), "{cut}");
        done(&to, "GET", "/gateway/reload?block=true", &Value::Null);
    }
}

#[test]
fn import_can_be_restarted_after_storage_failure() {
    let (from, keys) = gateway();
    let revision = super::revision(&from, &keys.counted);
    super::count(&from, &format!("key:{}", keys.counted), revision, 2);
    let file = export(&from, "");
    let cut = file.find('\n').unwrap() + 1;
    for fault in [Fault::BeforePersist, Fault::AfterPersist] {
        for begun in [false, true] {
            let to = at_the_time_of(&from);
            if begun {
                assert_eq!(import(&to, "", &file[..cut]).status, 400);
            }
            to.sql.fail_next(fault);
            assert_eq!(import(&to, "", &file).status, 503, "{fault:?} {begun}");
            imported(&to, &file);
            assert_eq!(everything(&to, &keys), everything(&from, &keys));
        }
    }
    let to = at_the_time_of(&from);
    to.isolate.fail("put");
    assert_eq!(import(&to, "", &file).status, 503);
    to.isolate.heal();
    imported(&to, &file);
    assert_eq!(everything(&to, &keys), everything(&from, &keys));
}

#[test]
fn many_pages_are_imported_in_sequence() {
    let from = Memory::default();
    for number in 0..1200 {
        let session =
            json!({ "alias": format!("k{number}"), "access_rights": { "a": { "api_id": "a" } } });
        done(&from, "POST", "/gateway/keys", &session);
    }
    let to = at_the_time_of(&from);
    let answer = imported(&to, &export(&from, ""));
    assert_eq!(answer["counts"]["session"], 1200);
    let page = "/gateway/keys?view=summary&sort=alias&per_page=500&p=3";
    assert_eq!(read(&to, page), read(&from, page));
}
