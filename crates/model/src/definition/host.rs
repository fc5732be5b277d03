//! Domains of APIs: host names whose labels may be templates, `{sub}.example.com`.

use super::template::{Template, outside, parts};

/// The longest host name (RFC 1035 section 2.3.4).
const MAX_HOST: usize = 253;
/// The longest label (RFC 1035 section 2.3.4).
const MAX_LABEL: usize = 63;

/// A part of a domain between two dots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Matches itself; it is in lower case.
    Literal(String),
    /// `{name}` or `{name:pattern}`: matches one label that isn't empty, in lower case, and that fits
    /// the pattern from end to end if there is one.
    Template(Template),
}

/// Reads a domain: labels of letters, digits, `-` and `_`, or whole labels that are templates.
///
/// # Errors
/// A short sentence that names the remedy.
pub fn parse(domain: &str) -> Result<Vec<Label>, &'static str> {
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
    parts(domain, '.').into_iter().map(label).collect()
}

/// Checks a domain.
///
/// # Errors
/// A short sentence that names the remedy.
pub fn check(domain: &str) -> Result<(), &'static str> {
    parse(domain).map(drop)
}

fn label(label: &str) -> Result<Label, &'static str> {
    if let Some(template) = Template::read(label) {
        return template.map(Label::Template);
    }
    if label.is_empty() {
        return Err("a domain has no empty parts; remove the dot");
    }
    if label.contains(':') {
        return Err("a domain has no port; remove ':' and what follows");
    }
    if label.contains('*') {
        return Err("'*' isn't a domain; write a template such as {sub}.example.com");
    }
    if label.len() > MAX_LABEL {
        return Err("a part of a domain is at most 63 characters long");
    }
    if label.starts_with('-') || label.ends_with('-') {
        return Err("a part of a domain can't begin or end with '-'");
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if label.bytes().all(allowed) {
        Ok(Label::Literal(label.to_ascii_lowercase()))
    } else {
        Err(
            "a domain has letters, digits, '-' and '.' only; write other letters in their xn-- form",
        )
    }
}

/// A domain in lower case; what stands in braces stays, because it may be a regular expression.
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

/// The form in which two domains are compared: lower case, names of templates erased.
#[must_use]
pub fn key(domain: &str) -> String {
    let plain = |label: &str| match Template::read(label) {
        Some(Ok(template)) => template.key(),
        Some(Err(_)) => "{}".to_owned(),
        None => label.to_ascii_lowercase(),
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
        let labels = parse("{x:[a.]+}.B").unwrap();
        assert!(matches!(&labels[0], Label::Template(x) if x.pattern.as_deref() == Some("[a.]+")));
        assert_eq!(labels[1], Label::Literal("b".to_owned()));
    }

    #[test]
    fn what_is_no_host_name_is_refused() {
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
            "x{a}.b",
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
