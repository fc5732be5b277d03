//! The effective rules of a definition, with `extends` resolved (reference 1.11).

use super::rule::SEVERITIES;
use crate::json::{Kind, Value, edit, parse, quote};
use std::collections::BTreeMap;

/// A rule of the result.
struct Rule {
    name: String,
    /// Its JSON text.
    text: String,
    /// Whether it applies.
    on: bool,
}

/// Rules in the order of first mention.
#[derive(Default)]
struct Rules {
    list: Vec<Rule>,
    indices: BTreeMap<String, usize>,
}

/// Returns the rules of a definition after resolving `extends`, as a JSON object of names and rules; an empty one if
/// the text is no ruleset. Rulesets written inline in `extends` are resolved; one that is only referenced by name stays
/// there, so a rule that changes one of its rules is copied unchanged. Disabled rules are left out: those whose
/// severity is `off`, and those that are not `recommended`, unless the mode is `all` or they are enabled by name.
#[must_use]
pub fn applied_rules(definition: &str) -> String {
    let mut rules = Rules::default();
    if let Ok(value) = parse(definition) {
        rules.add(definition, &value, "recommended");
    }
    let applied = rules.list.iter().filter(|rule| rule.on);
    let members: Vec<String> = applied
        .map(|rule| format!("{}:{}", quote(&rule.name), rule.text))
        .collect();
    format!("{{{}}}", members.join(","))
}

impl Rules {
    /// Adds the rules that a ruleset extends, and then its own rules over those.
    fn add(&mut self, text: &str, ruleset: &Value<'_>, mode: &str) {
        if let Some(extends) = ruleset.get("extends") {
            let one = std::slice::from_ref(extends);
            let bases = match &extends.kind {
                Kind::Array(items) => items,
                _ => one,
            };
            for base in bases {
                match base.items() {
                    [base, mode] => self.add(text, base, mode.as_str().unwrap_or_default()),
                    _ => self.add(text, base, "recommended"),
                }
            }
        }
        let rules = ruleset.get("rules").map(Value::members).unwrap_or_default();
        for member in rules {
            self.rule(&member.name, &member.value, text, mode);
        }
    }

    fn rule(&mut self, name: &str, value: &Value<'_>, text: &str, mode: &str) {
        let written = value.span.of(text).to_owned();
        let known = self.indices.get(name).and_then(|at| self.list.get_mut(*at));
        let severity = match &value.kind {
            Kind::Object(_) => {
                let wanted = match mode {
                    "all" => true,
                    "off" => false,
                    _ => value.bool("recommended") != Some(false),
                };
                let on = wanted
                    && value
                        .get("severity")
                        .is_none_or(|severity| !is_off(severity));
                return self.put(name, written, on);
            }
            Kind::Bool(_) => None,
            _ => Some(written.as_str()),
        };
        let on = !is_off(value);
        match known {
            Some(rule) => {
                let set = severity.filter(|_| on && rule.text.starts_with('{'));
                let changed = set.and_then(|it| edit::set(&rule.text, "/severity", it).ok());
                rule.text = changed.unwrap_or_else(|| rule.text.clone());
                rule.on = on;
            }
            None => self.put(name, written, on),
        }
    }

    fn put(&mut self, name: &str, text: String, on: bool) {
        let name = name.to_owned();
        let known = self
            .indices
            .get(&name)
            .and_then(|at| self.list.get_mut(*at));
        match known {
            Some(rule) => *rule = Rule { name, text, on },
            None => {
                self.indices.insert(name.clone(), self.list.len());
                self.list.push(Rule { name, text, on });
            }
        }
    }
}

/// Whether a value disables a rule.
fn is_off(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Bool(on) => !on,
        Kind::String(text) => SEVERITIES.last() == Some(&&**text),
        Kind::Number(_) => value.as_int() == Some(-1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_rules_override_extended_ones() {
        for (definition, expected) in [
            ("not json", "{}"),
            ("[]", "{}"),
            (r#"{"rules":{"a":{"given":"$"}}}"#, r#"{"a":{"given":"$"}}"#),
            (
                r#"{"extends":{"rules":{"a":{"x":1},"b":{"x":2}}},"rules":{"a":"error","b":"off"}}"#,
                r#"{"a":{"x":1,"severity":"error"}}"#,
            ),
            (
                r#"{"extends":[{"rules":{"a":{"x":1}}},{"rules":{"a":{"x":2}}}],"rules":{"c":{"x":3}}}"#,
                r#"{"a":{"x":2},"c":{"x":3}}"#,
            ),
            (
                r#"{"extends":[[{"rules":{"a":{"recommended":false},"b":{"x":1}}},"all"]]}"#,
                r#"{"a":{"recommended":false},"b":{"x":1}}"#,
            ),
            (
                r#"{"extends":[[{"rules":{"a":{"x":1},"b":{"x":1}}},"off"]],"rules":{"b":true}}"#,
                r#"{"b":{"x":1}}"#,
            ),
            (
                r#"{"extends":"spectral:oas","rules":{"operation-tags":"warn","info-contact":false}}"#,
                r#"{"operation-tags":"warn"}"#,
            ),
            (
                r#"{"rules":{"a":{"recommended":false},"b":{"severity":"off"}}}"#,
                "{}",
            ),
        ] {
            assert_eq!(applied_rules(definition), expected, "{definition}");
        }
    }
}
