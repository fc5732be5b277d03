//! Which rights a request takes that is tried.

use super::*;

#[test]
fn debugging_with_stored_key_requires_key_read_right() {
    let gate = Memory::default();
    let tools = issue(&gate, "tools", &json!({"tools": "write"}));
    let both = issue(&gate, "both", &json!({"tools": "write", "keys": "read"}));
    let ask = |more: &str| {
        format!(
            r#"{{"api_id":"orders","request":{{"method":"GET","path":"/orders/x","headers":{{}}}}{more}}}"#
        )
    };
    let with_key = ask(r#","key_hash":"00ff""#);
    let refused = call(&gate, &tools, "POST", "/gateway/debug", &with_key);
    assert!(is_refused(&refused), "{}", refused.body);
    assert!(
        refused
            .body
            .contains("the right to read the gateway's keys, because /key_hash names a stored one"),
        "{}",
        refused.body
    );
    let allowed = [
        call(&gate, &both, "POST", "/gateway/debug", &with_key),
        call(&gate, &tools, "POST", "/gateway/debug", &ask("")),
        call(
            &gate,
            &tools,
            "POST",
            "/gateway/debug",
            &ask(r#","key_hash":"""#),
        ),
        now(gate.send("POST", "/gateway/debug", &with_key)),
    ];
    for answer in allowed {
        assert!(!is_refused(&answer), "{}", answer.body);
    }
}

#[test]
fn debugging_with_a_definition_of_ones_own_requires_the_right_to_write_apis() {
    let gate = Memory::default();
    let reader = issue(&gate, "a", &json!({"tools": "write", "apis": "read"}));
    let writer = issue(&gate, "b", &json!({"tools": "write", "apis": "write"}));
    let document = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"servers":[{"url":"http://10.0.0.1/"}]}"#;
    let definition = r#"{"api_id":"x","name":"x","use_keyless":true,"proxy":{"listen_path":"/x/","target_url":"http://10.0.0.1/"}}"#;
    for given in [
        format!(r#""spec":{definition}"#),
        format!(r#""oas":{document}"#),
        format!(r#""api_id":"orders","spec":{definition}"#),
    ] {
        let ask = format!(r#"{{{given},"request":{{"method":"GET","path":"/","headers":{{}}}}}}"#);
        let refused = call(&gate, &reader, "POST", "/gateway/debug", &ask);
        assert!(is_refused(&refused), "{}", refused.body);
        assert!(
            refused.body.contains(
                "the right to write the gateway's apis, because the definition to try is sent along"
            ),
            "{}",
            refused.body
        );
        for answer in [
            call(&gate, &writer, "POST", "/gateway/debug", &ask),
            now(gate.send("POST", "/gateway/debug", &ask)),
        ] {
            assert!(!is_refused(&answer), "{}", answer.body);
        }
    }
    // No definition is sent.
    let ask =
        r#"{"api_id":"orders","spec":null,"request":{"method":"GET","path":"/","headers":{}}}"#;
    let answer = call(&gate, &reader, "POST", "/gateway/debug", ask);
    assert!(!is_refused(&answer), "{}", answer.body);
}

#[test]
fn debugging_shows_set_headers_only_to_writers_of_apis() {
    let gate = Memory::default();
    let mut definition: Value = serde_json::from_str(API).unwrap();
    definition["active"] = json!(true);
    definition["version_data"]["versions"]["Default"]["global_headers"] =
        json!({"X-Key": "canary"});
    let made = now(gate.send("POST", "/gateway/apis", &definition.to_string()));
    assert_eq!(made.status, 200, "{}", made.body);
    assert_eq!(
        now(gate.send("GET", "/gateway/reload?block=true", "")).status,
        200
    );
    let reader = issue(&gate, "a", &json!({"tools": "write", "apis": "read"}));
    let writer = issue(&gate, "b", &json!({"tools": "write", "apis": "write"}));
    let ask = |more: &str| {
        format!(
            r#"{{"api_id":"orders","request":{{"method":"GET","path":"/","headers":{{}}}}{more}}}"#
        )
    };
    // The upstream of these tests answers with the request.
    let steps = |answer: &Response| {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let body = value(answer);
        format!("{}{}", body["trace"], body["logs"])
    };
    for more in ["", r#","hides_values":false"#] {
        let seen = steps(&call(&gate, &reader, "POST", "/gateway/debug", &ask(more)));
        assert!(!seen.contains("canary"), "{seen}");
        assert!(seen.contains("x-key"), "{seen}");
    }
    for answer in [
        call(&gate, &writer, "POST", "/gateway/debug", &ask("")),
        now(gate.send("POST", "/gateway/debug", &ask(""))),
    ] {
        assert!(steps(&answer).contains("canary"), "{}", answer.body);
    }
}
