use serde_json::{Value, json};

use super::*;
use crate::openapi::{DocumentKind, Options, import};

/// Returns the document of version 3.0, and the pointers of what was lost.
fn upgrade(document: &Value) -> (Value, Vec<String>) {
    let made = upgraded(&document.to_string()).unwrap().unwrap();
    let lost = made.notes.iter().filter(|note| !note.taken);
    let lost = lost.map(|note| note.pointer.clone()).collect();
    (serde_json::from_str(&made.document).unwrap(), lost)
}

/// Returns a document with these members and the required ones.
fn document(members: Value) -> Value {
    let mut document = json!({
        "swagger": "2.0",
        "info": {"title": "Pets", "version": "1.0"},
        "paths": {},
    });
    let Value::Object(members) = members else {
        panic!("{members} is no object")
    };
    document.as_object_mut().unwrap().extend(members);
    document
}

fn ok() -> Value {
    json!({"200": {"description": "d"}})
}

#[test]
fn the_address_becomes_servers() {
    let servers = |members: Value| upgrade(&document(members)).0["servers"].clone();
    assert_eq!(
        servers(json!({"host": "a.example", "basePath": "/v1/", "schemes": ["https", "http"]})),
        json!([{"url": "https://a.example/v1"}, {"url": "http://a.example/v1"}])
    );
    assert_eq!(
        servers(json!({"host": "a.example:8080"})),
        json!([{"url": "https://a.example:8080"}])
    );
    assert_eq!(servers(json!({"basePath": "/v1"})), json!([{"url": "/v1"}]));
    assert_eq!(servers(json!({"basePath": "/"})), Value::Null);
    let (made, lost) = upgrade(&document(json!({"host": "a", "schemes": ["wss"]})));
    assert_eq!(made["servers"], json!([{"url": "https://a"}]));
    assert_eq!(lost, ["/schemes"]);
}

#[test]
fn parameters_get_schemas_and_styles() {
    let parameter = |parameter: Value| {
        let paths = json!({"/a": {"get": {"parameters": [parameter], "responses": ok()}}});
        let (made, lost) = upgrade(&document(json!({"paths": paths})));
        (made["paths"]["/a"]["get"]["parameters"][0].clone(), lost)
    };
    let whole = json!({"name": "n", "in": "query", "description": "d", "required": true, "type": "integer",
        "format": "int32", "minimum": 1, "default": 5, "allowEmptyValue": true, "x-a": 1});
    assert_eq!(
        parameter(whole).0,
        json!({"name": "n", "in": "query", "description": "d", "required": true, "allowEmptyValue": true, "x-a": 1,
            "schema": {"type": "integer", "format": "int32", "minimum": 1, "default": 5}})
    );
    let list = |place: &str, format: &str| {
        let list = json!({"name": "n", "in": place, "type": "array", "items": {"type": "string"}, "collectionFormat": format});
        let (made, lost) = parameter(list);
        (made["style"].clone(), made["explode"].clone(), lost.len())
    };
    for (place, format, style, explode, lost) in [
        ("query", "csv", json!("form"), json!(false), 0),
        ("query", "multi", Value::Null, Value::Null, 0),
        ("query", "ssv", json!("spaceDelimited"), json!(false), 0),
        ("query", "pipes", json!("pipeDelimited"), json!(false), 0),
        ("query", "tsv", Value::Null, Value::Null, 1),
        ("header", "csv", Value::Null, Value::Null, 0),
        ("path", "pipes", Value::Null, Value::Null, 1),
    ] {
        assert_eq!(
            list(place, format),
            (style, explode, lost),
            "{place} {format}"
        );
    }
}

#[test]
fn a_body_has_the_media_types_of_its_operation() {
    let post = json!({
        "operationId": "add",
        "consumes": ["application/xml", "application/json"],
        "parameters": [
            {"name": "X-Id", "in": "header", "type": "string"},
            {"name": "pet", "in": "body", "description": "d", "required": true, "schema": {"$ref": "#/definitions/Pet"}},
        ],
        "responses": ok(),
    });
    let put = json!({
        "parameters": [{"$ref": "#/parameters/pet"}, {"$ref": "#/parameters/id"}],
        "responses": ok(),
    });
    let (made, lost) = upgrade(&document(json!({
        "consumes": ["application/json"],
        "paths": {"/a": {"post": post, "put": put}},
        "definitions": {"Pet": {"type": "object"}},
        "parameters": {
            "pet": {"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}},
            "id": {"name": "id", "in": "query", "type": "string"},
        },
    })));
    let media = json!({"schema": {"$ref": "#/components/schemas/Pet"}});
    let post = &made["paths"]["/a"]["post"];
    assert_eq!(
        post["requestBody"],
        json!({"description": "d", "required": true, "content": {"application/xml": media, "application/json": media}})
    );
    assert_eq!(post["parameters"].as_array().unwrap().len(), 1);
    assert_eq!(post["consumes"], Value::Null);
    let put = &made["paths"]["/a"]["put"];
    assert_eq!(
        put["requestBody"],
        json!({"$ref": "#/components/requestBodies/pet"})
    );
    assert_eq!(
        put["parameters"],
        json!([{"$ref": "#/components/parameters/id"}])
    );
    let components = &made["components"];
    assert_eq!(
        components["requestBodies"]["pet"],
        json!({"content": {"application/json": media}})
    );
    assert_eq!(
        components["parameters"]["id"]["schema"],
        json!({"type": "string"})
    );
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn fields_of_a_form_are_one_body() {
    let form = |parameters: Value, consumes: Value| {
        let operation = json!({"consumes": consumes, "responses": ok()});
        let paths = json!({"/a": {"parameters": parameters, "post": operation}});
        upgrade(&document(json!({"paths": paths, "parameters": {
            "f": {"name": "f", "in": "formData", "type": "string"}}})))
        .0
    };
    let made = form(
        json!([
            {"name": "tags", "in": "formData", "type": "array", "items": {"type": "string"}, "required": true, "description": "d"},
            {"$ref": "#/parameters/f"},
            {"name": "q", "in": "query", "type": "string"},
        ]),
        json!(["application/x-www-form-urlencoded"]),
    );
    let schema = json!({"type": "object", "required": ["tags"], "properties": {
        "tags": {"type": "array", "items": {"type": "string"}, "description": "d"}, "f": {"type": "string"}}});
    assert_eq!(
        made["paths"]["/a"]["post"]["requestBody"],
        json!({"required": true, "content": {"application/x-www-form-urlencoded": {
            "schema": schema, "encoding": {"tags": {"style": "form", "explode": false}}}}})
    );
    assert_eq!(
        made["paths"]["/a"]["parameters"].as_array().unwrap().len(),
        1
    );
    assert_eq!(made["components"]["parameters"], Value::Null);
    let file = form(
        json!([{"name": "file", "in": "formData", "type": "file"}]),
        json!(["application/json"]),
    );
    assert_eq!(
        file["paths"]["/a"]["post"]["requestBody"]["content"],
        json!({"multipart/form-data": {"schema": {"type": "object", "properties": {
            "file": {"type": "string", "format": "binary"}}}}})
    );
    assert_eq!(file["paths"]["/a"].get("parameters"), None);
}

#[test]
fn answers_have_media_types_examples_and_headers() {
    let get = json!({
        "produces": ["application/json", "text/csv"],
        "responses": {
            "200": {"description": "d", "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}},
                "examples": {"application/json": [1], "text/plain": "a"},
                "headers": {"X-Count": {"type": "integer", "description": "c"}}},
            "404": {"$ref": "#/responses/Missing"},
            "default": {"description": "", "schema": {"type": "file"}},
        },
    });
    let (made, _) = upgrade(&document(json!({
        "paths": {"/a": {"get": get}},
        "responses": {"Missing": {"description": "m", "schema": {"type": "string"}}},
    })));
    let schema = json!({"type": "array", "items": {"$ref": "#/components/schemas/Pet"}});
    let responses = &made["paths"]["/a"]["get"]["responses"];
    assert_eq!(
        responses["200"],
        json!({"description": "d",
        "headers": {"X-Count": {"description": "c", "schema": {"type": "integer"}}},
        "content": {
            "application/json": {"schema": schema, "example": [1]},
            "text/csv": {"schema": schema},
            "text/plain": {"schema": schema, "example": "a"},
        }})
    );
    assert_eq!(
        responses["404"],
        json!({"$ref": "#/components/responses/Missing"})
    );
    assert_eq!(
        responses["default"]["content"]["text/csv"]["schema"],
        json!({"type": "string", "format": "binary"})
    );
    assert_eq!(
        made["components"]["responses"]["Missing"]["content"]["application/json"]["schema"],
        json!({"type": "string"})
    );
}

#[test]
fn schemas_keep_their_meaning() {
    let pet = json!({
        "type": "object",
        "discriminator": "kind",
        "required": ["kind"],
        "properties": {
            "kind": {"type": "string", "x-nullable": true},
            "$ref": {"$ref": "#/definitions/Page%C2%ABPet%C2%BB/properties/a"},
            "other": {"$ref": "other.json#/definitions/A"},
        },
        "additionalProperties": {"$ref": "#/definitions/Pet"},
        "allOf": [{"$ref": "#/definitions/a~1b"}],
        "example": {"$ref": "#/definitions/Pet"},
    });
    let (made, _) = upgrade(&document(json!({"definitions": {
        "Pet": pet, "Page«Pet»": {"type": "object"}, "a/b": {"type": "object"}, "a_b": {"type": "string"}}})));
    let schemas = &made["components"]["schemas"];
    assert_eq!(
        schemas["Pet"],
        json!({
            "type": "object",
            "discriminator": {"propertyName": "kind"},
            "required": ["kind"],
            "properties": {
                "kind": {"type": "string", "nullable": true},
                "$ref": {"$ref": "#/components/schemas/Page_Pet/properties/a"},
                "other": {"$ref": "other.json#/definitions/A"},
            },
            "additionalProperties": {"$ref": "#/components/schemas/Pet"},
            "allOf": [{"$ref": "#/components/schemas/a_b_2"}],
            "example": {"$ref": "#/definitions/Pet"},
        })
    );
    assert_eq!(schemas["Page_Pet"]["type"], "object");
    assert_eq!(
        (&schemas["a_b"]["type"], &schemas["a_b_2"]["type"]),
        (&json!("string"), &json!("object"))
    );
}

#[test]
fn credentials_become_version_3_schemes() {
    let flow = |flow: &str| json!({"type": "oauth2", "flow": flow, "authorizationUrl": "https://a/", "tokenUrl": "https://t/", "scopes": {"r": "read"}});
    let (made, lost) = upgrade(&document(json!({
        "security": [{"key": []}],
        "securityDefinitions": {
            "basic": {"type": "basic", "description": "d"},
            "key": {"type": "apiKey", "in": "header", "name": "X"},
            "code": flow("accessCode"), "app": flow("application"), "odd": {"type": "odd"},
        },
    })));
    let schemes = &made["components"]["securitySchemes"];
    assert_eq!(
        schemes["basic"],
        json!({"type": "http", "scheme": "basic", "description": "d"})
    );
    assert_eq!(
        schemes["key"],
        json!({"type": "apiKey", "in": "header", "name": "X"})
    );
    let own = json!({"authorizationUrl": "https://a/", "tokenUrl": "https://t/", "scopes": {"r": "read"}});
    assert_eq!(
        schemes["code"],
        json!({"type": "oauth2", "flows": {"authorizationCode": own}})
    );
    assert_eq!(schemes["app"]["flows"], json!({"clientCredentials": own}));
    assert_eq!(made["security"], json!([{"key": []}]));
    assert_eq!(lost, ["/securityDefinitions/odd"]);
}

#[test]
fn converted_document_can_be_stored() {
    let pets = json!({
        "host": "petstore.example", "basePath": "/v2", "schemes": ["https"],
        "tags": [{"name": "pet"}], "externalDocs": {"url": "https://docs.example"}, "x-own": {"a": 1},
        "consumes": ["application/json"], "produces": ["application/json"],
        "securityDefinitions": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "security": [{"key": []}],
        "paths": {"/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": true, "type": "integer", "format": "int64"}],
            "get": {"operationId": "getPet", "tags": ["pet"], "schemes": ["https"], "deprecated": true,
                "responses": {"200": {"description": "d", "schema": {"$ref": "#/definitions/Pet"}}}},
            "put": {"operationId": "putPet", "responses": ok(),
                "parameters": [{"name": "pet", "in": "body", "required": true, "schema": {"$ref": "#/definitions/Pet"}}]},
        }},
        "definitions": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}},
    });
    let (made, lost) = upgrade(&document(pets.clone()));
    assert_eq!(lost, ["/paths/~1pets~1{id}/get/schemes"]);
    let text = made.to_string();
    if let Err(refused) = crate::openapi::check_plain(&text, DocumentKind::Oas) {
        panic!("{}: {:?}", refused.message, refused.issues);
    }
    let options = Options {
        validate_requests: true,
        ..Options::default()
    };
    let sent = document(pets).to_string();
    let imported = import(&sent, &options).unwrap();
    let definition: Value = serde_json::from_str(&imported.definition).unwrap();
    assert_eq!(
        definition["proxy"]["target_url"],
        "https://petstore.example/v2"
    );
    assert_eq!(definition["name"], "Pets");
    assert_eq!(definition["use_keyless"], json!(false), "it asks for a key");
    let value = parse(&sent).unwrap();
    for note in &imported.report {
        let known = value.pointer(&note.pointer).is_some();
        assert!(known, "{}: {}", note.pointer, note.message);
    }
}

#[test]
fn other_documents_are_ignored() {
    for text in ["{", "[]", "{}", r#"{"openapi":"3.0.0"}"#] {
        assert_eq!(upgraded(text), Ok(None), "{text}");
    }
    assert!(upgraded(r#"{"swagger":2.0}"#).unwrap().is_some());
    assert_eq!(
        upgraded(r#"{"swagger":"1.2"}"#).unwrap_err()[0].pointer,
        "/swagger"
    );
    // Values of unexpected types must not make the conversion fail.
    let odd = r##"{"swagger":"2.0","info":1,"host":2,"schemes":"x","paths":{"/a":1,"/b":{"get":[],"parameters":{},"post":{"parameters":[1,{"$ref":"#/parameters/x"}],"responses":[]}}},"definitions":[1],"parameters":{"a":null},"responses":{"r":1},"securityDefinitions":{"s":1}}"##;
    let made = upgraded(odd).unwrap().unwrap();
    assert!(parse(&made.document).is_ok());
}
