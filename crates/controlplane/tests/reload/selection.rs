//! Reloads that publish some of the pending changes, and reloads that publish an earlier generation again.

use super::{Memory, Platform, add, definition, guarded, reload, send, serves, status};
use futures_util::FutureExt;
use gatewright_controlplane::ports::{Platform as _, Reloaded};
use gatewright_testkit::sqlite::Sql as _;
use serde_json::{Value, json};

on_every_kv!(
    only_the_selection_is_published,
    policies_are_selected_by_shown_id,
    unpublishable_selection_changes_nothing,
    unselected_api_keeps_its_listen_path,
    strict_selection_checks_its_changes,
    rollback_serves_a_generation_without_changing_documents,
    own_file_is_served_until_an_api_replaces_it,
    the_last_twenty_generations_are_kept,
    plan_names_the_displaced_listen_path,
    failed_selection_is_recorded_for_retry,
    outdated_selection_is_not_retried_forever,
    failed_selection_does_not_replace_a_full_reload,
    partial_publication_does_not_clear_a_failed_full_reload,
    set_of_previous_release_is_kept_at_the_next_reload,
    first_generation_keeps_policies_without_apis,
);

fn put(memory: &Memory, id: &str, path: &str) {
    let target = format!("/gateway/apis/{id}");
    let answer = send(memory, "PUT", &target, &definition(id, path));
    assert_eq!(answer.status, 200, "{}", answer.body);
}

fn policy(memory: &Memory, id: &str, name: &str) {
    let text = format!("{{\"id\": \"{id}\", \"name\": \"{name}\"}}");
    assert_eq!(send(memory, "POST", "/gateway/policies", &text).status, 200);
}

fn publish(memory: &Memory, selection: &Value) -> (u16, Value) {
    post(memory, "/gateway/reload?block=true", &selection.to_string())
}

fn post(memory: &Memory, target: &str, body: &str) -> (u16, Value) {
    let answer = send(memory, "POST", target, body);
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

fn get(memory: &Memory, target: &str) -> (u16, Value) {
    let answer = send(memory, "GET", target, "");
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

/// Returns id and change of each pending API and policy.
fn waits(report: &Value) -> Value {
    let rows = |list: &str, id: &str| {
        let rows = report[list].as_array().unwrap().iter();
        let rows = rows.map(|row| json!([row[id], row["change"]]));
        rows.collect::<Vec<_>>()
    };
    json!([rows("pending", "api_id"), rows("pending_policies", "id")].concat())
}

/// An API can be reached under its id too, so listen paths differ from ids here.
fn only_the_selection_is_published(platform: Platform) {
    let memory = platform();
    for id in ["a", "b", "d", "e"] {
        add(&memory, id, &format!("/{id}1/"));
    }
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/a2/");
    put(&memory, "b", "/b2/");
    add(&memory, "c", "/c1/");
    for id in ["d", "e"] {
        send(&memory, "DELETE", &format!("/gateway/apis/{id}"), "");
    }
    // Duplicates, and documents without pending changes, are no error.
    let (code, answer) = publish(&memory, &json!({"apis": ["a", "d", "a"]}));
    assert_eq!((code, &answer["pending"]), (200, &json!(3)), "{answer}");
    let at = |path: &str| serves(&memory, path);
    assert_eq!((at("/a2/x").as_deref(), at("/a1/x")), (Some("a"), None));
    assert_eq!((at("/b1/x").as_deref(), at("/b2/x")), (Some("b"), None));
    assert_eq!((at("/c1/x"), at("/d1/x")), (None, None));
    assert_eq!(at("/e1/x").as_deref(), Some("e"));
    let report = status(&memory);
    assert_eq!(
        waits(&report),
        json!([["b", "modified"], ["c", "added"], ["e", "deleted"]])
    );
    // The files are copies of what is served.
    let files = memory.kv.keys();
    let files: Vec<&String> = files
        .iter()
        .filter(|key| key.starts_with("apis/"))
        .collect();
    assert_eq!(files, ["apis/a.json", "apis/b.json", "apis/e.json"]);
    assert!(memory.kv.value("apis/b.json").unwrap().contains("\"/b1/\""));
    // The next reload continues from there, also after a restart.
    memory.restart();
    assert_eq!(waits(&status(&memory)), waits(&report));
    assert_eq!(publish(&memory, &json!({"apis": ["a"]})).0, 200);
    assert_eq!(waits(&status(&memory)), waits(&report));
    assert_eq!(reload(&memory), 200);
    assert_eq!(
        (at("/b2/x").as_deref(), at("/c1/x").as_deref(), at("/e1/x")),
        (Some("b"), Some("c"), None)
    );
}

fn policies_are_selected_by_shown_id(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    policy(&memory, "gold", "Gold");
    policy(&memory, "silver", "Silver");
    assert_eq!(publish(&memory, &json!({"policies": ["gold"]})).0, 200);
    assert_eq!(
        waits(&status(&memory)),
        json!([["a", "added"], ["silver", "added"]])
    );
    send(&memory, "DELETE", "/gateway/policies/gold", "");
    assert_eq!(
        publish(&memory, &json!({"policies": ["gold"], "apis": ["a"]})).0,
        200
    );
    assert_eq!(waits(&status(&memory)), json!([["silver", "added"]]));
}

fn unpublishable_selection_changes_nothing(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/a2/");
    let before = status(&memory);
    for (body, code, pointers) in [
        ("{", 400, json!([""])),
        ("[]", 400, json!([""])),
        ("{}", 400, json!([""])),
        (r#"{"apis": [], "policies": []}"#, 400, json!([""])),
        (r#"{"apis": "a"}"#, 400, json!(["/apis"])),
        (r#"{"apis": ["a", 1]}"#, 400, json!(["/apis/1"])),
        (r#"{"apis": ["a"], "api": 1}"#, 400, json!(["/api"])),
        (r#"{"apis": ["a", "x"]}"#, 400, json!(["/apis/1"])),
        (r#"{"policies": ["gold"]}"#, 400, json!(["/policies/0"])),
        (r#"{"generation": 0}"#, 400, json!(["/generation"])),
        (r#"{"generation": "1"}"#, 400, json!(["/generation"])),
        (
            r#"{"generation": 1, "apis": ["a"]}"#,
            400,
            json!(["/generation"]),
        ),
        (r#"{"generation": 7}"#, 404, json!(["/generation"])),
    ] {
        // Clients that do not wait for the reload get the error, too.
        for target in ["/gateway/reload?block=true", "/gateway/reload/group"] {
            let (found, answer) = post(&memory, target, body);
            assert_eq!(found, code, "{body}: {answer}");
            let issues = answer["issues"].as_array().unwrap().iter();
            let found: Vec<&Value> = issues.map(|issue| &issue["pointer"]).collect();
            assert_eq!(json!(found), pointers, "{body}: {answer}");
            assert_eq!(status(&memory), before, "{body}");
        }
    }
    let (_, answer) = publish(&memory, &json!({"apis": ["a", "x"]}));
    assert_eq!(
        answer["message"],
        "Nothing was published. There is no API x; GET /gateway/reload/status lists what waits"
    );
    assert_eq!(
        get(&memory, "/gateway/reload/generations/7").1["issues"][0]["pointer"],
        "/generation"
    );
    assert_eq!(get(&memory, "/gateway/reload/generations/x").0, 400);
    // As before selections existed: a GET has no body, and a POST without one publishes everything.
    assert_eq!(
        send(&memory, "GET", "/gateway/reload?block=true", "{").status,
        200
    );
    put(&memory, "a", "/a3/");
    assert_eq!(post(&memory, "/gateway/reload?block=true", " \n").0, 200);
    assert_eq!(serves(&memory, "/a3/x").as_deref(), Some("a"));
}

fn unselected_api_keeps_its_listen_path(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/x/");
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/y/");
    add(&memory, "b", "/x/");
    let before = status(&memory);
    let (code, answer) = publish(&memory, &json!({"apis": ["b"]}));
    assert_eq!(code, 409);
    assert_eq!(
        answer["message"],
        "Nothing was published. The APIs b and a would both be served under /x/: select a too"
    );
    assert_eq!(status(&memory), before);
    assert_eq!(serves(&memory, "/x/1").as_deref(), Some("a"));
    assert_eq!(publish(&memory, &json!({"apis": ["a", "b"]})).0, 200);
    assert_eq!(serves(&memory, "/x/1").as_deref(), Some("b"));
    assert_eq!(serves(&memory, "/y/1").as_deref(), Some("a"));
}

fn strict_selection_checks_its_changes(platform: Platform) {
    let memory = platform();
    send(&memory, "POST", "/gateway/apis", &guarded("bad", "/bad/"));
    assert_eq!(reload(&memory), 200);
    add(&memory, "good", "/good/");
    send(
        &memory,
        "POST",
        "/gateway/apis",
        &guarded("worse", "/worse/"),
    );
    let strict = "/gateway/reload?block=true&strict=true";
    let (code, answer) = post(&memory, strict, r#"{"apis": ["good", "worse"]}"#);
    assert_eq!(code, 409, "{answer}");
    assert_eq!(serves(&memory, "/good/x"), None);
    assert_eq!(post(&memory, strict, r#"{"apis": ["good"]}"#).0, 200);
    assert_eq!(serves(&memory, "/good/x").as_deref(), Some("good"));
}

fn rollback_serves_a_generation_without_changing_documents(platform: Platform) {
    let memory = platform();
    for id in ["a", "b", "same"] {
        add(&memory, id, &format!("/{id}/"));
    }
    policy(&memory, "gold", "Gold");
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/a2/");
    send(&memory, "DELETE", "/gateway/apis/b", "");
    add(&memory, "c", "/c/");
    let better = r#"{"id": "gold", "name": "Better"}"#;
    send(&memory, "PUT", "/gateway/policies/gold", better);
    assert_eq!(reload(&memory), 200);

    let (code, plan) = get(&memory, "/gateway/reload/generations/1");
    assert_eq!((code, &plan["pending_total"]), (200, &json!(4)), "{plan}");
    let row = |row: &Value| {
        json!([
            row["api_id"],
            row["change"],
            row["outlook"],
            row["loaded_revision"],
            row["revision"],
            row["listen_path"],
            row["served_path"]
        ])
    };
    let rows: Vec<Value> = plan["pending"]
        .as_array()
        .unwrap()
        .iter()
        .map(row)
        .collect();
    assert_eq!(
        json!(rows),
        json!([
            ["a", "modified", "served", 2, 1, "/a/", "/a2/"],
            ["b", "added", "served", null, 1, "/b/", null],
            ["c", "deleted", "deleted", 1, 1, "/c/", null],
        ])
    );
    assert_eq!(
        (
            &plan["pending_policies"][0]["id"],
            &plan["pending_policies"][0]["revision"]
        ),
        (&json!("gold"), &json!(1))
    );

    let stored = send(&memory, "GET", "/gateway/apis", "").body;
    let (code, answer) = publish(&memory, &json!({"generation": 1}));
    assert_eq!((code, &answer["pending"]), (200, &json!(4)), "{answer}");
    let at = |path: &str| serves(&memory, path);
    assert_eq!((at("/a/x").as_deref(), at("/a2/x")), (Some("a"), None));
    assert_eq!((at("/b/x").as_deref(), at("/c/x")), (Some("b"), None));
    assert_eq!(at("/same/x").as_deref(), Some("same"));
    assert!(!memory.kv.keys().contains(&"apis/c.json".to_owned()));
    assert_eq!(send(&memory, "GET", "/gateway/apis", "").body, stored);
    assert_eq!(
        waits(&status(&memory)),
        json!([
            ["a", "modified"],
            ["b", "deleted"],
            ["c", "added"],
            ["gold", "modified"]
        ])
    );

    let (_, list) = get(&memory, "/gateway/reload/generations");
    let row = |row: &Value| {
        json!([
            row["generation"],
            row["loaded"],
            row["policies"],
            row["changes"],
            row["again"],
            row["selected"],
            row["served"],
            row["by"]
        ])
    };
    let rows: Vec<Value> = list["generations"]
        .as_array()
        .unwrap()
        .iter()
        .map(row)
        .collect();
    assert_eq!(
        json!(rows),
        json!([
            [3, 3, 1, 4, 1, false, true, "gateway"],
            [2, 3, 1, 4, null, false, false, "gateway"],
            [1, 3, 1, 4, null, false, false, "gateway"],
        ])
    );
    // For the current generation, nothing would change.
    let (_, plan) = get(&memory, "/gateway/reload/generations/3");
    assert_eq!(plan["pending_total"], 0);
    memory.restart();
    assert_eq!(reload(&memory), 200);
    assert_eq!(at("/c/x").as_deref(), Some("c"));
    assert_eq!((at("/b/x"), at("/a2/x").as_deref()), (None, Some("a")));
}

fn own_file_is_served_until_an_api_replaces_it(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    memory
        .kv
        .set("apis/hand.json", &definition("hand", "/hand1/"));
    assert_eq!(reload(&memory), 200);
    add(&memory, "hand", "/hand2/");
    put(&memory, "a", "/a2/");
    assert_eq!(publish(&memory, &json!({"apis": ["a"]})).0, 200);
    assert_eq!(serves(&memory, "/hand1/x").as_deref(), Some("hand"));
    assert_eq!(publish(&memory, &json!({"apis": ["hand"]})).0, 200);
    assert_eq!(serves(&memory, "/hand2/x").as_deref(), Some("hand"));
    assert_eq!(serves(&memory, "/hand1/x"), None);
}

fn the_last_twenty_generations_are_kept(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    for n in 1..=25 {
        put(&memory, "a", &format!("/a{n}/"));
        assert_eq!(reload(&memory), 200);
    }
    let (_, list) = get(&memory, "/gateway/reload/generations");
    let list = list["generations"].as_array().unwrap();
    assert_eq!(list.len(), 20);
    assert_eq!(
        (&list[0]["generation"], &list[19]["generation"]),
        (&json!(25), &json!(6))
    );
    assert_eq!(publish(&memory, &json!({"generation": 5})).0, 404);
    assert_eq!(publish(&memory, &json!({"generation": 6})).0, 200);
    assert_eq!(serves(&memory, "/a6/x").as_deref(), Some("a"));
    // It was the oldest one, and is the newest now.
    let (_, list) = get(&memory, "/gateway/reload/generations");
    assert_eq!(list["generations"][0]["again"], 6);
    assert_eq!(publish(&memory, &json!({"generation": 6})).0, 404);
}

fn plan_names_the_displaced_listen_path(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/x/");
    assert_eq!(reload(&memory), 200);
    put(&memory, "a", "/y/");
    add(&memory, "b", "/x/");
    let pending = status(&memory)["pending"].clone();
    let row = |at: usize| {
        json!([
            pending[at]["api_id"],
            pending[at]["served_path"],
            pending[at]["takes_over"]
        ])
    };
    assert_eq!(row(0), json!(["a", "/x/", null]));
    assert_eq!(row(1), json!(["b", null, "a"]));
}

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
    let told = |error: bool, full_error: bool| {
        let status = status(&memory);
        assert_eq!(status["error"].is_string(), error, "{status}");
        assert_eq!(status["full_error"].is_string(), full_error, "{status}");
    };
    told(true, true);
    let selection = json!({"apis": ["a"]});
    assert_eq!(publish(&memory, &selection).0, 200);
    told(false, true);
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &json!({"apis": ["b"]})).0, 503);
    told(true, true);
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    told(false, false);
    // A failed selection is not a failed reload of everything.
    put(&memory, "a", "/a2/");
    memory.kv.fail("put", "generation");
    assert_eq!(publish(&memory, &selection).0, 503);
    told(true, false);
}

fn forget_generations(memory: &Memory) {
    for table in ["generation", "served"] {
        let statement = format!("DELETE FROM {table}");
        memory.sql.query(&statement, &[]).unwrap();
    }
}

fn first_generation_keeps_policies_without_apis(platform: Platform) {
    let memory = platform();
    policy(&memory, "gold", "Gold");
    assert_eq!(reload(&memory), 200);
    forget_generations(&memory);
    add(&memory, "a", "/a/");
    assert_eq!(reload(&memory), 200);
    let better = r#"{"id": "gold", "name": "Better"}"#;
    send(&memory, "PUT", "/gateway/policies/gold", better);
    assert_eq!(reload(&memory), 200);
    assert_eq!(publish(&memory, &json!({"generation": 2})).0, 200);
    assert_eq!(waits(&status(&memory)), json!([["gold", "modified"]]));
}

fn set_of_previous_release_is_kept_at_the_next_reload(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a1/");
    policy(&memory, "gold", "Gold");
    assert_eq!(reload(&memory), 200);
    forget_generations(&memory);
    put(&memory, "a", "/a2/");
    send(&memory, "DELETE", "/gateway/policies/gold", "");
    assert_eq!(reload(&memory), 200);
    let (_, list) = get(&memory, "/gateway/reload/generations");
    let list = list["generations"].as_array().unwrap();
    let told: Vec<Value> = list
        .iter()
        .map(|row| json!([row["generation"], row["loaded"], row["policies"]]))
        .collect();
    assert_eq!(json!(told), json!([[2, 1, 0], [1, 1, 1]]));
    assert_eq!(publish(&memory, &json!({"generation": 1})).0, 200);
    assert_eq!(serves(&memory, "/a1/x").as_deref(), Some("a"));
    assert_eq!(
        waits(&status(&memory)),
        json!([["a", "modified"], ["gold", "deleted"]])
    );
}
