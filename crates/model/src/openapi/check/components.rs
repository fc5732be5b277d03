//! The components of a document: each has a name that references can have, and is what its kind says.

use super::Input;
use super::parts::{self, Before};
use super::refusal::{Reason, Refused, Text, one};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Member, Value};
use crate::order::order;

/// The kinds of components in the order in which they are checked, and what messages call them.
const KINDS: [(&str, &str); 9] = [
    ("schemas", "schema"),
    ("parameters", "parameter"),
    ("requestBodies", "request body"),
    ("responses", "response"),
    ("headers", "header"),
    ("securitySchemes", "security scheme"),
    ("examples", "example"),
    ("links", "link"),
    ("callbacks", "callback"),
];

/// Checks the components of each kind in the order of their names.
pub(super) fn check(input: &Input<'_>) -> Result<(), Refused> {
    let root = Path::Root;
    let path = root.member("components");
    for (kind, called) in KINDS {
        let components = input.document.get("components");
        let components = components.and_then(|components| components.get(kind));
        let components = components.map(Value::members).unwrap_or_default();
        let name = |at: usize| components.get(at).map(|component| &*component.name);
        let path = path.member(kind);
        for at in order(components.len(), &mut |a, b| name(a).cmp(&name(b))) {
            let Some(component) = components.get(at) else {
                continue;
            };
            let before = || {
                let text = Text::new("invalid components: ").and(called);
                text.and(" ").quoted(&component.name).and(": ")
            };
            let path = path.member(&component.name);
            named(input, component, &path, &before)?;
            let check = match kind {
                "schemas" => parts::schema,
                "parameters" => parts::parameter,
                "requestBodies" => parts::content,
                "responses" => parts::response,
                "headers" => parts::header,
                "examples" => parts::example,
                "links" => parts::link,
                _ => continue,
            };
            check(input, &component.value, &path, &before)?;
        }
    }
    Ok(())
}

/// Refuses a component whose name has characters that references can't have.
fn named(
    input: &Input<'_>,
    component: &Member<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    let name = &*component.name;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Ok(());
    }
    let text = before().and("identifier ").quoted(name);
    let text = text.and(" is not supported by OpenAPIv3 standard (charset: [\"a-zA-Z0-9._-\"])");
    let remedy = "rename it; names of components have only letters, digits, \".\", \"_\" and \"-\"";
    let reason = Reason::new(IssueCode::Format, remedy);
    Err(one(input.text, &text.0, &component.value, path, reason))
}
