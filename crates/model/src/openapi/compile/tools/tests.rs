use super::{served, shown};
use crate::definition::{Allowed, unservable};
use crate::json::{Value, parse, written};
use crate::openapi::{DocumentKind, compile, stored};

const EXTENSION: &str = r#""info":{"id":"ID","name":"n","state":{"active":true}},"upstream":{"url":"URL"},"server":{"listenPath":{"value":"/ID/","strip":true}}"#;

/// Returns the stored text of a document with these paths and members.
fn text(kind: DocumentKind, paths: &str, more: &str, middleware: &str) -> String {
    let (id, url) = match kind {
        DocumentKind::Oas => ("orders", "http://up/"),
        DocumentKind::Mcp => ("tools", "gateway://orders/mcp"),
    };
    let extension = EXTENSION.replace("ID", id).replace("URL", url);
    let document = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"T","version":"1.2"}},"paths":{paths},{more}"x-gateway-api-gateway":{{{extension},"middleware":{middleware}}}}}"#
    );
    let definition = compile(&document, kind).unwrap();
    stored::joined(&definition, &document).unwrap()
}

const PATHS: &str = r##"{
    "/orders":{
        "parameters":[{"name":"X-Tenant","in":"header","schema":{"type":"string"}}],
        "get":{"operationId":"listOrders","summary":"List orders","parameters":[
            {"name":"limit","in":"query","schema":{"type":"integer","nullable":true},"description":"How many"},
            {"name":"Authorization","in":"header","schema":{"type":"string"}}]},
        "post":{"operationId":"createOrder","description":"Create one","requestBody":{"required":true,"content":{
            "application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}}},
    "/orders/{id}":{
        "get":{"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}},
            {"name":"id","in":"query","schema":{"type":"string"}}]},
        "put":{"operationId":"put it!","requestBody":{"content":{"text/plain":{}}}},
        "delete":{"operationId":"dropOrder"},
        "trace":{}},
    "/notes":{"post":{"operationId":"note","requestBody":{"content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Line"}}}}}}}
}"##;

const SCHEMAS: &str = r##""components":{"schemas":{
    "Order":{"type":"object","required":["item"],"properties":{"item":{"$ref":"#/components/schemas/Line"},
        "n":{"type":"integer","minimum":0,"exclusiveMinimum":true,"example":3,"x-y":1},"made":{"type":"string","readOnly":true}}},
    "Line":{"type":"object","properties":{"more":{"$ref":"#/components/schemas/Line"},"$ref":{"type":"string"}}}}},"##;

fn source(middleware: &str) -> String {
    text(DocumentKind::Oas, PATHS, SCHEMAS, middleware)
}

fn proxy(server: &str) -> String {
    let more = match server {
        "" => String::new(),
        server => format!("\"x-gateway-mcp-server\":{server},"),
    };
    text(DocumentKind::Mcp, "{}", &more, "{}")
}

fn at(text: &str, pointer: &str) -> String {
    let value = parse(text).unwrap();
    value.pointer(pointer).map(written).unwrap_or_default()
}

fn names(definition: &str) -> Vec<String> {
    let value = parse(definition).unwrap();
    let tools = value.pointer("/openapi/mcp/catalogue/tools");
    let tools = tools.map(Value::items).unwrap_or_default().iter();
    tools
        .map(|entry| entry.get("tool").unwrap().str("name").unwrap().to_owned())
        .collect()
}

fn refused(server: &str) -> String {
    let definition = served(&proxy(server), &source("{}")).unwrap();
    let value = parse(&definition).unwrap();
    let why = value.pointer("/openapi/mcp/refused");
    let why = why.and_then(Value::as_str).unwrap().to_owned();
    assert_eq!(shown(&proxy(server), &source("{}")), Err(why.clone()));
    assert_eq!(unservable(&definition, &value, &Allowed::NONE).len(), 1);
    why
}

#[test]
fn each_operation_is_a_tool_by_its_id_or_its_method_and_path() {
    let definition = served(&proxy(""), &source("{}")).unwrap();
    let value = parse(&definition).unwrap();
    assert!(unservable(&definition, &value, &Allowed::NONE).is_empty());
    assert_eq!(stored::document(&definition), None);
    assert_eq!(
        names(&definition),
        [
            "listOrders",
            "createOrder",
            "get_orders_id",
            "put_it_",
            "dropOrder",
            "note"
        ]
    );
    let catalogue = "/openapi/mcp/catalogue";
    assert_eq!(at(&definition, &format!("{catalogue}/api")), "\"orders\"");
    assert_eq!(
        at(&definition, &format!("{catalogue}/server")),
        r#"{"name":"T","version":"1.2"}"#
    );
    assert_eq!(
        at(&definition, &format!("{catalogue}/tools/0")),
        r#"{"tool":{"name":"listOrders","description":"List orders","inputSchema":{"type":"object","properties":{"X-Tenant":{"type":"string"},"limit":{"type":["integer","null"],"description":"How many"}},"additionalProperties":false},"annotations":{"readOnlyHint":true}},"call":{"method":"GET","path":"/orders/orders","arguments":[{"name":"X-Tenant","source":"X-Tenant","in":"header"},{"name":"limit","source":"limit","in":"query","style":"form","explode":true}]}}"#
    );
    assert_eq!(
        at(&definition, &format!("{catalogue}/tools/1")),
        r##"{"tool":{"name":"createOrder","description":"Create one","inputSchema":{"type":"object","properties":{"X-Tenant":{"type":"string"},"item":{"$ref":"#/$defs/Line"},"n":{"type":"integer","exclusiveMinimum":0}},"required":["item"],"additionalProperties":false,"$defs":{"Line":{"type":"object","properties":{"more":{"$ref":"#/$defs/Line"},"$ref":{"type":"string"}}}}}},"call":{"method":"POST","path":"/orders/orders","arguments":[{"name":"X-Tenant","source":"X-Tenant","in":"header"},{"name":"item","source":"item","in":"body","required":true},{"name":"n","source":"n","in":"body"}],"media":"application/json"}}"##
    );
    // Arguments with the same name, distinguished by location.
    assert_eq!(
        at(&definition, &format!("{catalogue}/tools/2/call")),
        r#"{"method":"GET","path":"/orders/orders/{id}","arguments":[{"name":"path_id","source":"id","in":"path","required":true},{"name":"query_id","source":"id","in":"query","style":"form","explode":true}]}"#
    );
    // A body that is neither JSON nor a form, and a parameter that only the path declares.
    assert_eq!(
        at(&definition, &format!("{catalogue}/tools/3/call")),
        r#"{"method":"PUT","path":"/orders/orders/{id}","arguments":[{"name":"id","source":"id","in":"path","required":true}]}"#
    );
    assert_eq!(
        at(
            &definition,
            &format!("{catalogue}/tools/5/tool/inputSchema/properties")
        ),
        r##"{"body":{"type":"array","items":{"$ref":"#/$defs/Line"}}}"##
    );
}

#[test]
fn refused_and_internal_operations_are_not_tools() {
    let on = r#"{"enabled":true}"#;
    let rules = format!(
        r#"{{"operations":{{"listOrders":{{"block":{on}}},"dropOrder":{{"internal":{on}}},"note":{{"block":{{"enabled":false}}}}}}}}"#
    );
    let definition = served(&proxy(""), &source(&rules)).unwrap();
    assert_eq!(
        names(&definition),
        ["createOrder", "get_orders_id", "put_it_", "note"]
    );
    let rules = format!(
        r#"{{"operations":{{"orders/{{id}}GET":{{"allow":{on}}},"note":{{"allow":{on}}}}}}}"#
    );
    let definition = served(&proxy(""), &source(&rules)).unwrap();
    assert_eq!(names(&definition), ["get_orders_id", "note"]);
}

#[test]
fn a_proxy_chooses_and_renames() {
    let server = r#"{"primitives":[
        {"source":{"operationId":"createOrder"},"name":"place","description":"Place","allow":true,
            "annotations":{"title":"Place","openWorldHint":false},"parameters":[{"param":"n","name":"count","description":"How many"}]},
        {"source":{"method":"get","path":"/orders/{id}"},"allow":true,"parameters":[{"param":"id","name":"order"}]},
        {"source":{"operationId":"dropOrder"},"name":"drop"}]}"#;
    let definition = served(&proxy(server), &source("{}")).unwrap();
    assert_eq!(names(&definition), ["place", "get_orders_id"]);
    let tools = "/openapi/mcp/catalogue/tools";
    assert_eq!(
        at(&definition, &format!("{tools}/0/tool/annotations")),
        r#"{"title":"Place","openWorldHint":false}"#
    );
    assert_eq!(
        at(
            &definition,
            &format!("{tools}/0/tool/inputSchema/properties/count/description")
        ),
        "\"How many\""
    );
    assert_eq!(
        at(&definition, &format!("{tools}/1/call/arguments")),
        r#"[{"name":"order","source":"id","in":"path","required":true},{"name":"id","source":"id","in":"query","style":"form","explode":true}]"#
    );
    let document = shown(&proxy(server), &source("{}")).unwrap();
    let primitives = "/x-gateway-mcp-server/primitives";
    assert_eq!(
        at(&document, &format!("{primitives}/1")),
        r#"{"source":{"method":"get","path":"/orders/{id}"},"allow":true,"parameters":[{"param":"id","name":"order"}],"name":"get_orders_id","description":"GET /orders/{id}","inputSchema":{"type":"object","properties":{"order":{"type":"string"},"id":{"type":"string"}},"required":["order"],"additionalProperties":false},"parameterLocations":{"order":"path","id":"query"},"parameterSourceNames":{"order":"id","id":"id"},"parameterSerializations":{"order":{"sourceName":"id","location":"path","style":"simple","explode":false,"schemaType":"string"},"id":{"sourceName":"id","location":"query","style":"form","explode":true,"schemaType":"string"}},"parameterOrder":["order","id"]}"#
    );
    assert_eq!(
        at(&document, &format!("{primitives}/0/requestBodyContentType")),
        "\"application/json\""
    );
    assert_eq!(
        at(&document, &format!("{primitives}/2")),
        r#"{"source":{"operationId":"dropOrder"},"name":"drop"}"#
    );
    // The document that is shown may be sent again, with the same meaning.
    let again = compile(&document, DocumentKind::Mcp).unwrap();
    let again = stored::joined(&again, &document).unwrap();
    assert_eq!(shown(&again, &source("{}")), Ok(document));
}

#[test]
fn ambiguous_and_missing_operations_are_reported() {
    for (primitives, why) in [
        (
            r#"{"source":{"operationId":"nothing"}}"#,
            r#"unknown source operation "nothing""#,
        ),
        (
            r#"{"source":{"method":"GET","path":"/x"}}"#,
            "unknown source operation GET /x",
        ),
        (
            r#"{"source":{"operationId":"note"}},{"source":{"method":"POST","path":"/notes"}}"#,
            "duplicate source operation POST /notes",
        ),
        (
            r#"{"source":{"operationId":"note"},"name":"dropOrder"}"#,
            r#"duplicate tool name "dropOrder""#,
        ),
        (
            r#"{"source":{"operationId":"createOrder"},"parameters":[{"param":"item","name":"n"}]}"#,
            r#"duplicate exposed parameter name "n" (tool "createOrder")"#,
        ),
        (
            r#"{"source":{"operationId":"createOrder"},"parameters":[{"param":"x"}]}"#,
            r#"unknown or duplicate parameter "x" (tool "createOrder")"#,
        ),
        (
            r#"{"source":{}}"#,
            "a source needs an operationId, or a method and a path",
        ),
    ] {
        assert_eq!(refused(&format!("{{\"primitives\":[{primitives}]}}")), why);
    }
}

#[test]
fn generated_name_yields_to_explicit_ones() {
    let paths = r#"{"/a/b":{"get":{}},"/a-b":{"get":{}},"/c":{"get":{"operationId":"get_a_b"}}}"#;
    let source = text(DocumentKind::Oas, paths, "", "{}");
    let found = names(&served(&proxy(""), &source).unwrap());
    assert_eq!(found.last().map(String::as_str), Some("get_a_b"));
    let marked = |name: &str| name.starts_with("get_a_b_") && name.len() == "get_a_b_".len() + 8;
    assert!(found.iter().take(2).all(|name| marked(name)), "{found:?}");
    assert_eq!(names(&served(&proxy(""), &source).unwrap()), found);
}

#[test]
fn schema_expansion_is_bounded() {
    let long = "x".repeat(70_000);
    let schemas = format!(
        r##""components":{{"schemas":{{"Long":{{"description":"{long}"}},"Out":{{"$ref":"other.json#/A"}}}}}},"##
    );
    let paths = r##"{"/a":{"post":{"operationId":"a","requestBody":{"content":{"application/json":{"schema":{"type":"object",
        "properties":{"long":{"$ref":"#/components/schemas/Long"},"out":{"$ref":"other.json#/A"},"none":{"$ref":"#/x"}}}}}}}}}"##;
    let source = text(DocumentKind::Oas, paths, &schemas, "{}");
    let definition = served(&proxy(""), &source).unwrap();
    assert_eq!(
        at(
            &definition,
            "/openapi/mcp/catalogue/tools/0/tool/inputSchema/properties"
        ),
        r#"{"long":{},"out":{},"none":{}}"#
    );
}

#[test]
fn only_an_openapi_api_has_operations() {
    let definition = served(&proxy(""), r#"{"api_id":"orders"}"#).unwrap();
    assert_eq!(
        at(&definition, "/openapi/mcp/refused"),
        "\"it is no OpenAPI document\""
    );
    assert!(served("{}", &source("{}")).is_err());
    let alone = stored::served(&proxy("")).unwrap();
    let value = parse(&alone).unwrap();
    let issues = unservable(&alone, &value, &Allowed::NONE);
    assert_eq!(
        issues.first().map(|issue| issue.message.as_str()),
        Some("there is no OpenAPI API orders whose operations could be its tools")
    );
}

/// Returns the listed output schema of the tool of one operation; empty if there is none.
fn output(method: &str, responses: &str, schemas: &str, rules: &str) -> String {
    let paths = format!(r#"{{"/a":{{"{method}":{{"operationId":"a","responses":{responses}}}}}}}"#);
    let schemas = format!(r#""components":{{"schemas":{schemas}}},"#);
    let middleware = format!(r#"{{"operations":{{"a":{rules}}}}}"#);
    let source = text(DocumentKind::Oas, &paths, &schemas, &middleware);
    let definition = served(&proxy(""), &source).unwrap();
    let tool = "/openapi/mcp/catalogue/tools/0";
    let listed = at(&definition, &format!("{tool}/tool/outputSchema"));
    // The schema for validation is the one that is listed and shown.
    assert_eq!(at(&definition, &format!("{tool}/call/output")), listed);
    let document = shown(&proxy(""), &source).unwrap();
    let primitive = "/x-gateway-mcp-server/primitives/0";
    assert_eq!(at(&document, &format!("{primitive}/outputSchema")), listed);
    listed
}

/// Returns a successful JSON response with this schema.
fn answers(schema: &str) -> String {
    format!(r#""description":"","content":{{"application/json":{{"schema":{schema}}}}}"#)
}

#[test]
fn output_schema_is_declared_if_responses_are_validated() {
    let schemas = r##"{"Pet":{"type":"object","required":["id","secret","id"],"properties":{
        "id":{"type":"integer","format":"int64","minimum":1},"secret":{"type":"string","writeOnly":true},
        "name":{"type":"string","nullable":true,"maxLength":5},"kind":{"type":"string","enum":["cat","dog"],"nullable":true},
        "parent":{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Pet"}]},
        "tag":{"oneOf":[{"type":"string"},{"type":"number","multipleOf":2}]},
        "odd":{"type":"file","title":5,"enum":[{}],"items":true,"not":{"type":"string"}},
        "more":{"type":"object","additionalProperties":{"type":"string"}},
        "list":{"type":"array","items":{"$ref":"#/components/schemas/Pet"}}},"additionalProperties":false}}"##;
    let pet = answers(r##"{"$ref":"#/components/schemas/Pet"}"##);
    let responses = format!(r#"{{"200":{{{pet}}},"404":{{"description":""}}}}"#);
    let properties = r##""required":["id"],"properties":{"id":{"type":"integer"},"name":{"type":["string","null"]},"kind":{"anyOf":[{"type":"string","enum":["cat","dog"]},{"type":"null"}]},"parent":{"anyOf":[{"allOf":[{"$ref":"#/$defs/Pet"}]},{"type":"null"}]},"tag":{"anyOf":[{"type":"string"},{"type":"number"}]},"odd":{},"more":{"type":"object","additionalProperties":{"type":"string"}},"list":{"type":"array","items":{"$ref":"#/$defs/Pet"}}}"##;
    assert_eq!(
        output("get", &responses, schemas, "{}"),
        format!(
            r#"{{"type":"object",{properties},"$defs":{{"Pet":{{"type":"object",{properties}}}}}}}"#
        )
    );
    // Combined schemas of which one is an object, in a referenced response.
    let parts = answers(r#"{"allOf":[{"type":"object"},{"required":["a"]}]}"#);
    assert_eq!(
        output("post", &format!(r#"{{"201":{{{parts}}}}}"#), "{}", "{}"),
        r#"{"type":"object","allOf":[{"type":"object"},{"required":["a"]}]}"#
    );
    let both = format!(r#"{{"200":{{{parts}}},"201":{{{parts}}}}}"#);
    assert!(!output("put", &both, "{}", "{}").is_empty());
}

#[test]
fn tool_with_varying_responses_has_no_output_schema() {
    let object = answers(r#"{"type":"object"}"#);
    let one = format!(r#"{{"200":{{{object}}}}}"#);
    assert_eq!(
        output("get", &one, "{}", "{}"),
        r#"{"type":"object"}"#,
        "as it is with none of what follows"
    );
    let on = r#"{"transformResponseBody":{"enabled":true,"format":"json","body":"e30="}}"#;
    assert_eq!(output("get", &one, "{}", on), "");
    assert_eq!(output("head", &one, "{}", "{}"), "");
    for responses in [
        format!(r#"{{"default":{{{object}}}}}"#),
        format!(r#"{{"200":{{{object}}},"204":{{"description":""}}}}"#),
        format!(
            r#"{{"200":{{{object}}},"2XX":{{{}}}}}"#,
            answers(r#"{"type":"object","title":"T"}"#)
        ),
        r#"{"200":{"description":"","content":{"text/plain":{"schema":{"type":"object"}}}}}"#
            .to_owned(),
    ] {
        assert_eq!(output("get", &responses, "{}", "{}"), "", "{responses}");
    }
    for schema in [
        r#"{"type":"array","items":{}}"#,
        "{}",
        r#"{"type":"object","nullable":true}"#,
        r#"{"oneOf":[{"type":"object"},{"type":"string"}]}"#,
        r##"{"$ref":"#/components/schemas/None"}"##,
        r##"{"$ref":"#/components/schemas/Loop"}"##,
    ] {
        let responses = format!(r#"{{"200":{{{}}}}}"#, answers(schema));
        let loops = r##"{"Loop":{"allOf":[{"$ref":"#/components/schemas/Loop"}]}}"##;
        assert_eq!(output("get", &responses, loops, "{}"), "", "{schema}");
    }
    // A schema that is nested too deeply to be listed leaves its tool unchanged.
    let deep = format!(
        "{}{{}}{}",
        r#"{"type":"object","properties":{"a":"#.repeat(33),
        "}}".repeat(33)
    );
    let responses = format!(r#"{{"200":{{{}}}}}"#, answers(&deep));
    assert_eq!(output("get", &responses, "{}", "{}"), "");
}
