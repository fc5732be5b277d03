//! The parts of a request's URL. Splitting is enough, whatever the runtime has done to it: the data plane has its own
//! normaliser of paths.

use std::borrow::Cow;

/// An absolute URL in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url<'a> {
    /// Whether the scheme is `https`.
    pub is_https: bool,
    /// `host[:port]` in lower case: hosts are compared case-insensitively (RFC 9110 section 4.2.3), and workerd passes
    /// them on as the client wrote them.
    pub authority: Cow<'a, str>,
    /// The path, at least `/`.
    pub path: &'a str,
    /// The query without `?`.
    pub query: &'a str,
    /// Whether there is a `?` with nothing after it.
    pub has_bare_query: bool,
}

impl<'a> Url<'a> {
    /// Splits what [`head`](crate::glue::head) returns into the method and the URL.
    #[must_use]
    pub fn of_head(head: &'a str) -> (&'a str, Self) {
        let (method, url) = head.split_once(' ').unwrap_or(("GET", head));
        (method, Self::split(url))
    }

    /// Returns `http` or `https`.
    #[must_use]
    pub const fn scheme(&self) -> &'static str {
        if self.is_https { "https" } else { "http" }
    }

    /// Returns scheme and authority, such as `https://gateway.example`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme(), self.authority)
    }

    /// Splits an absolute URL.
    #[must_use]
    pub fn split(url: &'a str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let rest = rest.split('#').next().unwrap_or_default();
        let has_bare_query = rest.ends_with('?') && rest.find('?') == rest.len().checked_sub(1);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let authority = if authority.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(authority.to_ascii_lowercase())
        } else {
            Cow::Borrowed(authority)
        };
        Self {
            is_https: url.starts_with("https:"),
            authority,
            path,
            query,
            has_bare_query,
        }
    }
}
