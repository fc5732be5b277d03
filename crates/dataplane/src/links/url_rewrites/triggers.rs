//! Conditions under which a rule rewrites to an alternative address (reference 3.12).

use super::address::Address;
use super::condition_source::{ConditionSource, LISTS};
use crate::chain::{Need, Step};
use crate::exchange::{Body, Exchange};
use crate::failure::Failure;
use crate::rules::regex;
use gatewright_model::json::Value;
use regex_lite::Regex;
use std::mem::discriminant;

/// A condition with its own address.
#[derive(Debug)]
pub(super) struct Trigger {
    number: usize,
    any: bool,
    conditions: Vec<Condition>,
    pub(super) to: Address,
}

/// Whether a trigger holds.
pub(super) enum Holds {
    Yes,
    No,
    /// It can't be decided yet, or at all.
    Asks(Step),
}

/// A single requirement.
#[derive(Debug)]
struct Condition {
    source: ConditionSource,
    /// The expression to find; `None` if it can't be compiled, which never holds.
    pattern: Option<Regex>,
    reverse: bool,
}

impl Trigger {
    /// Reads a trigger. `parameters` is the path whose parameters conditions may name.
    pub(super) fn read(number: usize, value: &Value<'_>, parameters: Option<&str>) -> Self {
        let of = |name: &str| {
            let members = value.get("options").and_then(|options| options.get(name));
            members.map(Value::members).unwrap_or_default()
        };
        let mut conditions = Vec::new();
        for (list, source_of) in LISTS {
            let named = of(list).iter().map(|member| {
                let source = source_of(member.name.to_string(), parameters);
                Condition::read(source, &member.value)
            });
            conditions.extend(named);
        }
        let payload = value
            .get("options")
            .and_then(|options| options.get("payload_matches"))
            .filter(|payload| !payload.str("match_rx").unwrap_or_default().is_empty());
        conditions
            .extend(payload.map(|payload| Condition::read(ConditionSource::Payload, payload)));
        Self {
            number,
            any: value.str("on") == Some("any"),
            conditions,
            to: Address::parse(value.str("rewrite_to").unwrap_or_default()),
        }
    }

    /// Whether form fields can be used in its conditions or its address.
    pub(super) fn reads_form(&self) -> bool {
        let form = |condition: &Condition| match &condition.source {
            ConditionSource::Context(name) => name.starts_with("request_data"),
            _ => false,
        };
        self.to.reads_form() || self.conditions.iter().any(form)
    }

    /// Whether the trigger holds for a request. What its conditions find is set as variables, even if the trigger as a
    /// whole does not hold. The body is the last condition and is read only if it matters.
    pub(super) fn holds(&self, exchange: &mut Exchange) -> Holds {
        let mut all = true;
        let mut any = false;
        let mut kind = None;
        for condition in &self.conditions {
            // Once conditions of one kind are sufficient, those of the next are not tested and set no variables.
            let own = discriminant(&condition.source);
            if kind.replace(own) != Some(own) && self.any && any {
                break;
            }
            if matches!(condition.source, ConditionSource::Payload) {
                if !self.any && !all {
                    break;
                }
                if let Err(step) = body(exchange) {
                    return Holds::Asks(step);
                }
            }
            let holds = condition.holds(self.number, exchange);
            all &= holds;
            any |= holds;
        }
        match (self.any, any, all) {
            (true, true, _) | (false, _, true) => Holds::Yes,
            _ => Holds::No,
        }
    }
}

/// Requests the body, if it hasn't been read.
pub(super) fn body(exchange: &Exchange) -> Result<(), Step> {
    match exchange.body {
        Body::Read(_) => Ok(()),
        Body::Streamed => Err(Step::Need(Need::Body {
            max: exchange.chain.settings.max_body_bytes,
        })),
        Body::TooLarge => Err(Step::Reply(Failure::BodyOverLimit.into())),
    }
}

impl Condition {
    fn read(source: ConditionSource, value: &Value<'_>) -> Self {
        Self {
            source,
            pattern: regex(value.str("match_rx").unwrap_or_default()),
            reverse: value.bool("reverse").unwrap_or_default(),
        }
    }

    /// Whether the condition holds; sets variables for what it finds.
    fn holds(&self, trigger: usize, exchange: &mut Exchange) -> bool {
        let Some(pattern) = &self.pattern else {
            return false;
        };
        let texts = self.source.texts(exchange);
        let found: Vec<Vec<String>> = match &self.source {
            ConditionSource::Payload => {
                texts.iter().flat_map(|text| every(pattern, text)).collect()
            }
            // Here a match is numbered by its value, so one that doesn't match leaves a gap.
            ConditionSource::Query(_) => texts
                .iter()
                .map(|text| first(pattern, text).unwrap_or_default())
                .collect(),
            _ => texts
                .iter()
                .filter_map(|text| first(pattern, text))
                .collect(),
        };
        let is_found = !found.iter().all(Vec::is_empty);
        if self.reverse {
            // Something missing from the request never matches, even negated, except for the body, which every request
            // has.
            let is_there = !texts.is_empty() || matches!(self.source, ConditionSource::Payload);
            return is_there && !is_found;
        }
        self.set(trigger, &found, exchange);
        is_found
    }

    /// Sets the variables for what was found: each match and its groups, all numbered from 0.
    fn set(&self, trigger: usize, found: &[Vec<String>], exchange: &mut Exchange) {
        for name in self.source.variables() {
            let base = format!("trigger-{trigger}-{name}");
            for (index, groups) in found.iter().enumerate() {
                let indexed = format!("{base}-{index}");
                match &self.source {
                    ConditionSource::Meta(_) | ConditionSource::Context(_) => {
                        set(&base, groups, exchange)
                    }
                    ConditionSource::Payload => {
                        if index == 0 {
                            set(&base, groups.get(..1).unwrap_or_default(), exchange);
                        }
                        set(&indexed, groups, exchange);
                    }
                    _ => set(&indexed, groups, exchange),
                }
            }
        }
    }
}

/// Sets a variable for a match, and one for each of its groups.
fn set(name: &str, groups: &[String], exchange: &mut Exchange) {
    let mut groups = groups.iter();
    if let Some(whole) = groups.next() {
        exchange.triggers.set(name.to_owned(), whole.clone());
    }
    for (index, group) in groups.enumerate() {
        exchange
            .triggers
            .set(format!("{name}-{index}"), group.clone());
    }
}

/// The first match in a text, with its groups.
fn first(pattern: &Regex, text: &str) -> Option<Vec<String>> {
    pattern.captures(text).map(|found| groups(&found))
}

/// All matches in a text.
fn every(pattern: &Regex, text: &str) -> Vec<Vec<String>> {
    pattern
        .captures_iter(text)
        .map(|found| groups(&found))
        .collect()
}

fn groups(found: &regex_lite::Captures<'_>) -> Vec<String> {
    let text = |group: Option<regex_lite::Match<'_>>| group.map(|group| group.as_str().to_owned());
    found
        .iter()
        .map(|group| text(group).unwrap_or_default())
        .collect()
}
