//! Link 32: rewrites the address of a request (reference 3.12).
//!
//! The promise: a result built from captured text and variables stays below the API's target, or on the host that the
//! definition names; captured text never decides where a request goes.

mod address;
mod condition_source;
mod groups;
mod triggers;

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::rules::{PatternId, regex};
use address::{Address, Base};
use gatewright_model::definition::route::clean;
use gatewright_model::json::Value;
use groups::Groups;
use regex_lite::Regex;
use triggers::{Holds, Trigger};

/// The list of its rules.
pub(super) const LIST: &str = "url_rewrites";

/// Rules that rewrite addresses.
#[derive(Debug)]
pub struct UrlRewrites {
    rules: Vec<Rule>,
    /// The listen path, if `strip_listen_path` strips it from the start of a new path, too.
    listen: Option<String>,
}

/// A rule for a path and a method.
#[derive(Debug)]
struct Rule {
    path: PatternId,
    method: String,
    pattern: Pattern,
    to: Address,
    triggers: Vec<Trigger>,
    /// Whether form fields are used in conditions or in the address.
    reads_form: bool,
}

/// The expression of a rule.
#[derive(Debug)]
enum Pattern {
    Compiled(Regex),
    /// It can't be compiled; the original text.
    Broken(String),
}

impl Rule {
    fn read(from: &mut Compiler<'_>, value: &Value<'_>) -> Self {
        let text = value.str("match_pattern").unwrap_or_default();
        let row_path = value.str("path").unwrap_or_default();
        let is_oas = from.definition.bool("is_oas").unwrap_or_default();
        let parameters = is_oas.then_some(row_path);
        let triggers = value.get("triggers").map(Value::items).unwrap_or_default();
        let triggers = triggers.iter().enumerate();
        let triggers = triggers.map(|(number, trigger)| Trigger::read(number, trigger, parameters));
        let triggers: Vec<Trigger> = triggers.collect();
        let to = Address::parse(value.str("rewrite_to").unwrap_or_default());
        Self {
            reads_form: to.reads_form() || triggers.iter().any(Trigger::reads_form),
            path: from.path(row_path),
            method: value.str("method").unwrap_or_default().to_owned(),
            pattern: regex(text)
                .map_or_else(|| Pattern::Broken(text.to_owned()), Pattern::Compiled),
            to,
            triggers,
        }
    }

    /// The new address of a request whose address matches: that of the first trigger that holds, or else the rule's
    /// own.
    fn address(&self, exchange: &mut Exchange) -> Result<&Address, Step> {
        for (number, trigger) in self.triggers.iter().enumerate() {
            match trigger.holds(exchange) {
                Holds::Yes => {
                    exchange.note(|| format!("Trigger {number} holds"));
                    return Ok(&trigger.to);
                }
                Holds::No => {}
                Holds::Asks(step) => return Err(step),
            }
        }
        Ok(&self.to)
    }

    /// Rewrites the address of a request.
    fn rewrite(&self, exchange: &mut Exchange, listen: Option<&str>) -> Result<(), Step> {
        let regex = match &self.pattern {
            Pattern::Compiled(regex) => regex,
            Pattern::Broken(text) => {
                let message = format!("URLRewrite regexp error {text}");
                let reply = Reply::saying(Failure::RewriteExpression, message);
                return Err(Step::Reply(reply));
            }
        };
        let Some(groups) = Groups::find(regex, exchange) else {
            exchange.note(|| format!("The address does not match {}", regex.as_str()));
            return Ok(());
        };
        if self.reads_form && exchange.has_context() && exchange.is_form() {
            triggers::body(exchange)?;
        }
        let address = self.address(exchange)?;
        let base = Base::of(exchange, listen);
        let target = address.target(&groups, exchange, &base);
        exchange.set_target(target.map_err(|failure| Step::Reply(failure.into()))?);
        exchange.remark("The address is rewritten");
        Ok(())
    }
}

/// Whether a rule of the list moves requests to another chain.
pub(super) fn loops(from: &Compiler<'_>) -> bool {
    let rows = from.rows(LIST);
    rows.iter().any(|row| {
        let triggers = row.value.get("triggers").map(Value::items);
        let mut rewrites = triggers.unwrap_or_default().iter().chain([row.value]);
        rewrites.any(|rewrite| {
            let to = rewrite.str("rewrite_to").unwrap_or_default();
            crate::loops::behind_scheme(to).is_some()
        })
    })
}

impl Middleware for UrlRewrites {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rows = from.rows(LIST);
        if rows.is_empty() {
            return None;
        }
        let rules: Vec<Rule> = rows.iter().map(|row| Rule::read(from, row.value)).collect();
        from.origin_of_rules(LIST, rules.len());
        let proxy = from.definition.get("proxy");
        let proxy = proxy.filter(|proxy| proxy.bool("strip_listen_path") == Some(true));
        let listen = proxy.map(|proxy| proxy.str("listen_path").unwrap_or_default());
        Some(Self {
            rules,
            listen: listen.map(|listen| clean(listen).into_owned()),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        // Only the first rule for a path and method applies, whether or not its expression matches.
        let fits =
            |rule: &&Rule| rule.method == exchange.request.method && exchange.is_match(rule.path);
        let Some(rule) = self.rules.iter().find(fits) else {
            return Step::Next;
        };
        match rule.rewrite(exchange, self.listen.as_deref()) {
            Ok(()) => Step::Next,
            Err(step) => step,
        }
    }
}

#[cfg(test)]
mod tests;
