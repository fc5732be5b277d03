//! Validates values against the schemas of an OpenAPI document, versions 3.0 and 3.1.
//!
//! Only the first problem is reported, in the order of the reference. Defaults of missing members are filled in on the
//! way.

mod combined;
mod containers;
mod node;
mod scalars;

use super::json::{Data, Json};
use super::problem::Problem;
use crate::pattern::Pattern;
use node::{Compiler, Node, NodeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The maximum number of checks per request, one for each pair of value and schema.
const MAX_STEPS: u32 = 200_000;

/// Their maximum nesting.
const MAX_DEPTH: u32 = 160;

/// The maximum length of a chain of references.
const MAX_HOPS: usize = 16;

/// The schemas, the targets of their references, and the regular expressions compiled so far.
#[derive(Debug)]
pub(crate) struct Schemas {
    references: Json,
    nodes: Vec<Node>,
    /// The nodes of those that values are checked against, by the addresses of their schemas, which never move.
    known: HashMap<usize, NodeId>,
    /// Whether any of them has defaults, so that values may change when they are checked.
    fills: bool,
    expressions: RefCell<HashMap<String, Option<Rc<Pattern>>>>,
}

/// The validation of one request.
pub(crate) struct Run<'s> {
    schemas: &'s Schemas,
    steps: u32,
    depth: u32,
    /// Whether the body is checked: only there defaults of members are filled in, and `readOnly` counts.
    pub(crate) is_body: bool,
    /// Whether a default has been filled in.
    pub(crate) has_filled: bool,
}

type Checked = Result<(), Problem>;

fn wrong(message: impl Into<String>) -> Checked {
    Err(Problem::new(message))
}

impl Schemas {
    /// Reads the schemas that values are checked against. `references` is an object that maps references to their
    /// targets.
    pub(crate) fn new<'s>(references: Json, checked: impl Iterator<Item = &'s Json>) -> Self {
        let mut compiler = Compiler::new(&references);
        checked.for_each(|schema| compiler.add(schema));
        let Compiler { known, nodes, .. } = compiler;
        let fills = |node: &Node| node.special.iter().any(|special| special.default.is_some());
        Self {
            fills: nodes.iter().any(fills),
            nodes,
            known,
            references,
            expressions: RefCell::default(),
        }
    }

    /// Returns a schema, or the target of its reference.
    pub(crate) fn resolved<'s>(&'s self, schema: &'s Json) -> Option<&'s Json> {
        node::resolved(&self.references, schema)
    }

    /// Starts the validation of a request.
    pub(crate) fn run(&self) -> Run<'_> {
        Run {
            schemas: self,
            steps: MAX_STEPS,
            depth: MAX_DEPTH,
            is_body: false,
            has_filled: false,
        }
    }

    /// Returns a regular expression, compiled; `None` if it can't be.
    pub(crate) fn expression(&self, text: &str) -> Option<Rc<Pattern>> {
        let mut known = self.expressions.borrow_mut();
        if let Some(known) = known.get(text) {
            return known.clone();
        }
        let compiled = Pattern::compile(text).ok().map(Rc::new);
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

impl<'s> Run<'s> {
    /// Validates a value against one of the schemas.
    pub(crate) fn check_against(&mut self, schema: &Json, value: &mut Data<'_>) -> Checked {
        let address = std::ptr::from_ref(schema).addr();
        match self.schemas.known.get(&address) {
            Some(schema) => self.check(*schema, value),
            None => wrong("the schema is unknown"),
        }
    }

    fn check(&mut self, schema: NodeId, value: &mut Data<'_>) -> Checked {
        let Some(node) = self.schemas.nodes.get(schema) else {
            return wrong("the schema is unknown");
        };
        if self.steps == 0 || self.depth == 0 {
            return Err(Problem::too_much());
        }
        self.steps = self.steps.saturating_sub(1);
        self.depth = self.depth.saturating_sub(1);
        let checked = self.check_within_limits(node, value);
        self.depth = self.depth.saturating_add(1);
        checked
    }

    fn check_within_limits(&mut self, schema: &'s Node, value: &mut Data<'_>) -> Checked {
        match schema.verdict {
            Some(true) => return Ok(()),
            Some(false) => return wrong("no value is allowed"),
            None => {}
        }
        if let Some((reference, target)) = &schema.reference {
            let Some(target) = target else {
                return wrong(format!("found unresolved ref: \"{reference}\""));
            };
            self.check(*target, value)?;
            // In OpenAPI 3.1, keywords next to a reference apply, too.
            if !schema.has_more {
                return Ok(());
            }
        }
        self.check_keywords(schema, value)
    }

    fn check_keywords(&mut self, schema: &'s Node, value: &mut Data<'_>) -> Checked {
        // A null that is permitted is not checked any further, so an `enum` need not list it.
        if schema.is_empty || schema.may_be_null && *value == Data::Null {
            return Ok(());
        }
        if let Some(not) = schema.not
            && self.check_copy(not, value).is_ok()
        {
            return wrong("Doesn't match schema \"not\"");
        }
        let has_alternatives = self.combined(schema, value)?;
        if has_alternatives && *value == Data::Null {
            return Ok(());
        }
        check_values(schema, value)?;
        match value {
            Data::Null if schema.is_free => Ok(()),
            Data::Null => wrong("Value is not nullable"),
            Data::Bool(_) if schema.types.permit("boolean") => Ok(()),
            Data::Number(text) => scalars::number(schema, text),
            Data::Text(text) => self.string(schema, text),
            Data::List(items) => self.array(schema, items),
            Data::Object(members) => self.object(schema, members),
            Data::Bool(_) => Err(schema.types.expected()),
        }
    }

    /// Validates a copy of a value, into which defaults may be filled in, and returns it; the defaults don't count
    /// unless it matches. Without defaults there is nothing to copy.
    fn check_copy<'v>(
        &mut self,
        schema: NodeId,
        value: &mut Data<'v>,
    ) -> Result<Option<Data<'v>>, Problem> {
        if !self.schemas.fills || !self.is_body {
            return self.check(schema, value).map(|()| None);
        }
        let had_filled = self.has_filled;
        let mut copy = value.clone();
        match self.check(schema, &mut copy) {
            Ok(()) => Ok(Some(copy)),
            Err(problem) => {
                self.has_filled = had_filled;
                Err(problem)
            }
        }
    }
}

/// Checks `enum` and `const`.
fn check_values(schema: &Node, value: &Data<'_>) -> Checked {
    if schema.enumeration.is_empty() && schema.constant.is_none() {
        return Ok(());
    }
    let text = value.json();
    if !schema.enumeration.is_empty() && !schema.enumeration.contains(&text) {
        let known = schema.enumeration.join(",");
        return wrong(format!("value is not one of the allowed values [{known}]"));
    }
    match &schema.constant {
        Some(constant) if *constant != text => wrong(format!("value must be {constant}")),
        _ => Ok(()),
    }
}
