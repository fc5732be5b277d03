use std::collections::BTreeSet;

use super::*;
use crate::shape::{Support, all_types};

/// Returns the lines between a heading and the next one of its level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n{heading}\n")).unwrap();
    let level = heading.split(' ').next().unwrap();
    rest.split(&format!("\n{level} ")).next().unwrap()
}

#[test]
fn members_are_listed_by_support() {
    let (support, fields) = (support_table(), field_reference());
    for of in all_types() {
        let table = section(&fields, &format!("### {}", cell(of.name)));
        let owner = format!("[{}](fields.md#{}) ", cell(of.name), anchor(of.name));
        for member in of.members {
            let name = format!("`{}`", member.name);
            assert!(table.contains(&format!("\n| {name}")), "{name}");
            let row = format!("\n| {owner}{name} |");
            let under = |heading: &str| {
                section(&support, heading).lines().any(|line| {
                    line.split_once(": ").is_some_and(|(of, names)| {
                        of == format!("- {}", owner.trim_end())
                            && names.split(", ").any(|other| other == name)
                    })
                })
            };
            let stored = ["## Informative", "## Stored"].map(under);
            let listed = ["## Enforced", "## Unsupported"]
                .map(|heading| section(&support, heading).contains(&row));
            let expected = match member.support {
                Support::Enforced => ([true, false], [false, false]),
                Support::Unsupported(_) => ([false, true], [false, false]),
                Support::Informative => ([false, false], [true, false]),
                Support::Stored => ([false, false], [false, true]),
            };
            assert_eq!((listed, stored), expected, "{owner}{name}");
        }
    }
}

#[test]
fn unservable_reasons_are_listed_by_override_name() {
    let support = support_table();
    let listed = section(&support, "## Not served with");
    let has = |path: &str| listed.contains(&format!("\n| [`{path}`]("));
    for path in [
        "custom_middleware.pre",
        "enable_coprocess_auth",
        "proxy.transport.proxy_url",
        "version_data.versions.extended_paths.validate_request",
        "graphql.introspection.disabled",
    ] {
        assert!(has(path), "{path}");
    }
    for path in ["name", "CORS.enable", "jwt_source", "graphql", "slug"] {
        assert!(!has(path), "{path}");
    }
}

#[test]
fn key_refusal_reasons_are_listed() {
    let support = support_table();
    let listed = section(&support, "## Keys refused with");
    for of in all_types() {
        for member in of.members {
            let row = format!("(fields.md#{}) `{}` |", anchor(of.name), member.name);
            let expected = member.restricts().is_some();
            assert_eq!(listed.contains(&row), expected, "{row}");
        }
    }
}

#[test]
fn tables_have_as_many_cells_as_their_head() {
    for text in [support_table(), field_reference()] {
        let mut cells = 0;
        for line in text.lines() {
            let bars = line.replace("\\|", "").matches('|').count();
            if !line.starts_with('|') {
                cells = 0;
            } else if cells == 0 {
                cells = bars;
            } else {
                assert_eq!(bars, cells, "{line}");
            }
        }
        assert!(!text.contains("\n\n\n"));
    }
}

#[test]
fn links_target_unique_headings() {
    let text = field_reference();
    let headings: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("##"))
        .map(|line| anchor(line.trim_start_matches('#').trim_start()))
        .collect();
    let once: BTreeSet<&String> = headings.iter().collect();
    assert_eq!(once.len(), headings.len());
    let support = support_table();
    let links = text.split("](#").skip(1);
    for link in links.chain(support.split("](fields.md#").skip(1)) {
        let target = link.split(')').next().unwrap().to_owned();
        assert!(once.contains(&target), "{target}");
    }
}

#[test]
fn store_only_members_are_listed() {
    let stored = stored_members(Root::ApiDefinition);
    let has = |name: &str| stored.iter().any(|stored| stored == name);
    assert!(!has("ProxyConfig.listen_path"));
    assert!(has("AuthConfig.name"));
}

#[test]
fn a_client_identity_provider_is_acted_on() {
    // Its mappings decide requests (`extras/auth`), so nothing may say that they don't.
    assert_eq!(stored_members(Root::ClientIdentityProvider), [""; 0]);
    let text = r#"{"name": "n", "client_idp_id": "i", "issuer": "https://i.example", "jwks_uri": "https://i.example/keys",
        "scope_claim_name": "scp", "api_mappings": {"a": {"scope_to_policy": {"read": "gold"}}}}"#;
    let issues = crate::document::validate(Root::ClientIdentityProvider, text);
    assert!(issues.is_empty(), "{issues:?}");
}
