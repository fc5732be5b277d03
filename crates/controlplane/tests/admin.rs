//! The administration API over ports in memory: statuses, messages, conditions, and that a
//! failure changes nothing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use gatewright_api::endpoint::{Auth, ENDPOINTS};
use gatewright_api::paths::is_probe;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory, SECRET};
use gatewright_testkit::sql::Fault;
use serde_json::Value;

fn definition(id: &str, path: &str) -> String {
    format!(
        "{{\"name\": \"{id}\", \"api_id\": \"{id}\", \"use_keyless\": true, \"n\": 1.0,\n \
         \"proxy\": {{\"listen_path\": \"{path}\", \"target_url\": \"http://up/\"}}}}"
    )
}

fn send(memory: &Memory, method: &str, target: &str, body: &str) -> Response {
    memory.send(method, target, body).now_or_never().unwrap()
}

fn send_if(
    memory: &Memory,
    method: &str,
    target: &str,
    body: &str,
    header: (&str, &str),
) -> Response {
    let headers = [("x-gateway-authorization", SECRET), header];
    memory
        .send_with(method, target, body, &headers)
        .now_or_never()
        .unwrap()
}

fn json(response: &Response) -> Value {
    serde_json::from_str(&response.body).unwrap()
}

fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response
        .headers
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.as_str())
}

#[test]
fn every_endpoint_behind_the_secret_refuses_without_it() {
    let cases = [
        None,
        Some(""),
        Some("0123456789abcdeX"),
        Some("0123456789abcdef0"),
    ];
    for endpoint in ENDPOINTS
        .iter()
        .filter(|endpoint| endpoint.auth == Auth::Secret)
    {
        for secret in cases {
            let memory = Memory::default();
            let headers: Vec<_> = secret
                .map(|secret| ("x-gateway-authorization", secret))
                .into_iter()
                .collect();
            let sent = memory.send_with(endpoint.method, endpoint.path, "{}", &headers);
            let response = sent.now_or_never().unwrap();
            assert_eq!(
                response.status, 403,
                "{} {}",
                endpoint.method, endpoint.path
            );
            assert!(memory.kv.take_calls().is_empty());
        }
    }
}

#[test]
fn without_a_long_enough_secret_nobody_is_let_in() {
    for secret in [None, Some(""), Some("short")] {
        let memory = Memory::with_secret(secret);
        let headers = [("x-gateway-authorization", secret.unwrap_or_default())];
        let response = memory
            .send_with("GET", "/gateway/apis", "", &headers)
            .now_or_never()
            .unwrap();
        assert_eq!(response.status, 403);
    }
}

#[test]
fn unknown_paths_are_refused_before_they_are_looked_up() {
    let memory = Memory::default();
    let open = memory
        .send_with("GET", "/gateway/nothing", "", &[])
        .now_or_never()
        .unwrap();
    assert_eq!(open.status, 403);
    assert_eq!(send(&memory, "GET", "/gateway/nothing", "").status, 404);
    let wrong = send(&memory, "PATCH", "/gateway/apis/", "");
    assert_eq!(
        (wrong.status, header(&wrong, "allow")),
        (405, Some("GET, POST"))
    );
    for (method, path, status, message) in [
        ("PUT", "/gateway/apis", 405, "Method not supported"),
        ("DELETE", "/gateway/apis/", 405, "Method not supported"),
        ("PATCH", "/gateway/keys", 405, "Method not supported"),
        ("PUT", "/gateway/keys", 404, "Key is not found"),
        ("DELETE", "/gateway/keys", 404, "There is no such key found"),
        ("GET", "/gateway/keys/create", 404, "Key not found"),
        ("GET", "/gateway/keys/preview", 404, "Key not found"),
        ("PUT", "/gateway/keys/preview", 404, "Key is not found"),
        ("POST", "/hello", 405, "Method Not Allowed"),
    ] {
        let answer = send(&memory, method, path, "{}");
        let told = json(&answer)["message"].as_str().map(str::to_owned);
        assert_eq!(
            (answer.status, told.as_deref()),
            (status, Some(message)),
            "{method} {path}"
        );
    }
}

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
    let read = send(&memory, "GET", "/gateway/apis/a", "");
    assert_eq!((read.status, read.body.as_str()), (200, text.as_str()));
    assert_eq!(header(&read, "etag"), Some("\"1\""));
    assert_eq!(header(&read, "x-gateway-reload-pending"), Some("true"));
}

#[test]
fn an_id_is_made_up_where_there_is_none() {
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
fn conditions_decide_before_anything_is_stored() {
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
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").body, first);
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
    // With and without a slash at the end they take different requests (reference 5.1).
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
fn wrong_documents_are_refused_with_their_issues() {
    let memory = Memory::default();
    for body in [
        "",
        "{",
        "{\"a\":1,\"a\":2}",
        "[1",
        "\u{feff}{}",
        // A member of a wrong type, too.
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
    assert_eq!(send(&memory, "PUT", "/gateway/apis/a", &text).status, 404);
    send(&memory, "POST", "/gateway/apis", &definition("a", "/a"));
    let other = json(&send(&memory, "PUT", "/gateway/apis/a", &text));
    assert!(
        other["message"]
            .as_str()
            .unwrap()
            .starts_with("Request APIID does not match")
    );
}

#[test]
fn a_version_is_listed_by_its_base_and_leaves_with_it() {
    let memory = Memory::default();
    let base = definition("base", "/base/");
    send(&memory, "POST", "/gateway/apis", &base);
    let text = definition("v2", "/v2/");
    let target = "/gateway/apis?base_api_id=base";
    assert_eq!(send(&memory, "POST", target, &text).status, 422);
    let unnamed = send(
        &memory,
        "POST",
        &format!("{target}&new_version_name=two"),
        &text,
    );
    assert_eq!(
        json(&unnamed)["message"],
        "you need to provide a version name for the new Base API: base"
    );
    let nobody = send(
        &memory,
        "POST",
        "/gateway/apis?base_api_id=x&new_version_name=two",
        &text,
    );
    assert_eq!(
        json(&nobody)["message"],
        "x is not a valid Base API version"
    );
    assert_eq!(send(&memory, "GET", "/gateway/apis/v2", "").status, 404);

    let target =
        format!("{target}&new_version_name=two&base_api_version_name=one&set_default=true");
    assert_eq!(send(&memory, "POST", &target, &text).status, 200);
    let read = send(&memory, "GET", "/gateway/apis/v2", "");
    assert_eq!(header(&read, "x-gateway-base-api-id"), Some("base"));
    let read = send(&memory, "GET", "/gateway/apis/base", "");
    assert!(read.body.contains("\"n\": 1.0"), "{}", read.body);
    let value = json(&read);
    assert_eq!(value["definition"]["versions"]["two"], "v2");
    assert_eq!(
        (&value["definition"]["default"], &value["definition"]["key"]),
        (&"two".into(), &"x-api-version".into())
    );
    let versions = json(&send(&memory, "GET", "/gateway/apis/base/versions", ""));
    assert_eq!(versions["apis"][0]["versionName"], "one");
    assert_eq!(
        (
            &versions["apis"][1]["versionName"],
            &versions["apis"][1]["isDefaultVersion"]
        ),
        (&"two".into(), &true.into())
    );

    send(&memory, "DELETE", "/gateway/apis/v2", "");
    let value = json(&send(&memory, "GET", "/gateway/apis/base", ""));
    assert_eq!(value["definition"]["versions"], serde_json::json!({}));
    assert_eq!(value["definition"]["default"], "one");
}

fn base_and_version(memory: &Memory) -> Value {
    send(
        memory,
        "POST",
        "/gateway/apis",
        &definition("base", "/base/"),
    );
    let target = "/gateway/apis?base_api_id=base&new_version_name=two&base_api_version_name=one\
                  &set_default=true";
    let made = send(memory, "POST", target, &definition("v2", "/v2/"));
    assert_eq!(made.status, 200, "{}", made.body);
    versions_of(memory, "base")
}

/// What a base says about its versions.
fn versions_of(memory: &Memory, base: &str) -> Value {
    let path = format!("/gateway/apis/{base}");
    json(&send(memory, "GET", &path, ""))["definition"].clone()
}

#[test]
fn a_version_that_is_brought_back_belongs_to_its_base_again() {
    let memory = Memory::default();
    let before = base_and_version(&memory);
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    assert_ne!(versions_of(&memory, "base"), before);
    memory.restart();
    let restore = "/gateway/apis/v2/revisions/1/restore";
    let dry = send(&memory, "POST", &format!("{restore}?dry_run=true"), "");
    assert_eq!(dry.status, 200);
    assert_ne!(versions_of(&memory, "base"), before);
    let back = send(&memory, "POST", restore, "");
    assert_eq!(back.status, 200, "{}", back.body);
    assert_eq!(versions_of(&memory, "base"), before);
    let read = send(&memory, "GET", "/gateway/apis/v2", "");
    assert_eq!(header(&read, "x-gateway-base-api-id"), Some("base"));
    // A revision of what is not deleted is no reason to write the base.
    let base = send(&memory, "GET", "/gateway/apis/base", "");
    send(&memory, "POST", restore, "");
    let same = send(&memory, "GET", "/gateway/apis/base", "");
    assert_eq!(header(&same, "etag"), header(&base, "etag"));
}

#[test]
fn a_version_that_is_brought_back_takes_nothing_from_another() {
    let memory = Memory::default();
    base_and_version(&memory);
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    let target = "/gateway/apis?base_api_id=base&new_version_name=two&set_default=true";
    let other = send(&memory, "POST", target, &definition("v3", "/v3/"));
    assert_eq!(other.status, 200, "{}", other.body);
    let before = versions_of(&memory, "base");
    let restore = "/gateway/apis/v2/revisions/1/restore";
    assert_eq!(send(&memory, "POST", restore, "").status, 200);
    assert_eq!(versions_of(&memory, "base"), before);
    // Nor does it need a base that is gone.
    send(&memory, "DELETE", "/gateway/apis/v3", "");
    send(&memory, "DELETE", "/gateway/apis/base", "");
    let restore = "/gateway/apis/v3/revisions/1/restore";
    assert_eq!(send(&memory, "POST", restore, "").status, 200);
}

#[test]
fn a_version_may_have_two_bases() {
    let memory = Memory::default();
    send(&memory, "POST", "/gateway/apis", &definition("v2", "/v2/"));
    for base in ["one", "two"] {
        let mut text: Value =
            serde_json::from_str(&definition(base, &format!("/{base}/"))).unwrap();
        text["definition"] = serde_json::json!({ "enabled": true, "name": "v1",
            "default": "v1", "versions": { "v2": "v2" } });
        let made = send(&memory, "POST", "/gateway/apis", &text.to_string());
        assert_eq!(made.status, 200, "{}", made.body);
    }
    let base = |memory: &Memory| {
        let read = send(memory, "GET", "/gateway/apis/v2", "");
        header(&read, "x-gateway-base-api-id").map(str::to_owned)
    };
    assert_eq!(base(&memory).as_deref(), Some("one"));
    send(&memory, "DELETE", "/gateway/apis/two", "");
    assert_eq!(base(&memory).as_deref(), Some("one"));
    let back = "/gateway/apis/two/revisions/1/restore";
    assert_eq!(send(&memory, "POST", back, "").status, 200);
    send(&memory, "DELETE", "/gateway/apis/v2", "");
    for base in ["one", "two"] {
        let versions = versions_of(&memory, base)["versions"].clone();
        assert_eq!(versions, serde_json::json!({}), "{base}");
    }
    send(&memory, "POST", "/gateway/apis/v2/revisions/1/restore", "");
    for base in ["one", "two"] {
        assert_eq!(versions_of(&memory, base)["versions"]["v2"], "v2", "{base}");
    }
}

#[test]
fn no_api_can_have_a_word_of_the_paths_as_its_id() {
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
fn a_probe_may_ask_for_the_head_alone() {
    let memory = Memory::default();
    now_loaded(&memory);
    for path in ["/hello", "/hello/", "/ready"] {
        let get = memory
            .send_with("GET", path, "", &[])
            .now_or_never()
            .unwrap();
        let head = memory
            .send_with("HEAD", path, "", &[])
            .now_or_never()
            .unwrap();
        assert_eq!((get.status, head.status), (200, 200), "{path}");
        assert_eq!(
            (get.body.is_empty(), head.body.as_str()),
            (false, ""),
            "{path}"
        );
        assert_eq!(header(&head, "content-type"), header(&get, "content-type"));
        let post = memory
            .send_with("POST", path, "", &[])
            .now_or_never()
            .unwrap();
        assert_eq!(
            (post.status, header(&post, "allow")),
            (405, Some("GET, HEAD")),
            "{path}"
        );
    }
    assert_eq!(send(&memory, "HEAD", "/gateway/reload", "").status, 405);
    for path in ["/hello", "/hello/", "/ready", "/ready/"] {
        assert!(is_probe(path), "{path}");
    }
    for path in [
        "/",
        "/hello//",
        "/hello/x",
        "/Hello",
        "/gateway/health",
        "/hello-world",
    ] {
        assert!(!is_probe(path), "{path}");
    }
}

fn now_loaded(memory: &Memory) {
    assert_eq!(
        send(memory, "GET", "/gateway/reload?block=true", "").status,
        200
    );
}

#[test]
fn the_version_is_that_of_the_specification_with_our_own_beside_it() {
    let memory = Memory::default();
    now_loaded(&memory);
    for path in ["/hello", "/ready"] {
        let body = json(&send(&memory, "GET", path, ""));
        assert_eq!(body["version"], "v5.14.0", "{path}");
        let own = format!("v{}", env!("CARGO_PKG_VERSION"));
        assert_eq!(body["gatewright_version"], own.as_str(), "{path}");
    }
    let info = json(&send(&memory, "GET", "/openapi/gateway.json", ""))["info"].clone();
    assert_eq!(info["version"], "5.14.0");
    assert_eq!(info["x-gatewright-version"], env!("CARGO_PKG_VERSION"));
    // No version of the dashboard API is specified, so it has ours alone.
    let info = json(&send(&memory, "GET", "/openapi/dashboard.json", ""))["info"].clone();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
}

/// The warnings about the handlers of a definition, with the pointer of each below the events.
fn handler_issues(memory: &Memory, method: &str, target: &str, handlers: &Value) -> Vec<String> {
    let mut text: Value = serde_json::from_str(&definition("hooked", "/hooked/")).unwrap();
    let list = |settings: &Value| serde_json::json!({ "handler_name": "eh_web_hook_handler", "handler_meta": settings });
    let handlers: Vec<_> = handlers.as_array().unwrap().iter().map(list).collect();
    text["event_handlers"] = serde_json::json!({ "events": { "AuthFailure": handlers } });
    let answer = send(memory, method, target, &text.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let body = json(&answer);
    let issues = body["issues"].as_array().cloned().unwrap_or_default();
    let line = |issue: Value| {
        let pointer = issue["pointer"].as_str().unwrap();
        let rest = pointer.strip_prefix("/event_handlers/events/AuthFailure/")?;
        Some(format!("{} {rest}", issue["severity"].as_str().unwrap()))
    };
    issues.into_iter().filter_map(line).collect()
}

#[test]
fn webhooks_that_can_not_be_called_get_a_warning_at_the_write() {
    let memory = Memory::default();
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let hook =
        r#"{"name":"n","method":"POST","target_path":"https://a.example/","webhook_id":"known"}"#;
    let made = memory.send_with("POST", "/api/hooks", hook, &headers);
    assert_eq!(made.now_or_never().unwrap().status, 200);
    let handlers = serde_json::json!([
        { "method": "POST", "target_path": "https://e.example/" },
        { "method": "POST", "target_path": "http://127.0.0.1:9/" },
        { "method": "POST", "target_path": "http://10.0.0.1/", "disabled": true },
        { "id": "known" },
        { "id": "nobody" },
        { "id": "nobody", "disabled": true },
        { "id": "nobody", "method": "POST", "target_path": "https://e.example/" },
        { "method": "POST", "target_path": "nowhere" },
    ]);
    let expected = [
        "warning 1/handler_meta/target_path",
        "warning 4/handler_meta/id",
        "warning 7/handler_meta/target_path",
    ];
    for target in ["/gateway/apis?dry_run=true", "/gateway/apis"] {
        let issues = handler_issues(&memory, "POST", target, &handlers);
        assert_eq!(issues, expected, "{target}");
    }
    let issues = handler_issues(&memory, "PUT", "/gateway/apis/hooked", &handlers);
    assert_eq!(issues, expected);
    let same = serde_json::json!([{ "id": "known" }]);
    assert!(handler_issues(&memory, "PUT", "/gateway/apis/hooked", &same).is_empty());
    let restore = "/gateway/apis/hooked/revisions/1/restore";
    let body = json(&send(&memory, "POST", restore, ""));
    let issues = body["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 1, "{body}");
    // A webhook of another organisation does not count for this API.
    memory.web.allow_private(true);
    let issues = handler_issues(&memory, "POST", "/gateway/apis", &handlers);
    assert_eq!(issues, &expected[1..]);
}

#[test]
fn a_failing_write_changes_nothing_and_a_lost_answer_loses_nothing() {
    let memory = Memory::default();
    let (first, second) = (definition("a", "/a/"), definition("a", "/b/"));
    send(&memory, "POST", "/gateway/apis", &first);
    memory.sql.fail_next(Fault::BeforePersist);
    assert_eq!(send(&memory, "PUT", "/gateway/apis/a", &second).status, 503);
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").body, first);
    memory.sql.fail_next(Fault::AfterPersist);
    assert_eq!(send(&memory, "PUT", "/gateway/apis/a", &second).status, 503);
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").body, second);
    memory.restart();
    assert_eq!(send(&memory, "GET", "/gateway/apis/a", "").body, second);
}

#[test]
fn summaries_search_sort_and_page() {
    let memory = Memory::default();
    for (id, path) in [("alpha", "/x/"), ("Beta", "/y/"), ("gamma", "/z/")] {
        send(&memory, "POST", "/gateway/apis", &definition(id, path));
    }
    let list = |query: &str| {
        let page = json(&send(
            &memory,
            "GET",
            &format!("/gateway/apis?view=summary{query}"),
            "",
        ));
        let ids: Vec<String> = page["apis"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["api_id"].as_str().unwrap().to_owned())
            .collect();
        (
            ids,
            page["pages"].as_u64().unwrap(),
            page["total"].as_u64().unwrap(),
        )
    };
    let ids = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(""), (ids(&["alpha", "Beta", "gamma"]), 1, 3));
    assert_eq!(
        list("&sort=-listen_path"),
        (ids(&["gamma", "Beta", "alpha"]), 1, 3)
    );
    assert_eq!(list("&q=BET"), (ids(&["Beta"]), 1, 1));
    assert_eq!(list("&q=/z"), (ids(&["gamma"]), 1, 1));
    assert_eq!(list("&per_page=2&p=2"), (ids(&["gamma"]), 2, 3));
    assert_eq!(list("&document=oas").0, ids(&[]));
    assert_eq!(list("&state=live").0, ids(&[]));
    assert_eq!(list("&state=pending").2, 3);
    send(&memory, "GET", "/gateway/reload?block=true", "");
    assert_eq!(list("&state=live").2, 3);
    send(&memory, "DELETE", "/gateway/apis/alpha", "");
    assert_eq!(list("&state=deleted").0, ids(&["alpha"]));
    assert_eq!(list("").2, 2);
    assert_eq!(
        send(&memory, "GET", "/gateway/apis?view=summary&sort=colour", "").status,
        400
    );
    assert_eq!(
        send(&memory, "GET", "/gateway/apis?view=summary&p=x", "").status,
        400
    );
    assert_eq!(
        send(
            &memory,
            "GET",
            "/gateway/apis?view=summary&document=raml",
            ""
        )
        .status,
        400
    );
}

#[test]
fn a_long_list_is_read_in_pages_and_is_the_same() {
    let gate = Memory::default();
    let filler = "x".repeat(100_000);
    let text = |id: usize| {
        format!(
            r#"{{"api_id":"a{id:02}","name":"n","use_keyless":true,"filler":"{filler}","proxy":{{"listen_path":"/{id}/","target_url":"http://u.example/"}}}}"#
        )
    };
    let store = |id: usize| {
        let stored = gate
            .send("POST", "/gateway/apis", &text(id))
            .now_or_never()
            .unwrap();
        assert_eq!(stored.status, 200, "{}", stored.body);
    };
    let list = || {
        let mut answer = gate
            .send("GET", "/gateway/apis", "")
            .now_or_never()
            .unwrap();
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/json"))
        );
        let mut pages = 0;
        let mut next = answer.stream.take();
        while let Some(message) = next {
            let looked = gate.look(&message).unwrap();
            let (message, page) = looked.split_once('\n').unwrap();
            assert!(page.len() < 700_000, "{}", page.len());
            answer.body.push_str(page);
            pages += 1;
            next = (!message.is_empty()).then(|| message.to_owned());
        }
        (answer.body, pages)
    };
    let all = |ids: std::ops::Range<usize>| {
        format!("[{}]\n", ids.map(text).collect::<Vec<_>>().join(","))
    };
    assert_eq!(list(), (all(0..0), 0));
    for id in 0..3 {
        store(id);
    }
    assert_eq!(list(), (all(0..3), 0));
    for id in 3..20 {
        store(id);
    }
    assert_eq!(list(), (all(0..20), 4));
}
