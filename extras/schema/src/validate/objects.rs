//! Keywords for objects.

use super::{Found, Run, Seen};
use crate::place::Place;
use crate::schema::{Node, NodeId};
use gatewright_model::json::{Kind, Member, Span, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The members of an object by name.
type Members<'v> = BTreeMap<&'v str, &'v Value<'v>>;

/// Returns the members in document order; a repeated one is where it last appears.
fn in_order<'v>(list: &'v [Member<'v>], members: &Members<'v>) -> Vec<(&'v str, &'v Value<'v>)> {
    let counts = |member: &&Member<'v>| {
        let counted = members.get(&*member.name);
        counted.is_some_and(|value| std::ptr::eq(*value, &raw const member.value))
    };
    let counted = list.iter().filter(counts);
    counted
        .map(|member| (&*member.name, &member.value))
        .collect()
}

impl<'s> Run<'s> {
    pub(super) fn object<'v>(
        &mut self,
        node: &'s Node,
        list: &'v [Member<'v>],
        members: &Members<'v>,
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let count = u64::try_from(members.len()).unwrap_or(u64::MAX);
        if let Some(least) = node.min_properties.filter(|least| count < *least) {
            found.report(place, format_args!("Must have at least {least} properties"));
        }
        if let Some(most) = node.max_properties.filter(|most| count > *most) {
            found.report(place, format_args!("Must have at most {most} properties"));
        }
        for name in &node.required {
            if members.contains_key(name.as_str()) {
                found.passed();
            } else {
                found.report(place, format_args!("{name} is required"));
            }
        }
        if !node.patterns.is_empty() || node.additional.is_some() {
            for (name, value) in in_order(list, members) {
                self.member(node, (name, value), place, found, seen);
            }
        }
        if let Some(schema) = node.names {
            for (name, _) in in_order(list, members) {
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
            seen.members.insert(name);
            is_known = true;
        }
        let Some(schema) = node.additional.filter(|_| !is_known) else {
            return;
        };
        seen.members.insert(name);
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
            if let Some((name, value)) = members.get_key_value(name.as_str()) {
                seen.members.insert(name);
                let here = Place::Member(place, name);
                self.check(*schema, value, &here, found, &mut Seen::default());
            }
        }
    }

    pub(super) fn unevaluated_properties<'v>(
        &mut self,
        node: &'s Node,
        list: &'v [Member<'v>],
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
        for (name, value) in in_order(list, members) {
            if !seen.members.contains(name) {
                self.left_over(schema, (name, value), place, found);
            }
        }
        seen.all_members = true;
    }
}
