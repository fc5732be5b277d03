//! The schema of a tool's results (`outputSchema`;
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>, *Output Schema*): the JSON object that the
//! document declares for successful responses of its operation.
//!
//! A server must conform to this schema, and clients refuse results that don't. So it contains only what the gateway
//! validates (`extras/mcp/src/output.rs`): types, members, elements, listed values, alternatives. Everything else is
//! left out, which allows more results and never fewer, and members added to the API later do no harm.

use super::super::super::Importer;
use super::super::super::operations::Operation;
use super::super::super::tree::Tree;
use super::arguments::is_json;
use super::schemas::Schemas;
use crate::json::{Kind, Value, written};

/// The maximum depth of a schema: the set it is published in adds some levels.
const MAX_DEPTH: usize = 64;

/// The maximum nesting of combined schemas that are searched for one of an object.
const MAX_PARTS: usize = 8;

const TYPES: [&str; 7] = [
    "object", "array", "string", "number", "integer", "boolean", "null",
];

/// Members beside which `null` has to be added as an alternative.
const NARROW: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "enum", "const"];

impl<'i, 't> Importer<'i, 't> {
    /// Returns the schema of a tool's results; `None` if the document does not declare the same one for all successful
    /// responses, or if the gateway transforms the response.
    pub(super) fn output_schema(&self, operation: &Operation<'i, 't>) -> Option<Tree> {
        if operation.method == "HEAD" || self.is_on(operation, "transformResponseBody") {
            return None;
        }
        let mut schemas = Schemas::new(self);
        let mut output: Option<Vec<(String, Tree)>> = None;
        let responses = operation.value.get("responses")?.members().iter();
        for response in responses.filter(|response| response.name.starts_with('2')) {
            let content = self.resolved(&response.value)?.get("content")?.members();
            let media = content.iter().find(|media| is_json(&media.name))?;
            let schema = media.value.get("schema")?;
            if !self.is_of_object(schema, 0) {
                return None;
            }
            let mut made = members(&mut schemas, self.resolved(schema)?, false);
            made.retain(|(name, _)| name != "type");
            made.insert(0, ("type".to_owned(), Tree::text("object")));
            if output.as_ref().is_some_and(|other| *other != made) {
                return None;
            }
            output = Some(made);
        }
        let mut output = output?;
        let defs = schemas.defs_by(schema);
        if !defs.is_empty() {
            output.push(("$defs".to_owned(), Tree::Object(defs)));
        }
        let output = Tree::Object(output);
        (depth(&output) <= MAX_DEPTH).then_some(output)
    }

    /// Whether a schema accepts only objects.
    fn is_of_object(&self, schema: &'i Value<'t>, parts: usize) -> bool {
        let Some(schema) = self.resolved(schema).filter(|_| parts < MAX_PARTS) else {
            return false;
        };
        if schema.bool("nullable") == Some(true) {
            return false;
        }
        let is_object = |kind: &Value<'_>| kind.as_str() == Some("object");
        match schema.get("type") {
            Some(kind) => match kind.items() {
                [only] => is_object(only),
                _ => is_object(kind),
            },
            None => {
                let all = schema.get("allOf").map(Value::items).unwrap_or_default();
                let mut all = all.iter();
                schema.get("properties").is_some()
                    || all.any(|part| self.is_of_object(part, parts.saturating_add(1)))
            }
        }
    }
}

/// Returns the part of a schema that results are validated against.
fn schema<'i, 't>(schemas: &mut Schemas<'_, 'i, 't>, source: &'i Value<'t>) -> Tree {
    let is_nullable = source.bool("nullable") == Some(true);
    let is_narrow = NARROW.iter().any(|name| source.get(name).is_some());
    let made = match source.str("$ref") {
        Some(reference) => schemas.reference(reference),
        None => Tree::Object(members(schemas, source, is_nullable && !is_narrow)),
    };
    if !is_nullable || !is_narrow {
        return made;
    }
    let null = Tree::Object(vec![("type".to_owned(), Tree::text("null"))]);
    let either = ("anyOf".to_owned(), Tree::Array(vec![made, null]));
    Tree::Object(vec![either])
}

/// Returns its members; `with_null` adds `null` to its types.
fn members<'i, 't>(
    schemas: &mut Schemas<'_, 'i, 't>,
    source: &'i Value<'t>,
    with_null: bool,
) -> Vec<(String, Tree)> {
    let properties = source.get("properties").map(Value::members);
    let properties = properties.unwrap_or_default();
    // Write-only members are not in responses.
    let hidden: Vec<&str> = properties
        .iter()
        .filter(|property| property.value.bool("writeOnly") == Some(true))
        .map(|property| &*property.name)
        .collect();
    let mut made: Vec<(String, Tree)> = Vec::new();
    for member in source.members() {
        let name = &*member.name;
        let value = &member.value;
        let tree = match (name, &value.kind) {
            ("title" | "description", Kind::String(text)) => Some(Tree::text(text)),
            ("type", _) => types(value, with_null),
            ("properties", Kind::Object(_)) => {
                let shown = properties
                    .iter()
                    .filter(|property| !hidden.contains(&&*property.name));
                let shown = shown
                    .map(|property| (property.name.to_string(), schema(schemas, &property.value)));
                Some(Tree::Object(shown.collect()))
            }
            ("required", Kind::Array(_)) => required(value, &hidden),
            // Otherwise the elements of the prefix would be validated like the others.
            ("items", Kind::Object(_)) if source.get("prefixItems").is_none() => {
                Some(schema(schemas, value))
            }
            // Otherwise members that are left out here would be validated like the others.
            ("additionalProperties", Kind::Object(_))
                if hidden.is_empty() && source.get("patternProperties").is_none() =>
            {
                Some(schema(schemas, value))
            }
            ("enum", Kind::Array(items)) if !items.is_empty() && items.iter().all(is_plain) => {
                Some(Tree::raw(&written(value)))
            }
            ("const", _) if is_plain(value) => Some(Tree::raw(&written(value))),
            ("allOf" | "anyOf", Kind::Array(items)) if !items.is_empty() => {
                Some(alternatives(schemas, items))
            }
            _ => None,
        };
        made.extend(tree.map(|tree| (name.to_owned(), tree)));
    }
    // Because parts are left out, several of the alternatives may match.
    if let Some(one) = source.get("oneOf").map(Value::items)
        && !one.is_empty()
        && source.get("anyOf").is_none()
    {
        made.push(("anyOf".to_owned(), alternatives(schemas, one)));
    }
    made
}

fn alternatives<'i, 't>(schemas: &mut Schemas<'_, 'i, 't>, items: &'i [Value<'t>]) -> Tree {
    Tree::Array(items.iter().map(|item| schema(schemas, item)).collect())
}

/// Returns the types of a schema, if all of them are known.
fn types(value: &Value<'_>, with_null: bool) -> Option<Tree> {
    let listed = match &value.kind {
        Kind::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(value),
    };
    let mut types: Vec<&str> = Vec::new();
    let null = with_null.then_some("null");
    for kind in listed.iter().map(Value::as_str).chain(null.map(Some)) {
        let kind = kind.filter(|kind| TYPES.contains(kind))?;
        if !types.contains(&kind) {
            types.push(kind);
        }
    }
    match types.as_slice() {
        [] => None,
        [only] => Some(Tree::text(only)),
        all => Some(Tree::Array(
            all.iter().map(|kind| Tree::text(kind)).collect(),
        )),
    }
}

/// Returns the required members, without duplicates.
fn required(value: &Value<'_>, hidden: &[&str]) -> Option<Tree> {
    let mut names: Vec<&str> = Vec::new();
    for name in value.items().iter().filter_map(Value::as_str) {
        if !hidden.contains(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    let names = names.into_iter().map(Tree::text);
    let names: Vec<Tree> = names.collect();
    (!names.is_empty()).then_some(Tree::Array(names))
}

/// Whether a value is neither an object nor an array.
const fn is_plain(value: &Value<'_>) -> bool {
    !matches!(value.kind, Kind::Array(_) | Kind::Object(_))
}

fn depth(tree: &Tree) -> usize {
    let inner = match tree {
        Tree::Raw(_) => return 0,
        Tree::Array(items) => items.iter().map(depth).max(),
        Tree::Object(members) => members.iter().map(|(_, member)| depth(member)).max(),
    };
    inner.unwrap_or_default().saturating_add(1)
}
