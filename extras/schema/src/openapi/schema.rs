//! Values held against the schemas of an OpenAPI document, versions 3.0 and 3.1.
//!
//! The first thing that is wrong is told, in the order of the reference. Defaults of missing members are
//! filled in on the way.

use super::formats;
use super::json::Json;
use super::problem::Problem;
use crate::number::Number;
use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// How many schemas a request may be held against, one for each value and schema.
const MAX_STEPS: u32 = 200_000;

/// How deep they may nest.
const MAX_DEPTH: u32 = 160;

/// The most memory that one expression may take, in bytes.
const MAX_EXPRESSION: usize = 1 << 20;

/// How many references may follow each other.
const MAX_HOPS: usize = 16;

/// What schemas refer to, and the expressions that have been compiled.
#[derive(Debug)]
pub(crate) struct Schemas {
    references: Json,
    expressions: RefCell<HashMap<String, Option<Rc<Regex>>>>,
}

/// One request that is checked.
pub(crate) struct Run<'s> {
    schemas: &'s Schemas,
    steps: u32,
    depth: u32,
    /// Whether a default has been filled in.
    pub(crate) has_filled: bool,
}

type Checked = Result<(), Problem>;

fn wrong(words: impl Into<String>) -> Checked {
    Err(Problem::saying(words))
}

impl Schemas {
    /// What references lead to, by the references.
    pub(crate) fn new(references: Json) -> Self {
        Self {
            references,
            expressions: RefCell::default(),
        }
    }

    /// A schema, or what it refers to.
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

    /// The beginning of checking a request.
    pub(crate) fn run(&self) -> Run<'_> {
        Run {
            schemas: self,
            steps: MAX_STEPS,
            depth: MAX_DEPTH,
            has_filled: false,
        }
    }

    fn expression(&self, text: &str) -> Option<Rc<Regex>> {
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

/// The types that a schema names; none for any.
pub(crate) fn types(schema: &Json) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::Text(one)) => vec![one],
        Some(several) => several.items().iter().filter_map(Json::as_text).collect(),
        None => Vec::new(),
    }
}

/// Whether a schema lets a type through.
pub(crate) fn permits(schema: &Json, wanted: &str) -> bool {
    let types = types(schema);
    types.is_empty() || types.contains(&wanted)
}

fn expected_type(schema: &Json) -> Problem {
    let types = types(schema);
    let words = match types.as_slice() {
        [one @ ("array" | "object" | "integer")] => format!("value must be an {one}"),
        [one] => format!("value must be a {one}"),
        several => format!("value must be one of {}", several.join(", ")),
    };
    Problem::saying(words)
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
    /// Holds a value against a schema.
    pub(crate) fn hold(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        if self.steps == 0 || self.depth == 0 {
            return Err(Problem::too_much());
        }
        self.steps = self.steps.saturating_sub(1);
        self.depth = self.depth.saturating_sub(1);
        let checked = self.held(schema, value);
        self.depth = self.depth.saturating_add(1);
        checked
    }

    fn held(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
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
            self.hold(target, value)?;
            // Of OpenAPI 3.1 what stands beside a reference counts, too.
            let Json::Object(members) = schema else {
                return Ok(());
            };
            return match members.len() {
                1 => Ok(()),
                _ => self.kept(schema, value),
            };
        }
        self.kept(schema, value)
    }

    fn kept(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        if is_empty(schema) {
            return Ok(());
        }
        if let Some(not) = schema.get("not") {
            let mut copy = value.clone();
            if self.tried(not, &mut copy).is_ok() {
                return wrong("Doesn't match schema \"not\"");
            }
        }
        let has_alternatives = self.combined(schema, value)?;
        if has_alternatives && *value == Json::Null {
            return Ok(());
        }
        self.allowed(schema, value)?;
        match value {
            Json::Null => {
                let is_null = types(schema).contains(&"null");
                match schema.is_on("nullable") || is_null || is_free(schema) {
                    true => Ok(()),
                    false => wrong("Value is not nullable"),
                }
            }
            Json::Bool(_) if permits(schema, "boolean") => Ok(()),
            Json::Number(text) => number(schema, text),
            Json::Text(text) => self.string(schema, text),
            Json::List(items) => self.array(schema, items),
            Json::Object(members) => self.object(schema, members),
            Json::Bool(_) => Err(expected_type(schema)),
        }
    }

    /// Holds a value against a schema whose defaults don't count if it does not fit.
    fn tried(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        let had_filled = self.has_filled;
        let checked = self.hold(schema, value);
        if checked.is_err() {
            self.has_filled = had_filled;
        }
        checked
    }

    /// Values that are listed.
    fn allowed(&self, schema: &Json, value: &Json) -> Checked {
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

    /// `oneOf`, `anyOf`, `allOf`; whether there is one of them.
    fn combined(&mut self, schema: &'s Json, value: &mut Json) -> Result<bool, Problem> {
        let one_of = schema.list("oneOf");
        if !one_of.is_empty() {
            let chosen = chosen(schema, value)?;
            let mut problems = Vec::new();
            let mut fitting = Vec::new();
            for (index, alternative) in one_of.iter().enumerate() {
                let is_other = |chosen: &str| alternative.text("$ref") != Some(chosen);
                if chosen.is_some_and(is_other) {
                    continue;
                }
                let mut copy = value.clone();
                let had_filled = self.has_filled;
                match self.hold(alternative, &mut copy) {
                    Ok(()) => fitting.push((index, copy, self.has_filled)),
                    Err(problem) => problems.push(problem),
                }
                self.has_filled = had_filled;
            }
            match fitting.len() {
                0 => return Err(Problem::alternatives(problems)),
                1 => {
                    for (_, copy, has_filled) in fitting {
                        *value = copy;
                        self.has_filled = has_filled;
                    }
                }
                _ => return Err(Problem::saying("input matches more than one oneOf schemas")),
            }
        }
        let any_of = schema.list("anyOf");
        if !any_of.is_empty() {
            let fits = any_of.iter().any(|alternative| {
                let mut copy = value.clone();
                let fits = self.tried(alternative, &mut copy).is_ok();
                if fits {
                    *value = copy;
                }
                fits
            });
            if !fits {
                return Err(Problem::saying("doesn't match any schema from \"anyOf\""));
            }
        }
        let all_of = schema.list("allOf");
        let mut problems = Vec::new();
        for part in all_of {
            if let Err(problem) = self.hold(part, value) {
                problems.push(problem);
            }
        }
        if !problems.is_empty() {
            return Err(Problem::parts(problems));
        }
        self.condition(schema, value)?;
        Ok(!(one_of.is_empty() && any_of.is_empty() && all_of.is_empty()))
    }

    /// `if`, of OpenAPI 3.1.
    fn condition(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        let Some(condition) = schema.get("if") else {
            return Ok(());
        };
        let mut copy = value.clone();
        let then = match self.tried(condition, &mut copy) {
            Ok(()) => "then",
            Err(_) => "else",
        };
        match schema.get(then) {
            Some(then) => self.hold(then, value),
            None => Ok(()),
        }
    }

    fn string(&mut self, schema: &Json, text: &str) -> Checked {
        if !permits(schema, "string") {
            return Err(expected_type(schema));
        }
        let length = text.chars().count();
        if let Some(least) = schema.count("minLength").filter(|least| length < *least) {
            return wrong(format!("minimum string length is {least}"));
        }
        if let Some(most) = limit(schema, "maxLength").filter(|most| length > *most) {
            return wrong(format!("maximum string length is {most}"));
        }
        if let Some(pattern) = schema.text("pattern").filter(|text| !text.is_empty()) {
            let Some(compiled) = self.schemas.expression(pattern) else {
                return wrong(format!("cannot compile pattern \"{pattern}\""));
            };
            if !compiled.is_match(text) {
                return wrong(format!(
                    "string doesn't match the regular expression \"{pattern}\""
                ));
            }
        }
        let format = schema.text("format").unwrap_or_default();
        match formats::problem(format, text) {
            Some(why) => wrong(format!(
                "string doesn't match the format \"{format}\": {why}"
            )),
            None => Ok(()),
        }
    }

    fn array(&mut self, schema: &'s Json, items: &mut [Json]) -> Checked {
        if !permits(schema, "array") {
            return Err(expected_type(schema));
        }
        let count = items.len();
        if let Some(least) = schema.count("minItems").filter(|least| count < *least) {
            return wrong(format!("minimum number of items is {least}"));
        }
        if let Some(most) = limit(schema, "maxItems").filter(|most| count > *most) {
            return wrong(format!("maximum number of items is {most}"));
        }
        if schema.is_on("uniqueItems") {
            let texts: BTreeSet<String> = items.iter().map(Json::json).collect();
            if texts.len() != count {
                return wrong("duplicate items found");
            }
        }
        let prefix = schema.list("prefixItems");
        let rest = schema.get("items");
        for (index, item) in items.iter_mut().enumerate() {
            let of_item = prefix.get(index).or(rest);
            if let Some(of_item) = of_item {
                let held = self.hold(of_item, item);
                held.map_err(|problem| problem.inside(&index.to_string()))?;
            }
        }
        if let Some(contains) = schema.get("contains") {
            let least = limit(schema, "minContains").unwrap_or(1);
            let most = limit(schema, "maxContains").unwrap_or(usize::MAX);
            let mut fitting = 0_usize;
            for item in items.iter() {
                let mut copy = item.clone();
                if self.tried(contains, &mut copy).is_ok() {
                    fitting = fitting.saturating_add(1);
                }
            }
            if !(least..=most).contains(&fitting) {
                return wrong("the number of items that match \"contains\" is wrong");
            }
        }
        Ok(())
    }

    fn object(&mut self, schema: &'s Json, members: &mut BTreeMap<String, Json>) -> Checked {
        if !permits(schema, "object") {
            return Err(expected_type(schema));
        }
        let properties = schema.get("properties");
        let mut read_only = Vec::new();
        for (name, property) in properties.into_iter().flat_map(Json::members) {
            let property = self.schemas.resolved(property).unwrap_or(property);
            let is_read_only = property.is_on("readOnly");
            let is_set = members.get(name).is_some_and(|value| *value != Json::Null);
            match property.get("default") {
                Some(default) if !is_set && !is_read_only => {
                    members.insert(name.to_owned(), default.clone());
                    self.has_filled = true;
                }
                _ if is_set && is_read_only => {
                    read_only.push(format!("readOnly property \"{name}\" in request"));
                }
                _ => {}
            }
        }
        let count = members.len();
        if let Some(least) = schema.count("minProperties").filter(|least| count < *least) {
            return wrong(format!("there must be at least {least} properties"));
        }
        if let Some(most) = limit(schema, "maxProperties").filter(|most| count > *most) {
            return wrong(format!("there must be at most {most} properties"));
        }
        for (name, value) in members.iter_mut() {
            self.member(schema, properties, name, value)?;
        }
        for name in schema.list("required").iter().filter_map(Json::as_text) {
            let property = properties.and_then(|properties| properties.get(name));
            let property = property.and_then(|property| self.schemas.resolved(property));
            let is_read_only = property.is_some_and(|property| property.is_on("readOnly"));
            if !members.contains_key(name) && !is_read_only {
                let problem = Problem::saying(format!("property \"{name}\" is missing"));
                return Err(problem.inside(name));
            }
        }
        for (name, needed) in schema
            .get("dependentRequired")
            .into_iter()
            .flat_map(Json::members)
        {
            let mut needed = needed.items().iter().filter_map(Json::as_text);
            let missing = needed.find(|needed| !members.contains_key(*needed));
            if let Some(missing) = missing.filter(|_| members.contains_key(name)) {
                let problem = Problem::saying(format!("property \"{missing}\" is missing"));
                return Err(problem.inside(missing));
            }
        }
        match read_only.is_empty() {
            true => Ok(()),
            false => wrong(read_only.join(" | ")),
        }
    }

    /// A member by what is said of it, by patterns of names, and by what is said about all others.
    fn member(
        &mut self,
        schema: &'s Json,
        properties: Option<&'s Json>,
        name: &str,
        value: &mut Json,
    ) -> Checked {
        if let Some(names) = schema.get("propertyNames") {
            let held = self.hold(names, &mut Json::Text(name.to_owned()));
            held.map_err(|problem| problem.inside(name))?;
        }
        let mut is_known = false;
        if let Some(Json::Object(properties)) = properties
            && let Some(property) = properties.get(name)
        {
            is_known = true;
            let held = self.hold(property, value);
            held.map_err(|problem| problem.inside(name))?;
        }
        for (pattern, property) in schema
            .get("patternProperties")
            .into_iter()
            .flat_map(Json::members)
        {
            let compiled = self.schemas.expression(pattern);
            if compiled.is_some_and(|compiled| compiled.is_match(name)) {
                is_known = true;
                let held = self.hold(property, value);
                held.map_err(|problem| problem.inside(name))?;
            }
        }
        if is_known {
            return Ok(());
        }
        match schema.get("additionalProperties") {
            None | Some(Json::Bool(true)) => Ok(()),
            Some(Json::Bool(false)) => wrong(format!("property \"{name}\" is unsupported")),
            Some(others) => {
                let held = self.hold(others, value);
                held.map_err(|problem| problem.inside(name))
            }
        }
    }
}

/// Whether a schema says nothing about types, so that null is a value as any other.
fn is_free(schema: &Json) -> bool {
    let is_said = |name: &str| schema.get(name).is_some();
    let listed = schema.list("enum").contains(&Json::Null);
    let is_version_31 = is_said("const") || is_said("if");
    listed || is_version_31 && !is_said("type")
}

/// A limit that may be 0.
fn limit(schema: &Json, name: &str) -> Option<usize> {
    match schema.get(name)? {
        Json::Number(text) => text.parse().ok(),
        _ => None,
    }
}

/// The reference that the discriminator of a value chooses.
fn chosen<'j>(schema: &'j Json, value: &Json) -> Result<Option<&'j str>, Problem> {
    let Some(discriminator) = schema.get("discriminator") else {
        return Ok(None);
    };
    let Json::Object(members) = value else {
        return Ok(None);
    };
    let name = discriminator.text("propertyName").unwrap_or_default();
    let Some(value) = members.get(name) else {
        let words = format!("input does not contain the discriminator property \"{name}\"");
        return Err(Problem::saying(words));
    };
    let Some(value) = value.as_text() else {
        let words = format!("value of discriminator property \"{name}\" is not a string");
        return Err(Problem::saying(words));
    };
    let Some(mapping) = discriminator.get("mapping") else {
        return Ok(None);
    };
    match mapping.text(value) {
        Some(chosen) => Ok(Some(chosen)),
        None if mapping.members().next().is_none() => Ok(None),
        None => Err(Problem::saying(format!(
            "discriminator property \"{name}\" has invalid value"
        ))),
    }
}

fn number(schema: &Json, text: &str) -> Checked {
    let value = Number::read(text);
    let is_number = permits(schema, "number");
    if permits(schema, "integer") && !is_number {
        if !value.is_integer() {
            return wrong("value must be an integer");
        }
    } else if !is_number {
        return Err(expected_type(schema));
    }
    let format = schema.text("format").unwrap_or_default();
    if let Some((least, most)) = formats::range(format).filter(|_| !is_number) {
        let (low, high) = (Number::read(least), Number::read(most));
        if value.compare(&low) == Ordering::Less || value.compare(&high) == Ordering::Greater {
            return wrong(format!(
                "integer doesn't match the format \"{format}\": value should be between {least} and {most}"
            ));
        }
    }
    let minimum = schema.number("minimum");
    let maximum = schema.number("maximum");
    // In OpenAPI 3.0 they are flags of the other limit.
    let above = schema.number("exclusiveMinimum");
    let above = above.or_else(|| minimum.clone().filter(|_| schema.is_on("exclusiveMinimum")));
    let below = schema.number("exclusiveMaximum");
    let below = below.or_else(|| maximum.clone().filter(|_| schema.is_on("exclusiveMaximum")));
    if let Some(above) = above.filter(|above| value.compare(above) != Ordering::Greater) {
        return wrong(format!("number must be more than {}", above.shortest()));
    }
    if let Some(below) = below.filter(|below| value.compare(below) != Ordering::Less) {
        return wrong(format!("number must be less than {}", below.shortest()));
    }
    if let Some(minimum) = minimum.filter(|least| value.compare(least) == Ordering::Less) {
        return wrong(format!("number must be at least {}", minimum.shortest()));
    }
    if let Some(maximum) = maximum.filter(|most| value.compare(most) == Ordering::Greater) {
        return wrong(format!("number must be at most {}", maximum.shortest()));
    }
    let divisor = schema.number("multipleOf");
    match divisor.filter(|divisor| !value.is_multiple_of(divisor)) {
        Some(divisor) => wrong(format!(
            "number must be a multiple of {}",
            divisor.shortest()
        )),
        None => Ok(()),
    }
}
