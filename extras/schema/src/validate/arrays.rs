//! Keywords for lists.

use super::{Found, Run, Seen};
use crate::canonical::canonical;
use crate::place::Place;
use crate::schema::Node;
use gatewright_model::json::Value;
use std::collections::HashMap;

impl<'s> Run<'s> {
    pub(super) fn array<'v>(
        &mut self,
        node: &'s Node,
        items: &'v [Value<'v>],
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        self.items(node, items, place, found, seen);
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if let Some(least) = node.min_items.filter(|least| count < *least) {
            found.report(
                place,
                format_args!("Array must have at least {least} items"),
            );
        }
        if let Some(most) = node.max_items.filter(|most| count > *most) {
            found.report(place, format_args!("Array must have at most {most} items"));
        }
        if node.unique {
            let mut known: HashMap<String, usize> = HashMap::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                if let Some(same) = known.insert(canonical(item), index) {
                    found.report(
                        place,
                        format_args!("array items[{same},{index}] must be unique"),
                    );
                }
            }
        }
        self.contains(node, items, place, found, seen);
        found.passed();
    }

    fn items<'v>(
        &mut self,
        node: &'s Node,
        items: &'v [Value<'v>],
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        for (index, (item, schema)) in items.iter().zip(&node.prefix).enumerate() {
            self.inner(*schema, item, &Place::Item(place, index), found);
        }
        if self.schema.tracks {
            seen.items.extend(0..node.prefix.len().min(items.len()));
        }
        let Some(schema) = node.items else {
            return;
        };
        seen.all_items = true;
        let verdict = self
            .schema
            .nodes
            .get(schema)
            .and_then(|schema| schema.verdict);
        if verdict == Some(false) && !node.prefix.is_empty() {
            if items.len() > node.prefix.len() {
                found.report(place, "No additional items allowed on array");
            }
            return;
        }
        for (index, item) in items.iter().enumerate().skip(node.prefix.len()) {
            self.inner(schema, item, &Place::Item(place, index), found);
        }
    }

    fn contains<'v>(
        &mut self,
        node: &'s Node,
        items: &'v [Value<'v>],
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let Some(schema) = node.contains else {
            return;
        };
        let least = node.min_contains.unwrap_or(1);
        let is_one_enough = least <= 1 && node.max_contains.is_none() && !self.schema.tracks;
        let mut fitting = 0_u64;
        let mut closest: Option<Found> = None;
        for (index, item) in items.iter().enumerate() {
            let (inner, _) = self.check_separately(schema, item, &Place::Item(place, index));
            if inner.is_valid() {
                fitting = fitting.saturating_add(1);
                if self.schema.tracks {
                    seen.items.insert(index);
                }
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
        if fitting < least {
            match least {
                1 => found.report(place, "At least one of the items must match"),
                _ => found.report(
                    place,
                    format_args!("At least {least} of the items must match"),
                ),
            }
            found.merge(closest.unwrap_or_default());
        } else if let Some(most) = node.max_contains.filter(|most| fitting > *most) {
            found.report(place, format_args!("At most {most} of the items may match"));
        }
    }

    pub(super) fn unevaluated_items<'v>(
        &mut self,
        node: &'s Node,
        items: &'v [Value<'v>],
        place: &Place<'_>,
        found: &mut Found,
        seen: &mut Seen<'v>,
    ) {
        let Some(schema) = node.unevaluated_items else {
            return;
        };
        let verdict = self
            .schema
            .nodes
            .get(schema)
            .and_then(|schema| schema.verdict);
        let left = |index: &usize| !seen.all_items && !seen.items.contains(index);
        let left: Vec<usize> = (0..items.len()).filter(left).collect();
        if verdict == Some(false) && !left.is_empty() {
            return found.report(place, "No additional items allowed on array");
        }
        for index in left {
            if let Some(item) = items.get(index) {
                self.inner(schema, item, &Place::Item(place, index), found);
            }
        }
        seen.all_items = true;
    }
}
