//! Keywords for objects.

use super::{Found, Run, Seen};
use crate::canonical::Members;
use crate::place::Place;
use crate::schema::{Node, NodeId};
use gatewright_model::json::{Kind, Span, Value};
use std::borrow::Cow;

impl<'s> Run<'s> {
    pub(super) fn object<'v>(
        &mut self,
        node: &'s Node,
        members: &Members<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let count = match (node.min_properties, node.max_properties) {
            (None, None) => 0,
            _ => u64::try_from(members.count()).unwrap_or(u64::MAX),
        };
        if let Some(least) = node.min_properties.filter(|least| count < *least) {
            found.report(place, format_args!("Must have at least {least} properties"));
        }
        if let Some(most) = node.max_properties.filter(|most| count > *most) {
            found.report(place, format_args!("Must have at most {most} properties"));
        }
        for name in &node.required {
            if members.has(name) {
                found.passed();
            } else {
                found.report(place, format_args!("{name} is required"));
            }
        }
        if !node.patterns.is_empty() || node.additional.is_some() {
            for (name, value) in members.in_order() {
                self.member(node, (name, value), place, found, seen);
            }
        }
        if let Some(schema) = node.names {
            for (name, _) in members.in_order() {
                self.name(schema, name, place, found);
            }
        }
        found.passed();
    }

    /// Checks a member against the patterns of names, and the schema for all other members.
    fn member<'v>(
        &mut self,
        node: &'s Node,
        (name, value): (&'v str, &'v Value<'v>),
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let mut is_known = node.properties.iter().any(|(known, _)| known == name);
        let here = Place::Member(place, name);
        let mut matches = false;
        for (pattern, schema) in &node.patterns {
            if pattern.compiled.is_match(name) {
                matches = true;
                self.inner(*schema, value, &here, found);
            }
        }
        if matches {
            found.passed();
            self.has_seen(name, seen);
            is_known = true;
        }
        let Some(schema) = node.additional.filter(|_| !is_known) else {
            return;
        };
        self.has_seen(name, seen);
        self.left_over(schema, (name, value), place, found);
    }

    /// Checks a member that no other keyword covers.
    fn left_over<'v>(
        &mut self,
        schema: NodeId,
        (name, value): (&'v str, &'v Value<'v>),
        place: &Place<'_>,
        found: &mut Found,
    ) {
        let verdict = self
            .schema
            .nodes
            .get(schema)
            .and_then(|schema| schema.verdict);
        match verdict {
            Some(false) => found.report(
                place,
                format_args!("Additional property {name} is not allowed"),
            ),
            Some(true) => {}
            None => self.inner(schema, value, &Place::Member(place, name), found),
        }
    }

    fn has_seen<'v>(&self, name: &'v str, seen: &mut Seen<'v>) {
        if self.schema.tracks {
            seen.members.insert(name);
        }
    }

    fn name(&mut self, schema: NodeId, name: &str, place: &Place<'_>, found: &mut Found) {
        let value = Value {
            span: Span { start: 0, end: 0 },
            kind: Kind::String(Cow::Borrowed(name)),
        };
        let (inner, _) = self.check_separately(schema, &value, place);
        if !inner.is_valid() {
            found.report(
                place,
                format_args!("Property name of \"{name}\" does not match"),
            );
            found.merge(inner);
        }
    }

    /// Checks the members that a schema names.
    pub(super) fn properties<'v>(
        &mut self,
        node: &'s Node,
        members: &Members<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        for (name, schema) in &node.properties {
            if let Some((name, value)) = members.get(name) {
                self.has_seen(name, seen);
                let here = Place::Member(place, name);
                self.check(*schema, value, &here, found, &mut Seen::default());
            }
        }
    }

    pub(super) fn unevaluated_properties<'v>(
        &mut self,
        node: &'s Node,
        members: &Members<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let Some(schema) = node.unevaluated_properties else {
            return;
        };
        if seen.all_members {
            return;
        }
        for (name, value) in members.in_order() {
            if !seen.members.contains(name) {
                self.left_over(schema, (name, value), place, found);
            }
        }
        seen.all_members = true;
    }
}
