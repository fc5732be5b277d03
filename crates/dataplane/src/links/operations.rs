//! Finds the operation of an OpenAPI document that a request is for (reference 3.14, *which operation*).
//!
//! The promise: no spelling of a path evades a rule. Paths are compared by complete segments, decoded as a whole and
//! segment by segment (where `%2F` is a slash within a segment), after the listen path, the version, and the API's id,
//! and at last as a lenient upstream may read them (`/pets;x/1`).
//! A message to an MCP proxy is for the operation of its method, whatever its path.

use crate::exchange::Exchange;
use crate::path::{self, percent_decode};
use gatewright_model::json::Value;
use gatewright_model::openapi::template::{Template, segments};

/// Operations with their rules, in matching order.
#[derive(Debug)]
pub struct Operations<T>(Vec<Operation<T>>);

/// Operations whose paths differ only in the names of their parameters.
#[derive(Debug)]
struct Operation<T> {
    path: Template,
    method: String,
    /// `None` for a path that only takes precedence over those with parameters.
    rule: Option<T>,
}

/// The segments of a path in one of its readings.
pub type Reading = Vec<String>;

impl<T> Operations<T> {
    /// Reads a member of `openapi`; `None` if the definition has none.
    pub fn read(rules: &Value<'_>, rule: impl Fn(&Value<'_>) -> Option<T>) -> Self {
        let routes = rules.get("routes").map(Value::items).unwrap_or_default();
        let routes = routes.iter().map(|route| Operation {
            path: Template::read(route.str("path").unwrap_or_default()),
            method: route.str("method").unwrap_or_default().to_owned(),
            rule: rule(route),
        });
        Self(routes.collect())
    }

    /// The number of operations with a rule.
    pub fn count(&self) -> usize {
        let ruled = self.0.iter().filter(|operation| operation.rule.is_some());
        ruled.count()
    }

    /// The rule for a request, and the segments of its path.
    pub fn find(&self, exchange: &Exchange, ignore_case: bool) -> Option<(&T, Reading)> {
        let method = &exchange.request.method;
        let of_method = || {
            self.0
                .iter()
                .filter(|operation| operation.method == *method)
        };
        of_method().next()?;
        for reading in readings(exchange) {
            let texts: Vec<&str> = reading.iter().map(String::as_str).collect();
            let fits = |operation: &&Operation<T>| {
                operation.path.parameters(&texts, ignore_case).is_some()
            };
            if let Some(operation) = of_method().find(fits) {
                return operation.rule.as_ref().map(|rule| (rule, reading));
            }
        }
        None
    }
}

/// The readings of a path, starting with the API's own.
fn readings(exchange: &Exchange) -> Vec<Reading> {
    let owned = |path: &str| segments(path).into_iter().map(str::to_owned).collect();
    if let Some(message) = &exchange.rpc {
        return vec![owned(&message.method)];
    }
    let (path, route) = (&exchange.request.path, &exchange.route);
    let mut readings: Vec<Reading> = Vec::new();
    let mut add = |reading: Reading| {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    };
    let version = route.listen.saturating_add(route.version);
    let behind = [route.listen, version].into_iter();
    for behind in behind.clone().rev() {
        let sent = path.sent_behind(behind).trim_start_matches('/');
        add(segments(sent).into_iter().map(percent_decode).collect());
    }
    for behind in behind.clone().rev() {
        let decoded = path.decoded().get(behind..).unwrap_or_default();
        add(owned(decoded.trim_start_matches('/')));
    }
    add(owned(path.decoded()));
    for behind in behind.rev() {
        let decoded = path.decoded().get(behind..).unwrap_or_default();
        for other in path::alternatives(&format!("/{decoded}")) {
            add(owned(other.trim_start_matches('/')));
        }
    }
    readings
}
