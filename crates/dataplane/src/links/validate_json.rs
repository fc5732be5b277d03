//! Link 26: validates bodies against a JSON Schema (`extended_paths.validate_json`; reference 3.14).
//!
//! The promise: on a path with a rule, no body passes unvalidated. A rule whose schema is missing or unreadable answers
//! with an error, and one whose path can't be compiled applies to every path of its method.

use crate::chain::{Compiler, Middleware, Need, Row, Step};
use crate::exchange::Exchange;
use crate::extras::{ExtraCall, Extracted, Subject};
use crate::failure::{Failure, FailureReply, Reply, sendable};
use crate::rules::PatternId;
use gatewright_model::json::{self, written};
use gatewright_model::text::base64;
use std::borrow::Cow;
use std::rc::Rc;

/// Rules with the schemas of bodies.
#[derive(Debug)]
pub struct ValidateJson(Vec<Rule>);

/// The schema for a path and a method. A rule without a method matches nothing.
#[derive(Debug)]
struct Rule {
    /// `None` for every path.
    path: Option<PatternId>,
    method: String,
    number: usize,
    /// The text of the schema.
    schema: Option<Rc<str>>,
    /// The status of a refusal.
    status: Option<u16>,
}

/// The schema of a rule: `schema_b64` is used if `schema` is empty. An empty schema accepts any JSON.
fn schema(row: &Row<'_>) -> Option<Rc<str>> {
    let own = row.value.get("schema");
    let encoded = row.value.str("schema_b64").unwrap_or_default();
    if encoded.is_empty() || own.is_some_and(|schema| !schema.members().is_empty()) {
        return own.map(|schema| written(schema).into());
    }
    let text = String::from_utf8(base64::decode(encoded)?).ok()?;
    Some(text.into())
}

impl Rule {
    fn fits(&self, exchange: &mut Exchange) -> bool {
        self.method == exchange.request.method
            && self.path.is_none_or(|path| exchange.is_match(path))
    }

    /// The refusal of a body, if the extra reports violations.
    fn refusal(&self, report: &str) -> Option<FailureReply> {
        let Ok(report) = json::parse(report) else {
            return Some(Failure::SchemaMissing.into());
        };
        if let Some(why) = report.str("unreadable") {
            return Some(saying(
                Failure::BodyUnreadable,
                format!("JSON parsing error: {why}"),
            ));
        }
        if let Some(violations) = report.str("violations") {
            return Some(FailureReply {
                status: self.status,
                ..saying(Failure::BodyInvalid, violations.to_owned())
            });
        }
        report.get("broken").map(|_| Failure::SchemaMissing.into())
    }
}

fn saying(failure: Failure, message: String) -> FailureReply {
    FailureReply {
        message: Cow::Owned(message),
        ..failure.into()
    }
}

impl Middleware for ValidateJson {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rows = from.rows("validate_json").into_iter();
        let rules: Vec<Rule> = rows
            .map(|row| {
                let path = from.path(row.path());
                Rule {
                    path: (!from.is_broken(path)).then_some(path),
                    method: row.method().to_owned(),
                    number: row.number,
                    schema: schema(&row),
                    status: row.value.int("error_response_code").and_then(sendable),
                }
            })
            .collect();
        from.origin_of_rules("validate_json", rules.len());
        (!rules.is_empty()).then_some(Self(rules))
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let extracted = exchange.extracted.take();
        let Some(rule) = self.0.iter().find(|rule| rule.fits(exchange)) else {
            return Step::Next;
        };
        let number = rule.number;
        let Some(schema) = &rule.schema else {
            exchange.note(|| format!("rule {number}: it has no schema"));
            return Step::Reply(Failure::SchemaMissing.into());
        };
        let refusal = match extracted {
            None => {
                return Step::Need(Need::Extra(Box::new(ExtraCall {
                    module: "schema",
                    function: "validate",
                    settings: Rc::clone(schema),
                    facts: String::new(),
                    subject: Subject::Request,
                    max: exchange.chain.settings.max_body_bytes,
                    rule: 0,
                })));
            }
            Some(Extracted::TooLarge) => Some(Failure::BodyOverLimit.into()),
            Some(Extracted::Failed) => Some(saying(
                Failure::SchemaMissing,
                "the body could not be validated".to_owned(),
            )),
            Some(Extracted::Report { text, .. }) => rule.refusal(&text),
        };
        match refusal {
            None => {
                exchange.note(|| format!("rule {number}: the body fits"));
                Step::Next
            }
            Some(refusal) => {
                exchange.note(|| format!("rule {number}"));
                Step::Reply(Reply::Failure(refusal))
            }
        }
    }
}
