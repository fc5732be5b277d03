//! Parses a batch's body into items that are safe to send: all of them, or none.

use crate::batch::relative;
use crate::headers::is_name;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{self, Kind, LineIndex, Span, Value};
use gatewright_protocol::headers::is_refused;

/// A validated request of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The URL as sent; the response repeats it.
    pub relative_url: String,
    /// The method.
    pub method: String,
    /// The normalised path, below the batch's API.
    pub path: String,
    /// The query without `?`.
    pub query: String,
    /// Names in lower case, and values; none of them is about the connection or the client's address.
    pub headers: Vec<(String, String)>,
    /// The body; empty if there is none.
    pub body: String,
    /// The hash of the key to use instead of a token, which only an administrator can set.
    pub sent_as: Option<String>,
}

/// How a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As an item of a batch.
    Batch,
    /// As the body of `POST /gateway/debug`: with `path`, and multiple values per header.
    Debug,
}

/// A validated batch.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) items: Vec<Item>,
    pub(super) sequential: bool,
}

/// Why a batch is refused and nothing is sent.
#[derive(Debug)]
pub(crate) enum Refusal {
    Malformed(Vec<Issue>),
    Creation(Vec<Issue>),
    TooMany,
}

/// Parses a batch. `base` is the path that confines its items; `trusted` is the header in which the operator trusts a
/// client's address (`CLIENT_IP_HEADER`), which no item can set.
pub(super) fn parse(body: &[u8], base: &str, trusted: &str, max: usize) -> Result<Batch, Refusal> {
    let text = std::str::from_utf8(body).map_err(|_| Refusal::Malformed(Vec::new()))?;
    let text = first_value(text);
    let value = json::parse(text).map_err(Refusal::Malformed)?;
    let mut reader = Reader::new(text, Form::Batch, trusted);
    let empty = Batch {
        items: Vec::new(),
        sequential: false,
    };
    if matches!(value.kind, Kind::Null) {
        return Ok(empty);
    }
    if !matches!(value.kind, Kind::Object(_)) {
        reader.malformed("", &value, "a batch is an object with the member requests");
        return Err(Refusal::Malformed(reader.shape));
    }
    let sequential = match value
        .get("suppress_parallel_execution")
        .map(|value| (value, &value.kind))
    {
        Some((_, Kind::Bool(sequential))) => *sequential,
        Some((value, _)) => {
            reader.malformed(
                "/suppress_parallel_execution",
                value,
                "this is true or false",
            );
            false
        }
        None => false,
    };
    let requests = match value.get("requests").map(|value| (value, &value.kind)) {
        Some((_, Kind::Array(requests))) => requests.as_slice(),
        Some((value, _)) => {
            reader.malformed("/requests", value, "this is an array of requests");
            &[]
        }
        None => &[],
    };
    if requests.len() > max {
        return Err(Refusal::TooMany);
    }
    let items = requests.iter().enumerate();
    let items = items
        .filter_map(|(at, value)| reader.item(&format!("/requests/{at}"), value, base))
        .collect();
    if !reader.shape.is_empty() {
        return Err(Refusal::Malformed(reader.shape));
    }
    if !reader.creation.is_empty() {
        return Err(Refusal::Creation(reader.creation));
    }
    Ok(Batch { items, sequential })
}

/// The first JSON value of a text: anything after it is ignored (reference 4). A text that doesn't start with one is
/// returned unchanged, so that the parser reports why.
fn first_value(text: &str) -> &str {
    json::first(text).unwrap_or(text)
}

/// Parses the single request of `POST /gateway/debug`, at `pointer` of `text`.
pub(crate) fn request(
    text: &str,
    (pointer, value): (&str, &Value<'_>),
    base: &str,
    trusted: &str,
) -> Result<Item, Refusal> {
    let mut reader = Reader::new(text, Form::Debug, trusted);
    match reader.item(pointer, value, base) {
        _ if !reader.shape.is_empty() => Err(Refusal::Malformed(reader.shape)),
        Some(item) if reader.creation.is_empty() => Ok(item),
        _ => Err(Refusal::Creation(reader.creation)),
    }
}

struct Reader<'t> {
    form: Form,
    /// The header in which the operator trusts a client's address, in lower case; empty for none.
    trusted: &'t str,
    lines: LineIndex<'t>,
    shape: Vec<Issue>,
    creation: Vec<Issue>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, form: Form, trusted: &'t str) -> Self {
        Self {
            form,
            trusted,
            lines: LineIndex::new(text),
            shape: Vec::new(),
            creation: Vec::new(),
        }
    }

    fn issue(&self, pointer: &str, span: Span, code: IssueCode, message: &str) -> Issue {
        Issue {
            pointer: pointer.to_owned(),
            code,
            severity: Severity::Error,
            message: message.to_owned(),
            start: self.lines.position(span.start),
            end: self.lines.position(span.end),
        }
    }

    fn malformed(&mut self, pointer: &str, value: &Value<'_>, message: &str) {
        let issue = self.issue(pointer, value.span, IssueCode::Type, message);
        self.shape.push(issue);
    }

    fn wrong(&mut self, pointer: &str, span: Span, message: &str) {
        let issue = self.issue(pointer, span, IssueCode::Format, message);
        self.creation.push(issue);
    }

    /// A string member; absent and null are empty.
    fn text(&mut self, pointer: &str, item: &Value<'_>, name: &str) -> (String, Span) {
        let Some(value) = item.get(name) else {
            return (String::new(), item.span);
        };
        if let Some(text) = value.as_str() {
            return (text.to_owned(), value.span);
        }
        self.malformed(&format!("{pointer}/{name}"), value, "this is a string");
        (String::new(), value.span)
    }

    fn item(&mut self, pointer: &str, value: &Value<'_>, base: &str) -> Option<Item> {
        if !matches!(value.kind, Kind::Object(_)) {
            self.malformed(pointer, value, "a request is an object");
            return None;
        }
        let (mut method, span) = self.text(pointer, value, "method");
        if method.is_empty() {
            "GET".clone_into(&mut method);
        }
        // As the runtime sends it: rules must see the same method as the upstream.
        method.make_ascii_uppercase();
        if !is_name(&method) || is_forbidden_method(&method) {
            self.wrong(
                &format!("{pointer}/method"),
                span,
                "this method can't be sent",
            );
        }
        let (body, span) = self.text(pointer, value, "body");
        if !body.is_empty() && matches!(method.as_str(), "GET" | "HEAD") {
            let message = "a GET or HEAD request carries no body on this platform; leave it empty";
            self.wrong(&format!("{pointer}/body"), span, message);
        }
        let headers = self.headers(pointer, value);
        let name = match self.form {
            Form::Batch => "relative_url",
            Form::Debug => "path",
        };
        let (relative_url, span) = self.text(pointer, value, name);
        let resolved = match self.form {
            Form::Batch => relative::resolve(base, &relative_url),
            Form::Debug => relative::below(base, &relative_url),
        };
        match resolved {
            Ok((path, query)) => Some(Item {
                relative_url,
                method,
                path,
                query,
                headers,
                body,
                sent_as: None,
            }),
            Err(message) => {
                let message = message.replace("relative_url", name);
                self.wrong(&format!("{pointer}/{name}"), span, &message);
                None
            }
        }
    }

    fn headers(&mut self, pointer: &str, item: &Value<'_>) -> Vec<(String, String)> {
        let Some(value) = item.get("headers") else {
            return Vec::new();
        };
        if !matches!(value.kind, Kind::Object(_)) {
            self.malformed(
                &format!("{pointer}/headers"),
                value,
                "this is an object of strings",
            );
            return Vec::new();
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        for member in value.members() {
            let mut member_pointer = format!("{pointer}/headers");
            json::pointer::push_token(&mut member_pointer, &member.name);
            let none = matches!(&member.value.kind, Kind::Array(values) if values.is_empty());
            if none && self.form == Form::Debug {
                continue;
            }
            let name = member.name.to_ascii_lowercase();
            let Some(text) = self.value(&name, &member.value) else {
                self.malformed(
                    &member_pointer,
                    &member.value,
                    "a header's value is a string",
                );
                continue;
            };
            if !is_name(&name) {
                self.wrong(&member_pointer, member.name_span, "this is no header name");
            } else if text
                .chars()
                .any(|c| (c.is_control() && c != '\t') || u32::from(c) > 0xff)
            {
                self.wrong(
                    &member_pointer,
                    member.value.span,
                    "a header's value has no line breaks and only Latin-1 characters",
                );
            } else if !is_refused(&name) && !self.is_trusted(&name) {
                let text = text.trim();
                match headers.iter_mut().find(|(known, _)| *known == name) {
                    Some((name, value)) => *value = [value, text].join(separator(name)),
                    None => headers.push((name, text.to_owned())),
                }
            }
        }
        headers
    }

    /// Whether a header is the one with the client's address, in a spelling that an upstream may take for it.
    fn is_trusted(&self, name: &str) -> bool {
        !self.trusted.is_empty() && name.replace('_', "-") == self.trusted.replace('_', "-")
    }

    /// A header's text, with several values joined (RFC 9110 section 5.3).
    fn value(&self, name: &str, value: &Value<'_>) -> Option<String> {
        if let Some(text) = value.as_str() {
            return Some(text.to_owned());
        }
        let Kind::Array(values) = &value.kind else {
            return None;
        };
        let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        let texts = texts.filter(|_| self.form == Form::Debug)?;
        Some(texts.join(separator(name)))
    }
}

/// The separator between values of a header (RFC 9110 section 5.3, RFC 6265 section 4.2.1).
fn separator(name: &str) -> &'static str {
    match name {
        "cookie" => "; ",
        _ => ", ",
    }
}

/// The methods, in upper case, that `fetch` refuses to send (<https://fetch.spec.whatwg.org/#forbidden-method>).
fn is_forbidden_method(method: &str) -> bool {
    ["CONNECT", "TRACE", "TRACK"].contains(&method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_keeps_its_own_headers_and_loses_those_of_the_connection() {
        let body = br#"{"requests":[{"relative_url":"get","headers":{"X-A":"1","x-REAL-ip":"127.0.0.1",
            "Forwarded":"for=1","CF-Connecting-IP":"1","True-Client-IP":"1","X-Forwarded-For":"1"}}]}"#;
        let batch = parse(body, "/a", "", 10).unwrap();
        assert_eq!(batch.items[0].headers, [("x-a".to_owned(), "1".to_owned())]);
        assert_eq!(batch.items[0].method, "GET");
    }

    #[test]
    fn no_item_sets_the_header_that_the_operator_trusts() {
        let body =
            br#"{"requests":[{"headers":{"X-A":"1","Fly-Client-IP":"1","fly_client-ip":"1"}}]}"#;
        let headers = |trusted: &str| {
            parse(body, "/a", trusted, 10).unwrap().items[0]
                .headers
                .len()
        };
        assert_eq!((headers(""), headers("fly-client-ip")), (3, 1));
    }

    #[test]
    fn methods_are_upper_cased() {
        let body = br#"{"requests":[{"method":"get"},{"method":"pOsT","body":"x"},{"method":"purge"},{}]}"#;
        let batch = parse(body, "/a", "", 10).unwrap();
        let methods: Vec<&str> = batch.items.iter().map(|item| &*item.method).collect();
        assert_eq!(methods, ["GET", "POST", "PURGE", "GET"]);
        let body = br#"{"requests":[{"method":"get","body":"x"}]}"#;
        assert!(matches!(
            parse(body, "/a", "", 10),
            Err(Refusal::Creation(_))
        ));
    }

    #[test]
    fn one_bad_item_refuses_the_batch_and_is_named() {
        let body =
            br#"{"requests":[{"relative_url":"ok"},{"relative_url":"../x","method":"TRACE"}]}"#;
        let Err(Refusal::Creation(issues)) = parse(body, "/a", "", 10) else {
            panic!()
        };
        let pointers: Vec<&str> = issues.iter().map(|issue| issue.pointer.as_str()).collect();
        assert_eq!(pointers, ["/requests/1/method", "/requests/1/relative_url"]);
    }

    #[test]
    fn wrong_types_are_malformed_and_nothing_is_an_empty_batch() {
        for body in [
            "",
            "[]",
            "{\"requests\":1}",
            "{\"requests\":[1]}",
            "{\"requests\":[{\"method\":1}]}",
            "{\"requests\":[{\"headers\":{\"a\":1}}]}",
            "{\"suppress_parallel_execution\":1}",
        ] {
            assert!(
                matches!(
                    parse(body.as_bytes(), "/a", "", 10),
                    Err(Refusal::Malformed(_))
                ),
                "{body}"
            );
        }
        for body in ["null", "{}", "{\"requests\":[]}", "{\"requests\":null}"] {
            assert!(
                parse(body.as_bytes(), "/a", "", 10)
                    .unwrap()
                    .items
                    .is_empty(),
                "{body}"
            );
        }
        assert!(matches!(
            parse(br#"{"requests":[{},{}]}"#, "/a", "", 1),
            Err(Refusal::TooMany)
        ));
    }
}
