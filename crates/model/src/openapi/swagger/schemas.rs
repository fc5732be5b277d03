//! Schemas, and references to parts of the document.

use super::{SECTIONS, Upgrade, below};
use crate::json::pointer::push_token;
use crate::json::{Kind, Value, quote};
use crate::openapi::tree::Tree;
use crate::text::percent::percent_decode;

impl Upgrade<'_, '_> {
    /// Converts a schema with its references, and constructs that differ in version 3.0.
    pub(super) fn schema(&mut self, schema: &Value<'_>, pointer: &str) -> Tree {
        let Kind::Object(members) = &schema.kind else {
            return self.raw(schema);
        };
        let mut made = Vec::new();
        for member in members {
            let (name, value) = (&*member.name, &member.value);
            let here = below(pointer, name);
            let (name, new) = match name {
                "$ref" => ("$ref", self.reference(value)),
                "properties" => (name, self.each(value, &here)),
                "items" | "additionalProperties" | "not" => (name, self.schema(value, &here)),
                "allOf" => {
                    let items = value.items().iter().enumerate();
                    let all = items
                        .map(|(index, item)| self.schema(item, &below(&here, &index.to_string())));
                    (name, Tree::Array(all.collect()))
                }
                "discriminator" => {
                    let property = ("propertyName".to_owned(), self.raw(value));
                    (name, Tree::Object(vec![property]))
                }
                "x-nullable" => ("nullable", self.raw(value)),
                "type" if value.as_str() == Some("file") => {
                    made.push((name.to_owned(), Tree::text("string")));
                    ("format", Tree::text("binary"))
                }
                "collectionFormat" => {
                    if value.as_str() != Some("csv") {
                        self.lost(&here, "a list in a list is written with commas");
                    }
                    continue;
                }
                _ => (name, self.raw(value)),
            };
            made.push((name.to_owned(), new));
        }
        Tree::Object(made)
    }

    fn each(&mut self, map: &Value<'_>, pointer: &str) -> Tree {
        let members = map.members().iter();
        let schema = members.map(|member| {
            let schema = self.schema(&member.value, &below(pointer, &member.name));
            (member.name.to_string(), schema)
        });
        Tree::Object(schema.collect())
    }

    /// Converts a reference to the location of its target in version 3.0; one into another document stays unchanged.
    pub(super) fn reference(&self, value: &Value<'_>) -> Tree {
        match value.as_str().and_then(target) {
            None => self.raw(value),
            Some((section, name, rest)) => {
                let home = match section {
                    "definitions" => "schemas",
                    // A reference to a body is resolved where it is used.
                    section => section,
                };
                let mut pointer = format!("#/components/{home}");
                push_token(&mut pointer, &self.name(section, &name));
                Tree::Raw(quote(&format!("{pointer}{rest}")))
            }
        }
    }
}

/// Splits a reference into the section, the name of the entry, and the pointer below it.
pub(super) fn target(reference: &str) -> Option<(&'static str, String, &str)> {
    let path = reference.strip_prefix("#/")?;
    let (section, path) = path.split_once('/')?;
    let section = SECTIONS.into_iter().find(|known| *known == section)?;
    let (name, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    let name = percent_decode(name).replace("~1", "/").replace("~0", "~");
    Some((section, name, rest))
}
