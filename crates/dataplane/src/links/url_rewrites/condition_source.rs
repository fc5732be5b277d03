//! The sources that a trigger's conditions test.

use crate::exchange::{Body, Exchange, form_pairs};
use crate::headers::canonical;
use crate::rules::regex;
use gatewright_model::json::{Kind, parse};
use gatewright_model::text::path_rule;
use regex_lite::Regex;

/// Context variables that are not single texts.
const NO_TEXTS: [&str; 3] = ["path_parts", "request_data", "headers"];

/// The part of a request, or fact about it, that a condition tests.
#[derive(Debug)]
pub(super) enum ConditionSource {
    /// A header, by its name as written.
    Header(String),
    Query(String),
    /// The path segments, or only those of one parameter if the rule's path contains it.
    Path {
        name: String,
        of: Option<Regex>,
    },
    Meta(String),
    Context(String),
    Payload,
}

/// A list of conditions, and the source for each of its members.
pub(super) type List = (&'static str, fn(String, Option<&str>) -> ConditionSource);

/// The lists in the order in which they are tested.
pub(super) const LISTS: [List; 5] = [
    ("header_matches", |name, _| ConditionSource::Header(name)),
    ("query_val_matches", |name, _| ConditionSource::Query(name)),
    ("path_part_matches", |name, path| ConditionSource::Path {
        of: path.and_then(|path| parameter(path, &name)),
        name,
    }),
    ("session_meta_matches", |name, _| {
        ConditionSource::Meta(name)
    }),
    ("request_context_matches", |name, _| {
        ConditionSource::Context(name)
    }),
];

/// The expression that finds a parameter in a rule's path, if it is there.
fn parameter(path: &str, name: &str) -> Option<Regex> {
    let (before, rest) = path.split_once(&format!("{{{name}"))?;
    let (inside, behind) = rest.split_once('}')?;
    if !inside.is_empty() && !inside.starts_with(':') {
        return None;
    }
    regex(&format!(
        "{}(?P<part>[^/]+){}",
        path_rule::expression(before),
        path_rule::expression(behind)
    ))
}

impl ConditionSource {
    /// The texts to test; empty if the request has none.
    pub(super) fn texts(&self, exchange: &Exchange) -> Vec<String> {
        match self {
            Self::Header(name) => {
                let name = name.to_ascii_lowercase();
                // The host is no header to the reference.
                let sent = exchange.header(&name).filter(|_| name != "host");
                sent.into_iter().collect()
            }
            Self::Query(name) => {
                let pairs = form_pairs(exchange.asked_query()).into_iter();
                pairs
                    .filter(|(key, _)| key == name)
                    .map(|(_, value)| value)
                    .collect()
            }
            Self::Path { of: Some(of), .. } => {
                let path = exchange.stripped();
                let found = of.captures(path).and_then(|found| found.name("part"));
                found
                    .map(|part| part.as_str().to_owned())
                    .into_iter()
                    .collect()
            }
            Self::Path { of: None, .. } => exchange
                .decoded_path()
                .split('/')
                .map(str::to_owned)
                .collect(),
            Self::Meta(name) => meta_text(exchange, name).into_iter().collect(),
            Self::Context(name) if NO_TEXTS.contains(&name.as_str()) => Vec::new(),
            Self::Context(name) => {
                let is_text = exchange
                    .claim(name)
                    .is_none_or(|claim| claim.starts_with('"'));
                let value = exchange.context_value(name).filter(|_| is_text);
                value.into_iter().collect()
            }
            Self::Payload => match &exchange.body {
                Body::Read(bytes) if !bytes.is_empty() => {
                    vec![String::from_utf8_lossy(bytes).into_owned()]
                }
                _ => Vec::new(),
            },
        }
    }

    /// The names of its variables: for a header both the canonical name and the one written here.
    pub(super) fn variables(&self) -> Vec<String> {
        match self {
            Self::Header(name) => {
                let canonical = canonical(name);
                let other = (canonical != *name).then(|| name.clone());
                [Some(canonical), other].into_iter().flatten().collect()
            }
            Self::Query(name)
            | Self::Path { name, .. }
            | Self::Meta(name)
            | Self::Context(name) => {
                vec![name.clone()]
            }
            Self::Payload => vec!["payload".to_owned()],
        }
    }
}

/// A member of the key's metadata, if it is a string.
fn meta_text(exchange: &Exchange, name: &str) -> Option<String> {
    let session = exchange.key.session.as_ref()?;
    let mut members = session.meta_data.iter();
    let (_, json) = members.find(|(known, _)| known == name)?;
    match parse(json).ok()?.kind {
        Kind::String(text) => Some(text.into_owned()),
        _ => None,
    }
}
