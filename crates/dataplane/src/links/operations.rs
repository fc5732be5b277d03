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
        let mut found = None;
        let reading = first_reading(exchange, &mut |reading| {
            let texts: Vec<&str> = reading.iter().map(String::as_str).collect();
            let fits = |operation: &&Operation<T>| {
                operation.path.parameters(&texts, ignore_case).is_some()
            };
            found = of_method().find(fits);
            found.is_some()
        })?;
        Some((found?.rule.as_ref()?, reading))
    }
}

/// The first reading of a path, starting with the API's own, that this function accepts.
fn first_reading(
    exchange: &Exchange,
    accepts: &mut dyn FnMut(&[String]) -> bool,
) -> Option<Reading> {
    let owned = |path: &str| -> Reading { segments(path).into_iter().map(str::to_owned).collect() };
    let mut accepted = |reading: Reading| accepts(&reading).then_some(reading);
    if let Some(message) = &exchange.rpc {
        return accepted(owned(&message.method));
    }
    let (path, route) = (&exchange.request.path, &exchange.route);
    let version = route.listen.saturating_add(route.version);
    let listen = (route.version > 0).then_some(route.listen);
    let behind = || [version].into_iter().chain(listen);
    let decoded = |behind: usize| {
        let decoded = path.decoded().get(behind..).unwrap_or_default();
        decoded.trim_start_matches('/')
    };
    let by_segment = |behind: usize| {
        let sent = path.sent_behind(behind).trim_start_matches('/');
        segments(sent).into_iter().map(percent_decode).collect()
    };
    behind()
        .find_map(|behind| accepted(by_segment(behind)))
        .or_else(|| {
            let wholes = behind().map(decoded).chain([path.decoded()]);
            wholes.map(owned).find_map(&mut accepted)
        })
        .or_else(|| {
            let lenient = behind().flat_map(|at| path::alternatives(&format!("/{}", decoded(at))));
            let mut readings = lenient.map(|other| owned(other.trim_start_matches('/')));
            readings.find_map(&mut accepted)
        })
}
