//! Validates values against the schemas of an OpenAPI document, versions 3.0 and 3.1.
//!
//! Only the first problem is reported, in the order of the reference. Defaults of missing members are filled in on the
//! way.

mod combined;
mod containers;
mod scalars;

use super::json::Json;
use super::problem::Problem;
use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The maximum number of checks per request, one for each pair of value and schema.
const MAX_STEPS: u32 = 200_000;

/// Their maximum nesting.
const MAX_DEPTH: u32 = 160;

/// The memory limit of one regular expression, in bytes.
const MAX_EXPRESSION: usize = 1 << 20;

/// The maximum length of a chain of references.
const MAX_HOPS: usize = 16;

/// The targets of references, and the regular expressions compiled so far.
#[derive(Debug)]
pub(crate) struct Schemas {
    references: Json,
    expressions: RefCell<HashMap<String, Option<Rc<Regex>>>>,
}

/// The validation of one request.
pub(crate) struct Run<'s> {
    schemas: &'s Schemas,
    steps: u32,
    depth: u32,
    /// Whether a default has been filled in.
    pub(crate) has_filled: bool,
}

type Checked = Result<(), Problem>;

fn wrong(message: impl Into<String>) -> Checked {
    Err(Problem::new(message))
}

impl Schemas {
    /// Creates it from an object that maps references to their targets.
    pub(crate) fn new(references: Json) -> Self {
        Self {
            references,
            expressions: RefCell::default(),
        }
    }

    /// Returns a schema, or the target of its reference.
    pub(crate) fn resolved<'s>(&'s self, schema: &'s Json) -> Option<&'s Json> {
        let mut schema = schema;
        for _ in 0..MAX_HOPS {
            let Some(reference) = schema.text("$ref") else {
                return Some(schema);
            };
            schema = self.references.get(reference)?;
        }
        None
    }

    /// Starts the validation of a request.
    pub(crate) fn run(&self) -> Run<'_> {
        Run {
            schemas: self,
            steps: MAX_STEPS,
            depth: MAX_DEPTH,
            has_filled: false,
        }
    }

    /// Returns a regular expression, compiled; `None` if it can't be.
    pub(crate) fn expression(&self, text: &str) -> Option<Rc<Regex>> {
        let mut known = self.expressions.borrow_mut();
        if let Some(known) = known.get(text) {
            return known.clone();
        }
        let compiled = RegexBuilder::new(&portable(text))
            .size_limit(MAX_EXPRESSION)
            .build();
        let compiled = compiled.ok().map(Rc::new);
        known.insert(text.to_owned(), compiled.clone());
        compiled
    }
}

/// Returns the types that a schema names; none means any.
pub(crate) fn types(schema: &Json) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::Text(one)) => vec![one],
        Some(several) => several.items().iter().filter_map(Json::as_text).collect(),
        None => Vec::new(),
    }
}

/// Whether a schema permits a type.
pub(crate) fn permits(schema: &Json, wanted: &str) -> bool {
    let types = types(schema);
    types.is_empty() || types.contains(&wanted)
}

fn expected_type(schema: &Json) -> Problem {
    let types = types(schema);
    let message = match types.as_slice() {
        [one @ ("array" | "object" | "integer")] => format!("value must be an {one}"),
        [one] => format!("value must be a {one}"),
        several => format!("value must be one of {}", several.join(", ")),
    };
    Problem::new(message)
}

/// Keywords that restrict nothing.
const SILENT: [&str; 12] = [
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "externalDocs",
    "xml",
    "$comment",
    "readOnly",
    "writeOnly",
    "discriminator",
];

/// Whether a schema restricts nothing.
fn is_empty(schema: &Json) -> bool {
    let mut members = schema.members();
    members.all(|(name, _)| SILENT.contains(&name) || name.starts_with("x-"))
}

impl<'s> Run<'s> {
    /// Validates a value against a schema.
    pub(crate) fn check(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        if self.steps == 0 || self.depth == 0 {
            return Err(Problem::too_much());
        }
        self.steps = self.steps.saturating_sub(1);
        self.depth = self.depth.saturating_sub(1);
        let checked = self.check_within_limits(schema, value);
        self.depth = self.depth.saturating_add(1);
        checked
    }

    fn check_within_limits(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        if let Json::Bool(verdict) = schema {
            return match verdict {
                true => Ok(()),
                false => wrong("no value is allowed"),
            };
        }
        if let Some(reference) = schema.text("$ref") {
            let Some(target) = self.schemas.resolved(schema) else {
                return wrong(format!("found unresolved ref: \"{reference}\""));
            };
            self.check(target, value)?;
            // In OpenAPI 3.1, keywords next to a reference apply, too.
            let Json::Object(members) = schema else {
                return Ok(());
            };
            return match members.len() {
                1 => Ok(()),
                _ => self.check_keywords(schema, value),
            };
        }
        self.check_keywords(schema, value)
    }

    fn check_keywords(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        // A null that is permitted is not checked any further, so an `enum` need not list it.
        let may_be_null = schema.is_on("nullable") || types(schema).contains(&"null");
        if is_empty(schema) || may_be_null && *value == Json::Null {
            return Ok(());
        }
        if let Some(not) = schema.get("not") {
            let mut copy = value.clone();
            if self.check_tentatively(not, &mut copy).is_ok() {
                return wrong("Doesn't match schema \"not\"");
            }
        }
        let has_alternatives = self.combined(schema, value)?;
        if has_alternatives && *value == Json::Null {
            return Ok(());
        }
        self.check_values(schema, value)?;
        match value {
            Json::Null if is_free(schema) => Ok(()),
            Json::Null => wrong("Value is not nullable"),
            Json::Bool(_) if permits(schema, "boolean") => Ok(()),
            Json::Number(text) => scalars::number(schema, text),
            Json::Text(text) => self.string(schema, text),
            Json::List(items) => self.array(schema, items),
            Json::Object(members) => self.object(schema, members),
            Json::Bool(_) => Err(expected_type(schema)),
        }
    }

    /// Validates a value against a schema whose defaults don't count unless it matches.
    fn check_tentatively(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        let had_filled = self.has_filled;
        let checked = self.check(schema, value);
        if checked.is_err() {
            self.has_filled = had_filled;
        }
        checked
    }

    /// Checks `enum` and `const`.
    fn check_values(&self, schema: &Json, value: &Json) -> Checked {
        let list = schema.list("enum");
        if !list.is_empty() {
            let text = value.json();
            if !list.iter().any(|known| known.json() == text) {
                let known: Vec<String> = list.iter().map(Json::json).collect();
                let known = known.join(",");
                return wrong(format!("value is not one of the allowed values [{known}]"));
            }
        }
        if let Json::Object(members) = schema
            && let Some(constant) = members.get("const")
            && constant.json() != value.json()
        {
            return wrong(format!("value must be {}", constant.json()));
        }
        Ok(())
    }
}

/// Whether a schema doesn't restrict types, so that null is a value like any other.
fn is_free(schema: &Json) -> bool {
    let is_said = |name: &str| schema.get(name).is_some();
    let listed = schema.list("enum").contains(&Json::Null);
    (listed || is_said("const") || is_said("if")) && !is_said("type")
}

/// Returns a limit, which may be 0.
fn limit(schema: &Json, name: &str) -> Option<usize> {
    match schema.get(name)? {
        Json::Number(text) => text.parse().ok(),
        _ => None,
    }
}
