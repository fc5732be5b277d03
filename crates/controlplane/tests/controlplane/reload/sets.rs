//! The sets in KV: how long they are kept, how large they may be, and who supplies what KV lacks.

use super::{Memory, Platform, add, definition, reload, send, serves, status};
use futures_util::FutureExt;
use gatewright_protocol::snapshot::{Generation, named_key};
use gatewright_testkit::sql::dump;
use serde_json::json;

on_every_kv!(
    sets_are_kept_for_ten_minutes,
    unchanged_chunks_are_reused_and_kept_while_referenced,
    failed_sweep_continues_later,
    registry_supplies_chunks_missing_in_kv,
    oversized_set_is_refused_and_the_old_one_stays,
    new_registry_reuses_no_generation_of_an_old_kv,
    reloads_within_a_second_all_end,
    isolate_with_stale_kv_serves_a_complete_set,
);

fn keep_up(memory: &Memory) {
    memory.keep_up().now_or_never().unwrap().unwrap();
}

/// Returns the keys of all chunks in KV.
pub(super) fn chunks(memory: &Memory) -> Vec<String> {
    let keys = memory.kv.keys().into_iter();
    keys.filter(|key| key.starts_with("snapshot/")).collect()
}

/// Returns the pointer in KV.
fn pointer(memory: &Memory) -> Generation {
    Generation::read(&memory.kv.value("generation").unwrap()).unwrap()
}

/// Changes the API `a`.
fn change(memory: &Memory, n: u32) {
    let text = definition("a", &format!("/a{n}/"));
    let changed = send(memory, "PUT", "/gateway/apis/a", &text);
    assert_eq!(changed.status, 200);
}

fn sets_are_kept_for_ten_minutes(platform: Platform) {
    let memory = platform();
    memory.stop_clock();
    add(&memory, "a", "/a/");
    for n in 0..20 {
        memory.wait(1);
        change(&memory, n);
        assert_eq!(reload(&memory), 200);
    }
    // A failed reload leaves chunks behind, too.
    memory.wait(2);
    change(&memory, 20);
    memory.kv.fail("put", "generation");
    assert_eq!(reload(&memory), 503);
    memory.kv.heal();
    assert_eq!(chunks(&memory).len(), 21);
    let at = memory.sets_due_at().unwrap();
    assert_eq!(at, memory.now_ms() + (600 - 21) * 1000);
    memory.wait(599);
    memory.wait(3);
    keep_up(&memory);
    // Nothing newer than the set before the current one is deleted, however old it is.
    assert_eq!(chunks(&memory).len(), 3);
    assert_eq!(memory.sets_due_at(), None);
    // Its chunk exists already.
    assert_eq!(reload(&memory), 200);
    assert_eq!(chunks(&memory).len(), 3);
    memory.wait(300);
    change(&memory, 23);
    assert_eq!(reload(&memory), 200);
    assert_eq!(chunks(&memory).len(), 4);
    memory.wait(300);
    let (before, now) = (pointer(&memory).names_before, pointer(&memory).names);
    let mut kept: Vec<_> = [before, now]
        .concat()
        .iter()
        .map(|name| named_key(name))
        .collect();
    kept.sort();
    for _ in 0..2 {
        keep_up(&memory);
        assert_eq!(chunks(&memory), kept);
        memory.wait(300);
    }
}

fn unchanged_chunks_are_reused_and_kept_while_referenced(platform: Platform) {
    let memory = platform();
    memory.stop_clock();
    // Left behind by an earlier version, and by an interrupted reload.
    memory.kv.set("snapshot/0/7", "{\"apis\":[]}");
    memory.kv.set(&named_key("orphan"), "{\"apis\":[]}");
    add(&memory, "a", "/a/");
    assert_eq!(reload(&memory), 200);
    let first = pointer(&memory).names;
    memory.kv.fail("put", "snapshot/");
    for _ in 0..3 {
        memory.wait(601);
        assert_eq!(reload(&memory), 200, "there is nothing to write");
        keep_up(&memory);
        assert_eq!(pointer(&memory).names, first);
    }
    memory.kv.heal();
    assert_eq!(chunks(&memory), [named_key(&first[0])]);
    // A set without the chunk, and back again: within ten minutes the chunk still exists, later it is written again.
    for seconds in [300, 1300] {
        change(&memory, 1);
        assert_eq!(reload(&memory), 200);
        memory.wait(20);
        change(&memory, 2);
        assert_eq!(reload(&memory), 200);
        memory.wait(seconds);
        keep_up(&memory);
        let is_there = memory.kv.value(&named_key(&first[0])).is_some();
        assert_eq!(is_there, seconds < 600);
    }
    assert_eq!(serves(&memory, "/a2/x").as_deref(), Some("a"));
    memory.move_to("elsewhere");
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(serves(&memory, "/a2/x").as_deref(), Some("a"));
}

fn failed_sweep_continues_later(platform: Platform) {
    let memory = platform();
    memory.stop_clock();
    add(&memory, "a", "/a/");
    for n in 0..3 {
        memory.wait(20);
        change(&memory, n);
        reload(&memory);
    }
    memory.wait(600);
    memory.kv.fail("delete", "snapshot/");
    memory.keep_up().now_or_never().unwrap().unwrap_err();
    let at = memory.sets_due_at().unwrap();
    assert!(at > memory.now_ms(), "it waits");
    memory.kv.heal();
    memory.wait(64);
    keep_up(&memory);
    assert_eq!(chunks(&memory).len(), 2);
}

fn registry_supplies_chunks_missing_in_kv(platform: Platform) {
    let memory = platform();
    for id in ["a", "b"] {
        let text = definition(id, &format!("/{id}/"));
        let filler = format!("{{\"tags\": [\"{}\"], ", "\u{20ac}".repeat(300_000));
        let text = text.replacen('{', &filler, 1);
        assert_eq!(send(&memory, "POST", "/gateway/apis", &text).status, 200);
        assert_eq!(reload(&memory), 200);
    }
    for key in ["generation", "orgs"] {
        let published = memory.published(key);
        let value = memory.kv.value(key);
        assert!(published.is_some() && published == value, "{key}");
    }
    // Also under the keys that a previous release asks for.
    let pointer = pointer(&memory);
    for (generation, names) in [(2, &pointer.names), (1, &pointer.names_before)] {
        assert!(!names.is_empty());
        for (chunk, name) in names.iter().enumerate() {
            let published = memory.published(&format!("snapshot/{generation}/{chunk}"));
            let value = memory.kv.value(&named_key(name));
            assert!(
                published.is_some() && published == value,
                "{generation} {chunk}"
            );
        }
    }
    for key in ["snapshot/2/7", "snapshot/9/0", "apis/a.json", "snapshot/x"] {
        let published = memory.published(key);
        assert_eq!(published, None, "{key}");
    }
    // Everything is supplied if KV returns nothing at all.
    memory.kv.fail("get", "");
    memory.move_to("early");
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(serves(&memory, "/b/x").as_deref(), Some("b"));
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    let published = memory.published("snapshot/1/0");
    assert_eq!(published, None, "only the set before is kept here");
}

fn oversized_set_is_refused_and_the_old_one_stays(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    assert_eq!(reload(&memory), 200);
    memory.bound_sets(2_000_000);
    let filler = format!("{{\"tags\": [\"{}\"], ", "x".repeat(900_000));
    for id in ["b", "c", "d"] {
        let text = definition(id, &format!("/{id}/")).replacen('{', &filler, 1);
        assert_eq!(send(&memory, "POST", "/gateway/apis", &text).status, 200);
    }
    let before = dump(&memory.sql).unwrap().len();
    for _ in 0..3 {
        let answer = send(&memory, "GET", "/gateway/reload?block=true", "");
        assert_eq!(answer.status, 503);
        assert!(
            answer.body.contains("PUBLISHED_SET_MAX_MB"),
            "{}",
            answer.body
        );
    }
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
    let report = status(&memory);
    assert_eq!(
        (&report["state"], &report["generation"]),
        (&json!("failed"), &json!(1))
    );
    assert!(
        report["error"]
            .as_str()
            .unwrap()
            .contains("more than the 2 MB"),
        "{report}"
    );
    let after = dump(&memory.sql).unwrap().len();
    assert!(
        after < before + 10_000,
        "what has failed is not kept: {before}, {after}"
    );
    send(&memory, "DELETE", "/gateway/apis/d", "");
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/c/x").as_deref(), Some("c"));
}

fn new_registry_reuses_no_generation_of_an_old_kv(platform: Platform) {
    let memory = platform();
    memory
        .kv
        .set("generation", "{\"generation\":41,\"chunks\":1}");
    memory.kv.set("snapshot/41/0", "{\"apis\":[]}");
    add(&memory, "a", "/a/");
    assert_eq!(reload(&memory), 200);
    assert_eq!(status(&memory)["generation"], 42);
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
}

fn reloads_within_a_second_all_end(platform: Platform) {
    let memory = platform();
    memory.stop_clock();
    for n in 0..4 {
        let text = definition("a", &format!("/a{n}/"));
        let (method, path) = match n {
            0 => ("POST", "/gateway/apis"),
            _ => ("PUT", "/gateway/apis/a"),
        };
        assert_eq!(send(&memory, method, path, &text).status, 200);
        assert_eq!(reload(&memory), 200, "reload {n}");
        assert_eq!(serves(&memory, &format!("/a{n}/x")).as_deref(), Some("a"));
    }
}

fn isolate_with_stale_kv_serves_a_complete_set(platform: Platform) {
    let memory = platform();
    memory.stop_clock();
    let look = || {
        memory.check_for_new_set().now_or_never().unwrap().unwrap();
    };
    add(&memory, "a", "/a/");
    assert_eq!(reload(&memory), 200);
    memory.move_to("oslo");
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
    let publish = |id: &str| {
        add(&memory, id, &format!("/{id}/"));
        let published = send(&memory, "GET", "/gateway/reload?block=true", "");
        assert_eq!(published.status, 200);
    };
    // Two reloads elsewhere, after which the Registry can't be reached for a while.
    for id in ["b", "c"] {
        memory.wait(2);
        memory.move_to("elsewhere");
        publish(id);
    }
    memory.isolate.fail("published");
    memory.move_to("oslo");
    // The list of organisations was read there within the last minute, and so was the pointer.
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
    memory.wait(60);
    look();
    assert_eq!(serves(&memory, "/c/x").as_deref(), Some("c"));
    memory.isolate.heal();
}
