//! Converts schemas of an OpenAPI document to JSON Schema 2020-12, which is what MCP uses
//! (<https://modelcontextprotocol.io/specification/2025-11-25/server/tools>).
//!
//! Constructs peculiar to OpenAPI 3.0 (`nullable`, `exclusiveMinimum: true`) are converted to JSON Schema, and
//! references lead to `$defs` of the schema itself. The size of what a tool's references lead to is bounded: beyond the
//! bound, and where a reference leads out of the document, anything is accepted.

use super::super::super::Importer;
use super::super::super::tree::Tree;
use crate::json::{Kind, Value, written};

/// The maximum number of bytes of the document that the references of one tool may lead to.
const MAX_BYTES: usize = 64 * 1024;

/// Members of OpenAPI that are not JSON Schema, and those that only hold targets of references.
const DROPPED: [&str; 12] = [
    "nullable",
    "example",
    "xml",
    "externalDocs",
    "discriminator",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$defs",
    "definitions",
];

/// The references in the schemas of one tool.
pub(super) struct Schemas<'c, 'i, 't> {
    compiler: &'c Importer<'i, 't>,
    /// The references, each with its name in `$defs` and its target.
    met: Vec<(&'i str, String, &'i Value<'t>)>,
    bytes: usize,
}

impl<'c, 'i, 't> Schemas<'c, 'i, 't> {
    pub(super) const fn new(compiler: &'c Importer<'i, 't>) -> Self {
        Self {
            compiler,
            met: Vec::new(),
            bytes: 0,
        }
    }

    /// Converts a schema to JSON Schema.
    pub(super) fn schema(&mut self, schema: &'i Value<'t>) -> Tree {
        let Kind::Object(members) = &schema.kind else {
            return match schema.kind {
                Kind::Bool(_) => Tree::raw(&written(schema)),
                _ => Tree::object(),
            };
        };
        if let Some(reference) = schema.str("$ref") {
            return self.reference(reference);
        }
        let mut tree = Vec::new();
        for member in members {
            let name = &*member.name;
            if name.starts_with("x-") || DROPPED.contains(&name) {
                continue;
            }
            if let Some((name, made)) = self.member(name, &member.value, schema) {
                tree.push((name.to_owned(), made));
            }
        }
        Tree::Object(tree)
    }

    fn member(
        &mut self,
        name: &'i str,
        value: &'i Value<'t>,
        schema: &Value<'_>,
    ) -> Option<(&'i str, Tree)> {
        let is_nullable = schema.bool("nullable") == Some(true);
        let is_exclusive = |name| schema.bool(name) == Some(true);
        let made = match (name, &value.kind) {
            ("properties" | "patternProperties" | "dependentSchemas", Kind::Object(members)) => {
                let members = members.iter();
                let members =
                    members.map(|member| (member.name.to_string(), self.schema(&member.value)));
                Tree::Object(members.collect())
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Kind::Array(items)) => {
                Tree::Array(items.iter().map(|item| self.schema(item)).collect())
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "contains"
                | "propertyNames"
                | "if"
                | "then"
                | "else"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                Kind::Object(_),
            ) => self.schema(value),
            ("type", Kind::String(kind)) if is_nullable => {
                Tree::Array(vec![Tree::text(kind), Tree::text("null")])
            }
            ("enum", Kind::Array(items)) if is_nullable && !items.iter().any(Value::is_null) => {
                let items = items.iter().map(|item| Tree::raw(&written(item)));
                Tree::Array(items.chain([Tree::raw("null")]).collect())
            }
            ("exclusiveMinimum", Kind::Bool(true)) => Tree::raw(&written(schema.get("minimum")?)),
            ("exclusiveMaximum", Kind::Bool(true)) => Tree::raw(&written(schema.get("maximum")?)),
            ("exclusiveMinimum" | "exclusiveMaximum" | "required", Kind::Bool(_)) => return None,
            ("minimum", _) if is_exclusive("exclusiveMinimum") => return None,
            ("maximum", _) if is_exclusive("exclusiveMaximum") => return None,
            _ => Tree::raw(&written(value)),
        };
        Some((name, made))
    }

    /// Converts a reference to one into `$defs`.
    pub(super) fn reference(&mut self, reference: &'i str) -> Tree {
        let known = self.met.iter().find(|(known, ..)| *known == reference);
        let name = match known {
            Some((_, name, _)) => name.clone(),
            None => match self.meet(reference) {
                Some(name) => name,
                None => return Tree::object(),
            },
        };
        let to = ("$ref".to_owned(), Tree::text(&format!("#/$defs/{name}")));
        Tree::Object(vec![to])
    }

    /// Registers a reference under a unique name; `None` for one that is not followed.
    fn meet(&mut self, reference: &'i str) -> Option<String> {
        let pointer = reference.strip_prefix('#')?;
        let target = self.compiler.document.pointer(pointer)?;
        let length = target.span.end.saturating_sub(target.span.start);
        let bytes = self.bytes.saturating_add(length);
        if bytes > MAX_BYTES {
            return None;
        }
        self.bytes = bytes;
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
        let plain: String = last.chars().filter(is_plain).collect();
        let is_free = |name: &str| self.met.iter().all(|(_, known, _)| known != name);
        let name = match !plain.is_empty() && is_free(&plain) {
            true => plain,
            false => format!("{plain}_{}", self.met.len()),
        };
        self.met.push((reference, name.clone(), target));
        Some(name)
    }

    /// Returns the targets of the references with their names; empty if there are none.
    pub(super) fn defs(self) -> Vec<(String, Tree)> {
        self.defs_by(Self::schema)
    }

    /// Like [`Self::defs`], with the conversion of schemas as a parameter.
    pub(super) fn defs_by(
        mut self,
        make: fn(&mut Self, &'i Value<'t>) -> Tree,
    ) -> Vec<(String, Tree)> {
        let mut defs = Vec::new();
        while let Some((_, name, target)) = self.met.get(defs.len()) {
            let (name, target) = (name.clone(), *target);
            let made = make(&mut self, target);
            defs.push((name, made));
        }
        defs
    }
}
