//! The administration API over ports in memory: statuses, messages, conditions, and that a failure changes nothing.

mod documents;
mod lists;
mod strict;
mod versions;
mod warnings;

use futures_util::FutureExt;
use gatewright_api::endpoint::{ENDPOINTS, Right};
use gatewright_api::paths::is_probe;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{Memory, SECRET};
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
fn protected_endpoints_require_the_secret() {
    let cases = [
        None,
        Some(""),
        Some("0123456789abcdeX"),
        Some("0123456789abcdef0"),
    ];
    for endpoint in ENDPOINTS
        .iter()
        .filter(|endpoint| endpoint.right() != Right::Public)
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
fn short_secret_lets_nobody_in() {
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
fn unknown_paths_are_refused_without_lookup() {
    let memory = Memory::default();
    let open = memory
        .send_with("GET", "/gateway/nothing", "", &[])
        .now_or_never()
        .unwrap();
    assert_eq!(open.status, 403);
    let plain = send(&memory, "GET", "/gateway/nothing", "");
    assert_eq!(
        (plain.status, plain.body.as_str()),
        (404, "404 page not found\n")
    );
    let kind = "text/plain; charset=utf-8";
    assert_eq!(header(&plain, "content-type"), Some(kind));
    let accept = ("accept", "application/json");
    let asked = send_if(&memory, "GET", "/gateway/nothing", "", accept);
    assert_eq!(
        (asked.status, &json(&asked)["message"]),
        (404, &"Not found".into())
    );
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
        (
            "DELETE",
            "/gateway/oauth/clients/a",
            404,
            "OAuth Client ID not found",
        ),
        ("POST", "/hello", 405, "Method Not Allowed"),
    ] {
        let answer = send(&memory, method, path, "{}");
        let text = json(&answer)["message"].as_str().map(str::to_owned);
        assert_eq!(
            (answer.status, text.as_deref()),
            (status, Some(message)),
            "{method} {path}"
        );
    }
}

#[test]
fn health_probe_may_use_head() {
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
fn version_reports_specification_and_own_version() {
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
    // The dashboard API's specification has no version, so the document has only ours.
    let info = json(&send(&memory, "GET", "/openapi/dashboard.json", ""))["info"].clone();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
}
