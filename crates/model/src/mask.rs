//! Documents and differences with their secrets masked. The table of types says which members are secrets
//! ([`crate::shape::Note::Secret`]).

use crate::diff::{self, Change};
use crate::issue::Issue;
use crate::json::edit::Edits;
use crate::json::{Kind, Value, parse};
use crate::openapi::stored;
use crate::order::{set, sorted_by_number};
use crate::shape::{self, Root, Type};

/// The JSON text that replaces a secret.
pub const MASK: &str = "\"•••\"";
/// The same without quotes.
pub(crate) const DOTS: &str = "•••";

/// Lists all differences between two documents, as [`diff::changes`] does, with secrets masked on both sides: a change
/// shows that a secret differs, but not its values. An empty secret counts as no secret and is shown.
///
/// # Errors
/// The syntax issues of the first text that is not JSON.
pub fn changes(root: Root, before: &str, after: &str) -> Result<Vec<Change>, Vec<Issue>> {
    let mut changes = diff::changes(before, after)?;
    let (before, after) = (masked(root, before)?, masked(root, after)?);
    let (old, new) = (parse(&before)?, parse(&after)?);
    for change in &mut changes {
        // A value inside a secret no longer exists in the masked text.
        let shown = |value: &Value<'_>, text: &str| {
            let value = value.pointer(&change.pointer);
            value.map_or_else(|| MASK.to_owned(), |value| value.span.of(text).to_owned())
        };
        let sides = (
            change.before.as_ref().map(|_| shown(&old, &before)),
            change.after.as_ref().map(|_| shown(&new, &after)),
        );
        (change.before, change.after) = sides;
    }
    Ok(changes)
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
    let mut secrets = Vec::new();
    object(root.shape(), &value, &mut secrets);
    if root == Root::ApiDefinition {
        in_extension(&value, text, &mut secrets);
        secrets = sorted_by_number(secrets, |secret| secret.span.start);
    }
    let mut edits = Edits::new(text);
    for Value { span, .. } in secrets {
        edits.replace(span.start, span.end, new(span.of(text)));
    }
    Ok(edits.apply())
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

/// Finds the copies of a definition's secrets in the extension of the document it was compiled from. The table doesn't
/// say where they are there, so they are found by their text, however it is escaped. The document's YAML text may write
/// them in any notation, so it is masked in full.
fn in_extension<'v, 't>(definition: &'v Value<'t>, text: &'v str, found: &mut Vec<&'v Value<'t>>) {
    let read = |value: &'v Value<'t>| value.as_str().unwrap_or_else(|| value.span.of(text));
    let document = definition.pointer("/openapi/document");
    let extension = document.and_then(stored::extension);
    let secrets = set(found.iter().map(|secret| read(secret)));
    if let Some(yaml) = stored::yaml_of(definition) {
        secret(yaml, found);
    }
    let mut left: Vec<&Value<'_>> = extension.map(|(_, value)| value).into_iter().collect();
    while let Some(value) = left.pop() {
        if secrets.contains(read(value)) {
            found.push(value);
            continue;
        }
        left.extend(value.items());
        left.extend(value.members().iter().map(|member| &member.value));
    }
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
