//! The small part of HTTP that the administration needs, without a platform's types; some rules of it are the data
//! plane's, too.

use crate::caller::{Client, Sender};
use crate::sign_in::SignedIn;
use std::net::IpAddr;

/// Parses the hosts of a comma-separated list such as `CONSOLE_HOST`: names in lower case, with `:port` unless it is
/// the scheme's default.
#[must_use]
pub fn hosts(list: &str) -> Vec<String> {
    let hosts = list.split(',').map(|host| host.trim().to_ascii_lowercase());
    hosts.filter(|host| !host.is_empty()).collect()
}

/// Returns the host at which clients call an API, for a request that was sent to `authority`: if that is one of the
/// console's hosts, which serve no API, the gateway's host with the same name, or its first one.
#[must_use]
pub fn serving_host<'a>(gateway: &'a [String], console: &[String], authority: &'a str) -> &'a str {
    if !console.iter().any(|host| host == authority) {
        return authority;
    }
    let name = |host: &'a str| host.rsplit_once(':').map_or(host, |(name, _)| name);
    let mut hosts = gateway.iter().map(String::as_str);
    let same = hosts.find(|host| name(host) == name(authority));
    let first = gateway.first().map(String::as_str);
    same.or(first).unwrap_or(authority)
}

/// Whether the id that a client gives its request is safe to log and to send on unchanged: 1 to 64 letters, digits, `-`,
/// `_` and `.`.
#[must_use]
pub fn is_safe_id(id: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=64).contains(&id.len()) && id.bytes().all(token)
}

/// Parses an IP address without a port. An IPv4-mapped IPv6 address becomes the IPv4 address.
#[must_use]
pub fn address(text: &str) -> Option<IpAddr> {
    let address: IpAddr = text.trim().parse().ok()?;
    Some(address.to_canonical())
}

/// A request to the administration API, its body already read within the limit.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The method in upper case.
    pub method: String,
    /// Scheme and host of the URL, such as `https://gateway.example`.
    pub origin: String,
    /// The path as written in the URL.
    pub path: String,
    /// The decoded query parameters in order.
    pub query: Vec<(String, String)>,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The request body.
    pub body: Vec<u8>,
    /// The fields of a `multipart/form-data` body (RFC 7578) in order; `None` for any other body, and for one that
    /// can't be parsed.
    pub form: Option<Vec<(String, String)>>,
    /// The id of this request in the log.
    pub request_id: String,
    /// Who sends the request, if known from a sign-in or, at the administration API, from a token.
    pub signed_in: Option<SignedIn>,
    /// The client's address, from the header that the operator trusts (`CLIENT_IP_HEADER`), else from the connection.
    pub address: String,
}

impl Request {
    /// Returns the value of a header; `name` is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Returns the first value of a query parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }

    /// Returns who sends the request, for the audit trail.
    #[must_use]
    pub fn sender(&self) -> Sender {
        let client = Client::new(&self.address, self.header("user-agent"), &self.request_id);
        let actor = self.signed_in.as_ref().and_then(SignedIn::actor);
        match actor {
            Some(actor) => Sender {
                actor: actor.to_owned(),
                client,
            },
            None => Sender {
                client,
                ..Sender::default()
            },
        }
    }

    /// Whether a query parameter is exactly `true` (reference 1.2: only that text counts).
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.parameter(name) == Some("true")
    }
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

/// A response of the administration API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body; empty for none.
    pub body: String,
    /// Set if the body is a stream from the Registry: the message that reads its first page.
    pub stream: Option<String>,
    /// The credential that such a stream counts towards; empty if the stream ends by itself.
    pub stream_of: String,
}

impl Response {
    /// Creates a JSON response. It ends with a newline, as clients of this family expect (reference 1.0).
    #[must_use]
    pub fn json<T: serde::Serialize>(status: u16, body: &T) -> Self {
        match serde_json::to_string(body) {
            Ok(mut text) => {
                text.push('\n');
                Self::text(status, text)
            }
            // Only a map whose keys aren't strings could fail, and no shape here has one.
            Err(_) => Self {
                status: 500,
                ..Self::default()
            },
        }
    }

    /// Creates a response from a body that is already JSON text.
    #[must_use]
    pub fn text(status: u16, body: String) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body,
            ..Self::default()
        }
    }

    /// Creates the response for a client that already has the document; it carries the entity tag all the same (RFC
    /// 9110 section 15.4.5).
    #[must_use]
    pub fn not_modified() -> Self {
        Self {
            status: 304,
            ..Self::default()
        }
    }

    /// Returns the value of a header; `name` is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(key, _)| *key == name)?;
        Some(value)
    }

    /// Returns the response with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
