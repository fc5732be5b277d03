//! Locations of credentials: those in the components of a document, and their repetitions in the extension.

use crate::json::Value;
use crate::openapi::tree::Tree;

/// Returns the location of a scheme's credential: the member of the extension, and the name there.
pub(super) fn source<'v>(scheme: &'v Value<'_>) -> Option<(&'static str, &'v str)> {
    if scheme.str("type") != Some("apiKey") {
        return None;
    }
    let location = match scheme.str("in")? {
        "header" => "header",
        "query" => "query",
        "cookie" => "cookie",
        _ => return None,
    };
    Some((location, scheme.str("name")?))
}

/// Removes the sources that only repeat the components (reference 6.3).
pub(super) fn remove_redundant_sources(
    document: &Value<'_>,
    (name, extension): (&str, &Value<'_>),
    patch: &mut Tree,
) {
    let schemes = extension.pointer("/server/authentication/securitySchemes");
    for scheme in schemes.map(Value::members).unwrap_or_default() {
        let component = document
            .pointer("/components/securitySchemes")
            .and_then(|schemes| schemes.get(&scheme.name));
        let Some((location, wanted)) = component.and_then(source) else {
            continue;
        };
        let source_member = scheme.value.get(location);
        let repeats = |source_member: &Value<'_>| {
            let known = source_member
                .members()
                .iter()
                .all(|member| matches!(&*member.name, "enabled" | "name"));
            known
                && source_member.bool("enabled") == Some(true)
                && source_member
                    .str("name")
                    .is_none_or(|name| name.eq_ignore_ascii_case(wanted))
        };
        if source_member.is_some_and(repeats) {
            let path = [
                name,
                "server",
                "authentication",
                "securitySchemes",
                &scheme.name,
                location,
            ];
            patch.set_in(&path, Tree::raw("null"));
        }
    }
}
