//! Failed reloads of a selection: what is retried, and what the status reports.

use super::selection::{publish, put};
use super::{Memory, Platform, add, reload, serves, status};
use futures_util::FutureExt;
use gatewright_controlplane::ports::{Platform as _, Reloaded};
use serde_json::json;

on_every_kv!(
    failed_selection_is_recorded_for_retry,
    outdated_selection_is_not_retried_forever,
    failed_selection_does_not_replace_a_full_reload,
    partial_publication_does_not_clear_a_failed_full_reload,
);

fn failed_selection_is_recorded_for_retry(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    add(&memory, "b", "/b/");
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &json!({"apis": ["a"]})).0, 503);
    assert!(memory.is_unfinished());
    memory.restart();
    memory.kv.heal();
    let unfinished = memory.unfinished();
    assert_eq!(unfinished.unwrap().apis, ["a"]);
    assert_eq!(serves(&memory, "/a/x"), None);
    assert_eq!(reload(&memory), 200);
    assert!(!memory.is_unfinished());
    assert_eq!(memory.unfinished(), None);
}

fn outdated_selection_is_not_retried_forever(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a1/");
    add(&memory, "b", "/b1/");
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/a2/");
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &json!({"apis": ["a"]})).0, 503);
    memory.kv.heal();
    assert!(memory.is_unfinished());
    put(&memory, "b", "/b2/");
    put(&memory, "a", "/b1/");
    let selection = memory.unfinished();
    let tried = memory.reload(true, selection.as_ref());
    let Some(Ok(Reloaded::Failed(reason))) = tried.now_or_never() else {
        panic!("b is still served under that path");
    };
    assert!(reason.contains("select b too"), "{reason}");
    assert!(!memory.is_unfinished());
    assert_eq!(memory.unfinished(), None);
    assert_eq!(serves(&memory, "/b1/x").as_deref(), Some("b"));
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/b1/x").as_deref(), Some("a"));
}

fn failed_selection_does_not_replace_a_full_reload(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a1/");
    add(&memory, "b", "/b1/");
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/a2/");
    put(&memory, "b", "/b2/");
    memory.kv.fail("put", "generation");
    assert_eq!(reload(&memory), 503);
    let selection = json!({"apis": ["a"]});
    for _ in 0..2 {
        assert_eq!(publish(&memory, &selection).0, 503);
        assert!(memory.is_unfinished());
        assert_eq!(memory.unfinished(), None, "everything");
    }
    // Also if the selection can't be published any more.
    put(&memory, "b", "/b3/");
    put(&memory, "a", "/b1/");
    let again = serde_json::from_value(selection).unwrap();
    let tried = memory.reload(true, Some(&again)).now_or_never();
    assert!(matches!(tried, Some(Ok(Reloaded::Failed(_)))));
    assert!(memory.is_unfinished());
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    assert!(!memory.is_unfinished());
    // From then on the next failed selection is recorded again.
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &json!({"apis": ["b"]})).0, 503);
    assert_eq!(memory.unfinished().unwrap().apis, ["b"]);
}

fn partial_publication_does_not_clear_a_failed_full_reload(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    add(&memory, "b", "/b/");
    memory.kv.fail("put", "generation");
    assert_eq!(reload(&memory), 503);
    memory.kv.heal();
    let reports = |error: bool, full_error: bool| {
        let status = status(&memory);
        assert_eq!(status["error"].is_string(), error, "{status}");
        assert_eq!(status["full_error"].is_string(), full_error, "{status}");
    };
    reports(true, true);
    let selection = json!({"apis": ["a"]});
    assert_eq!(publish(&memory, &selection).0, 200);
    reports(false, true);
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &json!({"apis": ["b"]})).0, 503);
    reports(true, true);
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    reports(false, false);
    // A failed selection is not a failed reload of everything.
    put(&memory, "a", "/a2/");
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &selection).0, 503);
    reports(true, false);
}
