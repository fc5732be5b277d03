//! Examples of a document, and generated values for schemas without one (reference 3.15).

use super::super::Importer;
use super::super::tree::Tree;
use crate::json::{Kind, Value, quote, written};

/// The maximum depth of a generated value.
const MAX_DEPTH: usize = 24;

/// The approximate maximum size of a generated value, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The state of generating a value from a schema.
struct Making<'i> {
    /// References being followed.
    open: Vec<&'i str>,
    /// The number of bytes that may still be added.
    left: usize,
}

impl<'i, 't> Importer<'i, 't> {
    /// Returns the bodies of a content type with the names of their examples; an unnamed one overrides all others.
    pub(super) fn bodies(&self, media: &'i Value<'t>, kind: &str) -> Vec<(Option<String>, String)> {
        let is_json = is_json(kind);
        // Null counts as absent, as in the reference.
        if let Some(example) = media.get("example").filter(|example| !example.is_null()) {
            return vec![(None, body(example, is_json))];
        }
        let named = media
            .get("examples")
            .map(Value::members)
            .unwrap_or_default();
        let mut bodies: Vec<_> = named
            .iter()
            .filter_map(|example| {
                let value = self.resolved(&example.value)?.member("value")?;
                Some((Some(example.name.to_string()), body(&value.value, is_json)))
            })
            .collect();
        if !bodies.is_empty() {
            bodies.sort();
            return bodies;
        }
        let made = match media.get("schema") {
            Some(schema) => self.made(schema),
            None => "null".to_owned(),
        };
        let text = match crate::json::parse(&made) {
            Ok(value) => body(&value, is_json),
            Err(_) => made,
        };
        vec![(None, text)]
    }

    /// Returns the value of a header in the form of its field.
    pub(super) fn header_value(&self, header: &'i Value<'t>) -> Option<String> {
        let header = self.resolved(header)?;
        let json = match header.get("schema") {
            Some(schema) => self.made(schema),
            None => written(&header.member("example")?.value),
        };
        let value = crate::json::parse(&json).ok()?;
        Some(body(&value, false))
    }

    /// Generates a value for a schema, as JSON.
    fn made(&self, schema: &'i Value<'t>) -> String {
        let mut making = Making {
            open: Vec::new(),
            left: MAX_BYTES,
        };
        let tree = self.make(schema, &mut making);
        tree.map_or_else(|| "null".to_owned(), |tree| tree.compact())
    }

    /// Generates the value of a schema; `None` for a recursive one, and beyond the bounds.
    fn make(&self, schema: &'i Value<'t>, making: &mut Making<'i>) -> Option<Tree> {
        if making.open.len() > MAX_DEPTH || making.left == 0 {
            return None;
        }
        if let Some(reference) = schema.str("$ref") {
            if making.open.contains(&reference) {
                return None;
            }
            let target = self.document.pointer(reference.strip_prefix('#')?)?;
            making.open.push(reference);
            let tree = self.make(target, making);
            making.open.pop();
            return tree;
        }
        let first = |name: &str| schema.get(name).and_then(|list| list.items().first());
        let own = schema.member("example").map(|member| &member.value);
        let own = own
            .or_else(|| first("examples"))
            .or_else(|| schema.get("const"));
        if let Some(value) = own.or_else(|| first("enum")) {
            let text = written(value);
            making.left = making.left.saturating_sub(text.len());
            return Some(Tree::Raw(text));
        }
        making.open.push("");
        let tree = self.make_of_kind(schema, making);
        making.open.pop();
        tree
    }

    fn make_of_kind(&self, schema: &'i Value<'t>, making: &mut Making<'i>) -> Option<Tree> {
        making.left = making.left.saturating_sub(8);
        let all = schema.get("allOf").map(Value::items).unwrap_or_default();
        if !all.is_empty() {
            let mut members = Vec::new();
            for part in all {
                match self.make(part, making) {
                    Some(Tree::Object(of_part)) => members.extend(of_part),
                    Some(other) => return Some(other),
                    None => {}
                }
            }
            members.extend(self.make_members(schema, making));
            return Some(Tree::Object(members));
        }
        for name in ["oneOf", "anyOf"] {
            let first = schema.get(name).and_then(|list| list.items().first());
            if let Some(first) = first {
                return self.make(first, making);
            }
        }
        let kind = match schema.get("type").map(|kind| &kind.kind) {
            Some(Kind::String(kind)) => &**kind,
            // Of several types (JSON Schema 2020-12), the first one is used.
            Some(Kind::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
            _ if schema.get("properties").is_some() => "object",
            _ if schema.get("items").is_some() => "array",
            _ => "",
        };
        Some(match kind {
            "object" => Tree::Object(self.make_members(schema, making)),
            "array" => {
                let item = schema
                    .get("items")
                    .and_then(|items| self.make(items, making));
                Tree::Array(item.into_iter().collect())
            }
            "string" => Tree::text("string"),
            "integer" | "number" => Tree::raw("0"),
            "boolean" => Tree::raw("true"),
            _ => Tree::raw("null"),
        })
    }

    fn make_members(&self, schema: &'i Value<'t>, making: &mut Making<'i>) -> Vec<(String, Tree)> {
        let properties = schema.get("properties").map(Value::members);
        let mut members = Vec::new();
        for property in properties.unwrap_or_default() {
            making.left = making.left.saturating_sub(property.name.len());
            if let Some(tree) = self.make(&property.value, making) {
                members.push((property.name.to_string(), tree));
            }
        }
        members
    }
}

/// Whether bodies of a content type are JSON.
fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    kind.ends_with("/json") || kind.ends_with("+json") || kind.contains('*')
}

/// Converts a value to a body: for a content type that isn't JSON, a string is sent as its text.
fn body(value: &Value<'_>, is_json: bool) -> String {
    match &value.kind {
        Kind::String(text) if !is_json => text.to_string(),
        Kind::String(text) => quote(text),
        _ => written(value),
    }
}
