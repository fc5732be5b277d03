//! Where a batch item goes: always below the API that the batch was sent to (specification, *Batch request*, rule 2).

use crate::driver::is_batch;
use crate::path::{self, PathError, RequestPath};

/// Resolves the relative URL of an item, which can't be a batch itself. However it looks, it is a path below that of
/// the API: `http://host/x` names no host (reference 4).
///
/// # Errors
/// What is wrong with it, as a message for its author.
pub(super) fn resolve(base: &str, relative: &str) -> Result<(String, String), &'static str> {
    let (path, query) = join(base, relative)?;
    let read = RequestPath::parse(&path).map_err(|_| "a relative_url stays below the API")?;
    if read.decoded().strip_prefix(base).is_some_and(is_batch) {
        return Err("a batch can't contain a batch");
    }
    Ok((path, query))
}

/// Resolves a path that someone typed to try an API: an absolute URL there is a mistake.
///
/// # Errors
/// What is wrong with it, as a message for its author.
pub(super) fn below(base: &str, relative: &str) -> Result<(String, String), &'static str> {
    if relative.starts_with("//") {
        return Err("a relative_url names a path below the API, not another host");
    }
    if has_scheme(relative) {
        return Err("a relative_url is not absolute; for a path with a colon write ./ in front");
    }
    join(base, relative)
}

/// Joins a relative URL to `base`, which is decoded and has no trailing slash. Returns the path as it would be sent,
/// and the query.
fn join(base: &str, relative: &str) -> Result<(String, String), &'static str> {
    if relative.chars().any(char::is_control) {
        return Err("a relative_url has no control characters");
    }
    if relative.contains('\\') {
        return Err("a relative_url names a path below the API, not another host");
    }
    // A fragment is for the client only (RFC 9110 section 4.2.5).
    let relative = relative.split('#').next().unwrap_or_default();
    let (raw, query) = relative.split_once('?').unwrap_or((relative, ""));
    let joined = format!(
        "{}/{}",
        path::encode(base),
        raw.strip_prefix('/').unwrap_or(raw)
    );
    let path = match RequestPath::parse(&joined) {
        Ok(path) => path.sent().to_owned(),
        Err(PathError::Unclean(clean)) => clean,
        Err(PathError::BrokenEscape) => return Err("a relative_url has a broken percent escape"),
    };
    let read = RequestPath::parse(&path).map_err(|_| "a relative_url stays below the API")?;
    let is_below = |path: &str| {
        let rest = path.strip_prefix(base);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    // However an upstream parses it.
    let mut readings = path::readings(read.decoded()).into_iter();
    if is_below(read.decoded()) && readings.all(|reading| reading == base || is_below(&reading)) {
        Ok((path, encode_query(query)))
    } else {
        Err("a relative_url stays below the API")
    }
}

/// Whether there is a `scheme:` before any slash (RFC 3986 section 3.1).
fn has_scheme(relative: &str) -> bool {
    let first = relative.split(['/', '?', '#']).next().unwrap_or_default();
    first.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

/// Escapes characters that must not appear raw in a query (RFC 3986 section 3.4).
fn encode_query(query: &str) -> String {
    let mut out = String::with_capacity(query.len());
    for byte in query.bytes() {
        if byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\'') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_inside_the_base_are_resolved() {
        let cases = [
            ("get", "/a/get", ""),
            ("/get", "/a/get", ""),
            ("", "/a/", ""),
            ("get/?a=b", "/a/get/", "a=b"),
            ("./x/../get", "/a/get", ""),
            ("get?x=http://evil", "/a/get", "x=http://evil"),
            ("get?a b=\"c\"", "/a/get", "a%20b=%22c%22"),
            ("get#f", "/a/get", ""),
            ("@evil/x", "/a/@evil/x", ""),
            ("./a:b", "/a/a:b", ""),
            ("x%2fy", "/a/x%2fy", ""),
            ("gateway/batches", "/a/gateway/batches", ""),
            ("items:search?q=1", "/a/items:search", "q=1"),
            ("http://evil/x", "/a/http:/evil/x", ""),
            ("HTTP:evil", "/a/HTTP:evil", ""),
            ("//evil/x", "/a/evil/x", ""),
        ];
        for (relative, path, query) in cases {
            assert_eq!(
                resolve("/a", relative),
                Ok((path.to_owned(), query.to_owned())),
                "{relative}"
            );
        }
        assert_eq!(resolve("", "x"), Ok(("/x".to_owned(), String::new())));
    }

    #[test]
    fn urls_that_could_escape_are_refused() {
        for relative in [
            "../b/x",
            "..",
            "x/../../b",
            "%2e%2e/b",
            "..%2fb",
            "%2e%2e%2fb",
            "http://../../b",
            "\\\\evil\\x",
            "x\\..\\b",
            "x\r\nHost: evil",
            "x\0",
            "gateway/batch",
            "/gateway/batch/",
            "gateway//batch",
            "./gateway/./batch/",
            "g%61teway/batch",
            "\t//evil",
        ] {
            assert!(resolve("/a", relative).is_err(), "{relative:?}");
        }
    }

    #[test]
    fn absolute_url_is_refused() {
        for relative in ["//evil/x", "http://evil/x", "HTTP:evil", "javascript:x"] {
            assert!(below("/a", relative).is_err(), "{relative:?}");
        }
        assert!(below("/a", "x?u=http://evil").is_ok());
    }

    #[test]
    fn segment_sharing_the_base_prefix_is_outside() {
        assert!(resolve("/a", "../ab").is_err());
    }
}
