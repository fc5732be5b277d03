//! Both OpenAPI documents against the administration's responses: for every request, the status and media type of the
//! response are declared, and what a document refuses the gateway refuses.

use crate::now;
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::openapi;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory, SECRET};
use gatewright_testkit::sql::Fault;
use serde_json::{Value, json};
use std::cell::RefCell;

/// One operation of a document.
struct Operation {
    method: String,
    path: String,
    described: Value,
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, described) in methods.as_object().unwrap() {
            found.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                described: described.clone(),
            });
        }
    }
    found
}

/// Creates a gateway with one document of each kind, loaded.
fn gateway() -> Memory {
    let mut gate = Memory::default();
    gate.health.enabled = true;
    let api = json!({ "api_id": "a", "name": "a #eu", "use_keyless": true,
        "proxy": { "listen_path": "/a/", "target_url": "http://up/" } });
    let rights = json!({ "a": { "api_id": "a", "versions": ["Default"] } });
    let documents = [
        ("/gateway/apis", api),
        (
            "/gateway/policies",
            json!({ "id": "a", "access_rights": rights }),
        ),
        ("/gateway/keys/abc", json!({ "access_rights": rights })),
        ("/gateway/org/keys/default", json!({})),
        ("/api/rulesets", json!({ "name": "a", "ruleset_id": "a" })),
        (
            "/api/clientidps",
            json!({ "name": "a", "client_idp_id": "a", "jwks_uri": "https://i.example/",
                "api_mappings": { "a": { "scope_to_policy": { "s": "a" } } } }),
        ),
        (
            "/api/hooks",
            json!({ "name": "a", "webhook_id": "a", "method": "POST",
                "target_path": "https://h.example/" }),
        ),
    ];
    for (path, body) in documents {
        let made = call(&gate, "POST", path, Some(&body.to_string()), None);
        assert!(made.status < 300, "{path}: {}", made.body);
    }
    assert_eq!(
        call(&gate, "GET", "/gateway/reload?block=true", None, None).status,
        200
    );
    gate
}

fn call(
    gate: &Memory,
    method: &str,
    target: &str,
    body: Option<&str>,
    header: Option<(&str, &str)>,
) -> Response {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let mut headers = if target.starts_with("/api/") {
        vec![("authorization", bearer.as_str())]
    } else {
        vec![("x-gateway-authorization", SECRET)]
    };
    headers.extend(header);
    headers.extend(body.map(|_| ("content-type", "application/json")));
    now(gate.send_with(method, target, body.unwrap_or_default(), &headers))
}

/// Returns texts that a parameter of this schema accepts, and texts that it does not.
fn samples(schema: &Value) -> (Vec<String>, Vec<String>) {
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().map(|word| word.as_str().unwrap().to_owned());
        return (words.collect(), vec!["nonsense".to_owned()]);
    }
    if let Some(minimum) = schema["minimum"].as_i64() {
        let wrong = vec![(minimum - 1).to_string(), "x".to_owned(), "1.5".to_owned()];
        return (vec![minimum.to_string(), (minimum + 2).to_string()], wrong);
    }
    if schema["type"] == "boolean" {
        return (vec!["true".to_owned(), "false".to_owned()], Vec::new());
    }
    if schema.get("pattern").is_some() {
        let wrong = ["%2e", "%2e%2e", "a..b", "a%20b", "a%2fb", "%25"];
        let wrong = wrong.map(str::to_owned).to_vec();
        return (vec!["a".to_owned(), "other".to_owned()], wrong);
    }
    let any = ["a", "other", "%00", "%2e%2e", "%20", "abc%2f"];
    (any.map(str::to_owned).to_vec(), Vec::new())
}

/// Returns the target of an operation with a value for each variable of its path.
fn target(operation: &Operation, other: Option<(&str, &str)>) -> String {
    let mut path = operation.path.clone();
    for parameter in operation.described["parameters"].as_array().unwrap() {
        if parameter["in"] != "path" {
            continue;
        }
        let name = parameter["name"].as_str().unwrap();
        let usual = match (name, parameter["schema"]["enum"][0].as_str()) {
            ("revision" | "seq", _) => "1",
            (_, Some(word)) => word,
            _ => "a",
        };
        let value = other.filter(|(other, _)| *other == name);
        path = path.replace(
            &format!("{{{name}}}"),
            value.map_or(usual, |(_, value)| value),
        );
    }
    path
}

fn declared(operation: &Operation, answer: &Response, what: &str) {
    let responses = &operation.described["responses"];
    let response = responses.get(answer.status.to_string());
    let Some(response) = response else {
        panic!(
            "{what} answers {} undeclared: {}",
            answer.status, answer.body
        );
    };
    let media = answer.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap();
    if !answer.body.is_empty() {
        let known = response["content"].get(media).is_some();
        assert!(
            known,
            "{what} answers {} as {media} undeclared",
            answer.status
        );
    }
}

const BODIES: [&str; 9] = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    r#"{"id":"a"}"#,
    r#"{"id":"a b","api_id":"a b","name":3}"#,
    r#"{"name":"x","org_id":"","target":"{","patch":"{","before":"{","after":"{","policy":"none"}"#,
    r#"{"api_id":"a","name":"a","proxy":{"listen_path":"/gateway/","target_url":"http://u"}}"#,
];

const FORM: &str = "application/x-www-form-urlencoded";

const HEADERS: [(&str, &str); 5] = [
    ("if-match", "\"99\""),
    ("if-match", "*"),
    ("if-none-match", "*"),
    ("if-none-match", "\"1\""),
    ("last-event-id", "x"),
];

fn parameters<'o>(
    operation: &'o Operation,
    location: &'o str,
) -> impl Iterator<Item = (&'o str, &'o Value)> {
    let all = operation.described["parameters"].as_array().unwrap().iter();
    all.filter(move |one| one["in"] == location)
        .map(|one| (one["name"].as_str().unwrap(), &one["schema"]))
}

fn check(operation: &Operation) {
    let Operation {
        method,
        path,
        described,
    } = operation;
    let required: Vec<String> = described["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["in"] == "query" && one["required"] == true)
        .map(|one| format!("{}=a", one["name"].as_str().unwrap()))
        .collect();
    // The plain lists ignore the page, since scripts read them in one piece.
    let paged = parameters(operation, "query").any(|(name, _)| name == "view");
    let view = paged.then(|| "view=summary".to_owned());
    let required: Vec<String> = required.into_iter().chain(view).collect();
    let required = required.join("&");
    // A gateway is new until it has accepted a write: neither a refused request nor a question leaves anything behind.
    let gate = RefCell::new(gateway());
    let sent = |target: &str, body: Option<&str>, header: Option<(&str, &str)>| {
        let answer = call(&gate.borrow(), method, target, body, header);
        if answer.status < 400 && method != "GET" {
            gate.replace(gateway());
        }
        declared(
            operation,
            &answer,
            &format!("{method} {target} {body:?} {header:?}"),
        );
        answer.status
    };
    let body = described.get("requestBody").map(|_| "{}");
    let usual = target(operation, None);
    sent(&usual, body, None);
    let usual = format!("{usual}?{required}");
    let before = sent(&usual, body, None);
    for (name, schema) in parameters(operation, "path") {
        let (right, wrong) = samples(schema);
        for value in right.iter().chain(&wrong) {
            let target = format!("{}?{required}", target(operation, Some((name, value))));
            let status = sent(&target, body, None);
            let refused = (400..500).contains(&status);
            assert!(
                refused || !wrong.contains(value),
                "{method} {target}: {status}"
            );
        }
    }
    for (name, schema) in parameters(operation, "query") {
        let (right, wrong) = samples(schema);
        for value in &right {
            let status = sent(&format!("{usual}&{name}={value}"), body, None);
            let plain = schema["type"] == "string" || ["dry_run", "strict"].contains(&name);
            assert!(
                plain || status == before,
                "{method} {path} {name}={value}: {status}"
            );
        }
        for value in &wrong {
            let status = sent(&format!("{usual}&{name}={value}"), body, None);
            assert!(
                status == 400 || before >= 400,
                "{method} {path} {name}={value}: {status}"
            );
        }
    }
    if body.is_some() {
        for body in BODIES {
            sent(&usual, Some(body), None);
        }
    }
    if described["requestBody"]["content"].get(FORM).is_some() {
        for body in ["client_id=a", "client_id=%zz"] {
            sent(&usual, Some(body), Some(("content-type", FORM)));
        }
    }
    for header in HEADERS {
        sent(&usual, body, Some(header));
    }
}

#[test]
fn gateway_responses_match_its_openapi_document() {
    for operation in operations(&openapi::gateway()) {
        check(&operation);
    }
}

#[test]
fn dashboard_responses_match_its_openapi_document() {
    for operation in operations(&openapi::dashboard()) {
        check(&operation);
    }
}

#[test]
fn failure_of_the_storage_is_declared() {
    let mut failed = 0;
    for operation in operations(&openapi::gateway()) {
        let gate = gateway();
        gate.sql.fail_next(Fault::BeforePersist);
        let target = target(&operation, None);
        let answer = call(&gate, &operation.method, &target, None, None);
        declared(&operation, &answer, &target);
        failed += usize::from(answer.status == 503);
    }
    assert!(failed > 2, "{failed}");
}

#[test]
fn parameter_values_are_declared() {
    let document = openapi::gateway();
    let schema = |path: &str, name: &str| {
        let operation = &document["paths"][path]["get"];
        let parameters = operation["parameters"].as_array().unwrap();
        parameters
            .iter()
            .find(|one| one["name"] == name)
            .unwrap()
            .clone()
    };
    let api = schema("/gateway/health", "api_id");
    assert_eq!(
        (&api["required"], &api["schema"]["minLength"]),
        (&json!(true), &json!(1))
    );
    let window = schema("/gateway/health/figures", "window");
    assert_eq!(window["schema"]["enum"], json!(["15m", "1h", "24h", "7d"]));
    assert_eq!(schema("/gateway/keys", "per_page")["schema"]["minimum"], 0);
    for (path, name) in [
        ("/gateway/apis/{apiID}", "apiID"),
        ("/gateway/policies/{polID}", "polID"),
    ] {
        assert!(
            schema(path, name)["schema"]["pattern"].is_string(),
            "{path}"
        );
    }
}

#[test]
fn audit_trail_covers_every_kind_of_document() {
    let document = openapi::dashboard();
    let known = &document["components"]["schemas"]["AuditEntry"]["properties"]["subject"]["enum"];
    let known = known.as_array().unwrap();
    for subject in [
        Subject::Api,
        Subject::Ruleset,
        Subject::ClientIdp,
        Subject::Webhook,
        Subject::Credential,
        Subject::Reload,
        Subject::Key,
        Subject::Organisation,
        Subject::Policy,
        Subject::Import,
        Subject::Certificate,
        Subject::OauthClient,
        Subject::SignIn,
    ] {
        assert!(known.contains(&json!(subject)), "{subject:?}");
    }
}

#[test]
fn preview_without_time_matches_its_schema() {
    let gate = gateway();
    let sent = r#"{"date_created":"","access_rights":{"a":{}}}"#;
    let shown = call(&gate, "POST", "/gateway/keys/preview", Some(sent), None);
    assert_eq!(shown.status, 200, "{}", shown.body);
    let shown: Value = serde_json::from_str(&shown.body).unwrap();
    assert_ne!(shown["date_created"], "");
    let schema = now(gate.send("GET", "/openapi/schemas/session.json", "")).body;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let types = schema["$defs"].as_object().unwrap().values();
    let created = types
        .filter_map(|of| of["properties"].get("date_created"))
        .next()
        .unwrap();
    assert_eq!(created.get("format"), None, "an empty text is no date-time");
    let empty = json!({ "maxLength": 0 });
    assert!(
        created["anyOf"].as_array().unwrap().contains(&empty),
        "{created}"
    );
}
