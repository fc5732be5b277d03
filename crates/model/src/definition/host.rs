//! Domains of APIs: host names that may contain templates, `{sub}.example.com` or `pre-{sub}.example.com`.

use super::template::{Piece, outside, parts, pieces};

/// The longest host name (RFC 1035 section 2.3.4).
const MAX_HOST: usize = 253;
/// The longest label (RFC 1035 section 2.3.4).
const MAX_LABEL: usize = 63;

/// Checks a domain: labels of letters, digits, `-` and `_`, and templates, each of which matches a text without a dot
/// unless its pattern says otherwise.
///
/// # Errors
/// A short sentence that names the remedy.
pub fn check(domain: &str) -> Result<(), &'static str> {
    let literal = outside(domain).count();
    if literal > MAX_HOST {
        return Err("a domain is at most 253 characters long");
    }
    let outer: String = outside(domain).map(|(_, character)| character).collect();
    if outer.contains("://") {
        return Err("a domain is a host name only; remove the scheme");
    }
    if outer.contains('/') {
        return Err("a domain is a host name only; the path belongs into proxy.listen_path");
    }
    parts(domain, '.').into_iter().try_for_each(label)
}

fn label(label: &str) -> Result<(), &'static str> {
    if label.is_empty() {
        return Err("a domain has no empty parts; remove the dot");
    }
    if label.starts_with('-') || label.ends_with('-') {
        return Err("a part of a domain can't begin or end with '-'");
    }
    pieces(label)?.iter().try_for_each(|piece| match piece {
        Piece::Text(text) => literal(text),
        Piece::Template(_) => Ok(()),
    })
}

fn literal(text: &str) -> Result<(), &'static str> {
    if text.contains(':') {
        return Err("a domain has no port; remove ':' and what follows");
    }
    if text.contains('*') {
        return Err("'*' isn't a domain; write a template such as {sub}.example.com");
    }
    if text.len() > MAX_LABEL {
        return Err("a part of a domain is at most 63 characters long");
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if text.bytes().all(allowed) {
        Ok(())
    } else {
        Err(
            "a domain has letters, digits, '-' and '.' only; write other letters in their xn-- form",
        )
    }
}

/// Converts a domain to lower case, except the text in braces, which may be a regular expression.
#[must_use]
pub fn normal(domain: &str) -> String {
    let mut normal = domain.to_owned();
    for (at, character) in outside(domain) {
        let lower = character.to_ascii_lowercase();
        if lower != character {
            let end = at.saturating_add(character.len_utf8());
            normal.replace_range(at..end, lower.encode_utf8(&mut [0; 4]));
        }
    }
    normal
}

/// Returns the form in which domains are compared: lower case, template names erased.
#[must_use]
pub fn key(domain: &str) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => text.to_ascii_lowercase(),
        Piece::Template(template) => template.key(),
    };
    let plain = |label: &str| match pieces(label) {
        Ok(pieces) => pieces.iter().map(piece).collect(),
        Err(_) => label.to_ascii_lowercase(),
    };
    let labels: Vec<String> = parts(domain, '.').into_iter().map(plain).collect();
    labels.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_and_templates_are_accepted() {
        let long = format!("{}.com", "a".repeat(63));
        for domain in [
            "example.com",
            "A.b-c.x",
            "localhost",
            "{sub}.example.com",
            "{sub:[a-z]{2}(\\.x)?}.Example.com",
            "pre-{s}.example.com",
            "{a}-{b:[0-9]+}x.example.com",
            "10.0.0.1",
            "xn--bcher-kva.example",
            &long,
        ] {
            assert_eq!(check(domain), Ok(()), "{domain}");
        }
    }

    #[test]
    fn domains_are_compared_in_lower_case_but_for_patterns() {
        assert_eq!(
            normal("{X:[A-Z]\\D}.Example.COM"),
            "{X:[A-Z]\\D}.example.com"
        );
        assert_eq!(key("{x:a+}.B"), key("{y:a+}.b"));
        assert_ne!(key("{x:a+}.b"), key("{x}.b"));
        assert_eq!(key("{x:[a.]+}.B"), "{:[a.]+}.b");
        assert_eq!(key("Pre-{x}.B"), key("pre-{y}.b"));
    }

    #[test]
    fn invalid_host_name_is_refused() {
        let long = "a".repeat(64);
        let longer = "a.".repeat(130);
        let domains = [
            "https://a.b",
            "a.b/c",
            "a.b:80",
            "*.a.b",
            "a..b",
            ".a",
            "a.",
            "-a.b",
            "a-.b",
            "a b",
            "é.com",
            "x{a.b",
            "-{a}.b",
            "{a:(}.c",
            "{a:}.c",
            "{}.a",
            "a@b",
            long.as_str(),
            longer.as_str(),
        ];
        for domain in domains {
            assert!(check(domain).is_err(), "{domain}");
        }
    }
}
