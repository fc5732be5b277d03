//! The JSON Schemas (draft 2020-12) of OpenAPI documents with the vendor extension, generated from the tables that
//! [`crate::openapi::check`] reads.
//!
//! `x-gatewright-twin` names the definition member that a member of the extension becomes, and `x-gatewright-support`
//! its support.

use super::Object;
use crate::json::quote;
use crate::openapi::{DocumentKind, EXTENSIONS, twin};
use crate::shape::oas::{
    self, DOCUMENT, EXTENSION, Fill, Form, Kind, MCP_SERVER, Member, Others, Range, Table, Type,
    Version,
};
use crate::shape::{Root, at};
use std::collections::BTreeMap;

/// The schema of a reference, for every part of a document that may be one.
const REFERENCE: &str = r#"{"type":"object","required":["$ref"],"properties":{"$ref":{"type":"string","format":"uri-reference"}}}"#;

/// Returns the schema of OpenAPI documents of a version, as JSON text.
#[must_use]
pub fn openapi_schema(version: Version, kind: DocumentKind) -> String {
    let table = oas::table(version, kind);
    let writer = Writer {
        twins: twins(&table),
        table,
    };
    let number = version.word();
    let mut object = Object::new();
    object.text("$schema", "https://json-schema.org/draft/2020-12/schema");
    object.text(
        "title",
        &format!("OpenAPI {number} document with x-gateway-api-gateway"),
    );
    writer.reference(true, DOCUMENT, &mut object);
    object.raw("$defs", &writer.definitions());
    object.close()
}

/// Members of the extension, by type and name, and the definition members they become.
type Twins = BTreeMap<(usize, &'static str), &'static str>;

/// Collects them, each at the first occurrence of its type.
fn twins(table: &Table<'static>) -> Twins {
    let mut twins = Twins::new();
    if let Some(number) = table.number(false, EXTENSION) {
        visit(table, number, "", &mut twins);
    }
    twins
}

fn visit(table: &Table<'static>, number: usize, before: &str, twins: &mut Twins) {
    let Some(of) = table.get(number) else { return };
    for number in &of.any {
        visit(table, *number, before, twins);
    }
    for member in &of.members {
        let path = match before {
            "" => member.name.to_owned(),
            before => format!("{before}.{}", member.name),
        };
        if let Some(twin) = twin(&path) {
            twins.entry((number, member.name)).or_insert(twin);
        }
        if let Some(inner) = inner(&member.kind) {
            visit(table, inner, &path, twins);
        }
    }
}

/// Returns the type inside a kind.
fn inner(kind: &Kind<'_>) -> Option<usize> {
    match kind {
        Kind::Type(number) | Kind::OrReference(number, _) => Some(*number),
        Kind::List(kind, _) | Kind::Map(kind) | Kind::OrNull(kind) => inner(kind),
        _ => None,
    }
}

struct Writer {
    table: Table<'static>,
    twins: Twins,
}

impl Writer {
    /// Writes the types reachable from a document, without duplicates.
    fn definitions(&self) -> String {
        let mut open: Vec<usize> = [(true, DOCUMENT), (false, EXTENSION), (false, MCP_SERVER)]
            .into_iter()
            .filter_map(|(document, name)| self.table.number(document, name))
            .collect();
        let mut seen = BTreeMap::new();
        while let Some(number) = open.pop() {
            let Some(of) = self.table.get(number) else {
                continue;
            };
            if seen.insert(number, of).is_some() {
                continue;
            }
            open.extend(of.members.iter().filter_map(|member| inner(&member.kind)));
            open.extend(of.each.iter().filter_map(|(_, kind)| inner(kind)));
            open.extend([&of.any, &of.one, &of.all].into_iter().flatten());
            open.extend(of.not);
        }
        let mut definitions = Object::new();
        for (number, of) in seen {
            definitions.raw(&key(of), &self.type_schema(number, of));
        }
        definitions.close()
    }

    fn reference(&self, document: bool, name: &str, object: &mut Object) {
        if let Some(number) = self.table.number(document, name) {
            object.text("$ref", &self.numbered(number));
        }
    }

    /// Returns the reference to the definition of a type.
    fn numbered(&self, number: usize) -> String {
        let key = self.table.get(number).map(key).unwrap_or_default();
        format!("#/$defs/{key}")
    }

    /// Returns a schema that refers to a type.
    fn alone(&self, number: usize) -> String {
        let mut object = Object::new();
        object.text("$ref", &self.numbered(number));
        object.close()
    }

    fn type_schema(&self, number: usize, of: &Type<'static>) -> String {
        let mut object = Object::new();
        object.text("type", "object");
        let is_required = |member: &&Member<'_>| member.fill != Fill::Nothing;
        let required = of.members.iter().filter(is_required);
        let required: Vec<String> = required.map(|member| quote(member.name)).collect();
        if !required.is_empty() {
            object.raw("required", &format!("[{}]", required.join(",")));
        }
        if of.least > 0 {
            object.raw("minProperties", &of.least.to_string());
        }
        let mut properties = Object::new();
        for member in &of.members {
            properties.raw(member.name, &self.member_schema(number, of, member));
        }
        if of.is_document && of.name == DOCUMENT {
            let own = EXTENSIONS.map(|name| (name, EXTENSION));
            for (name, of) in own
                .into_iter()
                .chain([("x-gateway-mcp-server", MCP_SERVER)])
            {
                if let Some(number) = self.table.number(false, of) {
                    properties.raw(name, &self.alone(number));
                }
            }
        }
        object.raw("properties", &properties.close());
        let mut patterns = Object::new();
        if let Some((form, kind)) = &of.each {
            patterns.raw(form.expression().unwrap_or("^"), &self.schema(kind));
        }
        if of.others == Others::Extensions {
            patterns.raw("^x-", "{}");
        }
        object.raw("patternProperties", &patterns.close());
        if of.others != Others::Open {
            object.raw("additionalProperties", "false");
        }
        for (keyword, types) in [("anyOf", &of.any), ("oneOf", &of.one), ("allOf", &of.all)] {
            let types: Vec<String> = types.iter().map(|number| self.alone(*number)).collect();
            if !types.is_empty() {
                object.raw(keyword, &format!("[{}]", types.join(",")));
            }
        }
        if let Some(not) = of.not {
            object.raw("not", &self.alone(not));
        }
        object.close()
    }

    fn member_schema(&self, number: usize, of: &Type<'static>, member: &Member<'static>) -> String {
        let mut object = Object::new();
        let doc = match of.is_document {
            true => "",
            false => oas::doc(of.name, member.name),
        };
        if !doc.is_empty() {
            object.text("description", doc);
        }
        if let Some(twin) = self.twins.get(&(number, member.name)) {
            object.text("x-gatewright-twin", twin);
            let pointer = format!("/{}", twin.replace('.', "/"));
            let member = at(Root::ApiDefinition, &pointer).and_then(|spot| spot.member);
            if let Some(member) = member {
                object.text("x-gatewright-support", member.support.word());
            }
        }
        self.kind_schema(&member.kind, &mut object);
        object.close()
    }

    fn schema(&self, kind: &Kind<'_>) -> String {
        let mut object = Object::new();
        self.kind_schema(kind, &mut object);
        object.close()
    }

    fn kind_schema(&self, kind: &Kind<'_>, object: &mut Object) {
        match kind {
            Kind::Any => {}
            Kind::Bool(false) => object.text("type", "boolean"),
            Kind::Bool(true) => object.raw("enum", "[true]"),
            Kind::Integer(range) => number("integer", range, object),
            Kind::Number(range) => number("number", range, object),
            Kind::Text(form) => text(*form, object),
            Kind::Choice(words) => {
                let words: Vec<String> = words.split('|').map(quote).collect();
                object.text("type", "string");
                object.raw("enum", &format!("[{}]", words.join(",")));
            }
            Kind::Object => object.text("type", "object"),
            Kind::Reference => text(Form::named("@uri-reference"), object),
            Kind::List(kind, _) => {
                object.text("type", "array");
                object.raw("items", &self.schema(kind));
            }
            Kind::Map(kind) => {
                object.text("type", "object");
                object.raw("additionalProperties", &self.schema(kind));
            }
            Kind::Type(number) => object.text("$ref", &self.numbered(*number)),
            Kind::OrReference(number, boolean) => {
                let boolean = match boolean {
                    true => ",{\"type\":\"boolean\"}",
                    false => "",
                };
                let own = self.alone(*number);
                object.raw("anyOf", &format!("[{REFERENCE},{own}{boolean}]"));
            }
            Kind::OrNull(kind) => {
                let own = self.schema(kind);
                object.raw("anyOf", &format!("[{own},{{\"type\":\"null\"}}]"));
            }
        }
    }
}

/// Returns the name of a type in `$defs`: those of the extension start with `x-`.
fn key(of: &Type<'_>) -> String {
    match of.is_document {
        true => of.name.to_owned(),
        false => format!("x-{}", of.name),
    }
}

fn number(word: &str, range: &Range<'_>, object: &mut Object) {
    object.text("type", word);
    for (keyword, limit) in [("minimum", range.min), ("maximum", range.max)] {
        if !limit.is_empty() {
            object.raw(keyword, limit);
        }
    }
}

fn text(form: Form, object: &mut Object) {
    object.text("type", "string");
    if let Some(expression) = form.expression() {
        object.text("pattern", expression);
    }
    if let Form::Format(name) = form {
        object.text("format", name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(version: Version, kind: DocumentKind) -> serde_json::Value {
        serde_json::from_str(&openapi_schema(version, kind)).unwrap()
    }

    #[test]
    fn every_reference_of_a_schema_leads_to_a_definition() {
        for version in [Version::V3_0, Version::V3_1] {
            for kind in [DocumentKind::Oas, DocumentKind::Mcp] {
                let text = openapi_schema(version, kind);
                let value = schema(version, kind);
                let parts = text.split("\"$ref\":\"#").skip(1);
                let mut count = 0_u32;
                for reference in parts.filter_map(|part| part.split('"').next()) {
                    assert!(value.pointer(reference).is_some(), "{reference}");
                    count += 1;
                }
                assert!(count > 200, "{count}");
                assert_eq!(
                    value.pointer("/$defs/x-MCPServer").is_some(),
                    kind == DocumentKind::Mcp
                );
            }
        }
    }

    #[test]
    fn members_have_descriptions_and_targets() {
        let value = schema(Version::V3_0, DocumentKind::Oas);
        let path = value
            .pointer("/$defs/x-ListenPath/properties/value")
            .unwrap();
        assert_eq!(path["description"], "The path.");
        assert_eq!(path["x-gatewright-twin"], "proxy.listen_path");
        assert_eq!(path["x-gatewright-support"], "enforced");
        assert_eq!(path["pattern"], r"\S+");
        let required = &value["$defs"]["x-Extension"]["required"];
        assert_eq!(*required, serde_json::json!(["info", "upstream", "server"]));
        let jwt = &value["$defs"]["x-JWT"]["properties"]["source"];
        assert_eq!(jwt["x-gatewright-twin"], "jwt_source");
    }

    #[test]
    fn versions_differ_where_openapi_does() {
        let (old, new) = (
            schema(Version::V3_0, DocumentKind::Oas),
            schema(Version::V3_1, DocumentKind::Oas),
        );
        let required = "/$defs/Document/required";
        assert_eq!(
            old.pointer(required).unwrap().to_string(),
            r#"["openapi","info","paths"]"#
        );
        assert_eq!(
            new.pointer(required).unwrap().to_string(),
            r#"["openapi","info"]"#
        );
        assert!(new.pointer("/$defs/Document/properties/webhooks").is_some());
    }
}
