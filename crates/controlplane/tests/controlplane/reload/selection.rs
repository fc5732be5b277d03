//! Reloads that publish some of the pending changes.

use super::{Memory, Platform, add, definition, guarded, reload, send, serves, status};
use serde_json::{Value, json};

on_every_kv!(
    only_the_selection_is_published,
    policies_are_selected_by_shown_id,
    unpublishable_selection_changes_nothing,
    unselected_api_keeps_its_listen_path,
    strict_selection_checks_its_changes,
    own_file_is_served_until_an_api_replaces_it,
    plan_names_the_displaced_listen_path,
);

pub(super) fn put(memory: &Memory, id: &str, path: &str) {
    let target = format!("/gateway/apis/{id}");
    let answer = send(memory, "PUT", &target, &definition(id, path));
    assert_eq!(answer.status, 200, "{}", answer.body);
}

pub(super) fn policy(memory: &Memory, id: &str, name: &str) {
    let text = format!("{{\"id\": \"{id}\", \"name\": \"{name}\"}}");
    assert_eq!(send(memory, "POST", "/gateway/policies", &text).status, 200);
}

pub(super) fn publish(memory: &Memory, selection: &Value) -> (u16, Value) {
    post(memory, "/gateway/reload?block=true", &selection.to_string())
}

fn post(memory: &Memory, target: &str, body: &str) -> (u16, Value) {
    let answer = send(memory, "POST", target, body);
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

pub(super) fn get(memory: &Memory, target: &str) -> (u16, Value) {
    let answer = send(memory, "GET", target, "");
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

/// Returns id and change of each pending API and policy.
pub(super) fn waits(report: &Value) -> Value {
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
