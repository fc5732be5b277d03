//! JSON Schemas (draft 2020-12) of the documents, generated from the table of types.
//!
//! As far as types, required members, closed lists and ranges go, a schema accepts everything the validator reports no
//! error for. What the validator only warns about is an annotation: unknown members are allowed, and an open list of
//! texts allows other texts. Keywords that start with `x-gatewright-` are annotations too:
//!
//! - `x-gatewright-support`: `enforced`, `stored` or `unsupported`, with `x-gatewright-reason`
//! - `x-gatewright-format`: the format of a text, in words
//! - `x-gatewright-expected`: members without which an object does nothing useful
//! - `x-gatewright-range`: the range outside which a number is warned about
//! - `x-gatewright-names`: what the keys of a map must be
//! - `x-gatewright-types`: the types that another member selects
//! - `x-gatewright-protects`: the member is a protection; while it isn't enforced, the API is not served
//! - `x-gatewright-unless`: the member that switches it off
//! - `x-gatewright-secret`: its text, or each text of its map, is a secret

mod openapi;

use std::fmt::Write as _;

use crate::issue::Severity;
use crate::json::quote;
use crate::shape::{
    self, Bounds, Choice, Format, Kind, Member, Names, Presence, Root, Support, Tagged, Type,
};
pub use openapi::openapi_schema;

/// The alternatives for a timestamp: an empty text, a reference to a secret store, or a time.
const ANY_TIME: &str = r#"[{"format":"date-time"},{"maxLength":0},{"pattern":"^((env|secrets|consul|vault|file|kv)://|\\$secret_)"}]"#;

/// Returns the schema of a kind of document, as JSON text.
#[must_use]
pub fn json_schema(root: Root) -> String {
    let title = root.title();
    let title = title.split_once(' ').map_or(title, |(_, noun)| noun);
    let mut object = Object::new();
    object.text("$schema", "https://json-schema.org/draft/2020-12/schema");
    object.text("title", title);
    object.raw("$ref", &reference(root.shape()));
    let mut definitions = Object::new();
    for of in shape::types_of(root) {
        definitions.raw(&key(of), &type_schema(of));
    }
    object.raw("$defs", &definitions.close());
    object.close()
}

/// Returns the name of a type in `$defs`.
fn key(of: &Type) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() {
            character
        } else {
            '_'
        }
    };
    let name: String = of.name.chars().map(plain).collect();
    name.trim_end_matches('_').to_owned()
}

fn reference(of: &Type) -> String {
    quote(&format!("#/$defs/{}", key(of)))
}

fn type_schema(of: &'static Type) -> String {
    let mut object = Object::new();
    object.text("title", of.name);
    object.text("description", of.doc);
    object.text("type", "object");
    for (keyword, presence) in [
        ("required", Presence::Required),
        ("x-gatewright-expected", Presence::Expected),
    ] {
        let members = of
            .members
            .iter()
            .filter(|member| member.presence() == presence);
        let names: Vec<String> = members.map(|member| quote(member.name)).collect();
        if !names.is_empty() {
            object.raw(keyword, &format!("[{}]", names.join(",")));
        }
    }
    let mut properties = Object::new();
    for member in of.members {
        properties.raw(member.name, &member_schema(member));
    }
    object.raw("properties", &properties.close());
    object.close()
}

fn member_schema(member: &'static Member) -> String {
    let mut object = Object::new();
    object.text("description", member.doc);
    kind_schema(member.kind, !member.is_required(), &mut object);
    if let Some(default) = member.default() {
        object.raw("default", default);
    }
    object.text("x-gatewright-support", member.support.word());
    if let Support::Unsupported(reason) = *member.support {
        object.text("x-gatewright-reason", reason);
    }
    if let Some(what) = member.protects() {
        object.text("x-gatewright-protects", what);
    }
    if let Some(other) = member.unless() {
        object.text("x-gatewright-unless", other);
    }
    if let Some(other) = member.needs() {
        object.text("x-gatewright-needs", other);
    }
    if member.is_secret() {
        object.raw("x-gatewright-secret", "true");
    }
    object.close()
}

/// Writes the keywords for a kind. The reference reads null as absent, so most values may be null.
fn kind_schema(kind: &'static Kind, nullable: bool, object: &mut Object) {
    match kind {
        Kind::Bool => object.types(&["boolean"], nullable),
        Kind::Text => object.types(&["string"], nullable),
        Kind::Format(format) => format_schema(*format, nullable, object),
        Kind::Enum(choice) => choice_schema(choice, nullable, object),
        Kind::Integer(bounds) => integer_schema(bounds, nullable, object),
        Kind::Number => object.types(&["number"], nullable),
        Kind::Duration => {
            object.types(&["number", "string"], nullable);
            object.text("x-gatewright-format", Format::Duration.title());
        }
        Kind::Array(inner) => {
            object.types(&["array"], nullable);
            object.raw("items", &nested(inner));
        }
        Kind::Map(names, inner) => {
            object.types(&["object"], nullable);
            names_schema(names, object);
            object.raw("additionalProperties", &nested(inner));
        }
        Kind::Object(of) if nullable => {
            let choice = format!("[{{\"$ref\":{}}},{{\"type\":\"null\"}}]", reference(of));
            object.raw("anyOf", &choice);
        }
        Kind::Object(of) => object.raw("$ref", &reference(of)),
        Kind::Tagged(tagged) => {
            object.types(&["object"], nullable);
            object.raw("x-gatewright-types", &tagged_schema(tagged));
        }
        Kind::Free => object.types(&["object"], nullable),
        Kind::Any => {}
    }
}

fn nested(kind: &'static Kind) -> String {
    let mut object = Object::new();
    kind_schema(kind, true, &mut object);
    object.close()
}

fn format_schema(format: Format, nullable: bool, object: &mut Object) {
    object.types(&["string"], nullable);
    object.text("x-gatewright-format", format.title());
    // A validator may assert `format` (2020-12, validation, section 7.2), so only a format whose violation is an error
    // has the keyword. An empty timestamp means that there is none.
    if format == Format::Timestamp {
        object.raw("anyOf", ANY_TIME);
    }
    if format == Format::Base64 {
        object.text("contentEncoding", "base64");
    }
    if let Some(pattern) = format
        .schema_pattern()
        .filter(|_| format.severity() == Some(Severity::Error))
    {
        object.text("pattern", pattern);
    }
}

fn choice_schema(choice: &Choice, nullable: bool, object: &mut Object) {
    let mut values: Vec<String> = choice.values.iter().map(|text| quote(text)).collect();
    if choice.severity == Severity::Error {
        if nullable {
            values.push("null".to_owned());
        }
        return object.raw("enum", &format!("[{}]", values.join(",")));
    }
    // An open list: editors offer its texts, validators accept others as well.
    object.types(&["string"], nullable);
    object.raw("examples", &format!("[{}]", values.join(",")));
}

fn integer_schema(bounds: &Bounds, nullable: bool, object: &mut Object) {
    object.types(&["integer"], nullable);
    if bounds.severity != Severity::Error {
        return object.raw(
            "x-gatewright-range",
            &format!("[{},{}]", bounds.min, bounds.max),
        );
    }
    for (keyword, limit, none) in [
        ("minimum", bounds.min, i64::MIN),
        ("maximum", bounds.max, i64::MAX),
    ] {
        if limit != none {
            object.raw(keyword, &limit.to_string());
        }
    }
}

fn names_schema(names: &Names, object: &mut Object) {
    match *names {
        Names::Any => {}
        Names::Known(list) => {
            let list: Vec<String> = list.iter().map(|text| quote(text)).collect();
            object.raw("x-gatewright-names", &format!("[{}]", list.join(",")));
        }
        Names::Format(format) => object.text("x-gatewright-names", format.title()),
    }
}

fn tagged_schema(tagged: &'static Tagged) -> String {
    let mut types = Object::new();
    for (value, of) in tagged.types {
        types.raw(value, &reference(of));
    }
    let mut object = Object::new();
    object.text("by", tagged.by);
    object.raw("types", &types.close());
    object.close()
}

/// A JSON object being written.
struct Object {
    json: String,
}

impl Object {
    fn new() -> Self {
        Self {
            json: String::from("{"),
        }
    }

    fn raw(&mut self, name: &str, json: &str) {
        if self.json.len() > 1 {
            self.json.push(',');
        }
        // Writing to a String cannot fail.
        let _ = write!(self.json, "{}:{json}", quote(name));
    }

    fn text(&mut self, name: &str, text: &str) {
        self.raw(name, &quote(text));
    }

    fn types(&mut self, names: &[&str], nullable: bool) {
        let null = nullable.then_some("null");
        let names: Vec<String> = names.iter().copied().chain(null).map(quote).collect();
        match names.as_slice() {
            [one] => self.raw("type", one),
            several => self.raw("type", &format!("[{}]", several.join(","))),
        }
    }

    fn close(mut self) -> String {
        self.json.push('}');
        self.json
    }
}
