//! Documents and differences with their secrets masked. The table of types says which members are secrets
//! ([`crate::shape::Note::Secret`]).

use crate::diff::{self, Change};
use crate::issue::Issue;
use crate::json::edit::Edits;
use crate::json::pointer::Path;
use crate::json::{Kind, Span, Value, parse};
use crate::openapi::stored;
use crate::order::{set, sorted_by_number};
use crate::shape::{self, Root, Type};

/// The JSON text that replaces a secret.
pub const MASK: &str = "\"•••\"";
/// The same without quotes.
pub(crate) const DOTS: &str = "•••";
/// Why a mask is no secret.
pub(crate) const MASKED: &str =
    "••• stands for a secret that was not shown; send the secret itself";

/// Where the extension of a document has secrets; `*` stands for any member or element. A definition is compiled only
/// from what is in use, so the secrets of a scheme that nothing requires, or of authentication that is switched off,
/// are nowhere else.
const IN_EXTENSION: [&str; 16] = [
    "server/authentication/securitySchemes/*/source",
    "server/authentication/securitySchemes/*/signatureValidation/secret",
    "server/authentication/securitySchemes/*/notifications/sharedSecret",
    "server/authentication/securitySchemes/*/providers/*/jwt/source",
    "server/authentication/securitySchemes/*/providers/*/introspection/clientSecret",
    "server/authentication/securitySchemes/*/tokenExchange/providers/*/clientAuth/clientSecret",
    "server/eventHandlers/*/headers/*/value",
    "upstream/authentication/basicAuth/password",
    "upstream/authentication/oauth/clientCredentials/clientSecret",
    "upstream/authentication/oauth/password/clientSecret",
    "upstream/authentication/oauth/password/password",
    "upstream/authentication/requestSigning/secret",
    "upstream/uptimeTests/tests/*/headers",
    "middleware/global/transformRequestHeaders/add/*/value",
    "middleware/*/*/transformRequestHeaders/add/*/value",
    "middleware/*/*/transformResponseHeaders/add/*/value",
];

/// Lists all differences between two documents, as [`diff::changes`] does, with secrets masked on both sides: a change
/// shows that a secret differs, but not its values. An empty secret counts as no secret and is shown.
///
/// # Errors
/// The syntax issues of the first text that is not JSON.
pub fn changes(root: Root, before: &str, after: &str) -> Result<Vec<Change>, Vec<Issue>> {
    let (old, new) = (parse(before)?, parse(after)?);
    let side = |value: &Value<'_>, text: &str| {
        let secrets = secrets(root, value, text).into_iter();
        secrets.map(|secret| secret.span).collect::<Vec<_>>()
    };
    let (hidden_before, hidden_after) = (side(&old, before), side(&new, after));
    Ok(diff::changes_of(
        (&old, &|span| shown(span, before, &hidden_before)),
        (&new, &|span| shown(span, after, &hidden_after)),
    ))
}

/// Returns a value with the secrets in it masked, given the positions of all secrets in order.
fn shown(value: Span, text: &str, secrets: &[Span]) -> String {
    let mut json = String::new();
    let mut at = value.start;
    let first = secrets.partition_point(|secret| secret.end <= value.start);
    for secret in secrets.iter().skip(first) {
        if secret.start >= value.end {
            break;
        }
        let before = Span {
            start: at,
            end: secret.start,
        };
        // A value inside a secret is masked, too.
        json.push_str(before.of(text));
        json.push_str(MASK);
        at = secret.end;
    }
    let rest = Span {
        start: at,
        end: value.end,
    };
    json.push_str(rest.of(text));
    json
}

/// Replaces each secret of a document with [`MASK`]; everything else keeps its bytes.
///
/// # Errors
/// The syntax issues of a text that is not JSON.
pub fn masked(root: Root, text: &str) -> Result<String, Vec<Issue>> {
    replaced(root, text, &mut |_| MASK.to_owned())
}

/// Replaces the secrets of a document: `new` receives each one as JSON text, in document order, and returns its
/// replacement. Everything else keeps its bytes. If every replacement is [`MASK`], a second call finds the same secrets
/// again.
///
/// # Errors
/// The syntax issues of a text that is not JSON.
pub fn replaced(
    root: Root,
    text: &str,
    new: &mut dyn FnMut(&str) -> String,
) -> Result<String, Vec<Issue>> {
    let value = parse(text)?;
    let mut edits = Edits::new(text);
    for Value { span, .. } in secrets(root, &value, text) {
        edits.replace(span.start, span.end, new(span.of(text)));
    }
    Ok(edits.apply())
}

/// Returns the secrets of a document, in document order.
fn secrets<'v, 't>(root: Root, value: &'v Value<'t>, text: &'v str) -> Vec<&'v Value<'t>> {
    let mut secrets = Vec::new();
    object(root.shape(), value, &mut secrets);
    if root == Root::ApiDefinition {
        in_document(value, text, &mut secrets);
        secrets = sorted_by_number(secrets, |secret| secret.span.start);
        secrets.dedup_by_key(|secret| secret.span.start);
    }
    secrets
}

fn object<'v, 't>(of: &'static Type, value: &'v Value<'t>, found: &mut Vec<&'v Value<'t>>) {
    for present in value.members() {
        let Some(member) = of.member(&present.name) else {
            continue;
        };
        if member.is_secret() {
            secret(&present.value, found);
            continue;
        }
        match *member.kind {
            shape::Kind::Tagged(tagged) => {
                if let Some(of) = tagged.of(value) {
                    object(of, &present.value, found);
                }
            }
            kind => inside(&kind, &present.value, found),
        }
    }
}

fn inside<'v, 't>(kind: &shape::Kind, value: &'v Value<'t>, found: &mut Vec<&'v Value<'t>>) {
    match (kind, &value.kind) {
        (shape::Kind::Object(of), _) => object(of, value, found),
        (shape::Kind::Array(inner), Kind::Array(items)) => {
            for item in items {
                inside(inner, item, found);
            }
        }
        (shape::Kind::Map(_, inner), Kind::Object(members)) => {
            for member in members {
                inside(inner, &member.value, found);
            }
        }
        _ => {}
    }
}

/// Finds the secrets in the extension of the document that a definition was compiled from: those of [`IN_EXTENSION`],
/// and every other copy of the definition's, found by its text, however that is escaped. The document's YAML text may
/// write them in any notation, so it is masked in full.
fn in_document<'v, 't>(definition: &'v Value<'t>, text: &'v str, found: &mut Vec<&'v Value<'t>>) {
    let read = |value: &'v Value<'t>| value.as_str().unwrap_or_else(|| value.span.of(text));
    let document = definition.pointer("/openapi/document");
    let extension = document.and_then(stored::extension);
    let secrets = set(found.iter().map(|secret| read(secret)));
    if let Some(yaml) = stored::yaml_of(definition) {
        secret(yaml, found);
    }
    let Some((_, extension)) = extension else {
        return;
    };
    at_places(extension, &Path::Root, &mut |_, value| secret(value, found));
    let mut left = vec![extension];
    while let Some(value) = left.pop() {
        if secrets.contains(read(value)) {
            found.push(value);
            continue;
        }
        left.extend(value.items());
        left.extend(value.members().iter().map(|member| &member.value));
    }
}

/// Calls `found` for each value of an extension at one of the places of secrets.
fn at_places<'v, 't>(
    extension: &'v Value<'t>,
    path: &Path<'_>,
    found: &mut dyn FnMut(&Path<'_>, &'v Value<'t>),
) {
    for place in IN_EXTENSION {
        at(place, extension, path, found);
    }
}

fn at<'v, 't>(
    place: &str,
    value: &'v Value<'t>,
    path: &Path<'_>,
    found: &mut dyn FnMut(&Path<'_>, &'v Value<'t>),
) {
    if place.is_empty() {
        return found(path, value);
    }
    let (step, rest) = place.split_once('/').unwrap_or((place, ""));
    for member in value.members() {
        if step == "*" || step == member.name {
            at(rest, &member.value, &path.member(&member.name), found);
        }
    }
    for (index, item) in value.items().iter().enumerate() {
        if step == "*" {
            at(rest, item, &path.element(index), found);
        }
    }
}

/// Returns the pointer and the position of a secret in a document's extension that is only a mask: whoever sends it has
/// read a document whose secrets were not shown, and storing it would lose them.
pub(crate) fn mask_in_extension(document: &Value<'_>) -> Option<(String, Span)> {
    let (name, extension) = stored::extension(document)?;
    let mut masked = None;
    at_places(extension, &Path::Root.member(name), &mut |path, value| {
        let mut secrets = Vec::new();
        secret(value, &mut secrets);
        if let Some(mask) = secrets.iter().find(|secret| secret.as_str() == Some(DOTS)) {
            masked.get_or_insert_with(|| (path.pointer(), mask.span));
        }
    });
    masked
}

/// Adds a secret; for a map, each value, because the names only say what each is for.
fn secret<'v, 't>(value: &'v Value<'t>, found: &mut Vec<&'v Value<'t>>) {
    match &value.kind {
        Kind::Null => {}
        Kind::String(text) if text.is_empty() => {}
        Kind::Object(members) => {
            for member in members {
                secret(&member.value, found);
            }
        }
        _ => found.push(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::DocumentKind;
    use crate::shape::oas::{self, Table, Version};

    #[test]
    fn secrets_are_masked_wherever_the_table_has_them() {
        let hook = r#"{"name": "n", "header_map": {"Authorization": "Bearer x", "X-Empty": ""}}"#;
        assert_eq!(
            masked(Root::Webhook, hook).unwrap(),
            r#"{"name": "n", "header_map": {"Authorization": "•••", "X-Empty": ""}}"#
        );
        let api = r#"{"jwt_source":"c2VjcmV0","auth_configs":{"a":{"signature":{"secret":"s","algorithm":"x"}}},
            "event_handlers":{"events":{"HostUp":[{"handler_name":"eh_web_hook_handler",
            "handler_meta":{"name":"n","header_map":{"Authorization":"t"}}}]}}}"#;
        let shown = masked(Root::ApiDefinition, api).unwrap();
        assert_eq!(shown.matches("•••").count(), 3, "{shown}");
    }

    #[test]
    fn change_of_a_secret_is_visible_but_not_its_value() {
        let before = r#"{"header_map":{"a":"1","b":"2","c":"3"},"name":"x"}"#;
        let after = r#"{"header_map":{"a":"1","b":"9"},"name":"y"}"#;
        let lines: Vec<_> = changes(Root::Webhook, before, after)
            .unwrap()
            .into_iter()
            .map(|change| (change.pointer, change.before, change.after))
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            lines,
            [
                ("/header_map/b".to_owned(), text(MASK), text(MASK)),
                ("/header_map/c".to_owned(), text(MASK), None),
                ("/name".to_owned(), text("\"x\""), text("\"y\"")),
            ]
        );
        let whole = changes(Root::Webhook, "{}", after).unwrap();
        assert_eq!(whole[0].after, text(r#"{"a":"•••","b":"•••"}"#));
    }

    #[test]
    fn masked_secrets_are_restored() {
        let text = r#"{"hmac_string": "a\u0062", "basic_auth_data": {"password": ["x", 1]},
            "oauth_keys": {"c": "", "d": "e"}, "alias": "•••"}"#;
        let mut taken = Vec::new();
        let masked = replaced(Root::Session, text, &mut |secret| {
            taken.push(secret.to_owned());
            MASK.to_owned()
        });
        let masked = masked.unwrap();
        assert_eq!(taken, [r#""a\u0062""#, r#"["x", 1]"#, r#""e""#]);
        assert!(!masked.contains("u0062"), "{masked}");
        let mut taken = taken.into_iter();
        let back = replaced(Root::Session, &masked, &mut |_| taken.next().unwrap());
        assert_eq!(back.unwrap(), text);
    }

    #[test]
    fn secrets_of_a_definition_are_those_of_its_document_too() {
        let text = r#"{"jwt_source":"c2VjcmV0","name":"n","openapi":{"document":{"info":{"title":"c2VjcmV0"},
            "x-gateway-api-gateway":{"server":{"schemes":[{"source":"c2VjcmV0"},{"source":"n"}]}}}}}"#;
        let mut taken = Vec::new();
        let masked = replaced(Root::ApiDefinition, text, &mut |secret| {
            taken.push(secret.to_owned());
            MASK.to_owned()
        });
        let masked = masked.unwrap();
        assert_eq!(masked.matches("c2VjcmV0").count(), 1, "{masked}");
        let mut taken = taken.into_iter();
        let back = replaced(Root::ApiDefinition, &masked, &mut |_| taken.next().unwrap());
        assert_eq!(back.unwrap(), text);
    }

    #[test]
    fn secrets_that_no_definition_is_compiled_from_are_masked() {
        let text = r#"{"name":"n","jwt_source":"used","openapi":{"document":{"x-tyk-api-gateway":{
            "server":{"authentication":{"enabled":false,"securitySchemes":{"a":{"source":"s1"},"used":{"source":"used"},
            "b":{"providers":[{"jwt":{"source":"s2"},"introspection":{"clientId":"c","clientSecret":"s3"}}]}}}},
            "upstream":{"uptimeTests":{"tests":[{"headers":{"X":"s4"}}]}},
            "middleware":{"operations":{"o":{"transformRequestHeaders":{"add":[{"name":"N","value":"s5"}]}}}}}}}}"#;
        let mut taken = Vec::new();
        let masked = replaced(Root::ApiDefinition, text, &mut |secret| {
            taken.push(secret.to_owned());
            MASK.to_owned()
        });
        let masked = masked.unwrap();
        assert_eq!(
            taken,
            [
                r#""used""#,
                r#""s1""#,
                r#""used""#,
                r#""s2""#,
                r#""s3""#,
                r#""s4""#,
                r#""s5""#
            ]
        );
        let mut taken = taken.into_iter();
        let back = replaced(Root::ApiDefinition, &masked, &mut |_| taken.next().unwrap());
        assert_eq!(back.unwrap(), text);
        let document = |text: &str| {
            let value = parse(text).unwrap();
            let value = value.pointer("/openapi/document").unwrap();
            mask_in_extension(value).is_some()
        };
        assert!(document(&masked) && !document(text));
        assert!(document(&text.replace("s5", r"\u2022\u2022\u2022")));
    }

    /// Finds members of a type that are named like secrets.
    fn secret_places(table: &Table<'_>, number: usize, place: &str, found: &mut Vec<String>) {
        let of = table.get(number).unwrap();
        for one in of.any.iter().chain(&of.one).chain(&of.all) {
            secret_places(table, *one, place, found);
        }
        for member in &of.members {
            let mut place = format!("{place}/{}", member.name);
            let mut kind = &member.kind;
            while let oas::Kind::List(inner, _) | oas::Kind::Map(inner) = kind {
                place.push_str("/*");
                kind = inner;
            }
            let name = member.name.to_lowercase();
            match kind {
                oas::Kind::Type(number) => secret_places(table, *number, &place, found),
                oas::Kind::Text(_)
                    if name == "source" || name == "password" || name.ends_with("secret") =>
                {
                    found.push(place.trim_start_matches('/').to_owned());
                }
                _ => {}
            }
        }
    }

    /// Whatever the table of the extension names like a secret is one.
    #[test]
    fn places_of_secrets_are_those_of_the_table() {
        let table = oas::table(Version::V3_0, DocumentKind::Oas);
        let extension = table.number(false, oas::EXTENSION).unwrap();
        let mut known = Vec::new();
        secret_places(&table, extension, "", &mut known);
        assert!(known.len() > 10, "{known:?}");
        let missing: Vec<_> = known
            .iter()
            .filter(|place| !IN_EXTENSION.contains(&place.as_str()))
            .collect();
        assert_eq!(missing, Vec::<&String>::new());
    }

    #[test]
    fn a_secret_that_its_document_escapes_is_masked() {
        let text = r#"{"jwt_source":"a/b&","openapi":{"document":
            {"x-gateway-api-gateway":{"server":{"schemes":[{"source":"a\/b\u0026"}]}}}}}"#;
        let masked = masked(Root::ApiDefinition, text).unwrap();
        assert_eq!(masked.matches(DOTS).count(), 2, "{masked}");
    }

    #[test]
    fn the_text_of_a_document_in_yaml_is_a_secret() {
        let text = r#"{"name":"n","openapi":{"document":{},"yaml":"a: \"c2Vj\\u0063mV0\""}}"#;
        let shown = masked(Root::ApiDefinition, text).unwrap();
        assert_eq!(
            shown,
            r#"{"name":"n","openapi":{"document":{},"yaml":"•••"}}"#
        );
        assert_eq!(masked(Root::ApiDefinition, &shown).unwrap(), shown);
        let none = text.replace(r#""a: \"c2Vj\\u0063mV0\"""#, "\"\"");
        assert_eq!(masked(Root::ApiDefinition, &none).unwrap(), none);
    }

    /// As many differences as a definition can have are listed in a moment.
    #[test]
    fn many_differences_are_listed_in_linear_time() {
        let document = |value: usize| {
            let members = (0..60_000).map(|name| format!("\"{name}\":{value}"));
            let members = members.collect::<Vec<_>>().join(",");
            format!(r#"{{"jwt_source":"s{value}","config_data":{{{members}}}}}"#)
        };
        let began = std::time::Instant::now();
        let changes = changes(Root::ApiDefinition, &document(1), &document(2)).unwrap();
        assert_eq!(changes.len(), 60_001);
        assert_eq!(changes[0].after.as_deref(), Some(MASK));
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }

    #[test]
    fn nothing_below_a_secret_is_shown() {
        let wrong = changes(
            Root::Webhook,
            r#"{"header_map":["a","b"]}"#,
            r#"{"header_map":["a","c"]}"#,
        );
        let change = &wrong.unwrap()[0];
        assert_eq!(change.pointer, "/header_map/1");
        assert_eq!(change.after.as_deref(), Some(MASK));
    }
}
