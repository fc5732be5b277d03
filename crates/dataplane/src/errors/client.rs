//! Who is answered.

use super::format::Format;
use crate::exchange::Exchange;

/// What of a request decides how an error looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// True for HEAD, whose answer has no body.
    pub is_head: bool,
    /// The format that fits what it sent.
    pub format: Format,
}

impl Client {
    /// A request by its method and `Content-Type`.
    #[must_use]
    pub fn new(method: &str, content_type: &str) -> Self {
        Self {
            is_head: method == "HEAD",
            format: Format::of(content_type),
        }
    }

    /// The same of a request in a chain.
    #[must_use]
    pub fn of(exchange: &Exchange) -> Self {
        let content_type = exchange.request.headers.get("content-type");
        Self::new(&exchange.request.method, &content_type.unwrap_or_default())
    }

    /// A body as this client gets it.
    pub(super) fn body(self, body: String) -> String {
        if self.is_head { String::new() } else { body }
    }
}
