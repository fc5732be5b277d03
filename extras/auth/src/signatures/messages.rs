//! `Signature-Input` and `Signature` (RFC 9421). The first signature that names a key counts.
//!
//! Components are those of the request itself, without parameters: `@method`, `@target-uri`, `@authority`, `@scheme`,
//! `@request-target`, `@path`, `@query`, and headers. A signature over anything else is refused.

use super::{Signed, algorithms, content, fact, header, is_near, now};
use crate::facts::Facts;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// A signature as `Signature-Input` describes it.
struct Input<'a> {
    label: &'a str,
    components: Vec<&'a str>,
    /// Everything after the label: the components and the parameters.
    text: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Input<'a> {
    fn read(entry: &'a str) -> Option<Self> {
        let (label, text) = entry.split_once('=')?;
        let (inside, behind) = text.strip_prefix('(')?.split_once(')')?;
        let mut components = Vec::new();
        for component in inside.split(' ').filter(|part| !part.is_empty()) {
            // A component with a parameter doesn't end in a quotation mark, and a name has no spaces.
            let name = component.strip_prefix('"')?.strip_suffix('"')?;
            if name.contains('"') || components.contains(&name) {
                return None;
            }
            components.push(name);
        }
        let mut parameters = Vec::new();
        for parameter in split_unquoted(behind, ';').into_iter().skip(1) {
            parameters.push(parameter.split_once('=')?);
        }
        Some(Self {
            label: label.trim(),
            components,
            text,
            parameters,
        })
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        let found = self.parameters.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    fn text_of(&self, name: &str) -> Option<&'a str> {
        let text = self.parameter(name)?.strip_prefix('"')?.strip_suffix('"')?;
        (!text.contains(['"', '\\'])).then_some(text)
    }

    fn seconds(&self, name: &str) -> Result<Option<i64>, &'static str> {
        let seconds = self.parameter(name).map(str::parse::<i64>).transpose();
        seconds.map_err(|_| "One of its times can't be read")
    }
}

/// Splits a text at marks outside of quotation marks.
fn split_unquoted(text: &str, mark: char) -> Vec<&str> {
    let mut is_quoted = false;
    let split = |letter: char| {
        is_quoted ^= letter == '"';
        letter == mark && !is_quoted
    };
    text.split(split).collect()
}

/// Parses both headers; the error says for people why they can't be parsed.
pub(super) fn read(facts: &Facts<'_>, skew: Option<i64>) -> Result<Signed, &'static str> {
    let inputs = header(facts, "signature-input").unwrap_or_default();
    let inputs = split_unquoted(inputs, ',').into_iter();
    let mut inputs = inputs.filter_map(|entry| Input::read(entry.trim()));
    let input = inputs.find(|input| input.text_of("keyid").is_some());
    let input = input.ok_or("No Signature-Input that can be read names a key")?;
    if input.components.is_empty() {
        return Err("It signs nothing");
    }
    let signatures = header(facts, "signature").unwrap_or_default();
    let signature = split_unquoted(signatures, ',')
        .into_iter()
        .find_map(|entry| {
            let (label, value) = entry.trim().split_once('=')?;
            let base64 = value.strip_prefix(':')?.strip_suffix(':')?;
            (label == input.label).then(|| BASE64_STANDARD.decode(base64).ok())?
        });
    let signature = signature.ok_or("There is no signature of that label")?;
    let algorithm = match input.parameter("alg") {
        None => None,
        Some(_) => {
            let known = input.text_of("alg").and_then(algorithms::message);
            Some(known.ok_or("Its algorithm is not known")?)
        }
    };
    let milliseconds = |seconds: i64| seconds.saturating_mul(1000);
    let created = input.seconds("created")?.map(milliseconds);
    if skew.is_some() && !created.is_some_and(|at| is_near(at, facts, skew)) {
        return Err("It was created too far from the present, or says no time");
    }
    let expires = input.seconds("expires")?.map(milliseconds);
    if expires.is_some_and(|at| at <= now(facts)) {
        return Err("It has expired");
    }
    let mut base = String::new();
    for name in &input.components {
        let value = component(facts, name).ok_or("The request lacks a part that is signed")?;
        base.push_str(&format!("\"{name}\": {value}\n"));
    }
    base.push_str(&format!("\"@signature-params\": {}", input.text));
    Ok(Signed {
        key: input.text_of("keyid").unwrap_or_default().to_owned(),
        algorithm,
        signature: Some(signature),
        texts: vec![base],
        covers_body: input.components.contains(&content::DIGEST),
    })
}

/// Returns a component of a request (RFC 9421 section 2).
fn component(facts: &Facts<'_>, name: &str) -> Option<String> {
    let fact = |name| fact(facts, name);
    let behind = match facts.all.str("query") {
        Some(query) => format!("?{query}"),
        None => String::new(),
    };
    Some(match name {
        "@method" => fact("method").to_owned(),
        "@authority" => fact("authority").to_owned(),
        "@scheme" => fact("scheme").to_owned(),
        "@path" => fact("path").to_owned(),
        "@query" if behind.is_empty() => "?".to_owned(),
        "@query" => behind,
        "@request-target" => format!("{}{behind}", fact("path")),
        "@target-uri" => {
            let (scheme, authority, path) = (fact("scheme"), fact("authority"), fact("path"));
            format!("{scheme}://{authority}{path}{behind}")
        }
        "host" => fact("authority").to_owned(),
        name if name.starts_with('@') || name.chars().any(|letter| letter.is_ascii_uppercase()) => {
            return None;
        }
        name => header(facts, name)?.trim().to_owned(),
    })
}
