//! Addresses, ranges, methods and header names.

use std::net::IpAddr;

/// Whether a text is an IPv4 or IPv6 address, with or without a prefix length (RFC 4632, RFC 4291).
pub(crate) fn is_address_or_range(text: &str) -> bool {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else {
        return false;
    };
    let longest = if address.is_ipv4() { 32 } else { 128 };
    let fits = |prefix: &str| {
        prefix.bytes().all(|byte| byte.is_ascii_digit())
            && prefix.parse::<u8>().is_ok_and(|length| length <= longest)
    };
    prefix.is_none_or(fits)
}

/// Whether a text is a token (RFC 9110 section 5.6.2), the syntax of methods and header names.
pub(crate) fn is_token(text: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(part)
}

/// The methods of RFC 9110 section 9.3 and RFC 5789.
pub(crate) const METHODS: [&str; 9] = [
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ranges() {
        for text in [
            "127.0.0.1",
            "10.0.0.0/8",
            "::1",
            "2001:db8::/32",
            "0.0.0.0/0",
        ] {
            assert!(is_address_or_range(text), "{text}");
        }
        for text in [
            "",
            "localhost",
            "10.0.0.0/33",
            "10.0.0/8",
            "::/129",
            "10.0.0.1/",
            "10.0.0.1/+8",
            "10.0.0.1/8/8",
        ] {
            assert!(!is_address_or_range(text), "{text}");
        }
    }

    #[test]
    fn tokens() {
        assert!(is_token("X-Request-Id") && is_token("*") && is_token("a_b.c"));
        for text in ["", "a b", "a:", "é", "a/b", "(x)"] {
            assert!(!is_token(text), "{text}");
        }
    }
}
