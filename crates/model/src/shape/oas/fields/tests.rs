use super::*;
use crate::shape::Presence;

const EXTENSION_NAME: &str = "x-gateway-api-gateway";

fn visit(of: &'static Type, path: &str, found: &mut Vec<(String, &'static Member)>) {
    for member in of.members {
        let path = format!("{path}/{}", member.name);
        found.push((path.clone(), member));
        if let Some(of) = member.kind.object() {
            visit(of, &path, found);
        }
    }
}

/// Returns every member of a document, with its path.
fn members(version: Version, kind: DocumentKind) -> Vec<(String, &'static Member)> {
    let mut found = Vec::new();
    visit(shape(version, kind, EXTENSION_NAME), "", &mut found);
    found
}

fn member(path: &str) -> &'static Member {
    let all = members(Version::V3_1, DocumentKind::Oas);
    let found = all.iter().find(|(known, _)| known == path);
    found.unwrap_or_else(|| panic!("{path}")).1
}

#[test]
fn every_member_has_a_sentence_without_a_full_stop() {
    for version in Version::ALL {
        for kind in [DocumentKind::Oas, DocumentKind::Mcp] {
            let all = members(version, kind);
            assert!(all.len() > 700, "{}", all.len());
            for (path, member) in all {
                assert!(
                    !member.doc.is_empty() && !member.doc.ends_with('.'),
                    "{path}"
                );
            }
        }
    }
}

#[test]
fn administered_members_come_first() {
    let titles = |kind, extension| {
        let of = shape(Version::V3_0, kind, extension);
        assert_eq!(of.members[0].name, extension);
        let sections = of.members.iter().filter_map(Member::section);
        sections.collect::<Vec<_>>()
    };
    let expected = ["What the gateway does", "About the API", "What it offers"];
    assert_eq!(titles(DocumentKind::Oas, EXTENSION_NAME), expected);
    assert_eq!(titles(DocumentKind::Mcp, "x-tyk-api-gateway"), expected);
    let names = |kind| shape(Version::V3_0, kind, EXTENSION_NAME).members.len();
    assert_eq!(
        names(DocumentKind::Mcp),
        names(DocumentKind::Oas) + 1,
        "tools"
    );
    let is_same = |one, other| std::ptr::eq::<Type>(one, other);
    let again = || shape(Version::V3_1, DocumentKind::Oas, EXTENSION_NAME);
    assert!(is_same(again(), again()), "made once");
}

#[test]
fn fields_agree_with_the_checks() {
    let at = |path: &str| member(&format!("/{EXTENSION_NAME}{path}"));
    assert_eq!(at("/info/name").presence(), Presence::Required);
    assert_eq!(
        at("/upstream/url").presence(),
        Presence::Optional,
        "targets will do"
    );
    assert_eq!(member("/info").presence(), Presence::Required);
    assert_eq!(member("/info/title").presence(), Presence::Expected);
    assert!(
        matches!(at("/server/protocol").kind, Kind::Enum(choice) if choice.values == ["http", "https", "h2c"])
    );
    assert!(
        matches!(at("/server/port").kind, Kind::Integer(bounds) if (bounds.min, bounds.max) == (1, 65535))
    );
    assert!(matches!(
        at("/middleware/operations").kind,
        Kind::Map(_, Kind::Object(_))
    ));
    // A value that may be a reference is not an object of a type.
    assert!(matches!(
        member("/components/schemas").kind,
        Kind::Map(_, Kind::Any | Kind::Free)
    ));
    assert!(matches!(
        member("/paths").kind,
        Kind::Map(_, Kind::Object(_))
    ));
}

#[test]
fn union_has_members_of_all_types() {
    let schemes = format!("/{EXTENSION_NAME}/server/authentication/securitySchemes");
    let of = member(&schemes).kind.object().unwrap();
    assert_eq!(of.members[0].name, "enabled");
    assert_eq!(of.members[0].presence(), Presence::Required);
    let headings: Vec<_> = of.members.iter().filter_map(Member::section).collect();
    assert!(
        headings.contains(&"JSON Web Token") && headings.contains(&"Basic authentication"),
        "{headings:?}"
    );
    let names: Vec<_> = of.members.iter().map(|member| member.name).collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len(), "each once: {names:?}");

    let handlers = member(&format!("/{EXTENSION_NAME}/server/eventHandlers"));
    let of = handlers.kind.object().unwrap();
    assert!(
        matches!(of.member("type").unwrap().kind, Kind::Enum(choice) if choice.values == ["webhook", "custom", "log"])
    );
    assert_eq!(
        of.member("functionName").unwrap().presence(),
        Presence::Optional
    );
}
