//! The OpenAPI 3.1 document of the dashboard API, generated from [`DASHBOARD`].

use super::{Paths, camel_case, license, parameters, reference};
use crate::RESOURCES;
use crate::dashboard::Group;
use crate::dashboard::endpoint::{DASHBOARD, Endpoint, Operation};
use crate::endpoint::Parameter;
use serde_json::{Map, Value, json};

/// Returns the document of `GET /openapi/dashboard.json` (OpenAPI 3.1.0). The access that a credential needs is in
/// `x-gatewright-group` and `x-gatewright-access` of each operation; without a group, read access to any is enough.
#[must_use]
pub fn dashboard() -> Value {
    let info = json!({
        "title": "Gatewright dashboard API",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Rulesets, client identity providers, webhooks, notifications and the audit trail of one organisation.",
        "license": license(),
    });
    let security = json!({ "token": { "type": "http", "scheme": "bearer" } });
    let mut paths = Paths::default();
    for endpoint in DASHBOARD {
        paths.add(endpoint.path, endpoint.method, operation(endpoint));
    }
    paths.document(&info, &security, &schemas())
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut operation = json!({
        "operationId": operation_id(endpoint),
        "summary": endpoint.summary,
        "parameters": parameters(endpoint.path, endpoint.parameters),
        "responses": responses(endpoint),
        "security": [{ "token": [] }],
        "x-gatewright-access": endpoint.access,
    });
    if let Some(members) = operation.as_object_mut() {
        if let Some(group) = endpoint.group() {
            members.insert("x-gatewright-group".into(), json!(group));
        }
        if !endpoint.body.is_empty() {
            members.insert("requestBody".into(), request(endpoint));
        }
    }
    operation
}

/// Returns an operation's id: `Create(ClientIdps)` becomes `createClientIdps`, `PatchMappings` becomes `patchMappings`.
fn operation_id(endpoint: &Endpoint) -> String {
    camel_case(&format!("{:?}", endpoint.operation))
}

fn request(endpoint: &Endpoint) -> Value {
    let schema = json!({ "schema": reference(endpoint.body) });
    let mut content = Map::new();
    content.insert("application/json".to_owned(), schema.clone());
    let form = match endpoint.operation {
        Operation::Create(Group::Rulesets) => Some("RulesetForm"),
        Operation::Replace(Group::Rulesets) => Some("RulesetFields"),
        _ => None,
    };
    if let Some(form) = form {
        let schema = json!({ "schema": reference(form) });
        content.insert("multipart/form-data".to_owned(), schema);
    }
    if endpoint.operation == Operation::PatchMappings {
        content.insert("application/merge-patch+json".to_owned(), schema);
    }
    json!({ "required": true, "content": content })
}

fn content(schema: &str) -> Value {
    json!({ "application/json": { "schema": reference(schema) } })
}

fn responses(endpoint: &Endpoint) -> Value {
    let dry_run = |parameter: &Parameter| parameter.name == "dry_run";
    let answer = match endpoint.operation {
        Operation::Stream => {
            json!({ "text/event-stream": { "schema": reference(endpoint.answer) } })
        }
        // With `format=csv` it is a table.
        Operation::Audit => json!({
            "application/json": { "schema": reference(endpoint.answer) },
            "text/csv": { "schema": { "type": "string" } },
        }),
        // With `dry_run` the response to a write shows its effect.
        _ if endpoint.parameters.iter().any(dry_run) => json!({ "application/json": { "schema": {
            "anyOf": [reference(endpoint.answer), reference("Preview")],
        } } }),
        _ => content(endpoint.answer),
    };
    let mut responses = Map::new();
    let done = json!({ "description": "Success", "content": answer });
    responses.insert(endpoint.status.to_string(), done.clone());
    if endpoint.status == 201 {
        let answer = json!({ "description": "Effect of the write, for a dry run", "content": content("Preview") });
        responses.insert("200".to_owned(), answer);
    }
    for status in endpoint.statuses.iter().chain(&[401, 403, 405, 503]) {
        let description = match (*status, endpoint.operation) {
            (403, Operation::Create(Group::Hooks) | Operation::Replace(Group::Hooks)) => {
                "The credential lacks the permission, or the body is not JSON"
            }
            _ => meaning(*status),
        };
        let answer = match status {
            304 => json!({ "description": description }),
            _ => json!({ "description": description, "content": content("Envelope") }),
        };
        responses.insert(status.to_string(), answer);
    }
    Value::Object(responses)
}

fn meaning(status: u16) -> &'static str {
    match status {
        401 => "The credential is missing, unknown, expired or revoked",
        403 => "The credential lacks the permission",
        404 => "No such document in the credential's organisation",
        409 => "Another document already has this identifier or name",
        413 => "The document is larger than allowed",
        415 => "The body has an unsupported media type",
        500 => "The body of a webhook is empty",
        503 => "Storage failed; nothing was changed",
        _ => super::meaning(status),
    }
}

/// Returns the schemas of request and response bodies.
fn schemas() -> Value {
    let mut schemas = super::read(include_str!("dashboard.schemas.json"));
    if let Some(subject) = schemas.pointer_mut("/AuditEntry/properties/subject") {
        let words: Vec<&str> = RESOURCES.iter().map(|row| row.word).collect();
        *subject = json!({ "enum": words });
    }
    schemas
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn only_writes_of_webhooks_answer_403_to_a_body() {
        let document = dashboard();
        for endpoint in DASHBOARD {
            let operation = &document["paths"][endpoint.path][endpoint.method.to_lowercase()];
            let text = operation["responses"]["403"]["description"].to_string();
            let writes_hook = matches!(
                (endpoint.method, endpoint.path),
                ("POST", "/api/hooks") | ("PUT", "/api/hooks/{hookId}")
            );
            assert_eq!(text.contains("the body is not JSON"), writes_hook, "{text}");
        }
    }

    #[test]
    fn every_endpoint_is_documented_under_an_id_of_its_own_with_what_it_takes() {
        let document = dashboard();
        let mut ids = BTreeSet::new();
        for endpoint in DASHBOARD {
            let operation = &document["paths"][endpoint.path][endpoint.method.to_lowercase()];
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
            let group = operation.get("x-gatewright-group").cloned();
            assert_eq!(group, endpoint.group().map(|group| json!(group)), "{id}");
        }
        assert!(ids.contains("createClientIdps") && ids.contains("patchMappings"));
    }
}
