//! Responses of servers, and what filtering leaves of them.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use gatewright_extra_mcp::call;

const LISTS: &str = r#"{"openapi":{"mcp":{"tools":[{"name":"get_weather","allow":true},{"name":"set_weather","allow":true}],
    "resources":[{"name":"file:///private/*","block":true}]}}}"#;

fn answer(settings: &str, facts: &str, media: &str, body: &str) -> Vec<String> {
    let head = format!(r#"{{"status":200,"headers":{{"content-type":["{media}"]}}}}"#);
    call(
        "filter",
        settings,
        &format!("{head}\n{facts}"),
        body.as_bytes(),
    )
}

fn json(settings: &str, facts: &str, body: &str) -> Option<String> {
    let mut answer = answer(settings, facts, "application/json; charset=utf-8", body).into_iter();
    assert_eq!(answer.next().as_deref(), Some("{}"));
    answer.next()
}

const TOOLS: &str = r#"{"jsonrpc":"2.0","id":1.0,"result":{"tools":[{"name":"get_weather","n":1.50},{"name":"get_secret"},
    {"name":"set_weather"},{"title":"no name"},{"name":5}],"nextCursor":"n2","_meta":{"a":1}}}"#;

#[test]
fn proxy_and_key_both_have_to_let_an_entry_through() {
    let rest = |names: &str| {
        Some(format!(
            r#"{{"jsonrpc":"2.0","id":1.0,"result":{{"tools":[{names}{{"title":"no name"}},{{"name":5}}],"nextCursor":"n2","_meta":{{"a":1}}}}}}"#
        ))
    };
    let get = r#"{"name":"get_weather","n":1.50},"#;
    let facts = |rights: &str| format!(r#"{{"list":"tools/list","rights":{rights}}}"#);
    for (settings, rights, expected) in [
        (
            LISTS,
            "null",
            rest(&format!("{get}{}", r#"{"name":"set_weather"},"#)),
        ),
        (LISTS, r#"{"allowed":["get_.*"],"blocked":[]}"#, rest(get)),
        (
            "{}",
            r#"{"allowed":[],"blocked":[".*_weather"]}"#,
            rest(r#"{"name":"get_secret"},"#),
        ),
        ("{}", r#"{"allowed":["weather"],"blocked":[]}"#, rest("")),
        ("{}", r#"{"allowed":["("],"blocked":[]}"#, rest("")),
        ("{}", r#"{"allowed":[],"blocked":["("]}"#, rest("")),
        ("{}", r#"{"allowed":[".*"],"blocked":[]}"#, None),
    ] {
        assert_eq!(json(settings, &facts(rights), TOOLS), expected, "{rights}");
    }
}

#[test]
fn lists_have_names_of_their_own() {
    let rights = r#""rights":{"allowed":["file:///public/.*"],"blocked":[]}"#;
    for (list, body, expected) in [
        (
            "resources/list",
            r#"{"result":{"resources":[{"uri":"file:///public/a"},{"uri":"file:///public/../b"},{"uri":"file:///private/b"}]}}"#,
            r#"{"result":{"resources":[{"uri":"file:///public/a"}]}}"#,
        ),
        (
            "resources/templates/list",
            r#"{"result":{"resourceTemplates":[{"uriTemplate":"file:///public/{x}"},{"uriTemplate":"file:///{x}"}]}}"#,
            r#"{"result":{"resourceTemplates":[{"uriTemplate":"file:///public/{x}"}]}}"#,
        ),
        (
            "prompts/list",
            r#"{"result":{"prompts":[{"name":"review"}]}}"#,
            r#"{"result":{"prompts":[]}}"#,
        ),
    ] {
        let facts = format!(r#"{{"list":"{list}",{rights}}}"#);
        assert_eq!(
            json("{}", &facts, body).as_deref(),
            Some(expected),
            "{list}"
        );
    }
    let facts = r#"{"list":"resources/list","rights":null}"#;
    let blocked = r#"{"result":{"resources":[{"uri":"file:///private/b"},{"uri":"file:///x/%2e%2e/private/c"},{"uri":"file:///x"}]}}"#;
    let left = json(LISTS, facts, blocked);
    assert_eq!(
        left.as_deref(),
        Some(r#"{"result":{"resources":[{"uri":"file:///x"}]}}"#)
    );
}

#[test]
fn other_answers_stay() {
    let facts = r#"{"list":"tools/list","rights":{"allowed":["x"],"blocked":[]}}"#;
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}"#,
        r#"{"result":{"prompts":[{"name":"a"}]}}"#,
        r#"{"result":{"tools":{"name":"a"}}}"#,
        r#"{"result":[{"name":"a"}]}"#,
        r#""tools""#,
        "",
    ] {
        assert_eq!(json("{}", facts, body), None, "{body}");
    }
    assert_eq!(answer("{}", facts, "text/html", "<p>"), ["{}"]);
    let listed = answer(
        "{}",
        facts,
        "text/plain",
        r#"{"result":{"tools":[{"name":"a"}]}}"#,
    );
    assert_eq!(
        listed.get(1).map(String::as_str),
        Some(r#"{"result":{"tools":[]}}"#)
    );
}

#[test]
fn unreadable_response_is_reported_broken() {
    let facts = r#"{"list":"tools/list","rights":{"allowed":["x"],"blocked":[]}}"#;
    for (media, body) in [
        ("application/json", "not JSON"),
        (
            "application/json",
            r#"{"result":{"tools":[{"name":"a\ud800"}]}}"#,
        ),
        (
            "text/event-stream",
            "data: {\"result\":{\"tools\":[{\"name\":\"a\\ud800\"}]}}\n\n",
        ),
    ] {
        let broken = r#"{"broken":"the answer can't be read"}"#;
        assert_eq!(answer("{}", facts, media, body), [broken], "{body}");
    }
}

#[test]
fn ambiguous_response_reveals_nothing_hidden() {
    let facts = r#"{"list":"tools/list","rights":{"allowed":[],"blocked":["bad"]}}"#;
    for (body, expected) in [
        (
            r#"{"result":{"tools":[{"name":"bad"}],"tools":[{"name":"bad"},{"name":"a"}]}}"#,
            r#"{"result":{"tools":[],"tools":[{"name":"a"}]}}"#,
        ),
        (
            r#"{"result":{"tools":[{"name":"bad"}]},"result":{"tools":[{"name":"b\u0061d"}]}}"#,
            r#"{"result":{"tools":[]},"result":{"tools":[]}}"#,
        ),
        (
            r#"{"result":{"tools":[{"name":"bad","name":"a"},{"name":"a","name":"bad"}]}}"#,
            r#"{"result":{"tools":[]}}"#,
        ),
        (
            r#"[{"result":{"tools":[{"name":"bad"}]}},{"id":1}]"#,
            r#"[{"result":{"tools":[]}},{"id":1}]"#,
        ),
    ] {
        assert_eq!(json("{}", facts, body).as_deref(), Some(expected), "{body}");
    }
    let packed = r#"{"status":200,"headers":{"content-type":["application/json"],"content-encoding":["zstd"]}}"#;
    let answer = call("filter", "{}", &format!("{packed}\n{facts}"), b"\xff");
    assert_eq!(answer, [r#"{"broken":"the answer is packed as zstd"}"#]);
}

#[test]
fn filtered_list_is_not_shared() {
    let facts = r#"{"list":"tools/list","rights":{"allowed":["a"],"blocked":[]}}"#;
    let body = r#"{"result":{"tools":[{"name":"a"}],"ttlMs":5,"cacheScope":"public"}}"#;
    let expected = r#"{"result":{"tools":[{"name":"a"}],"ttlMs":5,"cacheScope":"private"}}"#;
    assert_eq!(json("{}", facts, body).as_deref(), Some(expected));
    assert_eq!(json("{}", facts, expected), None);
}

#[test]
fn capabilities_are_lost_with_their_methods() {
    let facts = r#"{"lost":["resources","prompts"]}"#;
    let body = r#"{"id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{},"logging":{}}}}"#;
    let expected = r#"{"id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}}}}"#;
    assert_eq!(json("{}", facts, body).as_deref(), Some(expected));
}

#[test]
fn events_of_a_stream_are_filtered_one_by_one() {
    let facts = r#"{"list":"tools/list","rights":{"allowed":["a"],"blocked":[]}}"#;
    let stream = "\u{feff}: hello\n\nevent: message\r\nid: 7\r\ndata: {\"result\":\r\ndata:{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}\r\n\r\n\
        data: {\"method\":\"notifications/x\"}\n\ndata\rdata: {\"result\":{\"tools\":[{\"name\":\"b\"}]}}";
    let answer = answer("{}", facts, "Text/Event-Stream;x=1", stream);
    let expected = ": hello\n\nevent: message\nid: 7\ndata: {\"result\":{\"tools\":[{\"name\":\"a\"}]}}\n\n\
        data: {\"method\":\"notifications/x\"}\n\ndata: {\"result\":{\"tools\":[]}}\n";
    assert_eq!(answer, ["{}".to_owned(), expected.to_owned()]);
    let untouched = call(
        "filter",
        "{}",
        &format!("{{\"headers\":{{\"content-type\":[\"text/event-stream\"]}}}}\n{facts}"),
        b"data: {}\n\n",
    );
    assert_eq!(untouched, ["{}"]);
}

#[test]
fn a_stream_may_have_the_answer_to_any_message() {
    let facts = r#"[{"list":"tools/list","rights":{"allowed":["a"],"blocked":[]}},{"list":"prompts/list","rights":{"allowed":["p"],"blocked":[]}},{"lost":["prompts"]}]"#;
    let stream = "event: endpoint\ndata: /messages?session=1\n\n\
        data: {\"result\":{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}\n\n\
        data: {\"result\":{\"prompts\":[{\"name\":\"a\"},{\"name\":\"p\"}]}}\n\n\
        data: {\"result\":{\"capabilities\":{\"prompts\":{},\"tools\":{}}}}\n\n\
        data: {\"result\":{\"resources\":[{\"uri\":\"a\"}]}}\n\n";
    let expected = stream
        .replace(r#",{"name":"b"}"#, "")
        .replace(r#"{"name":"a"},{"name":"p"}"#, r#"{"name":"p"}"#)
        .replace(r#""prompts":{},"#, "");
    let filtered = answer("{}", facts, "text/event-stream", stream);
    assert_eq!(filtered, ["{}".to_owned(), expected]);
}

#[test]
fn only_the_address_for_messages_need_not_be_json() {
    let facts = r#"[{"list":"tools/list","rights":{"allowed":["a"],"blocked":[]}}]"#;
    let broken = r#"{"broken":"the answer can't be read"}"#;
    for (event, expected) in [
        ("event: endpoint\ndata: /x\n\n", "{}"),
        ("event: endpoint\nevent: message\ndata: /x\n\n", broken),
        ("event: message\ndata: /x\n\n", broken),
        ("data: /x\n\n", broken),
    ] {
        assert_eq!(
            answer("{}", facts, "text/event-stream", event),
            [expected],
            "{event}"
        );
    }
    let named = "event: endpoint\ndata: {\"result\":{\"tools\":[{\"name\":\"b\"}]}}\n\n";
    assert_eq!(answer("{}", facts, "text/event-stream", named).len(), 2);
}
