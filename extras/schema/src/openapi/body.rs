//! Decodes request bodies into the values that their schemas describe.

use super::json::{Data, Json, Members};
use super::schema::{Schemas, types};
use super::values::{self, pairs};
use crate::text;
use std::collections::BTreeMap;

/// A decoded body.
#[derive(Debug)]
pub(crate) struct Decoded<'r> {
    /// Its value.
    pub(crate) value: Data<'r>,
    /// What else it may be read as, because a form has a field several times.
    pub(crate) others: Vec<Json>,
    /// Whether it is JSON, so that it can be serialised again.
    pub(crate) is_json: bool,
}

/// Returns a content type without its parameters.
fn essence(content_type: &str) -> &str {
    let (essence, _) = content_type.split_once(';').unwrap_or((content_type, ""));
    essence.trim()
}

/// Returns the media type object for a content type: that of the type itself, else of its family (`type/*`), else of
/// all types.
pub(crate) fn media<'s>(content: &'s Json, content_type: &str) -> Option<&'s Json> {
    let essence = essence(content_type).to_ascii_lowercase();
    let named = |wanted: &str| {
        let mut all = content.members();
        let found = all.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, media)| media)
    };
    if content_type.is_empty() {
        return named("*/*");
    }
    let without = |wanted: &str| {
        let mut all = content.members();
        let found = all.find(|(name, _)| self::essence(name).eq_ignore_ascii_case(wanted));
        found.map(|(_, media)| media)
    };
    let (family, _) = essence.split_once('/')?;
    named(content_type)
        .or_else(|| without(&essence))
        .or_else(|| named(&format!("{family}/*")))
        .or_else(|| named("*/*"))
}

/// Decodes a body.
///
/// # Errors
/// Why it can't be decoded.
pub(crate) fn decode<'r>(
    schemas: &Schemas,
    schema: &Json,
    content_type: &str,
    body: &'r [u8],
) -> Result<Decoded<'r>, String> {
    let kind = essence(content_type).to_ascii_lowercase();
    let whole = |value| Decoded {
        value,
        others: Vec::new(),
        is_json: false,
    };
    let text = || String::from_utf8_lossy(body).into_owned();
    match kind.as_str() {
        _ if kind.ends_with("/json") || kind.ends_with("+json") => Ok(Decoded {
            value: Data::parse(text::read(body)?)?,
            others: Vec::new(),
            is_json: true,
        }),
        "application/x-www-form-urlencoded" => {
            let fields = pairs(&text());
            let fields = fields
                .into_iter()
                .map(|(name, text)| (name, Field::Text(text)));
            form(schemas, schema, fields.collect())
        }
        "multipart/form-data" => form(schemas, schema, parts(content_type, body)?),
        "application/octet-stream" | "application/zip" | "application/pdf" => {
            Ok(whole(Json::text_of(text())))
        }
        _ if kind.starts_with("text/")
            || kind.starts_with("image/")
            || kind.starts_with("audio/")
            || kind.starts_with("video/") =>
        {
            Ok(whole(Json::text_of(text())))
        }
        _ => Err(format!("unsupported content type \"{kind}\"")),
    }
}

/// A field of a form.
enum Field {
    /// A text, to be read as its schema expects it.
    Text(String),
    /// A decoded value.
    Value(Json),
}

/// How often a field may be repeated without being a list.
const MAX_REPEATED: usize = 16;

/// Returns the fields of a form as an object. Which one of several fields of a name counts, unless they are a list, is up
/// to the upstream: after the object with the first ones come those with the others.
fn form(
    schemas: &Schemas,
    schema: &Json,
    fields: Vec<(String, Field)>,
) -> Result<Decoded<'static>, String> {
    let mut texts = Vec::new();
    let mut values = Members::new();
    for (name, field) in fields {
        match field {
            Field::Text(text) => texts.push((name, text)),
            Field::Value(value) => {
                let is_known = property(schemas, schema, &name, 8).is_some();
                if values.insert(name.clone().into(), value).is_some() && is_known {
                    return Err(format!("path {name}: the field is there several times"));
                }
            }
        }
    }
    let repeats = |(name, _): &(String, String)| {
        values.contains_key(name.as_str()) && property(schemas, schema, name, 8).is_some()
    };
    if let Some((name, _)) = texts.iter().find(|text| repeats(text)) {
        return Err(format!("path {name}: the field is there several times"));
    }
    let first = object(schemas, schema, &texts, &values)?;
    let mut others = Vec::new();
    while drop_repeated(&mut texts, &first) {
        if others.len() >= MAX_REPEATED {
            return Err("a field is there too many times".to_owned());
        }
        others.push(Json::Object(object(schemas, schema, &texts, &values)?));
    }
    Ok(Decoded {
        value: Json::Object(first),
        others,
        is_json: false,
    })
}

/// Drops the first field of each name that has several and is no list; false if there is none.
fn drop_repeated(texts: &mut Vec<(String, String)>, read: &Members) -> bool {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (name, _) in texts.iter() {
        if !matches!(read.get(name.as_str()), Some(Json::List(_))) {
            let count = counts.entry(name.clone()).or_default();
            *count = count.saturating_add(1);
        }
    }
    let mut has_any = false;
    texts.retain(|(name, _)| match counts.get_mut(name) {
        Some(count) if *count > 1 => {
            *count = 0;
            has_any = true;
            false
        }
        _ => true,
    });
    has_any
}

/// Returns an object with the first field of each name, or all of them where its schema is a list.
fn object(
    schemas: &Schemas,
    schema: &Json,
    texts: &[(String, String)],
    values: &Members,
) -> Result<Members, String> {
    let mut members = values.clone();
    for (name, text) in texts {
        if members.contains_key(name.as_str()) {
            continue;
        }
        let value = match property(schemas, schema, name, 8) {
            Some(of_field) => {
                let style = values::Style {
                    name,
                    style: "form",
                    explode: true,
                    required: false,
                    is_header: false,
                };
                let source = values::Source { all: texts };
                let is_object = types(of_field).contains(&"object");
                let found = match is_object {
                    // An object in a field is JSON (OpenAPI 3.1 section 4.8.15.1).
                    true => json_field(texts, name)?,
                    false => {
                        values::read(schemas, of_field, style, &source, 8)
                            .map_err(|why| format!("path {name}: {why}"))?
                            .value
                    }
                };
                found.unwrap_or_else(|| Json::text_of(String::new()))
            }
            None => Json::text_of(text.to_owned()),
        };
        members.insert(name.to_owned().into(), value);
    }
    Ok(members)
}

fn json_field(texts: &[(String, String)], name: &str) -> Result<Option<Json>, String> {
    let Some((_, text)) = texts.iter().find(|(known, _)| known == name) else {
        return Ok(None);
    };
    let value = text::value(text).map_err(|why| format!("path {name}: {why}"))?;
    Ok(Some(Json::of(&value)))
}

/// Returns the schema of a field, from the object's schema or from those it combines.
fn property<'s>(schemas: &'s Schemas, schema: &'s Json, name: &str, hops: u32) -> Option<&'s Json> {
    let hops = hops.checked_sub(1)?;
    let schema = schemas.resolved(schema)?;
    let own = schema.get("properties").and_then(|all| all.get(name));
    if let Some(own) = own {
        return schemas.resolved(own);
    }
    let parts = ["allOf", "anyOf", "oneOf"].into_iter();
    let mut parts = parts.flat_map(|combined| schema.list(combined));
    parts.find_map(|part| property(schemas, part, name, hops))
}

/// Splits a multipart form into its parts (RFC 7578).
fn parts(content_type: &str, body: &[u8]) -> Result<Vec<(String, Field)>, String> {
    let boundary = parameter(content_type, "boundary");
    let boundary = boundary.ok_or("no multipart boundary param in Content-Type")?;
    // RFC 2046 section 5.1.1.
    if boundary.len() > 70 {
        return Err("multipart: the boundary is too long".to_owned());
    }
    let delimiter = format!("--{boundary}").into_bytes();
    let mut fields = Vec::new();
    let mut rest = match find(body, &delimiter) {
        Some(at) => body
            .get(at.saturating_add(delimiter.len())..)
            .unwrap_or_default(),
        None => return Err("multipart: NextPart: EOF".to_owned()),
    };
    let between = [b"\r\n", delimiter.as_slice()].concat();
    while !rest.starts_with(b"--") {
        let end = find(rest, &between).ok_or("multipart: NextPart: EOF")?;
        let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        fields.extend(part_field(part)?);
        rest = behind.get(between.len()..).unwrap_or_default();
    }
    Ok(fields)
}

fn part_field(part: &[u8]) -> Result<Option<(String, Field)>, String> {
    let part = part.strip_prefix(b"\r\n").unwrap_or(part);
    let (head, content) = match find(part, b"\r\n\r\n") {
        Some(at) => (
            part.get(..at).unwrap_or_default(),
            part.get(at.saturating_add(4)..).unwrap_or_default(),
        ),
        None => (&[][..], part.strip_prefix(b"\r\n").unwrap_or(part)),
    };
    let head = String::from_utf8_lossy(head);
    let field = |wanted: &str| {
        let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
        let found = lines.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim())
    };
    let name = field("content-disposition").and_then(|value| parameter(value, "name"));
    let Some(name) = name else { return Ok(None) };
    let kind = essence(field("content-type").unwrap_or_default()).to_ascii_lowercase();
    if kind.ends_with("/json") || kind.ends_with("+json") {
        let value = text::read(content).and_then(text::value);
        let value = value.map_err(|why| format!("path {name}: {why}"))?;
        return Ok(Some((name, Field::Value(Json::of(&value)))));
    }
    let text = String::from_utf8_lossy(content).into_owned();
    let is_text = kind.is_empty() || kind == "text/plain";
    Ok(Some((
        name,
        match is_text {
            true => Field::Text(text),
            false => Field::Value(Json::text_of(text)),
        },
    )))
}

/// Returns a parameter of a header's value.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let parts = value.split(';').skip(1);
    let mut parts = parts.filter_map(|part| part.split_once('='));
    let found = parts.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
    let (_, value) = found?;
    let value = value.trim();
    let quoted = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    Some(quoted.unwrap_or(value).to_owned()).filter(|value| !value.is_empty())
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}
