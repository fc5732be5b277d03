//! The request that a tool call represents: its arguments, placed where the operation expects them (OpenAPI 3.1 section
//! 4.8.12).
//!
//! The promise: an argument changes its own part of the request and nothing else. In path and query, everything but
//! unreserved characters is percent-encoded (RFC 3986 section 2.3), no argument produces a segment that leads to
//! another path, and what isn't allowed in a header is refused.

use crate::parts::{last, object};
use gatewright_model::json::{Kind, Value, quote, written};
use gatewright_model::text::percent::percent_decode;
use std::fmt::Write as _;

/// Headers of a message that mean nothing to an API, or something else.
const DROPPED: [&str; 11] = [
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "last-event-id",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "range",
    "content-type",
];

/// Headers that no argument may set: they belong to the connection.
const NEVER: [&str; 6] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "upgrade",
    "te",
];

/// Why arguments don't make a request.
pub(crate) enum BadArguments {
    /// They are not an object.
    NoObject,
    /// One is missing, unknown, or not allowed where it belongs; as a sentence.
    Argument(String),
}

/// A request to the API.
#[derive(Debug, Default)]
pub(crate) struct Request {
    method: String,
    path: String,
    query: String,
    /// Names in lower case; `None` removes a header.
    headers: Vec<(String, Option<String>)>,
    pub(crate) body: String,
}

impl Request {
    /// Serialises the request for the data plane, without its body.
    pub(crate) fn report(&self) -> String {
        let headers = self.headers.iter();
        let headers: Vec<(&str, String)> = headers
            .map(|(name, value)| {
                let value = value.as_deref().map_or_else(|| "null".to_owned(), quote);
                (name.as_str(), value)
            })
            .collect();
        let request = object(&[
            ("method", quote(&self.method)),
            ("path", quote(&self.path)),
            ("query", quote(&self.query)),
            ("headers", object(&headers)),
        ]);
        format!("{{\"request\":{request}}}")
    }

    fn header(&mut self, name: &str, value: Option<String>) {
        let name = name.to_ascii_lowercase();
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
    }
}

/// An argument, with its definition in the tool.
struct Given<'v> {
    source: &'v str,
    value: &'v Value<'v>,
    style: &'v str,
    explode: bool,
}

/// Builds the request of a call.
pub(crate) fn build(
    settings: &Value<'_>,
    arguments: Option<&Value<'_>>,
) -> Result<Request, BadArguments> {
    let known = settings.get("arguments").map(Value::items);
    let known = known.unwrap_or_default();
    let given = arguments.map(Value::members).unwrap_or_default();
    if arguments.is_some_and(|given| !matches!(given.kind, Kind::Object(_))) {
        return Err(BadArguments::NoObject);
    }
    let is_known = |name: &str| known.iter().any(|known| known.str("name") == Some(name));
    if let Some(other) = given.iter().find(|member| !is_known(&member.name)) {
        let text = format!("unknown argument: {}", other.name);
        return Err(BadArguments::Argument(text));
    }
    let text = |name| settings.str(name).unwrap_or_default().to_owned();
    let mut request = Request {
        method: text("method"),
        path: text("path"),
        ..Request::default()
    };
    for name in DROPPED {
        request.header(name, None);
    }
    request.header("accept", Some("application/json, */*;q=0.8".to_owned()));
    let mut parts = Parts::default();
    for entry in known {
        if let Some(value) = argument(entry, arguments)? {
            parts.put(&mut request, entry, value)?;
        }
    }
    if let Some(why) = unsafe_path(&request.path) {
        return Err(BadArguments::Argument(why.to_owned()));
    }
    request.query = parts.query.join("&");
    if !parts.cookies.is_empty() {
        request.header("cookie", Some(parts.cookies.join("; ")));
    }
    if let Some(media) = settings.str("media")
        && let Some(body) = parts.body(media, known)
    {
        request.body = body;
        request.header("content-type", Some(media.to_owned()));
    }
    Ok(request)
}

/// Returns the value of an argument, by its definition in the tool; `None` if it is absent and may be.
fn argument<'v>(
    entry: &Value<'_>,
    arguments: Option<&'v Value<'v>>,
) -> Result<Option<&'v Value<'v>>, BadArguments> {
    let name = entry.str("name").unwrap_or_default();
    let value = arguments.and_then(|given| last(given, name));
    // A member of a body may be null; a parameter can't.
    let value = value.filter(|value| entry.str("in") == Some("body") || !value.is_null());
    if value.is_none() && entry.bool("required") == Some(true) {
        let text = format!("missing required argument: {name}");
        return Err(BadArguments::Argument(text));
    }
    Ok(value)
}

/// What arguments become apart from path and headers.
#[derive(Default)]
struct Parts<'v> {
    query: Vec<String>,
    cookies: Vec<String>,
    /// The members of the body.
    members: Vec<(&'v str, &'v Value<'v>)>,
    entire_body: Option<&'v Value<'v>>,
}

impl<'v> Parts<'v> {
    /// Puts an argument where its definition says.
    fn put(
        &mut self,
        request: &mut Request,
        entry: &'v Value<'v>,
        value: &'v Value<'v>,
    ) -> Result<(), BadArguments> {
        let given = Given {
            source: entry.str("source").unwrap_or_default(),
            value,
            style: entry.str("style").unwrap_or("simple"),
            explode: entry.bool("explode").unwrap_or_default(),
        };
        let name = entry.str("name").unwrap_or_default();
        let bad = |why: &str| BadArguments::Argument(format!("argument {name} {why}"));
        match entry.str("in").unwrap_or_default() {
            "path" => {
                let hole = format!("{{{}}}", given.source);
                let value = given.in_path();
                if value.is_empty() {
                    return Err(bad("is empty"));
                }
                request.path = request.path.replace(&hole, &value);
            }
            "query" => self.query.extend(given.in_query()),
            "cookie" => {
                let value = encoded(&given.simple());
                self.cookies.push(format!("{}={value}", given.source));
            }
            "header" => {
                let value = given.simple();
                let is_sendable = |byte| matches!(byte, b'\t' | b' '..=b'~');
                if !value.bytes().all(is_sendable) {
                    return Err(bad("can't stand in a header"));
                }
                if !is_token(given.source) || NEVER.contains(&&*given.source.to_ascii_lowercase()) {
                    return Err(bad("is for a header that can't be sent"));
                }
                request.header(given.source, Some(value));
            }
            _ if given.source.is_empty() => self.entire_body = Some(value),
            _ => self.members.push((given.source, value)),
        }
        Ok(())
    }

    /// Returns the body; `None` if it is one argument, which is absent.
    fn body(&self, media: &str, known: &[Value<'_>]) -> Option<String> {
        if let Some(value) = self.entire_body {
            return Some(written(value));
        }
        let is_entire_body = known.iter().any(|entry| entry.str("source") == Some(""));
        (!is_entire_body).then(|| body_of(media, &self.members))
    }
}

/// How many nested levels of escapes are decoded.
const LAYERS: usize = 4;

/// Returns why a path can't be one of its operation's. The gateway resolves dots and empty segments in a decoded path,
/// and an upstream may read more as such: see `crates/dataplane/src/path/lenient.rs`.
fn unsafe_path(path: &str) -> Option<&'static str> {
    if path.contains('{') {
        return Some("an argument of the path is missing");
    }
    let next = |text: &String| Some(percent_decode(text)).filter(|next| next != text);
    let layers = std::iter::successors(Some(path.to_owned()), next);
    let is_name = |letter: &char| !letter.is_control();
    let leads_away = |segment: &str| {
        let name = segment.split([';', '?', '#']).next().unwrap_or_default();
        let name: String = name.chars().filter(is_name).collect();
        matches!(name.as_str(), "." | "..")
    };
    let mut read = layers.take(LAYERS);
    let leaves = read.any(|text| text.contains("//") || text.split(['/', '\\']).any(leads_away));
    leaves.then_some("an argument of the path leads to another path")
}

/// Returns a body with these members, as JSON or as a form.
fn body_of(media: &str, members: &[(&str, &Value<'_>)]) -> String {
    if media.to_ascii_lowercase().contains("json") {
        let members: Vec<(&str, String)> = members
            .iter()
            .map(|(name, value)| (*name, written(value)))
            .collect();
        return object(&members);
    }
    let pairs = members.iter().flat_map(|(name, value)| {
        let values = match &value.kind {
            Kind::Array(items) => items.iter().map(plain).collect(),
            _ => vec![plain(value)],
        };
        let name = encoded(name);
        let pairs = values.into_iter();
        pairs.map(move |value| format!("{name}={}", encoded(&value)))
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// Returns a value as text: a string unchanged, anything else as JSON.
fn plain(value: &Value<'_>) -> String {
    match &value.kind {
        Kind::String(text) => text.to_string(),
        _ => written(value),
    }
}

impl Given<'_> {
    /// Returns the elements of a list, or the names and values of an object, which `pair` joins.
    fn elements(&self, pair: Option<&str>, each: fn(&str) -> String) -> Vec<String> {
        match &self.value.kind {
            Kind::Array(items) => items.iter().map(|item| each(&plain(item))).collect(),
            Kind::Object(members) => {
                let members = members.iter();
                let members = members.flat_map(|member| {
                    let (name, value) = (each(&member.name), each(&plain(&member.value)));
                    match pair {
                        Some(pair) => vec![format!("{name}{pair}{value}")],
                        None => vec![name, value],
                    }
                });
                members.collect()
            }
            _ => vec![each(&plain(self.value))],
        }
    }

    fn pair(&self) -> Option<&'static str> {
        self.explode.then_some("=")
    }

    /// Formats the value without a style's prefix.
    fn simple(&self) -> String {
        if self.style == "json" {
            return written(self.value);
        }
        self.elements(self.pair(), str::to_owned).join(",")
    }

    fn in_path(&self) -> String {
        let name = encoded(self.source);
        let elements = || self.elements(self.pair(), encoded);
        let is_list = matches!(self.value.kind, Kind::Array(_));
        match self.style {
            "json" => encoded(&written(self.value)),
            "label" => {
                let separator = if self.explode { "." } else { "," };
                format!(".{}", elements().join(separator))
            }
            "matrix" if self.explode && is_list => {
                let each = elements().into_iter();
                each.map(|value| format!(";{name}={value}")).collect()
            }
            "matrix" if self.explode && matches!(self.value.kind, Kind::Object(_)) => {
                let each = elements().into_iter();
                each.map(|pair| format!(";{pair}")).collect()
            }
            "matrix" => format!(";{name}={}", elements().join(",")),
            _ => elements().join(","),
        }
    }

    fn in_query(&self) -> Vec<String> {
        let name = encoded(self.source);
        let is_list = matches!(self.value.kind, Kind::Array(_));
        let is_object = matches!(self.value.kind, Kind::Object(_));
        let elements = |pair| self.elements(pair, encoded);
        match self.style {
            "json" => vec![format!("{name}={}", encoded(&written(self.value)))],
            "deepObject" if is_object => {
                let members = self.value.members().iter();
                let members = members.map(|member| {
                    let value = encoded(&plain(&member.value));
                    format!("{name}%5B{}%5D={value}", encoded(&member.name))
                });
                members.collect()
            }
            _ if self.explode && is_object => elements(Some("=")),
            _ if self.explode && is_list => {
                let each = elements(None).into_iter();
                each.map(|value| format!("{name}={value}")).collect()
            }
            style => {
                let separator = match style {
                    "spaceDelimited" => "%20",
                    "pipeDelimited" => "%7C",
                    _ => ",",
                };
                vec![format!("{name}={}", elements(None).join(separator))]
            }
        }
    }
}

/// Percent-encodes everything but unreserved characters.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Whether a text is a valid header name (RFC 9110 section 5.6.2).
fn is_token(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_letter)
}
