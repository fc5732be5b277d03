//! Links 29 and R: body templates (`extended_paths.transform`, `transform_response`; reference 3.6).
//!
//! A rule is skipped if it has no mode, its template is not valid Base64, or it refers to a file (there are none at the
//! edge); likewise if its template can't be parsed, which the extra finds out.

use super::bodies::{BodyRules, WantedFacts};
use crate::chain::{Compiler, Middleware, Row, Step};
use crate::exchange::Exchange;
use crate::extras::Extracted;
use crate::failure::Failure;
use gatewright_model::text::base64;
use gatewright_protocol::variables::Template;

/// Templates for request bodies.
#[derive(Debug)]
pub struct BodyTransforms(BodyRules);

/// Templates for response bodies.
#[derive(Debug)]
pub struct BodyResponseTransforms(BodyRules);

fn compile(from: &mut Compiler<'_>, list: &str, function: &'static str) -> Option<BodyRules> {
    let read = |row: &Row<'_>| {
        let data = row.value.get("template_data")?;
        if data.str("template_mode") != Some("blob") {
            return None;
        }
        let source = base64::decode(data.str("template_source").unwrap_or_default());
        let source = String::from_utf8(source?).ok()?;
        let mut wanted = WantedFacts::of(&source);
        wanted.session = data.bool("enable_session").unwrap_or_default();
        if function == "request" {
            wanted.texts = variables(&source);
        }
        let kind = data.str("input_type").unwrap_or_default();
        // The extra's format has the kind on a line of its own.
        let kind = kind.lines().next().unwrap_or_default();
        Some((format!("{kind}\n{source}"), wanted))
    };
    BodyRules::compile(from, list, ("transform", function), read)
}

/// The variables in a text, keyed by their names with `$`.
fn variables(text: &str) -> Vec<(String, Template)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut found: Vec<(String, Template)> = Vec::new();
    for part in text.split('$').skip(1) {
        let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
        let name = format!("${}", part.get(..end).unwrap_or_default());
        let template = Template::parse(&name);
        let is_plain = template.literal().is_some_and(|literal| literal == name);
        if !is_plain && !found.iter().any(|(known, _)| *known == name) {
            found.push((name, template));
        }
    }
    found
}

impl Middleware for BodyTransforms {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        compile(from, "transform", "request").map(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        self.0.request(exchange, |_, _| {})
    }
}

impl Middleware for BodyResponseTransforms {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        compile(from, "transform_response", "response").map(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        self.0.needs_form(exchange).unwrap_or(Step::Next)
    }

    fn response(&self, exchange: &mut Exchange) {
        self.0.response(exchange);
    }

    fn answered(&self, exchange: &mut Exchange, extracted: Extracted) -> Result<(), Failure> {
        self.0.answered(exchange, extracted, |_, _| {})
    }
}
