//! The parts of a request's URL. The runtime has parsed and serialised it, so splitting is enough.

/// An absolute URL in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Url<'a> {
    /// `host[:port]`, lower case, the scheme's own port left out.
    pub(crate) authority: &'a str,
    /// The path, at least `/`.
    pub(crate) path: &'a str,
    /// The query without `?`.
    pub(crate) query: &'a str,
}

impl<'a> Url<'a> {
    /// Splits a serialised URL (<https://url.spec.whatwg.org/#url-serializing>).
    pub(crate) fn split(url: &'a str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        Self {
            authority,
            path,
            query,
        }
    }
}
