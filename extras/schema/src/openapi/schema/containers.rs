//! Lists and objects.

use super::super::json::Json;
use super::super::problem::Problem;
use super::{Checked, Run, expected_type, limit, permits, wrong};
use std::collections::{BTreeMap, BTreeSet};

impl<'s> Run<'s> {
    pub(super) fn array(&mut self, schema: &'s Json, items: &mut [Json]) -> Checked {
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
                let checked = self.check(of_item, item);
                checked.map_err(|problem| problem.inside(&index.to_string()))?;
            }
        }
        if let Some(contains) = schema.get("contains") {
            let least = limit(schema, "minContains").unwrap_or(1);
            let most = limit(schema, "maxContains").unwrap_or(usize::MAX);
            let mut fitting = 0_usize;
            for item in items.iter() {
                let mut copy = item.clone();
                if self.check_tentatively(contains, &mut copy).is_ok() {
                    fitting = fitting.saturating_add(1);
                }
            }
            if !(least..=most).contains(&fitting) {
                return wrong("the number of items that match \"contains\" is wrong");
            }
        }
        Ok(())
    }

    pub(super) fn object(
        &mut self,
        schema: &'s Json,
        members: &mut BTreeMap<String, Json>,
    ) -> Checked {
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
                let problem = Problem::new(format!("property \"{name}\" is missing"));
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
                let problem = Problem::new(format!("property \"{missing}\" is missing"));
                return Err(problem.inside(missing));
            }
        }
        match read_only.is_empty() {
            true => Ok(()),
            false => Err(Problem::bare(read_only.join(" | "))),
        }
    }

    /// Checks a member against its own schema, those for patterns of names, and the one for all other members.
    fn member(
        &mut self,
        schema: &'s Json,
        properties: Option<&'s Json>,
        name: &str,
        value: &mut Json,
    ) -> Checked {
        if let Some(names) = schema.get("propertyNames") {
            let checked = self.check(names, &mut Json::Text(name.to_owned()));
            checked.map_err(|problem| problem.inside(name))?;
        }
        let mut is_known = false;
        if let Some(Json::Object(properties)) = properties
            && let Some(property) = properties.get(name)
        {
            is_known = true;
            let checked = self.check(property, value);
            checked.map_err(|problem| problem.inside(name))?;
        }
        for (pattern, property) in schema
            .get("patternProperties")
            .into_iter()
            .flat_map(Json::members)
        {
            let compiled = self.schemas.expression(pattern);
            if compiled.is_some_and(|compiled| compiled.is_match(name)) {
                is_known = true;
                let checked = self.check(property, value);
                checked.map_err(|problem| problem.inside(name))?;
            }
        }
        if is_known {
            return Ok(());
        }
        match schema.get("additionalProperties") {
            None | Some(Json::Bool(true)) => Ok(()),
            Some(Json::Bool(false)) => wrong(format!("property \"{name}\" is unsupported")),
            Some(others) => {
                let checked = self.check(others, value);
                checked.map_err(|problem| problem.inside(name))
            }
        }
    }
}
