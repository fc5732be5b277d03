//! The `Authorization` header of the drafts: `Signature keyId="…",algorithm="…",headers="…",signature="…"`.

use super::algorithms::{self, With};
use super::{Signed, content, fact, header, is_near};
use crate::date;
use crate::facts::Facts;
use crate::keys::base64;
use gatewright_model::text::percent::percent_decode;

const TARGET: &str = "(request-target)";

/// Parses the header; the error says for people why it can't be parsed.
pub(super) fn read(
    text: &str,
    facts: &Facts<'_>,
    skew: Option<i64>,
) -> Result<Signed, &'static str> {
    let fields = match text.split_at_checked(10) {
        Some((word, fields)) if word.eq_ignore_ascii_case("signature ") => fields,
        _ => text,
    };
    let (mut key, mut algorithm, mut headers, mut signature) = (None, None, None, None);
    for field in fields.split(',').filter(|field| !field.trim().is_empty()) {
        let (name, value) = field
            .split_once('=')
            .ok_or("One of its fields has no value")?;
        let value = unquoted(value.trim()).ok_or("One of its fields has no quotation marks")?;
        let field = match name.trim().to_ascii_lowercase().as_str() {
            "keyid" => &mut key,
            "algorithm" => &mut algorithm,
            "headers" => &mut headers,
            "signature" => &mut signature,
            _ => return Err("One of its fields is not known"),
        };
        // Others may read the one that is not read here.
        if field.replace(value).is_some() {
            return Err("One of its fields is there twice");
        }
    }
    let key = key.filter(|key| !key.is_empty()).ok_or("It names no key")?;
    let signature = signature.ok_or("It has no signature")?;
    let algorithm = match algorithm {
        None => Some(algorithms::UNNAMED),
        Some(name) => algorithms::draft(name),
    };
    let algorithm = algorithm.ok_or("Its algorithm is not known")?;
    let signature = match algorithm.with {
        // A `+` that is not escaped is a character of Base64.
        With::Secret => base64(&percent_decode(signature)),
        With::Certificate(_) => base64(signature),
    };
    let aux = header(facts, "x-aux-date").filter(|aux| !aux.is_empty());
    let aux = aux.map(|_| "x-aux-date");
    let dated = aux.unwrap_or("date");
    let at = header(facts, dated).ok_or("The request has no date")?;
    let at = date::http(at).ok_or("The request has no date that could be read")?;
    if !is_near(at, facts, skew) {
        return Err("The date of the request is too far from the present");
    }
    let names: Vec<&str> = match headers {
        Some(names) if names.trim().is_empty() => return Err("It signs nothing"),
        Some(names) => names.split(' ').filter(|name| !name.is_empty()).collect(),
        None => vec![dated],
    };
    // The date that is compared with the clock is the one that is signed: otherwise an old request could be made new by
    // another date header.
    let names: Vec<&str> = names
        .into_iter()
        .map(|name| match name.eq_ignore_ascii_case("date") {
            true => dated,
            false => name,
        })
        .collect();
    let complete = lines(&names, facts, true);
    // The reference signs the first value of a repeated header, no `Host`, and the path without its escapes.
    let first = lines(&names, facts, false);
    let mut texts = vec![complete];
    if !texts.contains(&first) {
        texts.push(first);
    }
    Ok(Signed {
        key: key.to_owned(),
        algorithm: Some(algorithm),
        signature,
        texts,
        // The signature may also cover the absence of a digest.
        covers_body: header(facts, content::DIGEST).is_some()
            && names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(content::DIGEST)),
    })
}

/// A field's value, which may lack its quotation marks if it is a single word.
fn unquoted(value: &str) -> Option<&str> {
    let inner = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    inner.or_else(|| (!value.is_empty() && value.chars().all(is_word)).then_some(value))
}

/// Returns what is signed, with the complete values of headers or as the reference reads them.
fn lines(names: &[&str], facts: &Facts<'_>, is_complete: bool) -> String {
    let line = |name: &&str| {
        let name = name.to_ascii_lowercase();
        let sent = header(facts, &name).unwrap_or_default();
        let value = match name.as_str() {
            TARGET => {
                let method = fact(facts, "method").to_ascii_lowercase();
                let path = fact(facts, "path");
                let read = percent_decode(path);
                // A line break would end the signed line early.
                match is_complete || read.contains(char::is_control) {
                    true => format!("{method} {path}"),
                    false => format!("{method} {read}"),
                }
            }
            "host" if is_complete => fact(facts, "authority").to_owned(),
            "host" => String::new(),
            // Dates contain a comma.
            name if is_complete || name.ends_with("date") => sent.to_owned(),
            _ => sent.split(", ").next().unwrap_or_default().to_owned(),
        };
        format!("{name}: {value}")
    };
    names.iter().map(line).collect::<Vec<_>>().join("\n")
}
