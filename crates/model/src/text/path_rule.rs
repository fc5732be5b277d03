//! Paths of rules (reference section 5.2): `{name}` matches one segment, `/*` anything, and the result is a regular
//! expression that is searched for in the path of a request.

use super::{Problem, pattern};

/// The expression for a template.
const SEGMENT: &str = "[^/]+";

/// Whether the path of a rule is valid, but can't be compiled here.
pub(crate) fn is_beyond(text: &str) -> bool {
    let found = pattern::check(&expression(text));
    !is_simple(text) && found.is_ok_and(|found| found.unicode.is_some())
}

/// Checks the path of a rule.
///
/// # Errors
/// The first problem; its range refers to the text.
pub(crate) fn check(text: &str) -> Result<(), Problem> {
    if is_simple(text) {
        return Ok(());
    }
    if let Some(at) = text.find('?').filter(|at| is_query(text, *at)) {
        let message = "a rule is compared with the path only; remove '?' and what follows";
        return Err(Problem::at(at, text.len(), message));
    }
    let (expression, moved) = expand(text);
    match pattern::check_compiled(&expression) {
        Ok(()) => Ok(()),
        // After a template the offsets are no longer those of the text.
        Err(problem) if moved => Err(Problem::whole(problem.message)),
        Err(problem) => Err(problem),
    }
}

/// Whether it is a plain path with templates, as nearly all are: nothing in it can be invalid.
fn is_simple(text: &str) -> bool {
    let plain = |text: &str| !text.bytes().any(pattern::is_special);
    let name = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let template = |part: &str| {
        let (inside, after) = part.split_once('}')?;
        Some(!inside.is_empty() && inside.bytes().all(name) && plain(after))
    };
    let mut parts = text.split('{');
    parts.next().is_some_and(plain) && parts.all(|part| template(part) == Some(true))
}

/// Whether the `?` at `at` starts a query: it follows something that can't be meant to be optional and precedes a
/// parameter.
fn is_query(text: &str, at: usize) -> bool {
    let behind = text.get(at.saturating_add(1)..).unwrap_or_default();
    let name = behind.split('=').next().unwrap_or_default();
    behind.contains('=')
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Returns the regular expression for the path of a rule.
#[must_use]
pub fn expression(text: &str) -> String {
    expand(text).0
}

/// Returns the regular expression for a path, and whether offsets have shifted. `/*/` is one segment, any other `/*` is
/// anything; as in the reference, the slash after a star is consumed with it, so of two such segments in a row the
/// second is anything.
fn expand(text: &str) -> (String, bool) {
    let (expression, moved) = segments(text);
    if !expression.contains("/*") {
        return (expression, moved);
    }
    let one = format!("/{SEGMENT}/");
    (expression.replace("/*/", &one).replace("/*", "/.*"), true)
}

/// Replaces each template by its expression, and reports whether there was any.
fn segments(text: &str) -> (String, bool) {
    let mut expression = String::with_capacity(text.len());
    let mut rest = text;
    let mut moved = false;
    while let Some((before, behind)) = rest.split_once('{') {
        expression.push_str(before);
        match behind.split_once('}') {
            // The reference treats a counted repetition as a template too, but not empty braces.
            Some((name, after)) if !name.is_empty() => {
                expression.push_str(SEGMENT);
                moved = true;
                rest = after;
            }
            _ => {
                expression.push('{');
                rest = behind;
            }
        }
    }
    expression.push_str(rest);
    (expression, moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_expressions_are_accepted() {
        for text in [
            "",
            "/",
            "get",
            "/users/{id}/posts/{post_id}",
            "/users/{id:[0-9]+}",
            "/files/*",
            "/a/*/b",
            "^/a/(b|c)$",
            "/a/[0-9]{1,3}",
            "/a.?b",
            "/{2}",
            "/{}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_template_is_one_segment() {
        assert_eq!(expression("/a/{id}/*"), "/a/[^/]+/.*");
        assert_eq!(expression("/a/[0-9]{3}"), "/a/[0-9][^/]+");
        assert_eq!(expression("/a/{}/{id}"), "/a/{}/[^/]+");
        assert_eq!(expression("/a/*/b/*"), "/a/[^/]+/b/.*");
        assert_eq!(expression("/a/*/*/b"), "/a/[^/]+/.*/b");
    }

    #[test]
    fn unmatchable_rules_are_reported() {
        for text in ["/a?b=c", "/a(b", "/a[", "/**", "/{id}(", "/a)"] {
            assert!(check(text).is_err(), "{text}");
        }
        assert_eq!(check("/a?b=c").unwrap_err().range, Some((2, 6)));
    }
}
