use super::*;
use serde_json::{Value as Json, json};

fn read(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

const DOCUMENT: &str = r#"{"openapi": "3.0.3", "info": {"title": "t", "n": 1.0},
  "servers": [{"url": "https://real.example", "description": "ours"}],
  "paths": {"/a/{id}": {"get": {"responses": {}}, "put": {"operationId": "put"}}},
  "x-tyk-api-gateway": {"info": {"name": "t"}, "server": {"listenPath": {"value": "/t/"}}}}"#;

fn served<'a>(before: Option<&'a str>) -> Served<'a> {
    Served {
        id: "api",
        origin: "http://gw:8787",
        before,
        base: None,
    }
}

#[test]
fn stored_document_gets_servers_and_keeps_other_bytes() {
    let text = stored_form(DOCUMENT, &served(None)).unwrap();
    assert!(text.contains("\"title\": \"t\", \"n\": 1.0"), "{text}");
    let stored = read(&text);
    assert_eq!(
        stored["servers"],
        json!([{"url": "http://gw:8787/t"}, {"url": "/t"},
            {"url": "https://real.example", "description": "ours"}])
    );
    assert_eq!(stored["x-tyk-api-gateway"]["info"]["id"], "api");
    assert_eq!(stored["components"], json!({}));
    let path = &stored["paths"]["/a/{id}"];
    assert_eq!(path["get"]["operationId"], "a/{id}GET");
    assert_eq!(path["put"]["operationId"], "put");
    assert_eq!(stored_form(&text, &served(Some(&text))).unwrap(), text);
}

#[test]
fn single_line_document_stays_on_one_line() {
    let line = DOCUMENT.replace('\n', "");
    let text = stored_form(&line, &served(None)).unwrap();
    assert!(!text.contains('\n'), "{text}");
}

#[test]
fn addresses_follow_the_listen_path_and_the_domain() {
    let first = stored_form(DOCUMENT, &served(None)).unwrap();
    let moved = first.replace(
        r#""value": "/t/"}"#,
        r#""value": "/u"}, "customDomain": {"name": "api.example"}"#,
    );
    assert_ne!(moved, first);
    let second = read(&stored_form(&moved, &served(Some(&first))).unwrap());
    assert_eq!(
        second["servers"],
        json!([{"url": "http://api.example/u"}, {"url": "https://real.example", "description": "ours"}])
    );
    let root = DOCUMENT.replace(r#""/t/""#, r#""/""#);
    let root = read(&stored_form(&root, &served(None)).unwrap());
    assert_eq!(root["servers"][0]["url"], "http://gw:8787/");
    assert_eq!(root["servers"][1]["url"], "/");
}

fn urls(text: &str) -> Vec<String> {
    let servers = read(text)["servers"].take();
    let urls = servers.as_array().unwrap().iter();
    urls.map(|server| server["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn addresses_name_the_version() {
    let base = |versioning: &str| {
        DOCUMENT.replace(
            r#""name": "t""#,
            &format!(r#""name": "t", "versioning": {{"enabled": true, "name": "one", "default": "two", "versions": [{{"name": "two", "id": "b"}}], {versioning}}}"#),
        )
    };
    let users = "https://real.example";
    let located = base(r#""location": "url""#);
    let text = stored_form(&located, &served(None)).unwrap();
    let in_path = ["http://gw:8787/t/one", "/t/one", users];
    assert_eq!(urls(&text), in_path);
    let fallback = base(r#""location": "url-param", "key": "v", "fallbackToDefault": true"#);
    let in_query = [
        "http://gw:8787/t?v=one",
        "/t?v=one",
        "http://gw:8787/t",
        "/t",
        users,
    ];
    let later = stored_form(&fallback, &served(Some(&text))).unwrap();
    assert_eq!(urls(&later), in_query);
    let header = base(r#""location": "header", "key": "v""#);
    let text = stored_form(&header, &served(None)).unwrap();
    assert_eq!(urls(&text), ["http://gw:8787/t", "/t", users]);

    let version = |base| Served {
        base: Some((base, "two")),
        ..served(None)
    };
    let other = DOCUMENT.replace("/t/", "/o/");
    let text = stored_form(&other, &version(&located)).unwrap();
    let both = [
        "http://gw:8787/t/two",
        "/t/two",
        "http://gw:8787/o",
        "/o",
        users,
    ];
    assert_eq!(urls(&text), both);
    let internal = other.replace(
        r#""name": "t""#,
        r#""name": "t", "state": {"internal": true}"#,
    );
    let text = stored_form(&internal, &version(&fallback)).unwrap();
    let inner = [
        "http://gw:8787/t?v=two",
        "/t?v=two",
        "http://gw:8787/t",
        "/t",
        users,
    ];
    assert_eq!(urls(&text), inner);
    let text = stored_form(&other, &version(DOCUMENT)).unwrap();
    assert_eq!(urls(&text), ["http://gw:8787/o", "/o", users]);
}

#[test]
fn patterns_of_the_listen_path_become_variables() {
    let document = DOCUMENT.replace("/t/", "/{team:[a-z]{2}}/t/{id}/");
    let text = stored_form(&document, &served(None)).unwrap();
    let variables = json!({"team": {"default": "pathParam1"}, "id": {"default": "pathParam2"}});
    let server = |url: &str| json!({"url": url, "variables": variables});
    let stored = read(&text);
    assert_eq!(stored["servers"][0], server("http://gw:8787/{team}/t/{id}"));
    assert_eq!(stored["servers"][1], server("/{team}/t/{id}"));
    assert_eq!(stored_form(&text, &served(Some(&text))).unwrap(), text);
}

#[test]
fn duplicate_source_is_omitted() {
    let document = |source: &str| {
        format!(
            r#"{{"components":{{"securitySchemes":{{"k":{{"type":"apiKey","in":"header","name":"X-Key"}}}}}},
            "x-gateway-api-gateway":{{"server":{{"authentication":{{"securitySchemes":{{"k":{{"enabled":true,{source}}}}}}}}}}}}}"#
        )
    };
    for (source, left) in [
        (
            r#""header":{"enabled":true,"name":"X-Key"}"#,
            json!({"enabled": true}),
        ),
        (r#""header":{"enabled":true}"#, json!({"enabled": true})),
        (
            r#""header":{"enabled":true,"name":"Other"}"#,
            json!({"enabled": true, "header": {"enabled": true, "name": "Other"}}),
        ),
        (
            r#""query":{"enabled":true,"name":"X-Key"}"#,
            json!({"enabled": true, "query": {"enabled": true, "name": "X-Key"}}),
        ),
    ] {
        let text = stored_form(&document(source), &served(None)).unwrap();
        let scheme = &read(&text)["x-gateway-api-gateway"]["server"]["authentication"];
        assert_eq!(scheme["securitySchemes"]["k"], left, "{source}");
    }
}

#[test]
fn a_patch_keeps_the_extension_and_drops_rules_of_operations_that_are_gone() {
    let stored = r#"{"paths":{"/a":{"get":{"operationId":"a"}},"/b":{"get":{"operationId":"b"}}},
        "servers":[{"url":"https://old.example"}],
        "x-gateway-api-gateway":{"info":{"id":"i"},"middleware":{"operations":{"a":{"allow":{"enabled":true}},"b":{}}}}}"#;
    let sent = r#"{"info":{"title":"new"},"paths":{"/b":{"get":{"operationId":"b"}}}}"#;
    let patched = read(&patched(stored, sent, &Parameters::default()).unwrap());
    assert_eq!(patched["info"]["title"], "new");
    assert_eq!(patched["servers"][0]["url"], "https://old.example");
    assert_eq!(
        patched["x-gateway-api-gateway"],
        json!({"info": {"id": "i"}, "middleware": {"operations": {"b": {}}}})
    );
}

#[test]
fn a_patch_applies_its_parameters_to_the_extension_that_comes_with_it() {
    let stored = r#"{"paths":{},"servers":[{"url":"https://old.example"}],
        "x-tyk-api-gateway":{"info":{"id":"i","name":"old"},"server":{"listenPath":{"value":"/old/"}}}}"#;
    let sent = r#"{"paths":{"/b":{"get":{"operationId":"b"}}},
        "x-gateway-api-gateway":{"info":{"id":"i","name":"new"},"middleware":{"operations":{"b":{"block":{"enabled":true}},"gone":{}}}}}"#;
    let parameters = Parameters {
        listen_path: Some("/new/".to_owned()),
        ..Parameters::default()
    };
    let patched = read(&patched(stored, sent, &parameters).unwrap());
    assert_eq!(patched["servers"][0]["url"], "https://old.example");
    assert_eq!(patched.get("x-tyk-api-gateway"), None);
    assert_eq!(
        patched["x-gateway-api-gateway"],
        json!({"info": {"id": "i", "name": "new"}, "server": {"listenPath": {"value": "/new/"}},
            "middleware": {"operations": {"b": {"block": {"enabled": true}}}}})
    );
}

#[test]
fn import_applies_its_parameters() {
    let sent = r#"{"info":{"title":"Pets"},"servers":[{"url":"https://{stage}.example/api","variables":{"stage":{"default":"v1"}}}],
        "components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"},"j":{"type":"http","scheme":"bearer"}}},
        "security":[{"k":[]}],
        "paths":{"/a":{"parameters":[{"name":"n"}],"get":{"operationId":"a","responses":{"200":{"content":{"application/json":{"schema":{}}}}}}},
            "/b":{"get":{"operationId":"b","responses":{"204":{}}}}}}"#;
    let parameters = Parameters {
        listen_path: Some("/pets/".to_owned()),
        allow_list: Some(true),
        validate_request: Some(true),
        mock_response: Some(false),
        authentication: Some(true),
        ..Parameters::default()
    };
    let made = read(&imported(sent, &parameters).unwrap());
    assert_eq!(
        made[EXTENSION],
        json!({
            "info": {"name": "Pets", "state": {"active": true}},
            "upstream": {"url": "https://v1.example/api"},
            "server": {
                "listenPath": {"value": "/pets/", "strip": true},
                "authentication": {"enabled": true, "securitySchemes":
                    {"k": {"enabled": true, "query": {"enabled": true, "name": "key"}}}},
            },
            "middleware": {
                "global": {"contextVariables": {"enabled": true}, "trafficLogs": {"enabled": true}},
                "operations": {
                    "a": {
                        "allow": {"enabled": true},
                        "validateRequest": {"enabled": true, "errorResponseCode": 422},
                        "mockResponse": {"enabled": false, "fromOASExamples": {"enabled": false}},
                    },
                    "b": {"allow": {"enabled": true}},
                },
            },
        })
    );
}

/// An operation is validated if it has parameters or a body of JSON, and mocked if one of its answers has an example or a
/// schema.
#[test]
fn operations_without_anything_to_check_or_to_show_are_left_alone() {
    let rules = |operation: &str| {
        let sent = format!(
            r##"{{"info":{{"title":"t"}},"paths":{{"/a":{{"post":{{"operationId":"a",{operation}}}}}}},"components":{{
                "responses":{{"j":{{"content":{{"application/json":{{"example":1}}}}}}}}}}}}"##
        );
        let parameters = Parameters {
            upstream_url: Some("https://a".to_owned()),
            validate_request: Some(true),
            mock_response: Some(true),
            ..Parameters::default()
        };
        let made = read(&imported(&sent, &parameters).unwrap());
        let rules = &made[EXTENSION]["middleware"]["operations"]["a"];
        ["validateRequest", "mockResponse"].map(|rule| rules.get(rule).is_some())
    };
    assert_eq!(rules(r#""summary":"A""#), [false, false]);
    for (media, validated) in [
        (r#""application/json":{}"#, true),
        (r#""text/plain":{},"application/*":{}"#, true),
        (r#""*/*":{}"#, true),
        (r#""application/x-www-form-urlencoded":{}"#, false),
        ("", false),
    ] {
        let body = format!(r#""requestBody":{{"content":{{{media}}}}}"#);
        assert_eq!(rules(&body), [validated, false], "{media}");
    }
    let shared = r##""requestBody":{"$ref":"#/components/responses/j"}"##;
    assert_eq!(rules(shared), [true, false]);
    for (media, mocked) in [
        (r#""a/b":{},"c/d":{"example":0}"#, true),
        (r#""a/b":{"examples":{"e":{"value":1}}}"#, true),
        (r#""a/b":{"schema":{}}"#, true),
        (r#""a/b":{"example":null,"examples":{}}"#, false),
        (r#""a/b":{}"#, false),
    ] {
        let answer = format!(r#""responses":{{"200":{{"content":{{{media}}}}}}}"#);
        assert_eq!(rules(&answer), [false, mocked], "{media}");
    }
    let shared = r##""responses":{"200":{"$ref":"#/components/responses/j"}}"##;
    assert_eq!(rules(shared), [false, true]);
}

#[test]
fn a_domain_that_is_switched_off_stays_off() {
    let parameters = Parameters {
        custom_domain: Some("new.example".to_owned()),
        ..Parameters::default()
    };
    for (stored, expected) in [
        ("", json!({"enabled": true, "name": "new.example"})),
        (
            r#""customDomain":{"enabled":false,"name":"old.example"}"#,
            json!({"enabled": false, "name": "new.example"}),
        ),
    ] {
        let stored = format!(r#"{{"x-gateway-api-gateway":{{"server":{{{stored}}}}}}}"#);
        let made = read(&patched(&stored, &stored, &parameters).unwrap());
        assert_eq!(made[EXTENSION]["server"]["customDomain"], expected);
    }
}

#[test]
fn allowing_everything_blocks_nothing() {
    let stored = r#"{"paths":{"/a":{"get":{"operationId":"a"},"put":{"operationId":"b"}}},"x-gateway-api-gateway":
        {"middleware":{"operations":{"a":{"block":{"enabled":true,"ignoreCase":true}},"b":{"block":{"enabled":false}}}}}}"#;
    for (on, blocked) in [(true, false), (false, true)] {
        let parameters = Parameters {
            allow_list: Some(on),
            ..Parameters::default()
        };
        let made = read(&patched(stored, stored, &parameters).unwrap());
        let rules = &made[EXTENSION]["middleware"]["operations"];
        assert_eq!(
            rules,
            &json!({
                "a": {"block": {"enabled": blocked, "ignoreCase": true}, "allow": {"enabled": on}},
                "b": {"block": {"enabled": false}, "allow": {"enabled": on}},
            })
        );
    }
}

#[test]
fn base_identity_is_set_for_combined_methods() {
    for (security, base) in [
        (r#"[{"k":[]}]"#, json!(null)),
        (r#"[{"k":[]},{"b":[]}]"#, json!("auth_token")),
        (r#"[{"b":[]},{"k":[]}]"#, json!(null)),
        (r#"[{"b":[],"j":[]},{"o":[]}]"#, json!("jwt_claim")),
        (r#"[{"b":[],"k":[],"j":[]}]"#, json!("auth_token")),
        (r#"[{"o":[],"j":[]}]"#, json!("jwt_claim")),
        (r#"[{"b":[],"o":[]}]"#, json!("oauth_key")),
    ] {
        let sent = format!(
            r#"{{"info":{{"title":"t"}},"servers":[{{"url":"https://a"}}],"security":{security},"components":{{"securitySchemes":{{
                "k":{{"type":"apiKey","in":"query","name":"key"}},"b":{{"type":"http","scheme":"basic"}},
                "j":{{"type":"http","scheme":"bearer","bearerFormat":"JWT"}},"o":{{"type":"oauth2"}}}}}}}}"#
        );
        let parameters = Parameters {
            authentication: Some(true),
            ..Parameters::default()
        };
        let made = read(&imported(&sent, &parameters).unwrap());
        let authentication = &made[EXTENSION]["server"]["authentication"];
        assert_eq!(authentication["baseIdentityProvider"], base, "{security}");
    }
}

/// Otherwise the extension would have a method that the gateway doesn't know, or one that nobody has described.
#[test]
fn schemes_without_a_method_of_the_gateway_are_left_out() {
    let sent = r#"{"info":{"title":"t"},"servers":[{"url":"https://a"}],"security":[{"k":[],"o":[]},{"d":[]},{"b":[]}],
        "components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"},"d":{"type":"http","scheme":"digest"},
        "b":{"type":"http","scheme":"bearer"},"o":{"type":"openIdConnect","openIdConnectUrl":"https://a/o"}}}}"#;
    let parameters = Parameters {
        authentication: Some(true),
        ..Parameters::default()
    };
    let authentication = |sent: &str| {
        read(&imported(sent, &parameters).unwrap())[EXTENSION]["server"]["authentication"].take()
    };
    let key = json!({"enabled": true, "query": {"enabled": true, "name": "key"}});
    assert_eq!(
        authentication(sent),
        json!({"enabled": true, "securitySchemes": {"k": key}})
    );
    let without = sent.replace(r#"{"k":[],"o":[]},"#, "");
    assert_eq!(authentication(&without), json!({"enabled": true}));
}

#[test]
fn mocks_of_a_patch_select_no_example() {
    let stored = r#"{"paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"content":{"application/json":{"example":1}}}}}}},
        "x-gateway-api-gateway":{"middleware":{"operations":{"a":{"mockResponse":{"enabled":false,"body":"b",
            "fromOASExamples":{"enabled":false,"code":201,"contentType":"a/b","exampleName":"n"}}}}}}}"#;
    let parameters = Parameters {
        mock_response: Some(true),
        ..Parameters::default()
    };
    let made = read(&patched(stored, stored, &parameters).unwrap());
    assert_eq!(
        made[EXTENSION]["middleware"]["operations"]["a"]["mockResponse"],
        json!({"enabled": true, "body": "b", "fromOASExamples": {"enabled": true}})
    );
}

#[test]
fn authentication_that_is_switched_off_keeps_its_schemes() {
    let sent = r#"{"info":{"title":"t"},"servers":[{"url":"https://a"}],"security":[{"k":[]},{"b":[]}],
        "components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"},"b":{"type":"http","scheme":"basic"}}}}"#;
    let authentication = |parameters: &Parameters| {
        read(&imported(sent, parameters).unwrap())[EXTENSION]["server"]["authentication"].take()
    };
    let off = authentication(&Parameters {
        authentication: Some(false),
        ..Parameters::default()
    });
    assert_eq!(off["enabled"], json!(false));
    assert_eq!(off["securitySchemes"]["k"]["enabled"], json!(false));
    assert_eq!(off["securitySchemes"]["b"]["enabled"], json!(false));
    // Without `security`, only authentication that is switched on lacks something.
    let sent = r#"{"info":{"title":"t"},"servers":[{"url":"https://a"}]}"#;
    let without = imported(
        sent,
        &Parameters {
            authentication: Some(false),
            ..Parameters::default()
        },
    );
    let without = &read(&without.unwrap())[EXTENSION]["server"]["authentication"];
    assert_eq!(*without, json!({ "enabled": false }));
    let mode = authentication(&Parameters {
        security_processing_mode: Some("compliant".to_owned()),
        ..Parameters::default()
    });
    let expected = json!({"enabled": false, "securityProcessingMode": "compliant"});
    assert_eq!(mode, expected);
}

#[test]
fn failures_are_explained() {
    let parameters = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters::default();
        change(&mut parameters);
        parameters
    };
    let upstream = parameters(|wanted| wanted.upstream_url = Some("no-scheme.example".to_owned()));
    let error = imported("{}", &upstream).unwrap_err();
    assert!(
        error.0.starts_with("The manually configured upstream"),
        "{error:?}"
    );
    let guarded = parameters(|wanted| wanted.authentication = Some(true));
    let error = imported("{}", &guarded).unwrap_err();
    assert!(
        error.0.starts_with("The ‘security’ object is empty"),
        "{error:?}"
    );
    for (document, start) in [
        ("{}", "The ‘servers’ object is empty"),
        (
            r#"{"servers":[{"url":"/a"}]}"#,
            "The first entry in the ‘servers’",
        ),
    ] {
        let error = has_upstream(document).unwrap_err();
        assert!(error.0.starts_with(start), "{error:?}");
    }
    assert_eq!(has_upstream(r#"{"servers":[{"url":"http://a"}]}"#), Ok(()));
}

#[test]
fn the_public_form_has_no_extension() {
    assert_eq!(
        public(r#"{"a":1,"x-gateway-api-gateway":{},"x-tyk-api-gateway":{}}"#).unwrap(),
        r#"{"a":1}"#
    );
}
