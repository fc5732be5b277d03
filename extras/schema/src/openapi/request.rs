//! A request as the facts describe it, and what is filled in.

use super::Outcome;
use super::json::Json;
use super::values::{Style, pairs};
use gatewright_model::json::{Value, quote};
use gatewright_model::order;
use gatewright_model::text::percent::encode_query;
use std::collections::BTreeMap;

/// The parts of a request that are validated.
pub(super) struct Request<'r> {
    pub(super) segments: Vec<&'r str>,
    pub(super) query: Vec<(String, String)>,
    pub(super) headers: BTreeMap<&'r str, &'r str>,
    pub(super) body: &'r [u8],
}

/// The defaults that are filled in.
#[derive(Debug, Default)]
pub(super) struct Filled {
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
}

impl<'r> Request<'r> {
    pub(super) fn of(facts: &'r Value<'r>, body: &'r [u8]) -> Self {
        let segments = facts.get("segments").map(Value::items).unwrap_or_default();
        let headers = facts.get("headers").map(Value::members).unwrap_or_default();
        let headers = headers.iter();
        Self {
            segments: segments.iter().filter_map(Value::as_str).collect(),
            query: pairs(facts.str("query").unwrap_or_default()),
            headers: order::map(
                headers.filter_map(|header| Some((&*header.name, header.value.as_str()?))),
            ),
            body,
        }
    }

    /// Returns a header under the document's name for it.
    pub(super) fn header(&self, name: &str) -> Vec<(String, String)> {
        let value = self.headers.get(name.to_ascii_lowercase().as_str());
        let value = value.map(|value| (name.to_owned(), (*value).to_owned()));
        value.into_iter().collect()
    }

    pub(super) fn cookies(&self) -> Vec<(String, String)> {
        let sent = self.headers.get("cookie").copied().unwrap_or_default();
        let cookies = sent.split(';').filter_map(|cookie| cookie.split_once('='));
        cookies
            .map(|(name, value)| {
                let value = value.trim();
                let quoted = value
                    .strip_prefix('"')
                    .and_then(|value| value.strip_suffix('"'));
                (name.trim().to_owned(), quoted.unwrap_or(value).to_owned())
            })
            .collect()
    }
}

impl Filled {
    /// Adds the default of a parameter.
    pub(super) fn add(&mut self, place: &str, name: &str, parameter: &Json, default: &Json) {
        // As in the reference: only an explicit `explode` makes each value a parameter of its own.
        let texts: Vec<String> = match default {
            Json::List(items) if parameter.is_on("explode") => {
                items.iter().map(Json::plain).collect()
            }
            Json::List(items) => {
                let texts: Vec<String> = items.iter().map(Json::plain).collect();
                vec![texts.join(",")]
            }
            other => vec![other.plain()],
        };
        let own = texts.into_iter().map(|text| (name.to_owned(), text));
        match place {
            "query" => self.query.extend(own),
            "header" => self.headers.extend(own),
            _ => {
                let cookie = own.map(|(name, text)| format!("{name}={text}"));
                let cookies: Vec<String> = cookie.collect();
                self.headers.push(("cookie".to_owned(), cookies.join("; ")));
            }
        }
    }

    /// Returns the report and the body.
    pub(super) fn outcome(self, request: &Request<'_>) -> Outcome {
        let mut members = Vec::new();
        if !self.query.is_empty() {
            let mut query: Vec<(String, String)> = request.query.clone();
            query.extend(self.query);
            let query = order::sorted_by(query, |(a, _), (b, _)| a.cmp(b));
            let pair = |(name, value): &(String, String)| {
                format!("{}={}", encode_query(name), encode_query(value))
            };
            let query: Vec<String> = query.iter().map(pair).collect();
            members.push(format!("\"query\":{}", quote(&query.join("&"))));
        }
        if !self.headers.is_empty() {
            let mut headers: BTreeMap<String, String> = BTreeMap::new();
            for (name, value) in self.headers {
                let name = name.to_ascii_lowercase();
                let before = match name.as_str() {
                    "cookie" => request.headers.get("cookie").copied().unwrap_or_default(),
                    _ => "",
                };
                let known = headers.entry(name).or_insert_with(|| before.to_owned());
                if !known.is_empty() {
                    known.push_str("; ");
                }
                known.push_str(&value);
            }
            let headers: Vec<String> = headers
                .iter()
                .map(|(name, value)| format!("{}:{}", quote(name), quote(value)))
                .collect();
            members.push(format!("\"headers\":{{{}}}", headers.join(",")));
        }
        Outcome {
            report: format!("{{{}}}", members.join(",")),
            body: self.body,
        }
    }
}

/// Returns the style of a parameter, with the defaults for its location.
pub(super) fn style(parameter: &Json) -> Style<'_> {
    let usual = match parameter.text("in") {
        Some("query" | "cookie") => "form",
        _ => "simple",
    };
    let style = parameter.text("style").unwrap_or(usual);
    let explode = match parameter.get("explode") {
        Some(Json::Bool(explode)) => *explode,
        _ => style == "form",
    };
    // A cookie has all its values in one text.
    let is_cookie = parameter.text("in") == Some("cookie");
    Style {
        name: parameter.text("name").unwrap_or_default(),
        style,
        explode: explode && !is_cookie,
        required: parameter.is_on("required"),
        is_header: parameter.text("in") == Some("header"),
    }
}
