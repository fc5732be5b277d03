use super::*;

fn refused(body: &str) -> (Failure, String, String) {
    let unread = read(body.as_bytes()).unwrap_err();
    (unread.failure, unread.message, unread.id)
}

#[test]
fn invalid_message_is_refused_with_its_id() {
    let parse = (Failure::RpcParse, "parse error", "null");
    let invalid = |id| (Failure::RpcInvalid, "invalid request", id);
    for (body, (failure, message, id)) in [
        ("", parse),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,", parse),
        (r#"{"jsonrpc":"2.0","id":10,"method":5}"#, parse),
        (r#""ping""#, parse),
        ("5", parse),
        ("true", parse),
        ("[]", parse),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, parse),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, parse),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{}"#, parse),
        ("null", invalid("null")),
        (
            r#"{"jsonrpc":"1.0","id":"v1","method":"ping"}"#,
            invalid("\"v1\""),
        ),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, parse),
        (r#"{"jsonrpc":null,"id":1,"method":"ping"}"#, invalid("1")),
        (r#"{"jsonrpc":"1.0","id":1,"method":[]}"#, parse),
        (r#"{"id":7,"method":"ping"}"#, invalid("7")),
        (r#"{"jsonrpc":"2.0","id":8}"#, invalid("8")),
        (r#"{"jsonrpc":"2.0","id":8,"method":null}"#, invalid("8")),
        (r#"{"jsonrpc":"2.0","id":9,"method":""}"#, invalid("9")),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":null,"result":{}}"#,
            invalid("9"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"Method":"ping","result":{}}"#,
            invalid("9"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"result":1,"result":{}}"#,
            invalid("9"),
        ),
        (r#"{"jsonrpc":"2.0","result":{}}"#, invalid("null")),
        (
            r#"{"jsonrpc":"2.0","id":1.50,"METHOD":"ping"}"#,
            invalid("1.50"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":{"a":[1]},"method":"ping","Method":"x"}"#,
            invalid(r#"{"a":[1]}"#),
        ),
    ] {
        let expected = (failure, message.to_owned(), id.to_owned());
        assert_eq!(refused(body), expected, "{body}");
    }
    assert_eq!(
        read(b"{\"method\":\"\xff\"}").unwrap_err().failure,
        Failure::RpcParse
    );
}

#[test]
fn parameters_must_name_the_primitive() {
    for (method, params, expected) in [
        ("tools/call", "", "missing required params object"),
        (
            "tools/call",
            r#","params":null"#,
            "missing required parameter: name",
        ),
        (
            "tools/call",
            r#","params":[]"#,
            "invalid params: expected object",
        ),
        (
            "tools/call",
            r#","params":"x""#,
            "invalid params: expected object",
        ),
        (
            "tools/call",
            r#","params":{}"#,
            "missing required parameter: name",
        ),
        ("tools/call", r#","params":{"name":""}"#, "invalid params"),
        ("tools/call", r#","params":{"name":5}"#, "invalid params"),
        ("tools/call", r#","params":{"name":null}"#, "invalid params"),
        (
            "tools/call",
            r#","params":{"name":"a","Name":"b"}"#,
            "invalid params",
        ),
        (
            "resources/read",
            r#","params":{"name":"x"}"#,
            "missing required parameter: uri",
        ),
        (
            "prompts/get",
            r#","params":{"uri":"x"}"#,
            "missing required parameter: name",
        ),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":"i","method":"{method}"{params}}}"#);
        let expected = (Failure::RpcParams, expected.to_owned(), "\"i\"".to_owned());
        assert_eq!(refused(&body), expected, "{body}");
    }
}

/// Servers differ in which of several members of a name counts.
#[test]
fn a_message_has_one_reading() {
    let message = read(
        br#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","other":1,"other":2,
            "params":{"arguments":{"name":"z","name":"y"},"name":"g\u0065t"}}"#,
    )
    .unwrap();
    assert_eq!(message.method, "tools/call");
    assert_eq!(message.primitive, Some((Category::Tool, "get".to_owned())));
    assert_eq!(message.paths, ["/tools/call"]);
    let call = r#""method":"tools/call","params":{"name":"a"}"#;
    for more in [
        r#""method":"ping""#,
        r#""m\u0065thod":"tools/call""#,
        r#""params":{"name":"b"}"#,
        r#""jsonrpc":"2.0""#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,{call},{more}}}"#);
        assert_eq!(refused(&body).0, Failure::RpcInvalid, "{body}");
    }
    for (method, params) in [
        ("tools/call", r#"{"name":"a","name":"b"}"#),
        ("tools/call", r#"{"name":"a","n\u0061me":"a"}"#),
        // Without these, it would be a method that names nothing.
        ("resources/subscribe", r#"{"uri":"a","uri":"b"}"#),
        ("resources/subscribe", r#"{"uri":"a","URI":1}"#),
        ("resources/unsubscribe", r#"{"uri":"a","Name":1}"#),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        assert_eq!(refused(&body).0, Failure::RpcParams, "{body}");
    }
}

#[test]
fn other_methods_name_nothing() {
    for body in [
        r#"{"jsonrpc":"2.0","method":"vendor/unknown","params":[1,2]}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list","params":{"name":5,"Name":1}}"#,
        r#"{"jsonrpc":"2.0","method":"resources/subscribe","params":[]}"#,
    ] {
        assert_eq!(read(body.as_bytes()).unwrap().primitive, None, "{body}");
    }
    let subscribed =
        r#"{"jsonrpc":"2.0","method":"resources/subscribe","params":{"uri":"file:///a"}}"#;
    let expected = Some((Category::Resource, "file:///a".to_owned()));
    assert_eq!(read(subscribed.as_bytes()).unwrap().primitive, expected);
}

/// Servers ask clients for input, and clients answer in messages of their own.
#[test]
fn an_answer_asks_for_nothing() {
    for body in [
        r#"{"jsonrpc":"2.0","id":"s1","result":{"action":"accept","content":{"name":"x"}}}"#,
        r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-1,"message":"no"}}"#,
    ] {
        let message = read(body.as_bytes()).unwrap();
        assert_eq!(message, Message::unread("\"s1\"".to_owned()), "{body}");
    }
}

#[test]
fn what_a_message_refers_to_is_known() {
    let others = |method: &str, params: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        read(body.as_bytes()).map(|message| message.others)
    };
    let completed = |reference: &str| {
        others(
            "completion/complete",
            &format!(r#"{{"ref":{reference},"argument":{{}}}}"#),
        )
    };
    let prompt = || vec![(Category::Prompt, "p".to_owned())];
    let resources = |uris: &[&str]| -> Vec<(Category, String)> {
        let uris = uris.iter();
        uris.map(|uri| (Category::Resource, (*uri).to_owned()))
            .collect()
    };
    for (reference, expected) in [
        (r#"{"type":"ref/prompt","name":"p","title":"t"}"#, prompt()),
        (
            r#"{"type":"ref/resource","uri":"file:///{p}"}"#,
            resources(&["file:///{p}"]),
        ),
        // A server may look at the members alone.
        (r#"{"type":"ref/else","name":"p"}"#, prompt()),
        (r#"{"type":"ref/prompt"}"#, Vec::new()),
        ("5", Vec::new()),
    ] {
        assert_eq!(completed(reference).unwrap(), expected, "{reference}");
    }
    for reference in [
        r#"{"type":"ref/prompt","name":"p","uri":"u"}"#,
        r#"{"type":"ref/prompt","name":"p","name":"q"}"#,
        r#"{"type":"ref/prompt","Name":"p"}"#,
        r#"{},"ref":{"name":"p"}"#,
        r#"{},"REF":{"name":"p"}"#,
    ] {
        let failure = completed(reference).unwrap_err().failure;
        assert_eq!(failure, Failure::RpcParams, "{reference}");
    }
    let listened = |notifications: &str| {
        let params = format!(r#"{{"notifications":{notifications}}}"#);
        others("subscriptions/listen", &params)
    };
    assert_eq!(
        listened(r#"{"toolsListChanged":true,"resourceSubscriptions":["a",5,"b"]}"#).unwrap(),
        resources(&["a", "b"])
    );
    assert!(
        listened(r#"{"resourceSubscriptions":"a"}"#)
            .unwrap()
            .is_empty()
    );
    for notifications in [
        r#"{"resourceSubscriptions":[],"resourceSubscriptions":["a"]}"#,
        r#"{"resourcesubscriptions":["a"]}"#,
    ] {
        assert!(listened(notifications).is_err(), "{notifications}");
    }
    assert!(
        others("tools/call", r#"{"name":"a","ref":{"name":"p"}}"#)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{open}{close}}}}}"#)
    };
    assert!(read(deep(100).as_bytes()).is_ok());
    assert_eq!(refused(&deep(1000)).0, Failure::RpcParse);
    let long = format!(
        r#"{{{}"jsonrpc":"2.0","method":"tools/call","params":{{"arguments":[{}0],"name":"t"}}}}"#,
        r#""id":[[1],2],"#.repeat(1000),
        "{},".repeat(1000)
    );
    let once = long.replacen(r#""id":[[1],2],"#, "", 999);
    assert_eq!(read(once.as_bytes()).unwrap().id, "[[1],2]");
    assert_eq!(refused(&long).2, "[[1],2]");
}

#[test]
fn a_header_may_be_encoded() {
    assert_eq!(decoded("get_weather").as_deref(), Some("get_weather"));
    assert_eq!(decoded("=?base64?Z3LDvG4=?=").as_deref(), Some("grün"));
    assert_eq!(decoded("=?base64?!?="), None);
}
