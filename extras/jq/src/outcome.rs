//! A filter's input, and the meaning of its value: `body` is the new body, `rewrite_headers` are headers to set, and
//! `gateway_context` (or its older spelling) are context variables for later links.

use crate::filter::{Filter, FilterError};
use jaq_json::{Map, Val, read};

/// The names of the context in a filter's input, and in its value.
const CONTEXT: [&str; 2] = ["_gateway_context", "_tyk_context"];
const SET_CONTEXT: [&str; 2] = ["gateway_context", "tyk_context"];

/// The input of a filter besides the body.
#[derive(Debug, Default)]
pub struct Facts {
    /// The headers of the response, if its body is filtered: lists by canonical names.
    headers: Option<Val>,
    /// The context variables, if there are any.
    context: Option<Val>,
    /// The current time, in Unix seconds.
    now: f64,
}

impl Facts {
    /// Reads the facts; those that can't be parsed are left out.
    #[must_use]
    pub fn read(facts: &str) -> Self {
        let (head, facts) = facts.split_once('\n').unwrap_or(("", facts));
        let facts = parse(facts.as_bytes());
        let head = parse(head.as_bytes());
        let number = |value: &Val| value.to_string().parse().ok();
        Self {
            headers: head.as_ref().and_then(|head| member(head, "headers")),
            context: facts.as_ref().and_then(|facts| member(facts, "context")),
            now: facts
                .and_then(|facts| member(&facts, "now"))
                .and_then(|now| number(&now))
                .unwrap_or_default(),
        }
    }
}

/// Applies a filter to a body. Returns the report and the new body, if there is one.
#[must_use]
pub fn transform(filter: &Filter, facts: &Facts, body: &[u8]) -> Vec<String> {
    // An empty body counts as an empty object, as it does for templates.
    let blank = body.iter().all(u8::is_ascii_whitespace);
    let body = if blank {
        Some(Val::obj(Map::default()))
    } else {
        parse(body)
    };
    let Some(body) = body else {
        return vec![failed("the body is not JSON")];
    };
    let mut input = vec![("body", body)];
    if let Some(context) = &facts.context {
        input.extend(CONTEXT.map(|name| (name, context.clone())));
    }
    if let Some(headers) = &facts.headers {
        input.push(("response_headers", headers.clone()));
    }
    let input = Val::obj(
        input
            .into_iter()
            .map(|(name, value)| (text(name), value))
            .collect(),
    );
    match filter.first(input, facts.now) {
        Ok(value) => outcome_of(&value),
        Err(error) => vec![failed(&error)],
    }
}

/// Returns the report and the body that a filter's value represents.
fn outcome_of(value: &Val) -> Vec<String> {
    let body = member(value, "body");
    let headers = member(value, "rewrite_headers");
    let context = SET_CONTEXT.iter().find_map(|name| member(value, name));
    if body.is_none() && headers.is_none() && context.is_none() {
        return vec![failed("the filter makes no object with a body")];
    }
    let mut report = Vec::new();
    let context = context.map(|context| ("context", context));
    for (name, value) in headers
        .map(|headers| ("headers", headers))
        .into_iter()
        .chain(context)
    {
        report.push((text(name), texts(&value)));
    }
    let report = Val::obj(report.into_iter().collect()).to_string();
    let mut answer = vec![report];
    answer.extend(body.map(|body| body.to_string()));
    answer
}

/// Converts the members of an object to texts: strings unchanged, anything else as JSON.
fn texts(value: &Val) -> Val {
    let Val::Obj(members) = value else {
        return Val::obj(Map::default());
    };
    let shown = members
        .iter()
        .filter(|(_, value)| !matches!(value, Val::Null));
    let shown = shown.map(|(name, value)| match value {
        Val::TStr(_) => (name.clone(), value.clone()),
        other => (name.clone(), text(&other.to_string())),
    });
    Val::obj(shown.collect())
}

/// Returns the report on a body that stays unchanged.
pub(crate) fn failed(error: &str) -> String {
    Val::obj([(text("error"), text(error))].into_iter().collect()).to_string()
}

/// Returns the report on a text that isn't a filter, with the position of the error if that is known.
pub(crate) fn broken(error: &FilterError) -> String {
    let mut report = vec![(text("error"), text(&error.why))];
    if let Some((line, column)) = error.position {
        let number = |number: usize| Val::from(isize::try_from(number).unwrap_or(isize::MAX));
        report.push((text("line"), number(line)));
        report.push((text("column"), number(column)));
    }
    Val::obj(report.into_iter().collect()).to_string()
}

fn member(value: &Val, name: &str) -> Option<Val> {
    match value {
        Val::Obj(members) => members.get(&text(name)).cloned(),
        _ => None,
    }
}

fn text(text: &str) -> Val {
    Val::utf8_str(text.as_bytes().to_vec())
}

fn parse(json: &[u8]) -> Option<Val> {
    read::parse_single(json).ok()
}
