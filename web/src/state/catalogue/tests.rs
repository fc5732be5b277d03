use super::*;
use gatewright_model::mcp::Category::{Prompt, Resource, Tool};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PROXY: &str = r#"{"openapi":"3.0.3","paths":{},"x-gateway-api-gateway":{"upstream":{"url":"http://a.example/mcp"},
  "middleware":{"mcpTools":{"add":{"allow":{"enabled":true},"rateLimit":{"enabled":true,"rate":5,"per":"1m"}},
      "drop":{"allow":{"enabled":true},"block":{"enabled":true}},"half":{"allow":{"enabled":false}}},
    "mcpResources":{"file:///repo/*":{"block":{"enabled":true},"rateLimit":{"enabled":true,"rate":1,"per":"1s"}}}}}}"#;

fn verdict(proxy: &Proxy, category: Category, name: &str) -> (bool, String) {
    let Verdict { passes, why, .. } = proxy.verdict(category, name);
    (passes, why)
}

#[test]
fn proxy_explains_what_it_allows() {
    let proxy = Proxy::of(PROXY);
    for (category, name, passes, why) in [
        (Tool, "add", true, "Allowed by a rule of its own."),
        (Tool, "drop", false, "Blocked by a rule of its own."),
        (
            Tool,
            "half",
            false,
            "Other tools are allowed, but not this one.",
        ),
        (
            Tool,
            "other",
            false,
            "Other tools are allowed, but not this one.",
        ),
        (
            Resource,
            "file:///repo/a",
            false,
            "Blocked by the rule for file:///repo/*.",
        ),
        (
            Resource,
            "file:///x/%2e%2e/repo/a",
            false,
            "Blocked by the rule for file:///repo/*.",
        ),
        (Resource, "file:///other", true, "No rule forbids it."),
        (Prompt, "review", true, "All prompts are allowed."),
    ] {
        assert_eq!(
            verdict(&proxy, category, name),
            (passes, why.to_owned()),
            "{name}"
        );
    }
    assert_eq!(proxy.rate(Tool, "add").as_deref(), Some("5 per 1m"));
    assert_eq!(
        proxy.rate(Resource, "file:///repo/a").as_deref(),
        Some("1 per 1s")
    );
    assert_eq!(proxy.rate(Tool, "other"), None);
    assert_eq!(
        proxy.ruled(Tool).collect::<Vec<_>>(),
        ["add", "drop", "half"]
    );
    assert_eq!(Proxy::of("{"), Proxy::default());
}

#[test]
fn method_rules_apply_to_its_primitives() {
    let with = |rules: &str| {
        let paths = r#""paths":{"/tools/call":{"post":{"operationId":"call"}},"/ping":{"post":{"operationId":"ping"}}}"#;
        let operations = format!("\"middleware\":{{\"operations\":{rules},");
        let text = PROXY
            .replace("\"paths\":{}", paths)
            .replace("\"middleware\":{", &operations);
        Proxy::of(&text)
    };
    let blocked = with(r#"{"call":{"block":{"enabled":true}}}"#);
    assert_eq!(
        verdict(&blocked, Tool, "add"),
        (false, "The method tools/call is blocked.".to_owned())
    );
    assert!(verdict(&blocked, Prompt, "a").0);
    let other = with(r#"{"ping":{"allow":{"enabled":true}}}"#);
    assert_eq!(
        verdict(&other, Tool, "add").1,
        "Other methods are allowed, but not tools/call."
    );
    let own = with(r#"{"call":{"allow":{"enabled":true}}}"#);
    assert!(verdict(&own, Tool, "add").0 && !verdict(&own, Prompt, "a").0);
}

#[test]
fn keyless_primitives_are_open_on_a_keyed_proxy() {
    let open = r#""ignoreAuthentication":{"enabled":true}"#;
    let tools = format!(
        r#""mcpTools":{{"free":{{{open}}},"off":{{"ignoreAuthentication":{{"enabled":false}}}},
            "shut":{{{open},"block":{{"enabled":true}}}}}},"mcpResources":{{"file:///open/*":{{{open}}}}}"#
    );
    let with = |paths: &str, more: &str| {
        Proxy::of(&format!(
            r#"{{"paths":{{{paths}}},"x-gateway-api-gateway":{{"middleware":{{{more}{tools}}}}}}}"#
        ))
    };
    let proxy = with("", "");
    for (category, name, passes, is_open) in [
        (Tool, "free", true, true),
        (Tool, "off", true, false),
        (Tool, "other", true, false),
        (Tool, "shut", false, false),
        (Resource, "file:///open/a", true, true),
        (Resource, "file:///a", true, false),
    ] {
        let verdict = proxy.verdict(category, name);
        let said = (verdict.passes, verdict.is_open);
        assert_eq!(said, (passes, is_open), "{name}");
    }
    // An open method opens everything used through it, even if another rule would close it.
    let call = r#""/tools/call":{"post":{"operationId":"call"}}"#;
    let rules = format!(r#""operations":{{"call":{{{open},"block":{{"enabled":true}}}}}},"#);
    let method = with(call, &rules);
    for (category, name, passes, is_open) in [
        (Tool, "other", true, true),
        (Tool, "shut", false, false),
        (Resource, "file:///a", true, false),
    ] {
        let verdict = method.verdict(category, name);
        let said = (verdict.passes, verdict.is_open);
        assert_eq!(said, (passes, is_open), "{name}");
    }
}

#[test]
fn rights_decide_as_the_gateway_does() {
    let session = r#"{"access_rights":{"p":{"json_rpc_methods_access_rights":{"blocked":["prompts/.*"]},
        "mcp_access_rights":{"tools":{"allowed":["get_.*"],"blocked":["get_secret"]},"resources":{"blocked":["("]}},
        "mcp_primitives":[{"type":"tool","name":"get_a","limit":{"rate":2,"per":60}}]}}}"#;
    let caller = Caller::of(CallerKind::Key, session, "p").unwrap();
    let no = |why: &str| Permission::No(why.to_owned());
    for (category, name, expected) in [
        (
            Tool,
            "get_a",
            Permission::Yes(vec!["2 per minute".to_owned()]),
        ),
        (Tool, "get_b", Permission::Yes(Vec::new())),
        (Tool, "get_secret", no("Its rights block it.")),
        (
            Tool,
            "forget_a",
            no("Its rights allow other tools, but not this one."),
        ),
        (Prompt, "a", no("Its rights block the method prompts/get.")),
        (
            Resource,
            "a",
            no("An expression for blocked resources can't be read: all are refused."),
        ),
    ] {
        assert_eq!(caller.may(category, name), expected, "{name}");
    }
    assert!(
        Caller::of(CallerKind::Key, session, "q").is_none()
            && Caller::of(CallerKind::Key, "{", "p").is_none()
    );
}

#[test]
fn invalid_rights_grant_nothing() {
    for right in ["null", "[]", "true", "\"p\""] {
        let text = format!("{{\"access_rights\":{{\"p\":{right}}}}}");
        for kind in [CallerKind::Key, CallerKind::Policy] {
            assert!(Caller::of(kind, &text, "p").is_none(), "{text}");
        }
    }
}

#[test]
fn oversized_expression_is_refused_like_in_the_gateway() {
    let session =
        r#"{"access_rights":{"p":{"mcp_access_rights":{"prompts":{"blocked":["(a{99}){99}"]}}}}}"#;
    let caller = Caller::of(CallerKind::Key, session, "p").unwrap();
    let expected = "An expression for blocked prompts can't be read: all are refused.";
    assert_eq!(caller.may(Prompt, "b"), Permission::No(expected.to_owned()));
}

#[test]
fn category_is_known_once_its_lists_are_complete() {
    let listed = |name: &str| Listed {
        name: name.to_owned(),
        ..Listed::default()
    };
    let categories = |offer: &Offer| Category::ALL.map(|category| offer.is_complete(category));
    let mut offer = Offer::default();
    assert_eq!(categories(&offer), [false; 3], "nobody has answered yet");
    offer.take(Tool, "tools/list", vec![listed("add")], End::Complete);
    offer.take(Resource, "resources/list", Vec::new(), End::Complete);
    let why = || End::Failed("Status 500.".to_owned());
    offer.take(Resource, "resources/templates/list", Vec::new(), why());
    offer.take(Prompt, "prompts/list", vec![listed("a")], End::TooLong);
    assert_eq!(categories(&offer), [true, false, false]);
    assert_eq!(offer.listed, [(Tool, listed("add")), (Prompt, listed("a"))]);
    let troubles = |offer: &Offer| {
        let troubles = offer.troubles.iter();
        let said = troubles.map(|(what, why)| format!("{what} {why}"));
        said.collect::<Vec<_>>()
    };
    assert_eq!(
        troubles(&offer),
        [
            "resources/templates/list is not answered. Status 500.",
            "prompts/list has more than 20 pages: the rest is not shown."
        ]
    );
    let mut broken = Offer::default();
    broken.take(Tool, "tools/list", vec![listed("add")], why());
    assert_eq!(
        troubles(&broken),
        ["tools/list is answered only in part. Status 500."]
    );
    assert_eq!(categories(&Offer::of_tools(Vec::new())), [true; 3]);
    let refused = Offer::refused("It can't be asked.".to_owned(), String::new());
    assert_eq!(categories(&refused), [false; 3]);
}

#[test]
fn every_list_is_requested_from_the_server() {
    let methods: Vec<&str> = list_methods().map(|(method, _)| method).collect();
    assert_eq!(
        methods,
        [
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "prompts/list"
        ]
    );
}

#[test]
fn enabled_access_policy_grants_rights() {
    let policy = |more: &str| format!("{{\"access_rights\":{{\"p\":{{}}}}{more}}}");
    let of = |more: &str| Caller::of(CallerKind::Policy, &policy(more), "p");
    let open = of("").unwrap();
    assert_eq!(open.may(Tool, "x"), Permission::Yes(Vec::new()));
    assert!(of(r#","partitions":{"quota":true}"#).is_none());
    assert!(of(r#","partitions":{"quota":true,"acl":true}"#).is_some());
    let off = of(r#","is_inactive":true"#).unwrap();
    assert_eq!(
        off.may(Tool, "x"),
        Permission::No("It is inactive: keys with it are refused.".to_owned())
    );
}

#[test]
fn operation_tools_are_read_from_the_document() {
    let expanded = r#"{"x-gateway-mcp-server":{"primitives":[
        {"name":"pet","description":"One","inputSchema":{"type":"object"}},{"name":"gone","source":{"operationId":"x"}}]}}"#;
    let expected = Listed {
        name: "pet".to_owned(),
        about: "One".to_owned(),
        takes: r#"{"type":"object"}"#.to_owned(),
    };
    assert_eq!(of_operations(expanded), [expected]);
    assert_eq!(
        source_of(&PROXY.replace("http://a.example/mcp", "gateway://pets/mcp")).as_deref(),
        Some("pets")
    );
    assert_eq!(source_of(PROXY), None);
    assert_eq!(
        unlocked(r#"{"use_keyless": false}"#).unwrap(),
        r#"{"use_keyless": true}"#
    );
}
