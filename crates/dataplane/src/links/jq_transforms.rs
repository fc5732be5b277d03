//! Links 30 and R: jq filters over bodies (`extended_paths.transform_jq`, `transform_jq_response`).
//!
//! A filter gets an object with the `body`, the context variables that it uses, and for a response its headers. It
//! returns a `body`, headers to set (`rewrite_headers`), and variables for later links (`gateway_context`). If a filter
//! fails, the body is unchanged.

use super::bodies::{BodyRules, WantedFacts};
use crate::chain::{Compiler, Middleware, Row, Step};
use crate::exchange::Exchange;
use crate::extras::Extracted;
use crate::failure::Failure;
use crate::headers::{AnswerEdit, answer_value, is_name};
use gatewright_model::json::Value;

/// Filters over request bodies.
#[derive(Debug)]
pub struct JqTransforms(BodyRules);

/// Filters over response bodies.
#[derive(Debug)]
pub struct JqResponseTransforms(BodyRules);

fn compile(from: &mut Compiler<'_>, list: &str) -> Option<BodyRules> {
    let read = |row: &Row<'_>| {
        let filter = row
            .value
            .str("filter")
            .filter(|filter| !filter.trim().is_empty())?;
        Some((filter.to_owned(), WantedFacts::of(filter)))
    };
    BodyRules::compile(from, list, ("jq", "transform"), read)
}

/// The headers that a filter sets, with valid names.
fn headers(report: &Value<'_>) -> Vec<(String, String)> {
    let headers = report
        .get("headers")
        .map(Value::members)
        .unwrap_or_default();
    let named = headers.iter().filter(|member| is_name(&member.name));
    let texts = named.filter_map(|member| {
        let value = member.value.as_str()?;
        Some((member.name.to_string(), value.to_owned()))
    });
    texts.collect()
}

fn set_variables(exchange: &mut Exchange, report: &Value<'_>) {
    let set = report
        .get("context")
        .map(Value::members)
        .unwrap_or_default();
    for member in set {
        let value = member.value.as_str().unwrap_or_default();
        exchange
            .triggers
            .set(member.name.to_string(), value.to_owned());
    }
}

impl Middleware for JqTransforms {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        compile(from, "transform_jq").map(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        self.0.request(exchange, |exchange, report| {
            for (name, value) in headers(report) {
                exchange.set_header(&name, &value);
            }
            set_variables(exchange, report);
        })
    }
}

impl Middleware for JqResponseTransforms {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        compile(from, "transform_jq_response").map(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        self.0.needs_form(exchange).unwrap_or(Step::Next)
    }

    fn response(&self, exchange: &mut Exchange) {
        self.0.response(exchange);
    }

    fn answered(&self, exchange: &mut Exchange, extracted: Extracted) -> Result<(), Failure> {
        self.0.answered(exchange, extracted, |exchange, report| {
            for (name, value) in headers(report) {
                let edit = AnswerEdit::Set(name.to_ascii_lowercase(), answer_value(&value));
                exchange.first_edits.push(edit);
            }
        })
    }
}
