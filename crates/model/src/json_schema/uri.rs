//! References between schemas (RFC 3986 section 5.2), as far as schema identifiers need them.

/// Splits a URI into the part before `#` and the fragment, which is empty without a `#`.
#[must_use]
pub fn split(address: &str) -> (&str, &str) {
    address.split_once('#').unwrap_or((address, ""))
}

/// Resolves a reference against `base`, a URI without a fragment.
#[must_use]
pub fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() || reference.starts_with('#') {
        return format!("{base}{reference}");
    }
    if scheme(reference).is_some() {
        return reference.to_owned();
    }
    let scheme = scheme(base).unwrap_or_default();
    let rest = base.get(scheme.len()..).unwrap_or_default();
    if reference.starts_with("//") {
        return format!("{scheme}{reference}");
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) => {
            let end = after.find(['/', '?']).unwrap_or(after.len());
            rest.split_at_checked(end.saturating_add(2))
                .unwrap_or((rest, ""))
        }
        None => ("", rest),
    };
    let path = path.split('?').next().unwrap_or_default();
    if reference.starts_with('?') {
        return format!("{scheme}{authority}{path}{reference}");
    }
    let merged = if reference.starts_with('/') {
        reference.to_owned()
    } else {
        let folder = path
            .rfind('/')
            .map_or("", |end| path.get(..=end).unwrap_or_default());
        let folder = if folder.is_empty() && !authority.is_empty() {
            "/"
        } else {
            folder
        };
        format!("{folder}{reference}")
    };
    let end = merged.find(['?', '#']).unwrap_or(merged.len());
    let (path, behind) = merged.split_at_checked(end).unwrap_or((&merged, ""));
    format!("{scheme}{authority}{}{behind}", without_dots(path))
}

/// Returns the scheme with its colon.
fn scheme(address: &str) -> Option<&str> {
    let end = address.find([':', '/', '?', '#'])?;
    let scheme = address.get(..end)?;
    let is_scheme = address.get(end..)?.starts_with(':')
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then(|| address.get(..=end)).flatten()
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." if is_last => kept.push(""),
            "." => {}
            ".." => {
                if kept.len() > 1 || kept.first().is_some_and(|first| !first.is_empty()) {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    kept.join("/")
}

/// Percent-decodes a fragment.
#[must_use]
pub fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3986 section 5.4.
    #[test]
    fn references_are_resolved() {
        let base = "http://a/b/c/d;p?q";
        for (reference, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
        assert_eq!(resolve("", "a.json#/b"), "a.json#/b");
        assert_eq!(resolve("http://a", "b"), "http://a/b");
        assert_eq!(resolve("urn:uuid:1", "#x"), "urn:uuid:1#x");
        assert_eq!(decoded("/a%25b%22c%"), "/a%b\"c%");
    }
}
