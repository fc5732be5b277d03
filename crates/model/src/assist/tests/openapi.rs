//! OpenAPI documents with the extension.

use crate::assist::{Completion, Hover, complete, hover};
use crate::form::Subject;
use crate::openapi::DocumentKind;

const OAS: Subject = Subject::OpenApi(DocumentKind::Oas);

/// Wraps an extension in a document.
fn document(extension: &str) -> String {
    format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"t","version":"1"}},
        "paths":{{"/pets":{{"get":{{"operationId":"listPets","responses":{{}}}},"post":{{"responses":{{}}}}}}}},
        "components":{{"securitySchemes":{{"key":{{"type":"apiKey","in":"header","name":"X"}}}}}},
        "x-tyk-api-gateway":{{{extension}}}}}"#
    )
}

/// Returns the completions at the `|` of a text.
fn offered(subject: Subject, marked: &str) -> Vec<Completion> {
    let offset = marked.find('|').unwrap();
    complete(subject, &marked.replacen('|', "", 1), offset, &|_| {
        Vec::new()
    })
}

fn labels(marked: &str) -> Vec<String> {
    let offers = offered(OAS, marked).into_iter();
    offers.map(|offer| offer.label).collect()
}

fn at(text: &str, needle: &str) -> Option<Hover> {
    hover(OAS, text, text.find(needle).unwrap())
}

#[test]
fn extension_members_are_offered_with_descriptions() {
    let offers = offered(OAS, &document(r#""server":{"|"}"#));
    let path = offers.iter().find(|offer| offer.label == "listenPath");
    let path = path.unwrap_or_else(|| panic!("{offers:?}"));
    assert_eq!(path.support, "enforced");
    assert!(!path.doc.is_empty());
    let unfinished = document(r#""upstream":{"url":"http://a", "lo|"#);
    assert!(labels(&unfinished).contains(&"loadBalancing".to_owned()));
    let rules = document(r#""middleware":{"operations":{"listPets":{"|"}}}"#);
    for name in ["allow", "rateLimit", "validateRequest"] {
        assert!(labels(&rules).contains(&name.to_owned()), "{name}");
    }
}

#[test]
fn values_of_the_extension_are_offered() {
    let switch = document(r#""server":{"listenPath":{"strip": |}}"#);
    assert_eq!(labels(&switch), ["true", "false"]);
    let mode = document(r#""server":{"authentication":{"securityProcessingMode": |}}"#);
    assert_eq!(labels(&mode), ["\"legacy\"", "\"compliant\""]);
    assert_eq!(labels(&document(r#""server": |"#)), ["{}"]);
}

#[test]
fn entries_are_offered_by_names_used_in_the_document() {
    let operations = r#""middleware":{"operations":{"|"}}"#;
    let offers = offered(OAS, &document(operations));
    let named: Vec<_> = offers
        .iter()
        .map(|offer| (offer.label.as_str(), offer.detail.as_str()))
        .collect();
    assert_eq!(
        named,
        [("listPets", "GET /pets"), ("petsPOST", "POST /pets")]
    );
    assert_eq!(offers[0].insert, r#""listPets": {}"#);
    let one = r#""middleware":{"operations":{"listPets":{}, "|"}}"#;
    assert_eq!(labels(&document(one)), ["petsPOST"]);
    let before = r#""middleware":{"operations":{|"listPets":{}}}"#;
    assert_eq!(labels(&document(before)), ["petsPOST"]);
    let schemes = r#""server":{"authentication":{"securitySchemes":{|}}}"#;
    assert_eq!(labels(&document(schemes)), ["key"]);
}

#[test]
fn members_of_the_extension_are_explained() {
    let text = document(
        r#""server":{"listenPath":{"value":"/a/","strip":true}},"middleware":{"operations":{"listPets":{"allow":{"enabled":true}}}}"#,
    );
    let found = at(&text, "\"strip\"").unwrap();
    assert_eq!(
        (found.title.as_str(), found.support.as_str()),
        ("x-tyk-api-gateway.server.listenPath.strip", "enforced")
    );
    assert!(!found.doc.is_empty() && !found.support_note.is_empty());
    let rule = at(&text, "\"allow\"").unwrap();
    assert_eq!(
        rule.title,
        "x-tyk-api-gateway.middleware.operations.listPets.allow"
    );
}

#[test]
fn members_outside_the_extension_claim_no_enforcement() {
    let text = document("");
    let title = at(&text, "\"title\"").unwrap();
    assert_eq!(title.doc, "The title of the API");
    assert_eq!(
        (title.support.as_str(), title.support_note.as_str()),
        ("", "")
    );
    let whole = offered(OAS, r#"{"openapi":"3.0.3", |}"#);
    let support = |name: &str| {
        let offer = whole.iter().find(|offer| offer.label == name);
        offer.map(|offer| offer.support.as_str())
    };
    assert_eq!(support("info"), Some(""));
    assert_eq!(support("x-gateway-api-gateway"), Some("enforced"));
    let info = offered(OAS, r#"{"openapi":"3.0.3", "info": {|}}"#);
    assert!(info.iter().all(|offer| offer.support.is_empty()));
}

#[test]
fn kind_of_document_is_detected_even_in_invalid_json() {
    let offers = |version: &str| labels(&format!(r#"{{"openapi":"{version}","info":{{"|"#));
    assert!(offers("3.1.0").contains(&"summary".to_owned()));
    assert!(!offers("3.0.3").contains(&"summary".to_owned()));
    // Another spelling of the extension names the same member.
    let twice = labels(r#"{"x-tyk-api-gateway":{}, "|"#);
    assert!(!twice.contains(&"x-gateway-api-gateway".to_owned()));
    let proxy = Subject::from_word("mcp_proxy").unwrap();
    let tools = document(r#""middleware":{"|"}"#);
    let tools = offered(proxy, &tools);
    assert!(tools.iter().any(|offer| offer.label == "mcpTools"));
}
