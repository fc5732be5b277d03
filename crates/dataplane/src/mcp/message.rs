//! Parses JSON-RPC 2.0 messages (<https://www.jsonrpc.org/specification>; reference 6.4, *Message* and *Errors*).
//!
//! The promise: what is retained of a body doesn't grow with it, however deep or long it is, and a message has one
//! reading. So a member that is there twice is refused, because servers differ in which one counts, and one whose name
//! differs from a known one only in letter case, because only some servers accept it as that one.

use super::Rights;
use crate::exchange::Exchange;
use crate::failure::Failure;
use gatewright_model::json::{Kind, Member, Value, outline, parse_repeating};
use gatewright_model::mcp::{self, Category};
use gatewright_protocol::access::EndpointRate;

/// A JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its id as sent; `null` if it has none.
    pub id: String,
    /// The method.
    pub method: String,
    /// The tool, resource or prompt it uses.
    pub primitive: Option<(Category, String)>,
    /// Others that it refers to without using them. It needs access to them, but their rules aren't for it.
    pub others: Vec<(Category, String)>,
    /// The paths of rules that apply to it: that of its method, and those that the definition gives its primitive.
    pub paths: Vec<String>,
}

/// Why a body is not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The error.
    pub failure: Failure,
    /// The error's message.
    pub message: String,
    /// The id to use in the answer.
    pub id: String,
}

const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
const NAMES: [&str; 2] = ["name", "uri"];
const REFERENCES: [&str; 2] = ["ref", "notifications"];
const SUBSCRIBED: [&str; 1] = ["resourceSubscriptions"];

/// The members that are read, in any letter case.
fn keeps(depth: usize, name: &str) -> bool {
    let known: [&[&str]; 2] = match depth {
        1 => [&MEMBERS, &[]],
        2 => [&NAMES, &REFERENCES],
        3 => [&NAMES, &SUBSCRIBED],
        _ => [&[], &[]],
    };
    let mut known = known.into_iter().flatten();
    known.any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether servers may read these members differently: one is there twice, or in another letter case.
fn is_ambiguous(value: &Value<'_>, known: &[&str]) -> bool {
    let members = value.members();
    let is_known = |member: &&Member<'_>| {
        let mut known = known.iter();
        known.any(|known| known.eq_ignore_ascii_case(&member.name))
    };
    let is_other = |member: &Member<'_>| {
        let same = members.iter().filter(|other| other.name == member.name);
        same.count() > 1 || !known.contains(&&*member.name)
    };
    members.iter().filter(is_known).any(is_other)
}

/// Parses a body.
///
/// # Errors
/// Why it is not a message.
pub fn read(body: &[u8]) -> Result<Message, Unread> {
    let unread = |failure: Failure, id: &str| Unread {
        failure,
        message: failure.message().to_owned(),
        id: id.to_owned(),
    };
    let parse = || unread(Failure::RpcParse, "null");
    let text = std::str::from_utf8(body).map_err(|_| parse())?;
    let value = outline(text, keeps).ok_or_else(parse)?;
    let id = value.get("id").map_or("null", |id| id.span.of(text));
    let invalid = || unread(Failure::RpcInvalid, id);
    if !matches!(value.kind, Kind::Object(_) | Kind::Null) {
        return Err(parse());
    }
    // A member that isn't a string is a parse error, null counts as absent.
    let text_of = |name: &str| match value.get(name).map(|value| &value.kind) {
        Some(Kind::String(text)) => Ok(text.as_ref()),
        None => Ok(""),
        Some(_) => Err(parse()),
    };
    let (version, method) = (text_of("jsonrpc")?, text_of("method")?);
    if version != "2.0" || is_ambiguous(&value, &MEMBERS) {
        return Err(invalid());
    }
    if is_answer(&value) {
        return Ok(Message::unread(id.to_owned()));
    }
    if method.is_empty() {
        return Err(invalid());
    }
    let params = value.member("params").map(|params| &params.value);
    let bad = |message| Unread {
        message,
        ..unread(Failure::RpcParams, id)
    };
    Ok(Message {
        id: id.to_owned(),
        method: method.to_owned(),
        paths: vec![format!("/{method}")],
        primitive: named(method, params).map_err(bad)?,
        others: others(text, method, params).map_err(bad)?,
    })
}

/// Whether a message answers a request of the server (revision 2025-11-25, *Sending Messages to the Server*).
fn is_answer(message: &Value<'_>) -> bool {
    let has = |name| message.member(name).is_some();
    (has("result") || has("error")) && has("id") && !has("method")
}

/// The primitives that a method refers to without using them: the prompt or resource whose arguments are completed
/// (*Completion*), and the resources of whose changes the client wants to hear (revision 2026-07-28, *Subscriptions*).
/// `Err` is what is wrong with the parameters.
fn others(
    text: &str,
    method: &str,
    params: Option<&Value<'_>>,
) -> Result<Vec<(Category, String)>, String> {
    let invalid = || Err(Failure::RpcParams.message().to_owned());
    let (member, known): (&str, &[&str]) = match method {
        "completion/complete" => ("ref", &NAMES),
        "subscriptions/listen" => ("notifications", &SUBSCRIBED),
        _ => return Ok(Vec::new()),
    };
    let Some(params) = params else {
        return Ok(Vec::new());
    };
    let reference = params.member(member).map(|found| &found.value);
    if is_ambiguous(params, &[member]) || reference.is_some_and(|of| is_ambiguous(of, known)) {
        return invalid();
    }
    let get = |name| reference.and_then(|of| of.get(name));
    if let Some(uris) = get(SUBSCRIBED[0]) {
        // The outline of a message has no elements.
        let uris = parse_repeating(uris.span.of(text));
        let texts = uris.as_ref().map(Value::items).unwrap_or_default().iter();
        let texts = texts.filter_map(Value::as_str);
        return Ok(texts
            .map(|uri| (Category::Resource, uri.to_owned()))
            .collect());
    }
    let named = |category, name| {
        let text = get(name).and_then(Value::as_str)?;
        Some((category, text.to_owned()))
    };
    match (
        named(Category::Prompt, "name"),
        named(Category::Resource, "uri"),
    ) {
        // Servers may differ in which one counts.
        (Some(_), Some(_)) => invalid(),
        (prompt, resource) => Ok(prompt.into_iter().chain(resource).collect()),
    }
}

/// The primitive that a method refers to in its parameters; `Err` is what is wrong with them.
fn named(method: &str, params: Option<&Value<'_>>) -> Result<Option<(Category, String)>, String> {
    let Some(named) = mcp::named(method) else {
        return Ok(None);
    };
    // Whether or not the method requires a name: the server may find one where the gateway sees none.
    if params.is_some_and(|params| is_ambiguous(params, &NAMES)) {
        return Err(Failure::RpcParams.message().to_owned());
    }
    let name = parameter(params, named.parameter);
    match name {
        Ok(name) => Ok(Some((named.category, name))),
        Err(why) if named.is_required => Err(why),
        // The server decides whether this is a valid request.
        Err(_) => Ok(None),
    }
}

fn parameter(params: Option<&Value<'_>>, name: &str) -> Result<String, String> {
    let invalid = || Failure::RpcParams.message().to_owned();
    let params = params.ok_or("missing required params object")?;
    if !matches!(params.kind, Kind::Object(_) | Kind::Null) {
        return Err("invalid params: expected object".to_owned());
    }
    let value = params
        .member(name)
        .ok_or_else(|| format!("missing required parameter: {name}"))?;
    let text = value.value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(invalid)
}

impl Message {
    /// Stands for a body that asks for nothing, because it is not a message or is an answer: the id to use in the answer.
    #[must_use]
    pub const fn unread(id: String) -> Self {
        Self {
            id,
            method: String::new(),
            primitive: None,
            others: Vec::new(),
            paths: Vec::new(),
        }
    }

    /// Whether it asks for something.
    #[must_use]
    pub const fn is_request(&self) -> bool {
        !self.method.is_empty()
    }

    /// How the headers of revision 2026-07-28 contradict the body: a component that trusts them would decide about a
    /// different message than the server answers. A name is compared if the body has one.
    pub(super) fn mismatch(&self, exchange: &Exchange) -> Option<String> {
        let name = self.primitive.as_ref().map(|(_, name)| name.as_str());
        [("Mcp-Method", Some(self.method.as_str())), ("Mcp-Name", name)]
            .into_iter()
            .find_map(|(header, body)| {
                let body = body?;
                let sent = exchange.request.headers.get(&header.to_ascii_lowercase())?;
                let is_same = decoded(sent.trim()).as_deref() == Some(body);
                (!is_same).then(|| {
                    format!(
                        "Header mismatch: {header} header value '{sent}' does not match body value '{body}'"
                    )
                })
            })
    }

    /// A key's rates for the method and for the primitive.
    #[must_use]
    pub fn rates(&self, rights: &Rights) -> Vec<EndpointRate> {
        let Some(written) = &rights.written else {
            return Vec::new();
        };
        let primitive = self.primitive.as_ref();
        let primitive = primitive.map(|(category, name)| (*category, name.as_str()));
        let rates = written.rates(&self.method, primitive).into_iter();
        rates
            .map(|(name, rate)| EndpointRate { name, rate })
            .collect()
    }

    /// Describes the message in words.
    pub(super) fn describe(&self) -> String {
        match &self.primitive {
            Some((category, name)) => format!("{}, {} {name}", self.method, category.name()),
            None => self.method.clone(),
        }
    }
}

/// Decodes a header's value, written as `=?base64?…?=` if it can't be sent as is (revision 2026-07-28, *Streamable
/// HTTP*); `None` if it is malformed.
fn decoded(sent: &str) -> Option<String> {
    use base64::Engine;
    let encoded = sent
        .strip_prefix("=?base64?")
        .and_then(|sent| sent.strip_suffix("?="));
    let Some(encoded) = encoded else {
        return Some(sent.to_owned());
    };
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
