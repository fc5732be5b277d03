//! Validates a body against a schema, with messages as in the reference (3.14).
//!
//! Violations are in the order of the reference. If one of several schemas would have to match, those of the closest
//! one are reported, for which each schema gets a score.

use crate::canonical::Members;
use crate::place::Place;
use crate::schema::{Dependency, Node, NodeId, Schema};
use gatewright_model::json::{Kind, Value};
use std::collections::BTreeSet;

mod arrays;
mod objects;
mod scalars;

/// The maximum number of checks per body, one for each pair of value and schema.
const MAX_STEPS: u32 = 500_000;

/// Their maximum nesting.
const MAX_DEPTH: u32 = 320;

/// How many violations are listed.
const MAX_LISTED: usize = 500;

/// The result of a validation.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The body matches.
    Fits,
    /// It does not: the violations.
    Violates(Vec<String>),
    /// The check ran out of steps.
    TooMuch,
}

/// The findings about a value.
#[derive(Debug, Default)]
struct Found {
    violations: Vec<String>,
    /// How many violations are not listed.
    more: usize,
    /// How closely the value matches.
    score: i64,
}

impl Found {
    fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    fn report(&mut self, place: &Place<'_>, text: impl std::fmt::Display) {
        self.score = self.score.saturating_sub(2);
        self.push(format!("{place}: {text}"));
    }

    fn push(&mut self, violation: String) {
        if self.violations.len() < MAX_LISTED {
            self.violations.push(violation);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    fn passed(&mut self) {
        self.score = self.score.saturating_add(1);
    }

    fn merge(&mut self, other: Self) {
        self.score = self.score.saturating_add(other.score);
        for violation in other.violations {
            self.push(violation);
        }
        self.more = self.more.saturating_add(other.more);
    }
}

/// Which members and items of a value have been evaluated by keywords, if a keyword of the schema depends on that.
#[derive(Debug, Default)]
struct Seen<'v> {
    all_members: bool,
    members: BTreeSet<&'v str>,
    all_items: bool,
    items: BTreeSet<usize>,
}

impl Seen<'_> {
    fn merge(&mut self, other: Self) {
        self.all_members |= other.all_members;
        self.members.extend(other.members);
        self.all_items |= other.all_items;
        self.items.extend(other.items);
    }
}

/// Validates a value against a schema.
#[must_use]
pub fn validate(schema: &Schema, value: &Value<'_>) -> Verdict {
    let mut run = Run {
        schema,
        steps: MAX_STEPS,
        depth: MAX_DEPTH,
        is_exhausted: false,
        scope: Vec::new(),
    };
    let mut found = Found::default();
    run.check(0, value, &Place::Root, &mut found, &mut Seen::default());
    if run.is_exhausted {
        return Verdict::TooMuch;
    }
    if found.is_valid() {
        return Verdict::Fits;
    }
    if found.more > 0 {
        found.violations.push(format!("and {} more", found.more));
    }
    Verdict::Violates(found.violations)
}

struct Run<'s> {
    schema: &'s Schema,
    steps: u32,
    depth: u32,
    is_exhausted: bool,
    /// The schema resources that references have passed through, the outermost first.
    scope: Vec<usize>,
}

impl<'s> Run<'s> {
    /// Validates a value against a schema, and adds the findings to those so far.
    fn check<'v>(
        &mut self,
        number: NodeId,
        value: &'v Value<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let Some(node) = self.schema.nodes.get(number) else {
            return;
        };
        if self.steps == 0 || self.depth == 0 || self.is_exhausted {
            self.is_exhausted = true;
            return;
        }
        self.steps = self.steps.saturating_sub(1);
        self.depth = self.depth.saturating_sub(1);
        let is_new = self.scope.last() != Some(&node.resource);
        if is_new {
            self.scope.push(node.resource);
        }
        self.node(node, value, place, found, seen);
        if is_new {
            self.scope.pop();
        }
        self.depth = self.depth.saturating_add(1);
    }

    fn node<'v>(
        &mut self,
        node: &'s Node,
        value: &'v Value<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        if let Some(verdict) = node.verdict {
            if !verdict {
                found.report(place, "False always fails validation");
            }
            return;
        }
        if let Some(reference) = node.reference {
            self.check(reference, value, place, found, seen);
            if node.reference_alone {
                return;
            }
        }
        if let Some((target, anchor)) = &node.dynamic {
            let target = self.replaced(*target, anchor.as_deref());
            self.check(target, value, place, found, seen);
        }
        if let Some(given) = scalars::wrong_type(node, value) {
            let expected = match node.types.as_slice() {
                [one] => one.clone(),
                several => format!("[{}]", several.join(",")),
            };
            return found.report(
                place,
                format_args!("Invalid type. Expected: {expected}, given: {given}"),
            );
        }
        self.schemas(node, value, place, found, seen);
        match &value.kind {
            Kind::Number(text) => {
                scalars::number(node, text, place, found);
                scalars::common(node, value, place, found);
            }
            Kind::String(text) => {
                scalars::common(node, value, place, found);
                scalars::string(node, text, place, found);
            }
            Kind::Null | Kind::Bool(_) => scalars::common(node, value, place, found),
            Kind::Array(items) => {
                self.array(node, items, place, found, seen);
                scalars::common(node, value, place, found);
                self.unevaluated_items(node, items, place, found, seen);
            }
            Kind::Object(list) => {
                let members = Members::of(list);
                self.object(node, &members, place, found, seen);
                scalars::common(node, value, place, found);
                self.properties(node, &members, place, found, seen);
                self.unevaluated_properties(node, &members, place, found, seen);
            }
        }
        found.passed();
    }

    /// Resolves a dynamic reference: to the outermost resource with such an anchor.
    fn replaced(&self, target: NodeId, anchor: Option<&str>) -> NodeId {
        let Some(anchor) = anchor else {
            return target;
        };
        let mut anchors = self
            .scope
            .iter()
            .filter_map(|resource| self.schema.dynamic.get(*resource));
        anchors
            .find_map(|anchors| anchors.get(anchor))
            .copied()
            .unwrap_or(target)
    }

    /// Validates a value against a schema separately.
    fn check_separately<'v>(
        &mut self,
        number: NodeId,
        value: &'v Value<'v>,
        place: &Place<'_>,
    ) -> (Found, Seen<'v>) {
        let (mut found, mut seen) = (Found::default(), Seen::default());
        self.check(number, value, place, &mut found, &mut seen);
        (found, seen)
    }

    /// Validates an inner value against a schema, and adds the findings.
    fn inner<'v>(
        &mut self,
        number: NodeId,
        value: &'v Value<'v>,
        place: &Place<'_>,
        found: &mut Found,
    ) {
        let (inner, _) = self.check_separately(number, value, place);
        found.merge(inner);
    }

    fn schemas<'v>(
        &mut self,
        node: &'s Node,
        value: &'v Value<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        if !node.any_of.is_empty() {
            let attempt = self.try_all(&node.any_of, value, place, seen, !self.schema.tracks);
            if attempt.fitting == 0 {
                found.report(place, "Must validate at least one schema (anyOf)");
                found.merge(attempt.closest);
            }
        }
        if !node.one_of.is_empty() {
            let attempt = self.try_all(&node.one_of, value, place, seen, false);
            if attempt.fitting != 1 {
                found.report(place, "Must validate one and only one schema (oneOf)");
                if attempt.fitting == 0 {
                    found.merge(attempt.closest);
                }
            }
        }
        if !node.all_of.is_empty() {
            let mut all_fit = true;
            for schema in &node.all_of {
                let (inner, looked) = self.check_separately(*schema, value, place);
                all_fit = all_fit && inner.is_valid();
                found.merge(inner);
                seen.merge(looked);
            }
            if !all_fit {
                found.report(place, "Must validate all the schemas (allOf)");
            }
        }
        if let Some(not) = node.not
            && self.check_separately(not, value, place).0.is_valid()
        {
            found.report(place, "Must not validate the schema (not)");
        }
        if let Kind::Object(list) = &value.kind
            && !node.dependencies.is_empty()
        {
            let members = Members::of(list);
            for (name, dependency) in &node.dependencies {
                if members.has(name) {
                    self.depends(dependency, &members, value, place, found, seen);
                }
            }
        }
        self.condition(node, value, place, found, seen);
        found.passed();
    }

    fn depends<'v>(
        &mut self,
        dependency: &Dependency,
        members: &Members<'v>,
        value: &'v Value<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        match dependency {
            Dependency::Names(names) => {
                let missing = |name: &&String| !members.has(name);
                for name in names.iter().filter(missing) {
                    found.report(place, format_args!("Has a dependency on {name}"));
                }
            }
            Dependency::Schema(schema) => self.check(*schema, value, place, found, seen),
        }
    }

    fn condition<'v>(
        &mut self,
        node: &Node,
        value: &'v Value<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let Some(condition) = node.condition else {
            return;
        };
        let (holds, looked) = self.check_separately(condition, value, place);
        let holds = holds.is_valid();
        if holds {
            seen.merge(looked);
        }
        let (then, text) = if holds {
            (
                node.consequence,
                "Must validate \"then\" as \"if\" was valid",
            )
        } else {
            (
                node.alternative,
                "Must validate \"else\" as \"if\" was not valid",
            )
        };
        let Some(then) = then else {
            return;
        };
        let (inner, looked) = self.check_separately(then, value, place);
        if inner.is_valid() {
            seen.merge(looked);
        } else {
            found.report(place, text);
            found.merge(inner);
        }
    }

    /// Tries schemas of which one or more have to match.
    fn try_all<'v>(
        &mut self,
        schemas: &[NodeId],
        value: &'v Value<'v>,
        place: &Place<'_>,
        seen: &mut Seen<'v>,
        is_one_enough: bool,
    ) -> Attempt {
        let mut fitting = 0_usize;
        let mut closest: Option<Found> = None;
        for schema in schemas {
            let (inner, looked) = self.check_separately(*schema, value, place);
            if inner.is_valid() {
                fitting = fitting.saturating_add(1);
                seen.merge(looked);
                if is_one_enough {
                    break;
                }
            } else if closest
                .as_ref()
                .is_none_or(|known| inner.score > known.score)
            {
                closest = Some(inner);
            }
        }
        Attempt {
            fitting,
            closest: closest.unwrap_or_default(),
        }
    }
}

/// The result of trying several schemas.
struct Attempt {
    fitting: usize,
    /// The findings of the closest one among those that don't match.
    closest: Found,
}
