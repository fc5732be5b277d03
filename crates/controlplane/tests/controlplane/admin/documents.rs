//! Definitions: how they are returned, under which conditions they are stored, and why they are refused.

use super::{definition, header, json, send, send_if};
use gatewright_testkit::platform::Memory;
use gatewright_testkit::sql::Fault;
use serde_json::Value;

#[test]
fn a_document_comes_back_as_it_was_sent() {
    let memory = Memory::default();
    let text = definition("a", "/a/");
    let added = send(&memory, "POST", "/gateway/apis", &text);
    assert_eq!(added.status, 200, "{}", added.body);
    assert!(
        added
            .body
            .starts_with(r#"{"key":"a","status":"ok","action":"added""#),
        "{}",
        added.body
    );
    let read = send(&memory, "GET", "/gateway/apis/a?complete=false", "");
    assert_eq!((read.status, read.body.as_str()), (200, text.as_str()));
    assert_eq!(header(&read, "etag"), Some("\"1\""));
    assert_eq!(header(&read, "x-gateway-reload-pending"), Some("true"));
}

/// What the family shows of a definition with the members below.
const WHOLE: &str = include_str!("whole.json");

#[test]
fn a_definition_is_read_with_every_member_of_the_family() {
    let memory = Memory::default();
    let sent = concat!(
        r#"{"name":"plain","api_id":"plain","org_id":"acme","active":true,"use_keyless":true,"#,
        r#""version_data":{"not_versioned":true,"default_version":"","versions":{"Default":{"name":"Default","#,
        r#""use_extended_paths":true}}},"#,
        r#""proxy":{"listen_path":"/plain/","target_url":"http://up.test/","strip_listen_path":true}}"#
    );
    send(&memory, "POST", "/gateway/apis", sent);
    let read = send(&memory, "GET", "/gateway/apis/plain", "");
    assert_eq!(json(&read), serde_json::from_str::<Value>(WHOLE).unwrap());
    assert!(read.body.starts_with(&sent[..89]), "{}", read.body);
}

#[test]
fn missing_id_is_generated() {
    let memory = Memory::default();
    let text = "{\n  \"name\": \"n\",\n  \"proxy\": {\"listen_path\": \"/n\", \"target_url\": \"http://up\"}\n}";
    let added = json(&send(&memory, "POST", "/gateway/apis", text));
    let id = added["key"].as_str().unwrap();
    assert_eq!(id.len(), 32);
    let read = send(&memory, "GET", &format!("/gateway/apis/{id}"), "");
    assert_eq!(json(&read)["api_id"], id);
    assert!(
        read.body
            .contains("\"listen_path\": \"/n\", \"target_url\": \"http://up\"")
    );
}

#[test]
fn preconditions_are_checked_before_storing() {
    let memory = Memory::default();
    let text = definition("a", "/a/");
    assert_eq!(
        send_if(
            &memory,
            "POST",
            "/gateway/apis",
            &text,
            ("if-none-match", "*")
        )
        .status,
        200
    );
    let again = send_if(
        &memory,
        "POST",
        "/gateway/apis",
        &text,
        ("if-none-match", "*"),
    );
    assert_eq!((again.status, header(&again, "etag")), (412, Some("\"1\"")));
    assert_eq!(
        send_if(
            &memory,
            "PUT",
            "/gateway/apis/a",
            &text,
            ("if-match", "\"1\"")
        )
        .status,
        200
    );
    for tag in ["\"1\"", "W/\"2\"", "2", "\"x\"", ""] {
        let stale = send_if(&memory, "PUT", "/gateway/apis/a", &text, ("if-match", tag));
        assert_eq!(
            (stale.status, header(&stale, "etag")),
            (412, Some("\"2\"")),
            "{tag}"
        );
        assert_eq!(
            send_if(&memory, "DELETE", "/gateway/apis/a", "", ("if-match", tag)).status,
            412
        );
    }
    assert_eq!(
        send_if(
            &memory,
            "GET",
            "/gateway/apis/a",
            "",
            ("if-none-match", "\"2\"")
        )
        .status,
        304
    );
    assert_eq!(
        send_if(&memory, "DELETE", "/gateway/apis/a", "", ("if-match", "*")).status,
        200
    );
    assert_eq!(
        send_if(&memory, "POST", "/gateway/apis", &text, ("if-match", "*")).status,
        412
    );
}

#[test]
fn a_dry_run_answers_and_stores_nothing() {
    let memory = Memory::default();
    let text = definition("a", "/a/");
    let dry = send(&memory, "POST", "/gateway/apis?dry_run=true", &text);
    assert_eq!(
        (dry.status, json(&dry)["dry_run"].as_bool()),
        (200, Some(true))
    );
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").status, 404);
    send(&memory, "POST", "/gateway/apis", &text);
    assert_eq!(
        send(&memory, "DELETE", "/gateway/apis/a?dry_run=true", "").status,
        200
    );
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").status, 200);
    let refused = send(
        &memory,
        "POST",
        "/gateway/apis?dry_run=true",
        &definition("b", "//a/"),
    );
    assert_eq!(refused.status, 409);
}

#[test]
fn revisions_keep_everything_and_bring_it_back() {
    let memory = Memory::default();
    let (first, second) = (definition("a", "/a/"), definition("a", "/b/"));
    send(&memory, "POST", "/gateway/apis", &first);
    send(&memory, "PUT", "/gateway/apis/a", &second);
    send(&memory, "DELETE", "/gateway/apis/a", "");
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").status, 404);
    let list = json(&send(&memory, "GET", "/gateway/apis/a/revisions", ""));
    let actions: Vec<_> = list["revisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["action"].clone())
        .collect();
    assert_eq!(actions, ["deleted", "modified", "added"]);
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/a/revisions/1", "").body,
        first
    );
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/a/revisions/3", "").status,
        404
    );
    assert_eq!(
        send(&memory, "POST", "/gateway/apis/a/revisions/3/restore", "").status,
        404
    );
    let restored = send(&memory, "POST", "/gateway/apis/a/revisions/1/restore", "");
    assert_eq!(
        (restored.status, header(&restored, "etag")),
        (200, Some("\"4\""))
    );
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/a?complete=false", "").body,
        first
    );
    send(&memory, "DELETE", "/gateway/apis/a", "");
    send(
        &memory,
        "POST",
        "/gateway/apis",
        &definition("thief", "/./a/"),
    );
    assert_eq!(
        send(&memory, "POST", "/gateway/apis/a/revisions/1/restore", "").status,
        409
    );
}

#[test]
fn two_public_apis_never_share_a_route() {
    let memory = Memory::default();
    send(&memory, "POST", "/gateway/apis", &definition("a", "/a/"));
    let refused = send(
        &memory,
        "POST",
        "/gateway/apis",
        &definition("b", "/x/../a/"),
    );
    assert_eq!(refused.status, 409);
    assert!(
        json(&refused)["message"]
            .as_str()
            .unwrap()
            .contains("\"a\" (a)"),
        "{}",
        refused.body
    );
    for (change, status) in [
        ("\"domain\": \"x.example\", ", 200),
        ("\"active\": false, ", 200),
        ("\"internal\": true, ", 200),
        ("\"active\": true, ", 409),
    ] {
        let text = definition("b", "/x/../a/").replacen('{', &format!("{{{change}"), 1);
        assert_eq!(
            send(&memory, "POST", "/gateway/apis?dry_run=true", &text).status,
            status,
            "{change}"
        );
    }
    // With and without a trailing slash they match different requests (reference 5.1).
    let bare = definition("bare", "/a");
    assert_eq!(send(&memory, "POST", "/gateway/apis", &bare).status, 200);
    for path in [
        "/gateway",
        "/gateway/x/",
        "/hello",
        "/ready/",
        "/openapi/x",
        "/x/..//gateway/",
    ] {
        let reserved = send(&memory, "POST", "/gateway/apis", &definition("c", path));
        assert_eq!(reserved.status, 409, "{path}: {}", reserved.body);
    }
    send(&memory, "DELETE", "/gateway/apis/a", "");
    assert_eq!(
        send(
            &memory,
            "POST",
            "/gateway/apis",
            &definition("b", "/x/../a/")
        )
        .status,
        200
    );
}

#[test]
fn invalid_documents_are_refused_with_their_issues() {
    let memory = Memory::default();
    for body in [
        "",
        "{",
        "{\"a\":1,\"a\":2}",
        "[1",
        "\u{feff}{}",
        // So is a member of a wrong type.
        "[]",
        "{\"name\":7}",
        "{\"session_lifetime\":1.5}",
        "{\"proxy\":\"x\"}",
    ] {
        let response = send(&memory, "POST", "/gateway/apis", body);
        assert_eq!(
            (response.status, json(&response)["message"].as_str()),
            (400, Some("Request malformed")),
            "{body}"
        );
    }
    let escaping = send(&memory, "POST", "/gateway/apis", &definition("../x", "/x"));
    assert_eq!(json(&escaping)["message"], "Invalid API ID");
    let invalid = send(&memory, "POST", "/gateway/apis", "{\"proxy\": {}}");
    let body = json(&invalid);
    assert_eq!(invalid.status, 400);
    assert!(
        body["message"]
            .as_str()
            .unwrap()
            .starts_with("Validation of API Definition failed. Reason: ")
    );
    assert!(
        body["issues"].as_array().unwrap().len() >= 3,
        "{}",
        invalid.body
    );
    for id in ["..", "a%2fb", "%2e%2e", "a\\b", "a%00"] {
        let target = format!("/gateway/apis/{id}");
        for method in ["POST", "PUT", "DELETE"] {
            assert_eq!(
                json(&send(&memory, method, &target, "{}"))["message"],
                "Invalid API ID",
                "{method} {id}"
            );
        }
        assert_eq!(send(&memory, "GET", &target, "").status, 404, "{id}");
    }
    let text = definition("b", "/b");
    for text in [text.as_str(), "{", r#"{"api_id":"a","active":"yes"}"#] {
        let answer = send(&memory, "PUT", "/gateway/apis/a", text);
        assert_eq!(answer.status, 404, "{text}: {}", answer.body);
    }
    send(&memory, "POST", "/gateway/apis", &definition("a", "/a"));
    for text in ["{", r#"{"api_id":"b","active":"yes"}"#] {
        let answer = json(&send(&memory, "PUT", "/gateway/apis/a", text));
        assert_eq!(answer["message"], "Request malformed", "{text}");
    }
    let other = json(&send(&memory, "PUT", "/gateway/apis/a", &text));
    assert!(
        other["message"]
            .as_str()
            .unwrap()
            .starts_with("Request APIID does not match")
    );
}

#[test]
fn reserved_path_words_are_refused_as_ids() {
    let memory = Memory::default();
    let refused = send(&memory, "POST", "/gateway/apis", &definition("oas", "/a/"));
    let answer = json(&refused);
    assert_eq!(
        (refused.status, &answer["message"]),
        (400, &"Invalid API ID".into())
    );
    let issues = answer["issues"].as_array().unwrap();
    let wrong = issues.iter().find(|issue| issue["severity"] == "error");
    assert_eq!(wrong.unwrap()["pointer"], "/api_id");
    let names = definition("oas-2", "/a/");
    assert_eq!(send(&memory, "POST", "/gateway/apis", &names).status, 200);
}

#[test]
fn failed_write_changes_nothing_and_lost_reply_loses_nothing() {
    let memory = Memory::default();
    let (first, second) = (definition("a", "/a/"), definition("a", "/b/"));
    send(&memory, "POST", "/gateway/apis", &first);
    memory.sql.fail_next(Fault::BeforePersist);
    assert_eq!(send(&memory, "PUT", "/gateway/apis/a", &second).status, 503);
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/a?complete=false", "").body,
        first
    );
    memory.sql.fail_next(Fault::AfterPersist);
    assert_eq!(send(&memory, "PUT", "/gateway/apis/a", &second).status, 503);
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/a?complete=false", "").body,
        second
    );
    memory.restart();
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/a?complete=false", "").body,
        second
    );
}
