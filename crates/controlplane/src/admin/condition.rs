//! The conditions of RFC 9110 section 13 as this API uses them.

use gatewright_protocol::http::Request;
use gatewright_protocol::registry::Guard;

/// Reads the conditions of a write. A tag that is weak or no revision of ours matches nothing
/// (strong comparison, section 8.8.3.2), so it fails the write instead of being overlooked.
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

/// What is wrong with the `dry_run` or `strict` of a request. Only `true` counts, as everywhere (reference 1.2), but
/// who writes another word than `false` means it too, and would have written.
pub(crate) fn mistaken(request: &Request) -> Option<String> {
    let is_wrong = |name: &&str| {
        let value = request.parameter(name);
        value.is_some_and(|value| !matches!(value, "true" | "false"))
    };
    let name = ["dry_run", "strict"].into_iter().find(is_wrong)?;
    Some(format!(
        "The query parameter {name} is true or false; nothing was done, write {name}=true"
    ))
}

/// True if the client has what this tag stands for already. Weak comparison (section 13.1.2).
pub(crate) fn not_modified(request: &Request, current: &str) -> bool {
    let Some(value) = request.header("if-none-match") else {
        return false;
    };
    value.trim() == "*"
        || value
            .split(',')
            .any(|tag| tag.trim().trim_start_matches("W/") == current)
}

/// The revision of a tag; behind it may stand what else of a document was shown.
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
    fn only_strong_tags_of_ours_can_match() {
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
    fn a_known_revision_is_not_sent_again() {
        let known = |tags| not_modified(&request("if-none-match", tags), "\"7\"");
        assert!(known("\"3\", W/\"7\""));
        assert!(known("*"));
        assert!(!known("\"3\""));
        assert!(!not_modified(&Request::default(), "\"7\""));
    }
}
