//! Schemas that combine others.

use super::super::json::Json;
use super::super::problem::Problem;
use super::{Checked, Run};

impl<'s> Run<'s> {
    /// Checks `oneOf`, `anyOf` and `allOf`; returns whether there is one of them.
    pub(super) fn combined(&mut self, schema: &'s Json, value: &mut Json) -> Result<bool, Problem> {
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
                match self.check(alternative, &mut copy) {
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
                _ => return Err(Problem::new("input matches more than one oneOf schemas")),
            }
        }
        let any_of = schema.list("anyOf");
        if !any_of.is_empty() {
            let fits = any_of.iter().any(|alternative| {
                let mut copy = value.clone();
                let fits = self.check_tentatively(alternative, &mut copy).is_ok();
                if fits {
                    *value = copy;
                }
                fits
            });
            if !fits {
                return Err(Problem::new("doesn't match any schema from \"anyOf\""));
            }
        }
        let all_of = schema.list("allOf");
        let mut problems = Vec::new();
        for part in all_of {
            if let Err(problem) = self.check(part, value) {
                problems.push(problem);
            }
        }
        if !problems.is_empty() {
            return Err(Problem::parts(problems));
        }
        self.condition(schema, value)?;
        Ok(!(one_of.is_empty() && any_of.is_empty() && all_of.is_empty()))
    }

    /// Checks `if`, of OpenAPI 3.1.
    fn condition(&mut self, schema: &'s Json, value: &mut Json) -> Checked {
        let Some(condition) = schema.get("if") else {
            return Ok(());
        };
        let mut copy = value.clone();
        let then = match self.check_tentatively(condition, &mut copy) {
            Ok(()) => "then",
            Err(_) => "else",
        };
        match schema.get(then) {
            Some(then) => self.check(then, value),
            None => Ok(()),
        }
    }
}

/// Returns the reference that the value's discriminator selects.
fn chosen<'j>(schema: &'j Json, value: &Json) -> Result<Option<&'j str>, Problem> {
    let Some(discriminator) = schema.get("discriminator") else {
        return Ok(None);
    };
    let Json::Object(members) = value else {
        return Ok(None);
    };
    let name = discriminator.text("propertyName").unwrap_or_default();
    let Some(value) = members.get(name) else {
        let message = format!("input does not contain the discriminator property \"{name}\"");
        return Err(Problem::new(message));
    };
    let Some(value) = value.as_text() else {
        let message = format!("value of discriminator property \"{name}\" is not a string");
        return Err(Problem::new(message));
    };
    let Some(mapping) = discriminator.get("mapping") else {
        return Ok(None);
    };
    match mapping.text(value) {
        Some(chosen) => Ok(Some(chosen)),
        None if mapping.members().next().is_none() => Ok(None),
        None => Err(Problem::new(format!(
            "discriminator property \"{name}\" has invalid value"
        ))),
    }
}
