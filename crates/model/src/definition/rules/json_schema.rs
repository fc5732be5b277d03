//! JSON Schemas inside a definition: checks that their keywords have sensible values.
//!
//! The reference reads drafts 4 to 7; the keywords of later drafts are known as well. Unknown keywords are allowed, as
//! every draft says. Most findings are warnings, because the reference finds out only when a request comes; what makes
//! validation impossible is an error: a reference that leads nowhere or to another document, and an expression that
//! can't be compiled.

use std::borrow::Cow;

use crate::findings::{Findings, shown};
use crate::issue::{Issue, IssueCode};
use crate::json::pointer::Path;
use crate::json::{Kind, Value};
use crate::json_schema::Registry;
use crate::order::repeats;
use crate::text::pattern;

const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

/// The expected value of a keyword.
#[derive(Clone, Copy, Debug)]
enum Keyword {
    Schema,
    Schemas,
    SchemaMap,
    /// A map of schemas whose names are expressions.
    PatternMap,
    /// A schema, or a list of them.
    Items,
    /// A map of schemas or of lists of names.
    Dependencies,
    Names,
    NamesMap,
    List,
    Count,
    Number,
    Boolean,
    /// A boolean, or in draft 4 a flag of another keyword that later became a number.
    Limit,
    Text,
    Pattern,
    Type,
    Reference,
}

const KEYWORDS: &[(&str, Keyword)] = &[
    ("$dynamicRef", Keyword::Reference),
    ("$recursiveRef", Keyword::Reference),
    ("$ref", Keyword::Reference),
    ("additionalItems", Keyword::Schema),
    ("additionalProperties", Keyword::Schema),
    ("allOf", Keyword::Schemas),
    ("anyOf", Keyword::Schemas),
    ("contains", Keyword::Schema),
    ("contentSchema", Keyword::Schema),
    ("definitions", Keyword::SchemaMap),
    ("$defs", Keyword::SchemaMap),
    ("dependencies", Keyword::Dependencies),
    ("dependentRequired", Keyword::NamesMap),
    ("dependentSchemas", Keyword::SchemaMap),
    ("description", Keyword::Text),
    ("else", Keyword::Schema),
    ("enum", Keyword::List),
    ("exclusiveMaximum", Keyword::Limit),
    ("exclusiveMinimum", Keyword::Limit),
    ("format", Keyword::Text),
    ("if", Keyword::Schema),
    ("items", Keyword::Items),
    ("maxContains", Keyword::Count),
    ("maxItems", Keyword::Count),
    ("maxLength", Keyword::Count),
    ("maxProperties", Keyword::Count),
    ("maximum", Keyword::Number),
    ("minContains", Keyword::Count),
    ("minItems", Keyword::Count),
    ("minLength", Keyword::Count),
    ("minProperties", Keyword::Count),
    ("minimum", Keyword::Number),
    ("multipleOf", Keyword::Number),
    ("not", Keyword::Schema),
    ("oneOf", Keyword::Schemas),
    ("pattern", Keyword::Pattern),
    ("patternProperties", Keyword::PatternMap),
    ("prefixItems", Keyword::Schemas),
    ("properties", Keyword::SchemaMap),
    ("propertyNames", Keyword::Schema),
    ("required", Keyword::Names),
    ("then", Keyword::Schema),
    ("title", Keyword::Text),
    ("type", Keyword::Type),
    ("unevaluatedItems", Keyword::Schema),
    ("unevaluatedProperties", Keyword::Schema),
    ("uniqueItems", Keyword::Boolean),
];

/// Checks a schema.
pub(super) fn check(schema: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    Checker {
        registry: Registry::read(schema),
        findings,
    }
    .schema(schema, path);
}

/// Returns the issues of a schema that is stored as a text.
pub(super) fn problems(text: &str, schema: &Value<'_>) -> Vec<Issue> {
    let mut findings = Findings::default();
    check(schema, &Path::Root, &mut findings);
    findings.into_issues(text)
}

struct Checker<'c, 'v> {
    registry: Registry<'v>,
    findings: &'c mut Findings,
}

impl Checker<'_, '_> {
    fn wrong(&mut self, value: &Value<'_>, path: &Path<'_>, message: impl Into<Cow<'static, str>>) {
        self.findings
            .warning(IssueCode::Format, value.span, path, message);
    }

    /// Reports what makes validation impossible, so that the rule can't be enforced.
    fn broken(
        &mut self,
        value: &Value<'_>,
        path: &Path<'_>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.findings
            .error(IssueCode::Format, value.span, path, message);
    }

    fn expression(&mut self, text: &str, value: &Value<'_>, path: &Path<'_>) {
        if let Err(problem) = pattern::check_schema(text) {
            self.broken(value, path, problem.message);
        }
    }

    fn schema(&mut self, schema: &Value<'_>, path: &Path<'_>) {
        match &schema.kind {
            Kind::Bool(_) => {}
            Kind::Object(members) => {
                let home = self.registry.home(schema);
                for member in members {
                    let known = KEYWORDS.iter().find(|(name, _)| *name == member.name);
                    let path = path.member(&member.name);
                    match (known, &member.value.kind) {
                        (Some((_, Keyword::Reference)), Kind::String(text)) => {
                            self.reference(text, &member.value, home, &path);
                        }
                        (Some((_, keyword)), _) => self.keyword(*keyword, &member.value, &path),
                        (None, _) => {}
                    }
                }
            }
            _ => self.wrong(schema, path, "a JSON Schema is an object or a boolean"),
        }
    }

    fn keyword(&mut self, keyword: Keyword, value: &Value<'_>, path: &Path<'_>) {
        match (keyword, &value.kind) {
            (Keyword::Schema, _) => self.schema(value, path),
            (Keyword::Schemas, Kind::Array(items)) if !items.is_empty() => {
                self.schemas(items, path)
            }
            (Keyword::Items, Kind::Array(items)) => self.schemas(items, path),
            (Keyword::Items, _) => self.schema(value, path),
            (Keyword::SchemaMap, Kind::Object(members)) => {
                for member in members {
                    self.schema(&member.value, &path.member(&member.name));
                }
            }
            (Keyword::PatternMap, Kind::Object(members)) => {
                for member in members {
                    let path = path.member(&member.name);
                    self.expression(&member.name, &member.value, &path);
                    self.schema(&member.value, &path);
                }
            }
            (Keyword::Dependencies, Kind::Object(members)) => {
                for member in members {
                    let path = path.member(&member.name);
                    if matches!(member.value.kind, Kind::Array(_)) {
                        self.keyword(Keyword::Names, &member.value, &path);
                    } else {
                        self.schema(&member.value, &path);
                    }
                }
            }
            (Keyword::NamesMap, Kind::Object(members)) => {
                for member in members {
                    self.keyword(Keyword::Names, &member.value, &path.member(&member.name));
                }
            }
            (Keyword::Names, Kind::Array(items)) => self.names(items, path),
            (Keyword::Type, _) => self.types(value, path),
            (Keyword::Pattern, Kind::String(text)) => {
                self.expression(text, value, path);
            }
            (Keyword::Count, Kind::Number(_)) if value.as_int().is_some_and(|count| count >= 0) => {
            }
            (Keyword::List, Kind::Array(_))
            | (Keyword::Number | Keyword::Limit, Kind::Number(_))
            | (Keyword::Boolean | Keyword::Limit, Kind::Bool(_))
            | (Keyword::Text, Kind::String(_)) => {}
            _ => self.wrong(value, path, expected(keyword)),
        }
    }

    fn schemas(&mut self, items: &[Value<'_>], path: &Path<'_>) {
        for (index, item) in items.iter().enumerate() {
            self.schema(item, &path.element(index));
        }
    }

    fn names(&mut self, items: &[Value<'_>], path: &Path<'_>) {
        let texts = items.iter().enumerate();
        let (indices, names): (Vec<usize>, Vec<&str>) = texts
            .filter_map(|(index, item)| Some((index, item.as_str()?)))
            .unzip();
        let again = repeats(&names).into_iter();
        for index in again.filter_map(|(at, _)| indices.get(at).copied()) {
            if let Some(item) = items.get(index) {
                let message = "the name is there twice; remove one";
                self.wrong(item, &path.element(index), message);
            }
        }
        for (index, item) in items.iter().enumerate() {
            if item.as_str().is_none() {
                let message = "this is a list of names, in quotes";
                self.wrong(item, &path.element(index), message);
            }
        }
    }

    fn types(&mut self, value: &Value<'_>, path: &Path<'_>) {
        let items = match &value.kind {
            Kind::Array(items) if !items.is_empty() => items.as_slice(),
            Kind::String(_) => std::slice::from_ref(value),
            _ => return self.wrong(value, path, expected(Keyword::Type)),
        };
        for item in items {
            if !item.as_str().is_some_and(|name| TYPES.contains(&name)) {
                let found = item.as_str().map(shown).unwrap_or_default();
                let message = format!(
                    "{found} is no type of JSON Schema; types are {}",
                    TYPES.join(", ")
                );
                self.wrong(item, path, message);
            }
        }
    }

    fn reference(&mut self, text: &str, value: &Value<'_>, home: usize, path: &Path<'_>) {
        if let Err(why) = self.registry.find(text, home) {
            self.broken(value, path, why);
        }
    }
}

const fn expected(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Schema | Keyword::Items => "this is a schema: an object or a boolean",
        Keyword::Schemas => "this is a list of one schema or more",
        Keyword::SchemaMap | Keyword::PatternMap => "this is an object of schemas",
        Keyword::Dependencies => "this is an object of schemas or lists of names",
        Keyword::Names => "this is a list of names",
        Keyword::NamesMap => "this is an object of lists of names",
        Keyword::List => "this is a list",
        Keyword::Count => "this is a whole number, 0 or more",
        Keyword::Number => "this is a number",
        Keyword::Boolean => "this is true or false",
        Keyword::Limit => "this is a number",
        Keyword::Text => "this is a text",
        Keyword::Pattern => "this is a regular expression",
        Keyword::Type => "this is the name of a type, or a list of them",
        Keyword::Reference => "this is a reference, such as #/definitions/a",
    }
}
