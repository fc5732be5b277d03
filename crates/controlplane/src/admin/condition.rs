//! The conditions of RFC 9110 section 13 as this API uses them.

use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::Guard;

/// Reads the conditions of a write. A weak tag, or one that is not a revision of ours, matches nothing (strong
/// comparison, section 8.8.3.2), so it fails the write instead of being ignored.
pub(crate) fn guard(request: &Request) -> Guard {
    let (revisions, exists) = match request.header("if-match") {
        None => (None, false),
        Some(value) if value.trim() == "*" => (None, true),
        Some(value) => (Some(value.split(',').filter_map(revision).collect()), false),
    };
    Guard {
        revisions,
        exists,
        absent: request
            .header("if-none-match")
            .is_some_and(|value| value.trim() == "*"),
        dry_run: request.flag("dry_run"),
    }
}

/// Reads the conditions of a write that was computed from a stored document: it applies to the revision that was read,
/// and to no other.
pub(crate) fn guard_of(request: &Request, read: u64) -> Guard {
    let sent = guard(request);
    let is_wanted = sent.allows(Some(read));
    Guard {
        revisions: Some(is_wanted.then_some(read).into_iter().collect()),
        ..sent
    }
}

/// Returns the error if `dry_run` or `strict` is neither `true` nor `false`. Only `true` counts, as everywhere
/// (reference 1.2), but a client that sends another word means it too, and its write would have been carried out.
pub(crate) fn invalid_flag(request: &Request) -> Option<String> {
    let is_wrong = |name: &&str| {
        let value = request.parameter(name);
        value.is_some_and(|value| !matches!(value, "true" | "false"))
    };
    let name = ["dry_run", "strict"].into_iter().find(is_wrong)?;
    Some(format!(
        "The query parameter {name} is true or false; nothing was done, write {name}=true"
    ))
}

/// Adds the tag of a representation to its response, which is 304 if the client has that representation already.
pub(crate) fn tagged(request: &Request, response: Response, tag: String) -> Response {
    let response = match has(request, &tag) {
        true => {
            // RFC 9110 section 15.4.5.
            let mut headers = response.headers;
            headers.retain(|(name, _)| *name == "vary");
            Response {
                headers,
                ..Response::not_modified()
            }
        }
        false => response,
    };
    response.with("etag", tag)
}

/// Whether the client already has the representation with this tag. Weak comparison (section 13.1.2).
fn has(request: &Request, current: &str) -> bool {
    let Some(value) = request.header("if-none-match") else {
        return false;
    };
    value.trim() == "*"
        || value
            .split(',')
            .any(|tag| tag.trim().trim_start_matches("W/") == current)
}

/// Returns the revision of a tag, which a suffix for the rest of the representation may follow.
fn revision(tag: &str) -> Option<u64> {
    let tag = tag.trim().strip_prefix('"')?.strip_suffix('"')?;
    let (revision, _) = tag.split_once('-').unwrap_or((tag, ""));
    revision.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str, value: &str) -> Request {
        Request {
            headers: vec![(name.to_owned(), value.to_owned())],
            ..Request::default()
        }
    }

    #[test]
    fn only_our_strong_etags_match() {
        let revisions = |value| guard(&request("if-match", value)).revisions;
        assert_eq!(revisions("\"7\""), Some(vec![7]));
        assert_eq!(revisions("\"7\", \"9\""), Some(vec![7, 9]));
        assert_eq!(revisions("W/\"7\""), Some(vec![]));
        assert_eq!(revisions("7"), Some(vec![]));
        assert_eq!(revisions("\"7-cbd8\""), Some(vec![7]));
        assert_eq!(revisions("\"-cbd8\""), Some(vec![]));
        assert_eq!(revisions("*"), None);
        assert!(guard(&request("if-match", " * ")).exists);
        assert!(guard(&request("if-none-match", "*")).absent);
    }

    #[test]
    fn computed_write_applies_to_the_revision_that_was_read() {
        let revisions = |value| guard_of(&request("if-match", value), 7).revisions;
        assert_eq!(guard_of(&Request::default(), 7).revisions, Some(vec![7]));
        assert_eq!(revisions("*"), Some(vec![7]));
        assert_eq!(revisions("\"7\", \"8\""), Some(vec![7]));
        assert_eq!(revisions("\"8\""), Some(vec![]));
        assert_eq!(revisions("W/\"7\""), Some(vec![]));
    }

    #[test]
    fn known_revision_is_not_sent_again() {
        let known = |tags| has(&request("if-none-match", tags), "\"7\"");
        assert!(known("\"3\", W/\"7\""));
        assert!(known("*"));
        assert!(!known("\"3\""));
        assert!(!has(&Request::default(), "\"7\""));
    }
}
