//! Reloads over ports in memory: what is served, what is reported, and that a failure midway leaves the last good set
//! serving.

/// Creates the platform that a test runs on.
type Platform = fn() -> Memory;

/// Runs every test of this file on a KV as on a single machine, and on one as at the edge.
macro_rules! on_every_kv {
    ($($test:ident),* $(,)?) => {
        mod on_one_machine {
            $(#[test] fn $test() { super::$test(super::Memory::default); })*
        }
        mod at_the_edge {
            $(#[test] fn $test() { super::$test(super::Memory::at_edge); })*
        }
    };
}

mod generations;
mod report;
mod retries;
mod selection;
mod sets;
mod tools;

use futures_util::FutureExt;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

on_every_kv!(
    writes_take_effect_at_the_reload,
    inactive_and_internal_apis_have_no_route,
    kv_failure_keeps_the_old_set_until_the_next_reload,
    restart_during_reload_loses_nothing,
    files_in_the_folder_load_unless_they_collide,
    only_changes_are_written,
    policies_wait_for_the_reload_too,
    pending_changes_are_listed_with_their_outcome,
    chain_of_loaded_api_is_shown_or_why_there_is_none,
    operator_allowed_api_is_listed_as_served,
    what_is_read_and_written_back_is_served_as_before,
);

fn definition(id: &str, path: &str) -> String {
    format!(
        "{{\"name\": \"{id}\", \"api_id\": \"{id}\", \"use_keyless\": true, \
         \"proxy\": {{\"listen_path\": \"{path}\", \"target_url\": \"http://up/\"}}}}"
    )
}

fn send(memory: &Memory, method: &str, target: &str, body: &str) -> Response {
    memory.send(method, target, body).now_or_never().unwrap()
}

fn add(memory: &Memory, id: &str, path: &str) {
    assert_eq!(
        send(memory, "POST", "/gateway/apis", &definition(id, path)).status,
        200
    );
}

fn reload(memory: &Memory) -> u16 {
    send(memory, "GET", "/gateway/reload?block=true", "").status
}

fn status(memory: &Memory) -> Value {
    serde_json::from_str(&send(memory, "GET", "/gateway/reload/status", "").body).unwrap()
}

fn serves(memory: &Memory, path: &str) -> Option<String> {
    let snapshot = memory.snapshot()?;
    let found = snapshot.router.find("any.example", path)?;
    Some(found.api.definition.api_id.clone())
}

fn writes_take_effect_at_the_reload(platform: Platform) {
    let memory = platform();
    add(&memory, "one", "/a/");
    assert_eq!(status(&memory)["pending"][0]["change"], "added");
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("one"));
    assert_eq!(
        memory.kv.keys()[..3],
        ["apis/one.json", "generation", "orgs"]
    );
    assert_eq!(sets::chunks(&memory).len(), 1);
    let report = status(&memory);
    assert_eq!(
        (&report["generation"], &report["pending_total"]),
        (&1.into(), &0.into())
    );

    send(
        &memory,
        "PUT",
        "/gateway/apis/one",
        &definition("one", "/b/"),
    );
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("one"));
    assert_eq!(status(&memory)["pending"][0]["change"], "modified");
    reload(&memory);
    assert_eq!(
        (serves(&memory, "/a/x"), serves(&memory, "/b/x").as_deref()),
        (None, Some("one"))
    );

    send(&memory, "DELETE", "/gateway/apis/one", "");
    assert_eq!(status(&memory)["pending"][0]["change"], "deleted");
    reload(&memory);
    assert_eq!(serves(&memory, "/b/x"), None);
    assert_eq!(memory.kv.keys()[..2], ["generation", "orgs"]);
    assert_eq!(sets::chunks(&memory).len(), 3);
}

fn inactive_and_internal_apis_have_no_route(platform: Platform) {
    let memory = platform();
    for (id, member) in [("a", "\"active\": false"), ("b", "\"internal\": true")] {
        let text = definition(id, &format!("/{id}/")).replacen('{', &format!("{{{member}, "), 1);
        send(&memory, "POST", "/gateway/apis", &text);
    }
    reload(&memory);
    assert_eq!(
        (serves(&memory, "/a/x"), serves(&memory, "/b/x")),
        (None, None)
    );
    assert_eq!(status(&memory)["pending_total"], 0);
}

fn kv_failure_keeps_the_old_set_until_the_next_reload(platform: Platform) {
    for (operation, key) in [
        ("list", "apis/"),
        ("put", "apis/"),
        ("delete", "apis/"),
        ("put", "snapshot/"),
        ("put", "generation"),
    ] {
        let memory = platform();
        add(&memory, "a", "/a/");
        add(&memory, "gone", "/gone/");
        reload(&memory);
        add(&memory, "b", "/b/");
        send(&memory, "DELETE", "/gateway/apis/gone", "");

        memory.kv.fail(operation, key);
        assert_eq!(reload(&memory), 503, "{operation} {key}");
        assert!(memory.is_unfinished());
        let report = status(&memory);
        assert_eq!(
            (&report["state"], &report["generation"]),
            (&"failed".into(), &1.into())
        );
        assert!(report["error"].as_str().unwrap().contains("fault"));
        assert_eq!(report["pending_total"], 2);
        // A fresh isolate that starts during the reload serves the old set as well.
        memory.load().now_or_never().unwrap().unwrap();
        assert_eq!(
            (serves(&memory, "/a/x").as_deref(), serves(&memory, "/b/x")),
            (Some("a"), None)
        );
        assert_eq!(serves(&memory, "/gone/x").as_deref(), Some("gone"));

        memory.kv.heal();
        assert_eq!(reload(&memory), 200);
        assert!(!memory.is_unfinished());
        assert_eq!(serves(&memory, "/b/x").as_deref(), Some("b"));
        assert_eq!(serves(&memory, "/gone/x"), None);
        let files: Vec<String> = memory
            .kv
            .keys()
            .into_iter()
            .filter(|key| key.starts_with("apis/"))
            .collect();
        assert_eq!(files, ["apis/a.json", "apis/b.json"]);
        // The failed generation's number is not reused: an isolate that has seen it would not look again.
        assert_eq!(status(&memory)["generation"], 3);
    }
}

fn restart_during_reload_loses_nothing(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    memory.kv.fail("put", "generation");
    reload(&memory);
    memory.restart();
    memory.kv.heal();
    assert!(memory.is_unfinished());
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
}

fn files_in_the_folder_load_unless_they_collide(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    add(&memory, "gone", "/gone/");
    send(&memory, "DELETE", "/gateway/apis/gone", "");
    memory
        .kv
        .set("apis/by-hand.json", &definition("hand", "/hand/"));
    memory
        .kv
        .set("apis/other-name.json", &definition("b", "//a/"));
    memory
        .kv
        .set("apis/same-id.json", &definition("a", "/elsewhere/"));
    memory.kv.set("apis/broken.json", "{\"name\": ");
    memory.kv.set(
        "apis/open.json",
        &definition("open", "/open/").replacen(
            '{',
            "{\"custom_middleware\": {\"pre\": [{\"name\": \"f\"}]}, ",
            1,
        ),
    );
    memory
        .kv
        .set("apis/gone.json", &definition("gone", "/gone/"));
    memory
        .kv
        .set("apis/reserved.json", &definition("r", "/gateway/x"));
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/a/x").as_deref(), Some("a"));
    assert_eq!(serves(&memory, "/hand/x").as_deref(), Some("hand"));
    assert_eq!(
        (serves(&memory, "/open/x"), serves(&memory, "/gone/x")),
        (None, None)
    );
    let report = status(&memory);
    let mut skipped: Vec<(&str, &str)> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["file"].as_str().unwrap(),
                row["reason"].as_str().unwrap(),
            )
        })
        .collect();
    skipped.sort_unstable();
    let files: Vec<&str> = skipped.iter().map(|(file, _)| *file).collect();
    assert_eq!(
        files,
        [
            "apis/broken.json",
            "apis/open.json",
            "apis/other-name.json",
            "apis/reserved.json",
            "apis/same-id.json"
        ]
    );
    assert!(skipped[2].1.contains("apis/a.json"), "{skipped:?}");
    assert!(!memory.kv.keys().contains(&"apis/gone.json".to_owned()));
}

fn only_changes_are_written(platform: Platform) {
    let memory = platform();
    add(&memory, "a", "/a/");
    add(&memory, "b", "/b/");
    reload(&memory);
    send(&memory, "PUT", "/gateway/apis/b", &definition("b", "/c/"));
    drop(memory.kv.take_calls());
    reload(&memory);
    let files: Vec<String> = memory
        .kv
        .take_calls()
        .into_iter()
        .filter(|call| call.starts_with("put apis/"))
        .collect();
    assert_eq!(files, ["put apis/b.json"]);
}

fn policies_wait_for_the_reload_too(platform: Platform) {
    let memory = platform();
    let write = |method: &str, path: &str, name: &str| {
        let text = format!("{{\"id\": \"gold\", \"name\": \"{name}\"}}");
        let target = format!("/gateway/policies{path}");
        assert_eq!(send(&memory, method, &target, &text).status, 200);
    };
    let waits = || {
        let report = status(&memory);
        assert_eq!(report["pending"].as_array().unwrap().len(), 0);
        let policies = report["pending_policies"].as_array().unwrap();
        assert_eq!(report["pending_total"], policies.len());
        let of = |name: &str| {
            policies
                .first()
                .map_or(Value::Null, |policy| policy[name].clone())
        };
        [
            of("change"),
            of("revision"),
            of("loaded_revision"),
            of("id"),
            of("name"),
        ]
    };
    let none = [(); 5].map(|()| Value::Null);
    assert_eq!(waits(), none);
    write("POST", "", "Gold");
    assert_eq!(json!(waits()), json!(["added", 1, null, "gold", "Gold"]));
    // A failed reload publishes nothing.
    memory.kv.fail("put", "generation");
    assert_ne!(reload(&memory), 200);
    assert_eq!(waits()[0], "added");
    memory.kv.heal();
    assert_eq!(reload(&memory), 200);
    assert_eq!(waits(), none);
    write("PUT", "/gold", "Better");
    assert_eq!(json!(waits()), json!(["modified", 2, 1, "gold", "Better"]));
    memory.restart();
    assert_eq!(waits()[0], "modified");
    write("DELETE", "/gold", "");
    assert_eq!(json!(waits()[..3]), json!(["deleted", 3, 1]));
    assert_eq!(reload(&memory), 200);
    assert_eq!(waits(), none);
    // What was never published need not be withdrawn.
    write("POST", "", "Gold");
    write("DELETE", "/gold", "");
    assert_eq!(waits(), none);
}

/// Returns a definition guarded by a plugin, which can't run here, so the API is never served.
fn guarded(id: &str, path: &str) -> String {
    definition(id, path).replacen('{', "{\"use_go_plugin_auth\": true, ", 1)
}

fn pending_changes_are_listed_with_their_outcome(platform: Platform) {
    let memory = platform();
    let put = |id: &str, text: &str| {
        let target = format!("/gateway/apis/{id}");
        assert_eq!(send(&memory, "PUT", &target, text).status, 200);
    };
    let waits = || {
        let report = status(&memory);
        let row = |row: &Value| {
            json!([
                row["api_id"],
                row["change"],
                row["outlook"],
                row["served_now"]
            ])
        };
        let rows: Vec<Value> = report["pending"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect();
        (json!(rows), report)
    };
    for id in ["broken", "gone", "off"] {
        add(&memory, id, &format!("/{id}/"));
    }
    reload(&memory);
    put("broken", &guarded("broken", "/broken/"));
    put(
        "off",
        &definition("off", "/off/").replacen('{', "{\"active\": false, ", 1),
    );
    send(&memory, "DELETE", "/gateway/apis/gone", "");
    add(&memory, "plain", "/plain/");
    let inside = definition("inside", "/inside/").replacen('{', "{\"internal\": true, ", 1);
    for text in [inside, guarded("plugin", "/plugin/")] {
        assert_eq!(send(&memory, "POST", "/gateway/apis", &text).status, 200);
    }
    let (rows, report) = waits();
    assert_eq!(
        rows,
        json!([
            ["broken", "modified", "skipped", true],
            ["gone", "deleted", "deleted", true],
            ["inside", "added", "internal", false],
            ["off", "modified", "inactive", true],
            ["plain", "added", "served", false],
            ["plugin", "added", "skipped", false],
        ])
    );
    let promised = report["pending"][5]["reason"].clone();
    reload(&memory);
    let (rows, report) = waits();
    assert_eq!(rows, json!([]));
    assert_eq!(report["loaded_total"], 2);
    assert_eq!(report["skipped"].as_array().unwrap().len(), 2);
    assert_eq!(report["skipped"][1]["reason"], promised);
    // It was skipped, so its new text is not what is served.
    put("plugin", &guarded("plugin", "/moved/"));
    assert_eq!(waits().0, json!([["plugin", "modified", "skipped", false]]));
}

fn chain(memory: &Memory, id: &str) -> (u16, Value) {
    let answer = send(memory, "GET", &format!("/gateway/apis/{id}/chain"), "");
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

fn chain_of_loaded_api_is_shown_or_why_there_is_none(platform: Platform) {
    let memory = platform();
    let keyed = definition("keyed", "/keyed/").replace(
        "\"use_keyless\": true",
        "\"use_standard_auth\": true, \"CORS\": {\"enable\": true}",
    );
    let off = definition("off", "/off/").replacen('{', "{\"active\": false, ", 1);
    for text in [keyed, off, guarded("plugin", "/plugin/")] {
        assert_eq!(send(&memory, "POST", "/gateway/apis", &text).status, 200);
    }
    let refused = |id: &str| {
        let (status, body) = chain(&memory, id);
        assert_eq!(status, 404, "{body}");
        body["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused("none"), "API not found.");
    assert_eq!(
        refused("keyed"),
        "The API is not served: it waits for a reload"
    );
    reload(&memory);
    assert_eq!(refused("off"), "The API is not served: it is inactive");
    let skipped = refused("plugin");
    assert!(
        skipped.starts_with("The API is not served: the last reload skipped it: authentication")
            && skipped.contains("ALLOW_UNENFORCED"),
        "{skipped}"
    );
    let (status, body) = chain(&memory, "keyed");
    assert_eq!((status, &body["api_id"]), (200, &json!("keyed")));
    assert_eq!(
        body["links"][0],
        json!({"name": "cors", "title": "CORS", "phase": "both", "pointers": ["/CORS"], "detail": "every origin"})
    );
    // A link of every API with keys.
    let state = json!({"name": "key_state", "title": "Key state", "phase": "request", "pointers": [], "detail": ""});
    assert!(body["links"].as_array().unwrap().contains(&state), "{body}");
}

fn operator_allowed_api_is_listed_as_served(platform: Platform) {
    let memory = platform();
    memory.allow_unenforced("use_go_plugin_auth");
    let text = guarded("plugin", "/plugin/");
    assert_eq!(send(&memory, "POST", "/gateway/apis", &text).status, 200);
    assert_eq!(status(&memory)["pending"][0]["outlook"], "served");
}

fn what_is_read_and_written_back_is_served_as_before(platform: Platform) {
    let rules = r#""version_data": {"not_versioned": true, "versions": {"v": {"use_extended_paths": true,
        "extended_paths": {"white_list": [{"path": "/a"}], "hard_timeouts": [{"path": "/a", "method": "GET"}],
        "transform": [{"path": "/a", "method": "POST", "template_data": {}}],
        "url_rewrites": [{"path": "/a", "method": "GET", "match_pattern": "a", "rewrite_to": "b",
        "triggers": [{"options": {"payload_matches": {"match_rx": "x"}}}]}],
        "validate_json": [{"path": "/a", "method": "PUT", "schema": {}}]}}}}"#;
    let each = [
        r#""use_keyless": true"#,
        r#""use_keyless": true, "CORS": null, "tags": [], "definition": {}, "version_data": null, "auth": null"#,
        r#""use_keyless": true, "cache_options": {"enable_cache": true}"#,
        r#""auth": {"auth_header_name": "X-Key"}, "error_overrides": {"4xx": [{"response": {"message": "m"}}]}"#,
        r#""auth_configs": {"authToken": {"use_cookie": true}}, "CORS": {"enable": true}"#,
        r#""enable_jwt": true, "jwt_signing_method": "hmac", "jwt_source": "c2VjcmV0", "scopes": {"jwt": {}}"#,
        r#""use_basic_auth": true, "global_rate_limit": {"rate": 5, "per": 1}"#,
        r#""event_handlers": {"events": {"KeyExpired": [{"handler_name": "eh_log_handler", "handler_meta": {}}]}}"#,
        r#""version_data": {"versions": {"one": {}, "two": {}}}, "definition": {"location": "header", "key": "v"}"#,
        rules,
    ];
    for members in each {
        let memory = platform();
        let text = definition("a", "/a/").replace("\"use_keyless\": true", members);
        let written = |method, target, text: &str| -> Value {
            let answer = send(&memory, method, target, text);
            assert_eq!(answer.status, 200, "{}", answer.body);
            reload(&memory);
            let answer: Value = serde_json::from_str(&answer.body).unwrap();
            let issues = answer["issues"].as_array().cloned().unwrap_or_default();
            let issue = |issue: &Value| [issue["pointer"].clone(), issue["code"].clone()];
            let (_, chain) = chain(&memory, "a");
            let links = chain["links"].as_array().unwrap().iter();
            let links = links.map(|link| [link["name"].clone(), link["detail"].clone()]);
            json!([
                links.collect::<Vec<_>>(),
                issues.iter().map(issue).collect::<Vec<_>>()
            ])
        };
        let before = written("POST", "/gateway/apis", &text);
        let read = send(&memory, "GET", "/gateway/apis/a", "").body;
        assert!(read.len() > 2 * text.len(), "{read}");
        let after = written("PUT", "/gateway/apis/a", &read);
        assert_eq!(after, before, "{read}");
    }
}
