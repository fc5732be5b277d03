//! Locations of credentials: those in the components of a document, and their repetitions in the extension.

use crate::json::Value;
use crate::openapi::tree::Tree;

/// Returns the location of a scheme's credential: the member of the extension, and the name there.
pub(super) fn source<'v>(scheme: &'v Value<'_>) -> Option<(&'static str, &'v str)> {
    if scheme.str("type") != Some("apiKey") {
        return None;
    }
    let place = match scheme.str("in")? {
        "header" => "header",
        "query" => "query",
        "cookie" => "cookie",
        _ => return None,
    };
    Some((place, scheme.str("name")?))
}

/// Removes the sources that only repeat the components (reference 6.3).
pub(super) fn sources_said_twice(
    document: &Value<'_>,
    (name, extension): (&str, &Value<'_>),
    patch: &mut Tree,
) {
    let schemes = extension.pointer("/server/authentication/securitySchemes");
    for scheme in schemes.map(Value::members).unwrap_or_default() {
        let component = document
            .pointer("/components/securitySchemes")
            .and_then(|schemes| schemes.get(&scheme.name));
        let Some((place, wanted)) = component.and_then(source) else {
            continue;
        };
        let said = scheme.value.get(place);
        let repeats = |said: &Value<'_>| {
            let known = said
                .members()
                .iter()
                .all(|member| matches!(&*member.name, "enabled" | "name"));
            known
                && said.bool("enabled") == Some(true)
                && said
                    .str("name")
                    .is_none_or(|name| name.eq_ignore_ascii_case(wanted))
        };
        if said.is_some_and(repeats) {
            let path = [
                name,
                "server",
                "authentication",
                "securitySchemes",
                &scheme.name,
                place,
            ];
            patch.set_in(&path, Tree::raw("null"));
        }
    }
}
