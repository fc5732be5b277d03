//! Link 27: validates requests against the API's OpenAPI document (`validateRequest`; reference 3.14).
//!
//! The promise: for an operation with a rule, no request passes unvalidated. Defaults that the document fills in are
//! forwarded.

use super::operations::{Operations, Reading};
use crate::chain::{Compiler, Middleware, Need, Step, counted};
use crate::exchange::Exchange;
use crate::extras::{ExtraCall, Extracted, Subject};
use crate::facts::{list, object};
use crate::failure::{Failure, FailureReply, Reply, sendable};
use gatewright_model::json::{self, Value, quote, written};
use std::borrow::Cow;
use std::rc::Rc;

/// The location of its rules in a definition.
const MEMBER: &str = "/openapi/validate_request";

/// The operations whose requests are validated.
#[derive(Debug)]
pub struct ValidateRequest(Operations<Rule>);

/// The rule for an operation, or for several that are distinguished by their parameters.
#[derive(Debug)]
struct Rule {
    settings: Rc<str>,
    first: i64,
    count: i64,
    /// The headers to validate.
    headers: Vec<String>,
    reads_body: bool,
}

impl Rule {
    fn read(route: &Value<'_>, settings: &[Rc<str>]) -> Option<Self> {
        let number = route.int("settings")?;
        let headers = route.get("headers").map(Value::items).unwrap_or_default();
        let headers = headers.iter().filter_map(Value::as_str);
        let settings = usize::try_from(number).ok().and_then(|at| settings.get(at));
        Some(Self {
            // Without settings the module refuses every request.
            settings: settings.cloned().unwrap_or_default(),
            first: route.int("first").unwrap_or_default(),
            count: route.int("count").unwrap_or_default(),
            headers: headers.map(str::to_owned).collect(),
            reads_body: route.bool("body").unwrap_or_default(),
        })
    }

    fn call(&self, exchange: &Exchange, reading: &Reading) -> ExtraCall {
        let headers = self.headers.iter();
        let headers =
            headers.filter_map(|name| Some((name.as_str(), quote(&exchange.header(name)?))));
        let headers = object(headers);
        let max = exchange.chain.settings.max_body_bytes;
        ExtraCall {
            module: "schema",
            function: "request",
            settings: Rc::clone(&self.settings),
            facts: format!(
                "{{\"first\":{},\"count\":{},\"segments\":{},\"query\":{},\"headers\":{headers}}}",
                self.first,
                self.count,
                list(reading.iter().map(String::as_str)),
                quote(exchange.asked_query()),
            ),
            subject: Subject::Request,
            max: if self.reads_body { max } else { 0 },
            rule: 0,
        }
    }
}

/// Acts on the module's report about a request.
fn reported(exchange: &mut Exchange, report: &str) -> Option<FailureReply> {
    let Ok(report) = json::parse(report) else {
        return Some(Failure::SchemaMissing.into());
    };
    if report.get("broken").is_some() {
        return Some(Failure::SchemaMissing.into());
    }
    if let Some(refused) = report.get("refused") {
        let message = refused.str("message").unwrap_or_default().to_owned();
        return Some(FailureReply {
            status: refused.int("status").and_then(sendable),
            message: Cow::Owned(message),
            ..Failure::BodyInvalid.into()
        });
    }
    if let Some(query) = report.str("query") {
        exchange.query = Some(query.to_owned());
        exchange.remark("The query has its defaults");
    }
    for header in report
        .get("headers")
        .map(Value::members)
        .unwrap_or_default()
    {
        let value = header.value.as_str().unwrap_or_default();
        exchange.set_header(&header.name, value);
    }
    None
}

impl Middleware for ValidateRequest {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rules = from.definition.pointer(MEMBER)?;
        let settings = rules.get("settings").map(Value::items).unwrap_or_default();
        let settings: Vec<Rc<str>> = settings.iter().map(|text| written(text).into()).collect();
        let operations = Operations::read(rules, |route| Rule::read(route, &settings));
        from.origin(MEMBER, counted(operations.count(), "operation"));
        Some(Self(operations))
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let extracted = exchange.extracted.take();
        let refusal = match extracted {
            None => {
                let Some((rule, reading)) = self.0.find(exchange, false) else {
                    return Step::Next;
                };
                return Step::Need(Need::Extra(Box::new(rule.call(exchange, &reading))));
            }
            Some(Extracted::TooLarge) => Some(Failure::BodyOverLimit.into()),
            Some(Extracted::Failed) => Some(Failure::SchemaMissing.into()),
            Some(Extracted::Report { text, .. }) => reported(exchange, &text),
        };
        match refusal {
            None => {
                exchange.remark("The request fits the document");
                Step::Next
            }
            Some(refusal) => Step::Reply(Reply::Failure(refusal)),
        }
    }
}

#[cfg(test)]
mod tests;
