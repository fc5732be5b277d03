//! Servers and titles, choices of a person, and the predicted consequences of a choice.

use super::*;

#[test]
fn servers_and_titles_of_every_kind() {
    let target = |servers: &str| {
        let text = format!(
            r#"{{"openapi":"3.0.0","info":{{"title":"Gateway"}},"servers":{servers},"paths":{{}}}}"#
        );
        let (text, report) = imported(&text, &Options::default());
        (at(&text, "/proxy/target_url"), report.join("\n"))
    };
    assert_eq!(
        target(r#"[{"url":"https://a.example:8443/x"}]"#).0,
        r#""https://a.example:8443/x""#
    );
    for servers in [
        "[]",
        "null",
        r#"[{"url":"/v1"}]"#,
        r#"[{"url":"https://{h}/"}]"#,
        r#"[{}]"#,
    ] {
        let (url, report) = target(servers);
        assert_eq!(url, r#""""#, "{servers}");
        assert!(
            report.contains("write the upstream into proxy.target_url"),
            "{servers}"
        );
    }
    assert!(
        target("[]").1.contains("the listen path /api-gateway/"),
        "a reserved path"
    );
    assert_eq!(address::slug("  Ünï—code & Co.  "), "n-code-co");
    assert_eq!(address::slug(&"ab ".repeat(60)).len(), 64);
    let (text, _) = imported(r#"{"openapi":"3.0.0","paths":{}}"#, &Options::default());
    assert_eq!(at(&text, "/proxy/listen_path"), r#""/""#);
}

#[test]
fn explicit_choices_override_the_extension() {
    let text = format!(
        r#"{{"openapi":"3.0.0","info":{{"title":"a"}},"paths":{{}},"{}":{{"info":{{"id":"i","name":"n"}},
        "server":{{"listenPath":{{"value":"/n/"}},"customDomain":{{"name":"n.example"}}}},"upstream":{{"url":"http://n.example"}}}}}}"#,
        EXTENSIONS[0]
    );
    let chosen = |text: &str| Some(text.to_owned());
    let options = Options {
        name: chosen("Mine"),
        api_id: chosen("mine"),
        listen_path: chosen("/mine/"),
        upstream_url: chosen("http://mine.example"),
        domain: chosen("mine.example"),
        ..Options::default()
    };
    let (text, report) = imported(&text, &options);
    for (pointer, expected) in [
        ("/name", r#""Mine""#),
        ("/api_id", r#""mine""#),
        ("/proxy/listen_path", r#""/mine/""#),
        ("/proxy/target_url", r#""http://mine.example""#),
        ("/domain", r#""mine.example""#),
    ] {
        assert_eq!(at(&text, pointer), expected, "{pointer}");
    }
    assert!(report.contains(&"- /info/title another name was chosen".to_owned()));
}

#[test]
fn chosen_server_is_used_and_relative_ones_are_resolved() {
    let of = |server: usize, document_url: Option<&str>| {
        let text = r#"{"openapi":"3.0.0","paths":{},"servers":[{"url":"v1"},{"url":"/v2"},{"url":"//c.example"},{"url":"https://d.example"}]}"#;
        let options = Options {
            server,
            document_url: document_url.map(str::to_owned),
            ..Options::default()
        };
        at(&imported(text, &options).0, "/proxy/target_url")
    };
    let base = Some("https://docs.example:8443/a/openapi.yaml?x=/y");
    assert_eq!(of(0, base), r#""https://docs.example:8443/a/v1""#);
    assert_eq!(of(1, base), r#""https://docs.example:8443/v2""#);
    assert_eq!(of(2, base), r#""https://c.example""#);
    assert_eq!(of(3, base), r#""https://d.example""#);
    assert_eq!(of(9, base), of(0, base), "there is no such server");
    assert_eq!(of(0, Some("http://host")), r#""http://host/v1""#);
    for nothing in [None, Some("x"), Some("file:///a")] {
        assert_eq!(of(1, nothing), r#""""#, "{nothing:?}");
    }
}

#[test]
fn summary_counts_the_document_contents() {
    let summary = import(PETS, &Options::default()).unwrap().summary;
    assert_eq!(
        (summary.openapi.as_str(), summary.version.as_str()),
        ("3.1.0", "1")
    );
    assert_eq!((summary.paths, summary.operations), (1, 2));
    let servers: Vec<_> = summary
        .servers
        .iter()
        .map(|server| (server.written.as_str(), server.url.as_str()))
        .collect();
    assert_eq!(
        servers,
        [
            ("https://{host}/{base}", "https://pets.example/v2"),
            ("https://other.example", "https://other.example")
        ]
    );
    assert!(summary.schemes.is_empty());
}

/// Returns the issues of the definition that a document becomes.
fn found(options: &Options) -> Vec<crate::IssueCode> {
    let (text, _) = imported(PETS, options);
    validate(&text).iter().map(|issue| issue.code).collect()
}

#[test]
fn import_enables_nothing_it_warns_about() {
    assert_eq!(found(&Options::default()), []);
}

#[test]
fn choices_predict_the_findings() {
    for choice in PathChoice::ALL {
        let options = format!("{{\"{}\":true}}", choice.name());
        let found = found(&serde_json::from_str(&options).unwrap());
        let expected = choice.consequence();
        assert_eq!(
            expected.is_some(),
            !found.is_empty(),
            "{choice:?} {found:?}"
        );
        let unserved = [crate::IssueCode::NotProtected, crate::IssueCode::NotServed]
            .iter()
            .any(|code| found.contains(code));
        let said = expected.is_some_and(|text| text.contains("not served"));
        assert_eq!(said, unserved, "{choice:?}");
    }
}
