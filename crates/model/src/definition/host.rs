//! Domains of APIs: host names whose labels may be templates, `{sub}.example.com`.

/// The longest host name (RFC 1035 section 2.3.4).
const MAX_HOST: usize = 253;
/// The longest label (RFC 1035 section 2.3.4).
const MAX_LABEL: usize = 63;

/// Checks a domain: labels of letters, digits, `-` and `_`, or whole labels that are `{name}`.
///
/// # Errors
/// A short sentence that names the remedy.
pub fn check(domain: &str) -> Result<(), &'static str> {
    if domain.len() > MAX_HOST {
        return Err("a domain is at most 253 characters long");
    }
    if domain.contains("://") {
        return Err("a domain is a host name only; remove the scheme");
    }
    if domain.contains('/') {
        return Err("a domain is a host name only; the path belongs into proxy.listen_path");
    }
    domain.split('.').try_for_each(label)
}

fn label(label: &str) -> Result<(), &'static str> {
    if let Some(name) = label
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        return if name.contains(':') {
            Err("a template with a regular expression isn't supported; write {name}")
        } else if name.is_empty() || !name.bytes().all(plain) {
            Err("the name of a template has letters, digits, '_' and '-' only")
        } else {
            Ok(())
        };
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
        Ok(())
    } else {
        Err(
            "a domain has letters, digits, '-' and '.' only; write other letters in their xn-- form",
        )
    }
}

/// The form in which two domains are compared: lower case, names of templates erased.
#[must_use]
pub fn key(domain: &str) -> String {
    let plain = |label: &str| {
        if label.starts_with('{') && label.ends_with('}') {
            "{}".to_owned()
        } else {
            label.to_ascii_lowercase()
        }
    };
    domain.split('.').map(plain).collect::<Vec<_>>().join(".")
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
            "10.0.0.1",
            "xn--bcher-kva.example",
            &long,
        ] {
            assert_eq!(check(domain), Ok(()), "{domain}");
        }
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
            "{a:b+}.c",
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
