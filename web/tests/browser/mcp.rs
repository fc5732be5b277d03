//! Messages to an MCP server: writing requests, and reading lists and schemas.

use gatewright_web::state::mcp::{
    ask, call, headers, initialize, is_unknown_method, list, listed, tools,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[
  {"name":"add","description":"Adds","inputSchema":{"type":"object","required":["a","unit"],"properties":{
    "a":{"type":"number","description":"One"},"unit":{"type":"string","enum":["m","km"]},"note":{"type":"string"},"more":{"type":"object"},"at":{"type":"integer","default":7}}}},
  {"name":"now"}, {"title":"nameless"}],"nextCursor":"c\"2"}}"#;

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[wasm_bindgen_test]
fn list_is_read_from_json_or_events() {
    let (all, cursor) = tools(LIST).unwrap();
    let names: Vec<_> = all.iter().map(|tool| &*tool.name).collect();
    assert_eq!(
        (names, cursor.as_deref()),
        (vec!["add", "now"], Some("c\"2"))
    );
    let said: Vec<_> = all[0]
        .arguments
        .iter()
        .map(|argument| (&*argument.name, argument.required, argument.is_plain()))
        .collect();
    assert_eq!(
        said,
        [
            ("a", true, true),
            ("unit", true, true),
            ("note", false, true),
            ("more", false, false),
            ("at", false, true)
        ]
    );
    assert_eq!(read(&all[0].first()), json!({ "a": 0, "unit": "m" }));
    assert_eq!(all[1].first(), "{}");
    let events = format!(
        "event: message\r\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\r\n\r\ndata: {}\r\n\r\n",
        LIST.replace('\n', "")
    );
    assert_eq!(tools(&events).unwrap().0, all);
}

#[wasm_bindgen_test]
fn non_lists_are_described() {
    let refused = r#"{"jsonrpc":"2.0","error":{"code":-32002,"message":"not available"},"id":1}"#;
    assert_eq!(
        tools(refused),
        Err("The answer is an error: not available".to_owned())
    );
    assert_eq!(
        tools(r#"{"error": "API not found"}"#),
        Err("The answer is an error: API not found".to_owned())
    );
    assert!(tools("<html>").is_err() && tools(r#"{"result":{}}"#).is_err());
}

#[wasm_bindgen_test]
fn listed_primitives_are_read_by_name() {
    let (all, cursor) = listed(LIST, ("tools", "name")).unwrap();
    assert_eq!((all.len(), cursor.as_deref()), (2, Some("c\"2")));
    assert_eq!((&*all[0].name, &*all[0].about), ("add", "Adds"));
    assert_eq!(read(&all[0].takes)["required"][1], "unit");
    let resources =
        r#"{"result":{"resources":[{"uri":"file:///a","name":"A","title":"The A"},{"name":"B"}]}}"#;
    let (all, cursor) = listed(resources, ("resources", "uri")).unwrap();
    assert_eq!((all.len(), cursor), (1, None));
    assert_eq!(
        (&*all[0].name, &*all[0].about, &*all[0].takes),
        ("file:///a", "The A", "")
    );
    let prompts = r#"{"result":{"prompts":[{"name":"p","arguments":[{"name":"x"}]}]}}"#;
    let (all, _) = listed(prompts, ("prompts", "name")).unwrap();
    assert_eq!((&*all[0].about, &*all[0].takes), ("", r#"[{"name":"x"}]"#));
    assert!(listed(prompts, ("tools", "name")).is_err());
    let unknown = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    assert!(is_unknown_method(unknown) && !is_unknown_method(LIST) && !is_unknown_method("x"));
    assert_eq!(
        read(&ask("prompts/list", Some("a")))["params"]["cursor"],
        "a"
    );
}

#[wasm_bindgen_test]
fn fields_write_arguments_and_read_them() {
    let (all, _) = tools(LIST).unwrap();
    let [a, unit, note, ..] = all[0].arguments.as_slice() else {
        panic!("too few arguments")
    };
    let arguments = a.typed(&all[0].first(), "1.50");
    let arguments = note.typed(&unit.typed(&arguments, "km"), "12");
    assert_eq!(
        arguments.matches("1.50").count(),
        1,
        "a number keeps its text"
    );
    assert_eq!(
        read(&arguments),
        json!({ "a": 1.5, "unit": "km", "note": "12" })
    );
    assert_eq!(
        (&*a.value(&arguments), &*note.value(&arguments)),
        ("1.50", "12")
    );
    let without = note.typed(&arguments, "");
    assert_eq!(read(&without), json!({ "a": 1.5, "unit": "km" }));
    assert_eq!(read(&a.typed(&without, "x"))["a"], "x");
    assert_eq!(a.typed("{ half", "1"), "{ half");
}

#[wasm_bindgen_test]
fn messages_are_json_rpc() {
    assert_eq!(
        read(&initialize())["params"]["clientInfo"]["name"],
        "gatewright-console"
    );
    assert_eq!(
        read(&list(None)),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
    );
    assert_eq!(read(&list(Some("a\"")))["params"]["cursor"], "a\"");
    let called = json!({ "name": "a\"b", "arguments": { "x": 1 } });
    assert_eq!(read(&call("a\"b", r#"{"x":1}"#))["params"], called);
    assert_eq!(read(&call("a", " "))["params"]["arguments"], json!({}));
    assert_eq!(headers(None).len(), 2);
    assert_eq!(
        headers(Some("s"))[2],
        ("Mcp-Session-Id".to_owned(), "s".to_owned())
    );
}
