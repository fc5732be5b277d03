//! Parses the texts of parameters and form fields into values of the types that their schemas expect (OpenAPI 3.1
//! section 4.8.12, *style* and *explode*).

mod deep;

use super::HOPS;
use super::json::Json;
use super::schema::{Schemas, permits, types};
use gatewright_model::order;
use gatewright_model::text::percent::percent_decode;
use std::collections::BTreeMap;

/// A parameter as found in a request.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Its value; `None` if the text is empty or the parameter is missing.
    pub(crate) value: Option<Json>,
    /// Whether the parameter is present at all.
    pub(crate) is_there: bool,
}

impl Found {
    fn there(value: Option<Json>) -> Self {
        Self {
            value,
            is_there: true,
        }
    }
}

/// Why a text can't be read as a value, with the index or member where that is.
pub(crate) type Unread = String;

/// How a parameter is serialised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style<'s> {
    /// Its name.
    pub(crate) name: &'s str,
    /// `simple`, `label`, `matrix`, `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`.
    pub(crate) style: &'s str,
    /// Whether each value of a list or object is a parameter of its own.
    pub(crate) explode: bool,
    /// Whether it must be present.
    pub(crate) required: bool,
    /// Whether spaces around the items of a list are to be trimmed (RFC 9110 section 5.6.1): the runtime joins headers
    /// of the same name with them.
    pub(crate) is_header: bool,
}

impl Style<'_> {
    /// Whether a list consists of all the parameters of its name.
    pub(crate) fn takes_all(&self) -> bool {
        self.explode && matches!(self.style, "form" | "spaceDelimited" | "pipeDelimited")
    }
}

/// The texts that a request has for a parameter, or for all parameters if members of an object are parameters of their
/// own.
#[derive(Debug)]
pub(crate) struct Source<'r> {
    /// Names and texts of all parameters at this location (path, query, header or cookie).
    pub(crate) all: &'r [(String, String)],
}

impl<'r> Source<'r> {
    fn texts(&self, name: &str) -> Vec<&'r str> {
        let named = self.all.iter().filter(|(known, _)| known == name);
        named.map(|(_, text)| text.as_str()).collect()
    }
}

/// Decodes a query or a form.
pub(crate) fn pairs(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| percent_decode(&text.replace('+', " "));
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Reads a parameter as its schema expects it.
///
/// # Errors
/// Why the text can't be read so.
pub(crate) fn read(
    schemas: &Schemas,
    schema: &Json,
    style: Style<'_>,
    source: &Source<'_>,
    hops: u32,
) -> Result<Found, Unread> {
    let schema = schemas.resolved(schema).unwrap_or(schema);
    let Some(hops) = hops.checked_sub(1) else {
        return Ok(Found::default());
    };
    let read_as = |schema: &Json| read(schemas, schema, style, source, hops);
    let all_of = schema.list("allOf");
    if !all_of.is_empty() {
        let mut found = Found::default();
        for part in all_of {
            found = read_as(part)?;
            if found.value.is_none() {
                break;
            }
        }
        return Ok(found);
    }
    for name in ["anyOf", "oneOf"] {
        let alternatives = schema.list(name);
        if alternatives.is_empty() {
            continue;
        }
        // As in the reference: how a text is read does not depend on the alternative's other keywords, and with `oneOf`
        // the last alternative that can be read counts.
        let mut read = Found::default();
        for alternative in alternatives {
            let (found, is_there) = match read_as(alternative) {
                Ok(found) => (found.value, found.is_there),
                Err(_) => (None, true),
            };
            read.is_there |= is_there;
            read.value = found.or(read.value);
            if name == "anyOf" && read.value.is_some() {
                break;
            }
        }
        return match read.value {
            None if style.required && name == "anyOf" => Err(format!(
                "decoding anyOf for parameter \"{}\" failed",
                style.name
            )),
            None if style.required => Err(format!(
                "decoding oneOf failed: \"{}\" is required",
                style.name
            )),
            _ => Ok(read),
        };
    }
    let kinds = types(schema);
    if kinds.contains(&"array") {
        return array(schemas, schema, style, source);
    }
    if kinds.contains(&"object") {
        return object(schemas, schema, style, source);
    }
    let texts = source.texts(style.name);
    let Some(text) = texts.first() else {
        return Ok(Found::default());
    };
    let text = match prefix(style) {
        Some(prefix) => cut(text, &prefix)?,
        None => text,
    };
    Ok(Found::there(primitive(schema, text)?))
}

/// Returns the prefix of a value in a path (RFC 6570 sections 3.2.5 and 3.2.7).
fn prefix(style: Style<'_>) -> Option<String> {
    match style.style {
        "label" => Some(".".to_owned()),
        "matrix" => Some(format!(";{}=", style.name)),
        _ => None,
    }
}

fn cut<'t>(text: &'t str, prefix: &str) -> Result<&'t str, Unread> {
    let cut = text.strip_prefix(prefix);
    cut.ok_or_else(|| format!("value {text}: a value must be prefixed with \"{prefix}\""))
}

fn array(
    schemas: &Schemas,
    schema: &Json,
    style: Style<'_>,
    source: &Source<'_>,
) -> Result<Found, Unread> {
    let texts = source.texts(style.name);
    let Some(first) = texts.first().copied() else {
        return Ok(Found::default());
    };
    let separate = |separator: &str| first.split(separator).collect::<Vec<&str>>();
    let parts = match (style.style, style.explode) {
        _ if style.takes_all() => texts,
        ("form" | "simple", _) => separate(","),
        ("spaceDelimited", false) => separate(" "),
        ("pipeDelimited", false) => separate("|"),
        ("label", explode) => {
            let rest = cut(first, ".")?;
            rest.split(if explode { "." } else { "," }).collect()
        }
        ("matrix", explode) => {
            let prefix = format!(";{}=", style.name);
            let rest = cut(first, &prefix)?;
            rest.split(if explode { &*prefix } else { "," }).collect()
        }
        (other, explode) => {
            return Err(format!(
                "invalid serialization method: style=\"{other}\", explode={explode}"
            ));
        }
    };
    let nothing = Json::Bool(true);
    let of_item = schema.get("items").unwrap_or(&nothing);
    let of_item = schemas.resolved(of_item).unwrap_or(of_item);
    let count = parts.len();
    let mut items = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        let part = if style.is_header { part.trim() } else { part };
        let item = item(schemas, of_item, part, HOPS);
        let item = item.map_err(|why| format!("path {index}: {why}"))?;
        match item {
            Some(item) => items.push(item),
            // As in the reference, an empty text is no list. Among other items it must not hide them.
            None if count == 1 => return Ok(Found::there(None)),
            None => return Err(format!("path {index}: empty value is not allowed")),
        }
    }
    Ok(Found::there(Some(Json::List(items))))
}

/// Reads an item of a list, whose schema may combine others.
fn item(schemas: &Schemas, schema: &Json, text: &str, hops: u32) -> Result<Option<Json>, Unread> {
    let schema = schemas.resolved(schema).unwrap_or(schema);
    let mut parts = ["allOf", "anyOf", "oneOf"]
        .iter()
        .flat_map(|name| schema.list(name));
    let Some(hops) = hops.checked_sub(1) else {
        return Ok(None);
    };
    let mut last = match parts.next() {
        Some(part) => item(schemas, part, text, hops),
        None => return primitive(schema, text),
    };
    for part in parts {
        if last.is_err() {
            last = item(schemas, part, text, hops);
        }
    }
    last
}

fn object(
    schemas: &Schemas,
    schema: &Json,
    style: Style<'_>,
    source: &Source<'_>,
) -> Result<Found, Unread> {
    let name = style.name;
    let first = || source.texts(name).first().copied();
    let members: Vec<(String, String)> = match (style.style, style.explode) {
        ("deepObject", _) => return deep::object(schemas, schema, name, source),
        // Its members are parameters of their own.
        ("form", true) => {
            let properties = schema.get("properties");
            let is_own = |(known, _): &&(String, String)| {
                properties.is_some_and(|properties| properties.get(known).is_some())
            };
            let own: Vec<(String, String)> = source.all.iter().filter(is_own).cloned().collect();
            // As in `body.rs`, so that the map is compiled once.
            let mut names: BTreeMap<String, usize> = BTreeMap::new();
            let mut known = |name: &String| names.insert(name.clone(), 1).is_some();
            if let Some((name, _)) = own.iter().find(|(name, _)| known(name)) {
                return Err(format!("property \"{name}\" is there several times"));
            }
            own
        }
        (style, explode) => {
            let Some(text) = first() else {
                return Ok(Found::default());
            };
            let (prefix, between, of_value) = match (style, explode) {
                ("label", false) => (".".to_owned(), ",", ","),
                ("label", true) => (".".to_owned(), ".", "="),
                ("matrix", false) => (format!(";{name}="), ",", ","),
                ("matrix", true) => (";".to_owned(), ";", "="),
                ("simple", true) => (String::new(), ",", "="),
                _ => (String::new(), ",", ","),
            };
            split(cut(text, &prefix)?, between, of_value)?
        }
    };
    if members.is_empty() {
        return Ok(Found::default());
    }
    let texts = members.into_iter();
    let texts = order::map(texts.map(|(name, text)| (name.into(), Json::text_of(text))));
    deep::shaped(schemas, schema, &Json::Object(texts), &[], HOPS).map(Found::there)
}

/// Splits a text into names and values.
fn split(text: &str, between: &str, of_value: &str) -> Result<Vec<(String, String)>, Unread> {
    let wrong = || {
        format!(
            "value {text}: a value must be a list of object's properties in format \"name{of_value}value\" separated by {between}"
        )
    };
    let parts: Vec<&str> = text.split(between).collect();
    if between == of_value {
        let (pairs, rest) = parts.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(wrong());
        }
        let pair = |[name, value]: &[&str; 2]| ((*name).to_owned(), (*value).to_owned());
        return Ok(pairs.iter().map(pair).collect());
    }
    let pair = |part: &&str| {
        let (name, value) = part.split_once(of_value).ok_or_else(wrong)?;
        Ok((name.to_owned(), value.to_owned()))
    };
    parts.iter().map(pair).collect()
}

/// Reads a text as the first of a schema's types that it can be; `None` if it is empty.
pub(crate) fn primitive(schema: &Json, text: &str) -> Result<Option<Json>, Unread> {
    if text.is_empty() {
        return Ok(None);
    }
    let mut why = None;
    for kind in types(schema).into_iter().filter(|kind| *kind != "null") {
        match of_kind(kind, schema, text) {
            Ok(value) => return Ok(Some(value)),
            Err(reason) => why = Some(format!("value {text}: {reason}")),
        }
    }
    match why {
        Some(why) => Err(why),
        None if permits(schema, "string") => Ok(Some(Json::text_of(text.to_owned()))),
        None => Ok(Some(Json::Null)),
    }
}

/// Reads a text as a value of this type, or says why it is none.
pub(crate) fn of_kind(kind: &str, schema: &Json, text: &str) -> Result<Json, String> {
    let invalid = || format!("an invalid {kind}: invalid syntax");
    match kind {
        "integer" => {
            let number = integer(text).ok_or_else(invalid)?;
            let fits = match schema.text("format") {
                Some("int32") => number.parse::<i32>().is_ok(),
                _ => number.parse::<i64>().is_ok(),
            };
            match fits {
                true => Ok(Json::number_of(number)),
                false => Err("an invalid integer: value out of range".to_owned()),
            }
        }
        "number" => number(text).map(Json::number_of).ok_or_else(invalid),
        "boolean" => match text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Json::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Json::Bool(false)),
            _ => Err(invalid()),
        },
        "string" => Ok(Json::text_of(text.to_owned())),
        other => Err(format!("schema has non primitive type {other}")),
    }
}

/// Returns a decimal integer in JSON syntax.
fn integer(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    is_number.then(|| format!("{sign}{digits}"))
}

/// Returns a decimal number in JSON syntax.
fn number(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_bare = matches!(whole, "" | "+" | "-");
    let whole = if is_bare {
        format!("{whole}0")
    } else {
        whole.to_owned()
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if is_bare && fraction.is_empty() || !is_digits(fraction) {
        return None;
    }
    let mut number = integer(&whole)?;
    if !fraction.is_empty() {
        number.push('.');
        number.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !is_digits(digits) {
            return None;
        }
        number.push('e');
        number.push_str(exponent);
    }
    Some(number)
}
