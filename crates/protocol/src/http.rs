//! The little of HTTP that the administration needs, without a platform's types.

use crate::sign_in::SignedIn;

/// The hosts of a comma separated list such as `CONSOLE_HOST`: names in lower case, with `:port` where the port is not
/// the scheme's own.
#[must_use]
pub fn hosts(list: &str) -> Vec<String> {
    let hosts = list.split(',').map(|host| host.trim().to_ascii_lowercase());
    hosts.filter(|host| !host.is_empty()).collect()
}

/// A request to the administration API, its body already read within the limit.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The method in upper case.
    pub method: String,
    /// Scheme and host of the URL, such as `https://gateway.example`.
    pub origin: String,
    /// The path as it stands in the URL.
    pub path: String,
    /// The decoded query parameters in their order.
    pub query: Vec<(String, String)>,
    /// Header names in lower case with their values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The names and texts of a body of `multipart/form-data` (RFC 7578) in their order; none for
    /// any other body, and for one that can't be read as such.
    pub form: Option<Vec<(String, String)>>,
    /// The id under which the log speaks of this request.
    pub request_id: String,
    /// Who sends the request, where that is known by a sign-in or, at the administration API, by a token.
    pub signed_in: Option<SignedIn>,
}

impl Request {
    /// The value of a header; `name` is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The first value of a query parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }

    /// True if a query parameter is exactly `true` (reference 1.2: only that text counts).
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

/// An answer of the administration API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body, empty for none.
    pub body: String,
    /// Set if the body is a stream of the Registry: the message that reads its beginning.
    pub stream: Option<String>,
}

impl Response {
    /// A JSON answer. A newline ends it, as clients of this family know it (reference 1.0).
    #[must_use]
    pub fn json<T: serde::Serialize>(status: u16, body: &T) -> Self {
        match serde_json::to_string(body) {
            Ok(mut text) => {
                text.push('\n');
                Self::text(status, text)
            }
            // Only a map with keys that are no strings could fail, and no shape here has one.
            Err(_) => Self {
                status: 500,
                ..Self::default()
            },
        }
    }

    /// An answer whose body is JSON text already.
    #[must_use]
    pub fn text(status: u16, body: String) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body,
            stream: None,
        }
    }

    /// The answer to who has the document already; it gets its tag all the same (RFC 9110 section
    /// 15.4.5).
    #[must_use]
    pub fn not_modified() -> Self {
        Self {
            status: 304,
            ..Self::default()
        }
    }

    /// The value of a header; `name` is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(key, _)| *key == name)?;
        Some(value)
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
