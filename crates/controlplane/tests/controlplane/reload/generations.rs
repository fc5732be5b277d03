//! Reloads that publish an earlier generation again.

use super::selection::{get, policy, publish, put, waits};
use super::{Memory, Platform, add, reload, send, serves, status};
use gatewright_testkit::sqlite::Sql as _;
use serde_json::{Value, json};

on_every_kv!(
    rollback_serves_a_generation_without_changing_documents,
    the_last_twenty_generations_are_kept,
    set_of_previous_release_is_kept_at_the_next_reload,
    first_generation_keeps_policies_without_apis,
);

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

fn forget_generations(memory: &Memory) {
    for table in ["generation", "served"] {
        let statement = format!("DELETE FROM {table}");
        memory.sql.query(&statement, &[]).unwrap();
    }
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
    let listed: Vec<Value> = list
        .iter()
        .map(|row| json!([row["generation"], row["loaded"], row["policies"]]))
        .collect();
    assert_eq!(json!(listed), json!([[2, 1, 0], [1, 1, 1]]));
    assert_eq!(publish(&memory, &json!({"generation": 1})).0, 200);
    assert_eq!(serves(&memory, "/a1/x").as_deref(), Some("a"));
    assert_eq!(
        waits(&status(&memory)),
        json!([["a", "modified"], ["gold", "deleted"]])
    );
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
