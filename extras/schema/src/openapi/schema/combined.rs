//! Schemas that combine others.

use super::super::json::{Data, Json};
use super::super::problem::Problem;
use super::{Checked, Node, Run};

impl<'s> Run<'s> {
    /// Checks `oneOf`, `anyOf` and `allOf`; returns whether there is one of them.
    pub(super) fn combined(
        &mut self,
        schema: &'s Node,
        value: &mut Data<'_>,
    ) -> Result<bool, Problem> {
        if !schema.one_of.is_empty() {
            self.one_of(schema, value)?;
        }
        if !schema.any_of.is_empty() {
            let mut fits = false;
            for alternative in &schema.any_of {
                if let Ok(copy) = self.check_copy(*alternative, value) {
                    if let Some(copy) = copy {
                        *value = copy;
                    }
                    fits = true;
                    break;
                }
            }
            if !fits {
                return Err(Problem::new("doesn't match any schema from \"anyOf\""));
            }
        }
        let mut problems = Vec::new();
        for part in &schema.all_of {
            if let Err(problem) = self.check(*part, value) {
                problems.push(problem);
            }
        }
        if !problems.is_empty() {
            return Err(Problem::parts(problems));
        }
        self.condition(schema, value)?;
        Ok(!(schema.one_of.is_empty() && schema.any_of.is_empty() && schema.all_of.is_empty()))
    }

    fn one_of(&mut self, schema: &'s Node, value: &mut Data<'_>) -> Checked {
        let chosen = chosen(schema.discriminator.as_ref(), value)?;
        let mut problems = Vec::new();
        let mut fitting = 0_usize;
        let mut filled = None;
        for alternative in &schema.one_of {
            let is_other = |chosen: &str| alternative.reference.as_deref() != Some(chosen);
            if chosen.is_some_and(is_other) {
                continue;
            }
            let had_filled = self.has_filled;
            match self.check_copy(alternative.schema, value) {
                Ok(copy) => {
                    fitting = fitting.saturating_add(1);
                    filled = copy.map(|copy| (copy, self.has_filled));
                }
                Err(problem) => problems.push(problem),
            }
            self.has_filled = had_filled;
        }
        match fitting {
            0 => return Err(Problem::alternatives(problems)),
            1 => {}
            _ => return Err(Problem::new("input matches more than one oneOf schemas")),
        }
        if let Some((copy, has_filled)) = filled {
            *value = copy;
            self.has_filled = has_filled;
        }
        Ok(())
    }

    /// Checks `if`, of OpenAPI 3.1.
    fn condition(&mut self, schema: &'s Node, value: &mut Data<'_>) -> Checked {
        let Some(condition) = schema.condition else {
            return Ok(());
        };
        let then = match self.check_copy(condition, value) {
            Ok(_) => schema.consequence,
            Err(_) => schema.alternative,
        };
        match then {
            Some(then) => self.check(then, value),
            None => Ok(()),
        }
    }
}

/// Returns the reference that the value's discriminator selects.
fn chosen<'j>(
    discriminator: Option<&'j Json>,
    value: &Data<'_>,
) -> Result<Option<&'j str>, Problem> {
    let Some(discriminator) = discriminator else {
        return Ok(None);
    };
    let Data::Object(members) = value else {
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
