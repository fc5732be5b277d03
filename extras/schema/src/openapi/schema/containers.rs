//! Lists and objects.

use super::super::json::Data;
use super::super::problem::Problem;
use super::node::{Node, NodeId, Others};
use super::{Checked, Run, wrong};
use gatewright_model::order;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl<'s> Run<'s> {
    pub(super) fn array(&mut self, schema: &'s Node, items: &mut [Data<'_>]) -> Checked {
        if !schema.types.permit("array") {
            return Err(schema.types.expected());
        }
        let count = items.len();
        if let Some(least) = schema.min_items.filter(|least| count < *least) {
            return wrong(format!("minimum number of items is {least}"));
        }
        if let Some(most) = schema.max_items.filter(|most| count > *most) {
            return wrong(format!("maximum number of items is {most}"));
        }
        if schema.is_unique {
            let texts = order::set(items.iter().map(Data::json));
            if texts.len() != count {
                return wrong("duplicate items found");
            }
        }
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(of_item) = schema.prefix_items.get(index).copied().or(schema.items) {
                let checked = self.check(of_item, item);
                checked.map_err(|problem| problem.inside(&index.to_string()))?;
            }
        }
        if let Some(contains) = schema.contains {
            let least = schema.min_contains.unwrap_or(1);
            let most = schema.max_contains.unwrap_or(usize::MAX);
            let mut fitting = 0_usize;
            for item in items.iter_mut() {
                if self.check_copy(contains, item).is_ok() {
                    fitting = fitting.saturating_add(1);
                }
            }
            if !(least..=most).contains(&fitting) {
                return wrong("the number of items that match \"contains\" is wrong");
            }
        }
        Ok(())
    }

    pub(super) fn object<'v>(
        &mut self,
        schema: &'s Node,
        members: &mut BTreeMap<Cow<'v, str>, Data<'v>>,
    ) -> Checked {
        if !schema.types.permit("object") {
            return Err(schema.types.expected());
        }
        let mut read_only = Vec::new();
        let special = schema.special.iter().filter(|_| self.is_body);
        for special in special {
            let name = &special.name;
            let is_set = members
                .get(name.as_str())
                .is_some_and(|value| *value != Data::Null);
            match &special.default {
                Some(default) if !is_set && !special.is_read_only => {
                    members.insert(name.clone().into(), default.clone());
                    self.has_filled = true;
                }
                _ if is_set && special.is_read_only => {
                    read_only.push(format!("readOnly property \"{name}\" in request"));
                }
                _ => {}
            }
        }
        let count = members.len();
        if let Some(least) = schema.min_properties.filter(|least| count < *least) {
            return wrong(format!("there must be at least {least} properties"));
        }
        if let Some(most) = schema.max_properties.filter(|most| count > *most) {
            return wrong(format!("there must be at most {most} properties"));
        }
        for (name, value) in members.iter_mut() {
            self.member(schema, name, value)?;
        }
        let has = |name: &str| members.contains_key(name);
        for required in &schema.required {
            let is_read_only = required.is_read_only && self.is_body;
            if !is_read_only && !has(&required.name) {
                return missing(&required.name);
            }
        }
        for (name, needed) in &schema.dependent_required {
            let lacking = needed.iter().find(|needed| !has(needed));
            if let Some(lacking) = lacking.filter(|_| has(name)) {
                return missing(lacking);
            }
        }
        match read_only.is_empty() {
            true => Ok(()),
            false => Err(Problem::bare(read_only.join(" | "))),
        }
    }

    /// Checks a member against its own schema, those for patterns of names, and the one for all other members.
    fn member(&mut self, schema: &'s Node, name: &str, value: &mut Data<'_>) -> Checked {
        if let Some(names) = schema.property_names {
            self.inside(names, name, &mut Data::Text(Cow::Borrowed(name)))?;
        }
        let property = schema.property(name);
        if let Some(property) = property {
            self.inside(property, name, value)?;
        }
        let mut is_known = property.is_some();
        for (pattern, property) in &schema.pattern_properties {
            let compiled = self.schemas.expression(pattern);
            if compiled.is_some_and(|compiled| compiled.is_match(name)) {
                is_known = true;
                self.inside(*property, name, value)?;
            }
        }
        match schema.additional_properties {
            Others::Refused if !is_known => wrong(format!("property \"{name}\" is unsupported")),
            Others::Like(others) if !is_known => self.inside(others, name, value),
            _ => Ok(()),
        }
    }

    fn inside(&mut self, schema: NodeId, name: &str, value: &mut Data<'_>) -> Checked {
        let checked = self.check(schema, value);
        checked.map_err(|problem| problem.inside(name))
    }
}

fn missing(name: &str) -> Checked {
    let problem = Problem::new(format!("property \"{name}\" is missing"));
    Err(problem.inside(name))
}
