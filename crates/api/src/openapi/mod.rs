//! The OpenAPI 3.1 documents of both administrative APIs, generated from their tables of
//! endpoints: the gateway's here, the dashboard's in [`dashboard()`].

mod bundle;
mod dashboard;

pub use dashboard::dashboard;

use crate::SPECIFICATION_VERSION;
use crate::dashboard::{Group, Part};
use crate::endpoint::{self, ENDPOINTS, Endpoint, Operation, Parameter, Right};
use gatewright_model::id::MAX_ID;
use gatewright_model::shape::Root;
use serde_json::{Map, Value, json};

/// Returns the document of `GET /openapi/gateway.json` (OpenAPI 3.1.0).
#[must_use]
pub fn gateway() -> Value {
    let info = json!({
        "title": "Gatewright gateway API",
        "version": SPECIFICATION_VERSION,
        "x-gatewright-version": env!("CARGO_PKG_VERSION"),
        "description": "Administration of API definitions. For internal automation only; whoever holds the secret may do everything, a credential only what its gateway permissions allow.",
        "license": license(),
    });
    let security = json!({
        "secret": { "type": "apiKey", "in": "header", "name": "X-Gateway-Authorization" },
        "token": { "type": "http", "scheme": "bearer" },
    });
    let mut paths = Paths::default();
    for endpoint in ENDPOINTS {
        paths.add(endpoint.path, endpoint.method, operation(endpoint));
    }
    paths.document(&info, &security, &schemas())
}

/// The operations of a document, by path.
#[derive(Default)]
struct Paths(Map<String, Value>);

impl Paths {
    fn add(&mut self, path: &str, method: &str, operation: Value) {
        let item = self.0.entry(path).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(method.to_lowercase(), operation);
        }
    }

    /// Returns the document of these operations.
    fn document(self, info: &Value, security: &Value, schemas: &Value) -> Value {
        let (schemas, renamed) = bundle::bundled(schemas);
        let document = json!({
            "openapi": "3.1.0",
            "info": info,
            "paths": self.0,
            "components": { "securitySchemes": security, "schemas": schemas },
        });
        bundle::rename(document, &renamed)
    }
}

/// Returns the variables of a path, and the query and header parameters.
fn parameters(path: &str, others: &[Parameter]) -> Vec<Value> {
    let mut parameters: Vec<Value> = path
        .split('/')
        .filter_map(|segment| endpoint::variable(segment))
        .map(|(name, _)| json!({ "name": name, "in": "path", "required": true, "schema": variable(name) }))
        .collect();
    parameters.extend(others.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "in": parameter.location,
            "required": parameter.required,
            "description": parameter.doc,
            "schema": value(parameter),
        })
    }));
    parameters
}

/// Returns the schema of a query or header parameter.
fn value(parameter: &Parameter) -> Value {
    let whole =
        |minimum: i64| json!({ "type": "integer", "minimum": minimum, "maximum": u32::MAX });
    match parameter.kind {
        "page" => whole(-1),
        "integer" => whole(0),
        words if words.contains('|') => json!({ "enum": words.split('|').collect::<Vec<_>>() }),
        kind if parameter.required => json!({ "type": kind, "minLength": 1 }),
        kind => json!({ "type": kind }),
    }
}

fn operation(endpoint: &Endpoint) -> Value {
    let parameters = parameters(endpoint.path, endpoint.parameters);
    let mut answer = json!({
        "operationId": operation_id(endpoint),
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": responses(endpoint),
    });
    if let Some(answer) = answer.as_object_mut() {
        if !endpoint.body.is_empty() {
            answer.insert(
                "requestBody".into(),
                json!({
                    // A reload without a body publishes everything.
                    "required": endpoint.operation != Operation::Reload,
                    "content": content(endpoint.body),
                }),
            );
        }
        let security = match endpoint.right() {
            Right::Public => json!([]),
            Right::Secret => json!([{ "secret": [] }]),
            _ => json!([{ "secret": [] }, { "token": [] }]),
        };
        answer.insert("security".into(), security);
    }
    answer
}

fn license() -> Value {
    json!({ "name": "Apache-2.0", "identifier": "Apache-2.0" })
}

/// Returns the schema of a path variable.
fn variable(name: &str) -> Value {
    match name {
        "root" => json!({ "enum": Root::ALL.map(Root::word) }),
        "revision" | "seq" | "generation" => json!({ "type": "integer", "minimum": 0 }),
        // What `gatewright_model::id` accepts.
        "apiID" | "apiId" | "polID" => json!({
            "type": "string",
            "pattern": "^(?!\\.$)(?!.*\\.\\.)[A-Za-z0-9._~-]+$",
            "maxLength": MAX_ID,
        }),
        _ => json!({ "type": "string", "minLength": 1 }),
    }
}

/// Returns an operation's id, unique for every row, though some rows share an operation.
fn operation_id(endpoint: &Endpoint) -> String {
    let mut id = camel_case(&format!("{:?}", endpoint.operation));
    let sharing: Vec<&Endpoint> = ENDPOINTS
        .iter()
        .filter(|other| other.operation == endpoint.operation)
        .collect();
    if sharing.len() > 1 {
        if endpoint.path.ends_with("/group") {
            id.push_str("Group");
        }
        let ids = ["{apiID}", "{keyID}", "{polID}"];
        if ids.iter().any(|end| endpoint.path.ends_with(end)) {
            id.push_str("ById");
        }
        let other = sharing
            .iter()
            .find(|other| other.path == endpoint.path && other.method != endpoint.method);
        match (other.map(|other| other.method), endpoint.method) {
            (Some(_), "HEAD") => id.push_str("Head"),
            // A GET that also exists as HEAD keeps its id.
            (None | Some("HEAD"), _) => {}
            (Some(_), "GET") => id.push_str("Get"),
            (Some(_), _) => id.push_str("Post"),
        }
    }
    id
}

/// Returns the name of an operation with a small first letter, without the brackets of its parts.
fn camel_case(operation: &str) -> String {
    let mut letters = operation.chars().filter(char::is_ascii_alphanumeric);
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn content(schema: &str) -> Value {
    let media: &[&str] = match schema {
        "JsonSchema" => &["application/schema+json"],
        "OpenApi" => &["application/json", "application/yaml"],
        "OpenApiFile" => &["application/octet-stream", "application/yaml"],
        "Backup" => &["application/x-ndjson"],
        "CertificateText" => &["application/x-pem-file"],
        "OauthRevocation" => &["application/x-www-form-urlencoded"],
        _ => &["application/json"],
    };
    let schema = json!({ "schema": reference(schema) });
    let content = media
        .iter()
        .map(|media| ((*media).to_owned(), schema.clone()));
    Value::Object(content.collect())
}

fn responses(endpoint: &Endpoint) -> Value {
    let mut responses = Map::new();
    let with = |status: u16, schema: &str| {
        let description = match status {
            403 => forbidden(endpoint),
            _ => meaning(status),
        };
        match (status, endpoint.method) {
            (304, _) | (_, "HEAD") => json!({ "description": description }),
            _ => json!({ "description": description, "content": content(schema) }),
        }
    };
    responses.insert("200".into(), with(200, endpoint.answer));
    let common: &[u16] = match endpoint.right() {
        Right::Public => &[405],
        _ => &[403, 405, 500, 503],
    };
    for status in endpoint.statuses.iter().chain(common) {
        responses.insert(status.to_string(), with(*status, "StatusMessage"));
    }
    Value::Object(responses)
}

/// Returns the meaning of 403, which some operations use for more than rights, as the reference does.
fn forbidden(endpoint: &Endpoint) -> &'static str {
    match endpoint.operation {
        Operation::AddCertificate => {
            "The secret or token is missing or wrong, the credential lacks the right, or the certificate can't be stored or exists already; the message says which"
        }
        Operation::CreateMcpProxy | Operation::UpdateMcpProxy | Operation::RestoreRevision => {
            "The secret or token is missing or wrong, the credential lacks the right, or the API that provides the tools of an MCP proxy belongs to another organisation; the message says which"
        }
        _ if endpoint.right() == Right::Secret => "The secret is missing or wrong",
        _ => {
            "The secret or token is missing or wrong, or the credential lacks the right; the message says which"
        }
    }
}

fn meaning(status: u16) -> &'static str {
    match status {
        200 => "Success",
        304 => "Not modified since the given ETag",
        400 => "The request or the document is invalid; `issues` gives the locations",
        401 => "The client's id or secret is missing, or the secret is wrong",
        404 => "No such document",
        405 => "Method not allowed; Allow lists the supported methods",
        409 => "Conflict with what exists or with a path of the gateway; the message gives details",
        412 => "The document has changed in the meantime; the ETag is the current one",
        413 => "The body is larger than allowed",
        415 => "The body is in a format other than those in Accept",
        422 => "A parameter is missing",
        502 => "The other server did not respond with a text; the message gives details",
        503 => "Storage or reload failed; nothing was lost",
        504 => "The other server did not respond in time",
        _ => "Internal error; the log has details under the request id",
    }
}

/// Returns the schemas of request and response bodies.
fn schemas() -> Value {
    let mut schemas = read(include_str!("gateway.schemas.json"));
    let accesses = |words: &[&str]| -> Map<String, Value> {
        let access = json!({ "default": "deny", "enum": ["deny", "read", "write"] });
        let each = words.iter();
        each.map(|word| ((*word).to_owned(), access.clone()))
            .collect()
    };
    let object = |properties| json!({ "additionalProperties": false, "properties": properties, "type": "object" });
    let mut groups = accesses(&Group::ALL.map(Group::word));
    let parts = accesses(&Part::ALL.map(Part::word));
    groups.insert("gateway".to_owned(), object(parts));
    if let Some(schemas) = schemas.as_object_mut() {
        schemas.insert("Permissions".to_owned(), object(groups));
    }
    schemas
}

/// Parses schemas stored as JSON: the code to build them would be five times as long in the worker. A test ensures that
/// the files can be parsed.
fn read(schemas: &str) -> Value {
    serde_json::from_str(schemas).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_endpoint_is_documented_under_an_id_of_its_own() {
        let document = gateway();
        let mut ids = BTreeSet::new();
        for endpoint in ENDPOINTS {
            let operation = &document["paths"][endpoint.path][endpoint.method.to_lowercase()];
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
        }
    }

    /// Fault G10: a reference to another address makes client generators fail.
    #[test]
    fn documents_are_self_contained() {
        for document in [gateway(), dashboard()] {
            let text = document.to_string();
            let schemas = document["components"]["schemas"].as_object().unwrap();
            for part in text.split("\"$ref\":\"").skip(1) {
                let target = part.split('"').next().unwrap();
                let name = target.strip_prefix("#/components/schemas/").unwrap();
                assert!(schemas.contains_key(name), "{target}");
            }
            // Client generators write a file for each, also on file systems that ignore case.
            let names: BTreeSet<_> = schemas.keys().map(|name| name.to_lowercase()).collect();
            assert_eq!(names.len(), schemas.len());
        }
    }

    #[test]
    fn documents_are_accepted_and_returned_as_json_and_as_yaml() {
        let document = gateway();
        let both = ["application/json", "application/yaml"];
        for (path, method) in [
            ("/gateway/apis/oas", "post"),
            ("/gateway/apis/oas/import", "post"),
            ("/gateway/apis/oas/{apiID}", "put"),
            ("/gateway/apis/oas/{apiID}", "patch"),
            ("/gateway/mcps", "post"),
            ("/gateway/mcps/{apiID}", "put"),
        ] {
            let operation = &document["paths"][path][method];
            for media in both {
                let schema = &operation["requestBody"]["content"][media]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/OpenApi", "{method} {path}");
            }
            assert!(operation["responses"]["415"].is_object(), "{method} {path}");
        }
        for path in ["/gateway/apis/oas/{apiID}", "/gateway/mcps/{apiID}"] {
            let content = &document["paths"][path]["get"]["responses"]["200"]["content"];
            let given: Vec<_> = content.as_object().unwrap().keys().collect();
            assert_eq!(given, both);
        }
    }

    #[test]
    fn every_403_says_whether_a_token_is_enough_and_what_else_it_means() {
        let document = gateway();
        let forbidden = |method: &str, path: &str| {
            let answer = &document["paths"][path][method]["responses"]["403"];
            answer["description"].as_str().unwrap().to_owned()
        };
        for endpoint in ENDPOINTS.iter().filter(|row| row.right() != Right::Public) {
            let text = forbidden(&endpoint.method.to_lowercase(), endpoint.path);
            let by_token = endpoint.right() != Right::Secret;
            assert_eq!(text.contains("token"), by_token, "{}", endpoint.path);
            assert_eq!(text.contains("lacks the right"), by_token);
        }
        assert!(forbidden("post", "/gateway/certs").contains("exists already"));
        for (method, path) in [
            ("post", "/gateway/mcps"),
            ("put", "/gateway/mcps/{apiID}"),
            ("post", "/gateway/apis/{apiID}/revisions/{revision}/restore"),
        ] {
            assert!(forbidden(method, path).contains("another organisation"));
        }
    }

    #[test]
    fn types_of_the_data_model_are_among_the_schemas() {
        let document = gateway();
        let create = &document["paths"]["/gateway/apis"]["post"]["requestBody"]["content"];
        let schema = &create["application/json"]["schema"]["$ref"];
        assert_eq!(schema, "#/components/schemas/ApiDefinition");
        let definition = &document["components"]["schemas"]["ApiDefinition"];
        assert_eq!(
            definition["properties"]["use_keyless"]["type"],
            json!(["boolean", "null"])
        );
        // Members that may be any object can be filled, and a default doesn't make a member required.
        let session = &document["components"]["schemas"]["SessionState"]["properties"];
        assert_eq!(session["meta_data"]["additionalProperties"], json!(true));
        assert!(!definition.to_string().contains("\"default\":"));
    }
}
