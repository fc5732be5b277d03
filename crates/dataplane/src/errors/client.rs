//! The client that an error is sent to.

use super::format::Format;
use crate::exchange::Exchange;

/// The properties of a request that decide how an error is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Whether the method is HEAD, whose response has no body.
    pub is_head: bool,
    /// The format that matches what the client sent.
    pub format: Format,
}

impl Client {
    /// Reads a request's method and `Content-Type`.
    #[must_use]
    pub fn new(method: &str, content_type: &str) -> Self {
        Self {
            is_head: method == "HEAD",
            format: Format::of(content_type),
        }
    }

    /// Reads a request in a chain.
    #[must_use]
    pub fn of(exchange: &Exchange) -> Self {
        let content_type = exchange.request.headers.get("content-type");
        Self::new(&exchange.request.method, &content_type.unwrap_or_default())
    }

    /// The body as sent to this client: empty for HEAD.
    pub(super) fn body(self, body: String) -> String {
        if self.is_head { String::new() } else { body }
    }
}
