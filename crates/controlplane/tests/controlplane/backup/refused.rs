//! What is refused, and what a refusal leaves behind.

use super::{cut, done, export, gateway, import, imported, large, message, read, sent};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns a file with one line replaced and its checksum updated.
fn with(file: &str, number: usize, line: &str) -> String {
    let mut lines: Vec<&str> = file.lines().collect();
    let last = lines.pop().unwrap();
    lines[number] = line;
    let body = lines.join("\n") + "\n";
    let (head, _) = last.split_once("\"sha256\"").unwrap();
    body.clone() + &format!("{head}\"sha256\":\"{}\"}}}}\n", super::sha256(&body))
}

#[test]
fn backup_endpoints_require_the_secret() {
    let (memory, _) = gateway();
    for (method, target) in [
        ("GET", "/gateway/export"),
        ("POST", "/gateway/import"),
        ("DELETE", "/gateway/import"),
    ] {
        for headers in [&[][..], &[("x-gateway-authorization", "wrong wrong wrong")]] {
            let answer = memory.send_with(method, target, "", headers);
            let answer = futures_util::FutureExt::now_or_never(answer).unwrap();
            assert_eq!(answer.status, 403, "{method} {target}");
            assert!(!answer.body.contains("api"), "{}", answer.body);
        }
    }
}

#[test]
fn import_into_a_non_empty_gateway_lists_its_contents() {
    let (from, _) = gateway();
    let file = export(&from, "");
    for query in ["", "dry_run=true"] {
        let answer = import(&from, query, &file);
        assert_eq!(answer.status, 409);
        for held in [
            "APIs: 4",
            "policies: 1",
            "keys: 2",
            "organisations: 1",
            "webhooks: 1",
            "credentials: 1",
            "certificates: 1",
        ] {
            assert!(message(&answer).contains(held), "{held}: {}", answer.body);
        }
    }
    // A finished import can't be started again.
    let to = Memory::default();
    imported(&to, &file);
    assert_eq!(import(&to, "", &file).status, 409);
}

#[test]
fn tampered_file_is_refused_at_the_end() {
    let (from, _) = gateway();
    let file = export(&from, "").replace("/a2/", "/a3/");
    for query in ["dry_run=true", ""] {
        let answer = import(&Memory::default(), query, &file);
        assert_eq!(answer.status, 400);
        assert!(message(&answer).contains("/end/sha256"), "{}", answer.body);
    }
}

#[test]
fn errors_name_line_and_pointer() {
    let (from, _) = gateway();
    let file = sent(&from, "GET", "/gateway/export", "", &[]).body;
    let lines: Vec<&str> = file.lines().collect();
    let key = lines
        .iter()
        .position(|line| line.contains("\\\"counted\\\""))
        .unwrap();
    let cases = [
        (
            0,
            lines[0].replace("\"format\":1", "\"format\":2"),
            "/export/format",
        ),
        (0, "{}".to_owned(), "Line 1, /"),
        (0, lines[1].to_owned(), "/export/format"),
        (1, "{".to_owned(), "Line 2, /: it is no JSON"),
        (
            1,
            lines[1].replace("\"id\":\"a\"", "\"id\":\"../a\""),
            "Line 2, /api/id",
        ),
        (
            1,
            lines[1].replace("listen_path", "listened"),
            "Line 2, /api/text: /proxy",
        ),
        (2, lines[1].to_owned(), "Line 3, /api/id"),
        (2, lines[2].replace("/a2/", "/a/"), "it is that of line 2"),
        (
            2,
            lines[2].replace("/a2/", "/gateway/"),
            "/proxy/listen_path",
        ),
        (2, "{\"other\":{\"id\":\"x\"}}".to_owned(), "/other/"),
        (
            key,
            lines[key].replace("\"id\":\"", "\"id\":\"x"),
            "/session/id",
        ),
        (
            key,
            lines[key].replace(
                "\\\"access_rights\\\":{",
                "\\\"access_rights\\\":3,\\\"x\\\":{",
            ),
            "/session/text",
        ),
    ];
    for (number, line, place) in cases {
        assert_ne!(line, lines[number], "{place}");
        let to = Memory::default();
        let changed = with(&file, number, &line);
        for query in ["dry_run=true", ""] {
            let answer = import(&to, query, &changed);
            assert_eq!(answer.status, 400, "{place}: {}", answer.body);
            assert!(message(&answer).contains(place), "{place}: {}", answer.body);
        }
    }
}

#[test]
fn trailing_line_and_foreign_counter_are_refused() {
    let (from, _) = gateway();
    let file = export(&from, "");
    let answer = import(&Memory::default(), "", &(file.clone() + "{}\n"));
    assert!(
        message(&answer).contains("ends before it"),
        "{}",
        answer.body
    );
    for (line, place) in [
        (
            "{\"counters\":{\"of\":\"meter\",\"state\":{\"format\":1}}}",
            "/counters/of",
        ),
        (
            "{\"counters\":{\"of\":\"key:a\",\"state\":3}}",
            "/counters/state",
        ),
    ] {
        let answer = import(&Memory::default(), "", &with(&file, 1, line));
        assert!(
            answer.status == 400 && message(&answer).contains(place),
            "{}",
            answer.body
        );
    }
}

#[test]
fn abandoned_import_leaves_nothing() {
    let (from, _) = large();
    let file = export(&from, "");
    let other = export(&from, "");
    let to = Memory::default();
    let none = sent(&to, "DELETE", "/gateway/import", "", &[]);
    assert_eq!(none.status, 404, "{}", none.body);
    assert_eq!(import(&to, "", cut(&file)).status, 400);
    assert_eq!(
        done(&to, "GET", "/gateway/apis", &Value::Null)
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let held = import(&to, "", &other);
    assert!(
        held.status == 409 && message(&held).contains("DELETE"),
        "{}",
        held.body
    );
    done(&to, "DELETE", "/gateway/import", &Value::Null);
    assert_eq!(done(&to, "GET", "/gateway/apis", &Value::Null), json!([]));
    assert_eq!(
        done(&to, "GET", "/gateway/keys", &Value::Null)["keys"],
        json!([])
    );
    assert_eq!(
        done(&to, "GET", "/api/hooks", &Value::Null)["hooks"],
        json!([])
    );
    done(&to, "GET", "/gateway/reload?block=true", &Value::Null);
    imported(&to, &other);
    assert_eq!(sent(&to, "DELETE", "/gateway/import", "", &[]).status, 404);
}

#[test]
fn sessions_come_back_with_an_import_after_they_have_ended() {
    let (from, _) = large();
    let file = export(&from, "");
    let to = Memory::default();
    for round in 0..2 {
        assert_eq!(import(&to, "", cut(&file)).status, 400);
        assert!(!to.stored_sessions().is_empty(), "{round}");
        done(&to, "DELETE", "/gateway/import", &Value::Null);
        assert_eq!(to.stored_sessions(), "");
    }
    imported(&to, &file);
    assert_eq!(to.stored_sessions(), from.stored_sessions());
    let listed = done(&to, "GET", "/gateway/keys", &Value::Null);
    for hash in listed["keys"].as_array().unwrap() {
        let path = format!("/gateway/keys/{}?hashed=1", hash.as_str().unwrap());
        assert_eq!(read(&to, &path), read(&from, &path));
    }
}

#[test]
fn an_abandoned_import_leaves_what_others_have_written() {
    let (from, _) = large();
    let file = export(&from, "");
    let to = Memory::default();
    assert_eq!(import(&to, "", cut(&file)).status, 400);
    let list = |kind: &str| done(&to, "GET", &format!("/gateway/{kind}"), &Value::Null);
    let imported = list("apis").as_array().unwrap().clone();
    let changed = imported[1]["api_id"].as_str().unwrap().to_owned();
    let api = |id: &str| {
        json!({
            "api_id": id, "name": "own", "active": true, "use_keyless": true,
            "proxy": {"listen_path": format!("/own-{id}/"), "target_url": "http://up.example/"},
        })
    };
    done(&to, "POST", "/gateway/apis", &api("own"));
    done(
        &to,
        "PUT",
        &format!("/gateway/apis/{changed}"),
        &api(&changed),
    );
    let key = json!({ "alias": "own", "access_rights": { "own": { "api_id": "own" } } });
    let hash = done(&to, "POST", "/gateway/keys/create", &key)["key_hash"].clone();
    let policy = json!({ "_id": "5f3c8a2b9d1e0fc04d1e4c6a", "id": "own", "name": "own", "access_rights": {} });
    done(&to, "POST", "/gateway/policies", &policy);

    let removed = done(&to, "DELETE", "/gateway/import", &Value::Null);
    assert_eq!(
        removed["left"], "APIs: 2, policies: 1, keys: 1",
        "{removed}"
    );
    let apis = list("apis");
    let mut ids: Vec<&str> = apis
        .as_array()
        .unwrap()
        .iter()
        .map(|api| api["api_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    let mut kept = [changed.as_str(), "own"];
    kept.sort_unstable();
    assert_eq!(ids, kept);
    assert_eq!(list("keys")["keys"], json!([hash]));
    let revisions = list(&format!("apis/{changed}/revisions"));
    assert!(
        revisions["revisions"].as_array().unwrap().len() >= 2,
        "{revisions}"
    );
    to.restart();
    assert_eq!(list("apis").as_array().unwrap().len(), 2);
}

#[test]
fn import_does_not_overwrite_concurrent_writes() {
    let (from, _) = large();
    let file = export(&from, "");
    let to = Memory::default();
    assert_eq!(import(&to, "", cut(&file)).status, 400);
    let body = json!({ "api_id": "b", "name": "mine", "use_keyless": true,
        "proxy": { "listen_path": "/b/", "target_url": "http://up/" } });
    done(&to, "PUT", "/gateway/apis/b", &body);
    let answer = import(&to, "", &file);
    assert_eq!(answer.status, 409, "{}", answer.body);
    assert!(message(&answer).contains("Line"), "{}", answer.body);
    assert_eq!(
        done(&to, "GET", "/gateway/apis/b", &Value::Null)["name"],
        "mine"
    );
}

/// Creates a gateway with one API for each of these additional members.
fn apis(members: &[&str]) -> Memory {
    let memory = Memory::default();
    for (number, more) in members.iter().enumerate() {
        let text = format!(
            "{{\"api_id\":\"a{number:04}\",\"name\":\"a\",\"use_keyless\":true,\"proxy\":{{\"listen_path\":\"/a{number}/\",\
             \"target_url\":\"http://up/\"}}{more}}}"
        );
        let answer = sent(&memory, "POST", "/gateway/apis", &text, &[]);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    memory
}

#[test]
fn strict_import_accepts_fully_enforced_documents() {
    let file = export(&apis(&["", ""]), "");
    let to = Memory::default();
    for (query, stored) in [("strict=true&dry_run=true", 0), ("strict=true", 2)] {
        let answer = import(&to, query, &file);
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        let apis = done(&to, "GET", "/gateway/apis", &Value::Null);
        assert_eq!(apis.as_array().unwrap().len(), stored, "{query}");
    }
}

#[test]
fn strict_import_reports_ineffective_members_and_stores_nothing() {
    // More than a page, so that some of it is stored when the first of them arrives.
    let mut members = vec![""; 600];
    members[550] = ",\"no_such_member\":1";
    members[560] = ",\"no_such_member\":1,\"nor_this\":2";
    let file = export(&apis(&members), "");
    let to = Memory::default();
    for query in ["strict=true&dry_run=true", "strict=true"] {
        let answer = import(&to, query, &file);
        assert_eq!(answer.status, 400, "{query}: {}", answer.body);
        assert!(message(&answer).ends_with("3 without"), "{}", answer.body);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        let details: Vec<&str> = body["details"].as_str().unwrap().lines().collect();
        assert_eq!(details.len(), 3, "{details:?}");
        assert!(
            details[0].starts_with("Line 552, /api/text: /no_such_member: "),
            "{details:?}"
        );
        assert_eq!(done(&to, "GET", "/gateway/apis", &Value::Null), json!([]));
    }
    // No import is in progress any more.
    assert_eq!(sent(&to, "DELETE", "/gateway/import", "", &[]).status, 404);
    imported(&to, &file);
}
