//! Turns what a person typed into a URL that may be called.

use crate::egress::address;
use gatewright_model::definition::target::{self, Target};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// Suffixes of names that only a machine or its network resolves (RFC 6761, RFC 6762, RFC 8375, and those that clouds
/// and ICANN use for private names).
const PRIVATE_NAMES: [&str; 5] = ["localhost", "local", "internal", "home.arpa", "localdomain"];

/// Why a URL may not be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not the URL of a web server; the message says how to fix it.
    Malformed(&'static str),
    /// This host belongs to a machine or a private network.
    Private(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => write!(f, "The address is wrong: {reason}"),
            Self::Private(host) => write!(
                f,
                "The host {host} is part of a private network, which is not called from here unless EGRESS_ALLOW_PRIVATE is true"
            ),
        }
    }
}

/// Checks a URL: absolute, `http` or `https`, no user name or password, and a host of the Internet unless `private`
/// hosts are allowed. A fragment is dropped, since it is never sent to a server.
///
/// The host's grammar is stricter than a browser's, so that no second parser can read it differently: letters, digits,
/// `-`, `_` and `.`, other letters in their `xn--` form.
///
/// # Errors
/// See [`Refusal`].
pub fn destination(url: &str, private: bool) -> Result<String, Refusal> {
    let url = url.trim();
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    match target::check(url).map_err(Refusal::Malformed)? {
        Target::Usable { credentials: false } => {}
        Target::Usable { credentials: true } => {
            return Err(Refusal::Malformed(
                "it can't contain a user name or password; remove what stands before '@'",
            ));
        }
        Target::Unsupported(_) | Target::Loop(_) => return Err(Refusal::Malformed(SCHEME)),
    }
    let (scheme, rest) = url.split_once("://").ok_or(Refusal::Malformed(SCHEME))?;
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
        return Err(Refusal::Malformed(SCHEME));
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if is_public(authority)? || private {
        Ok(url.to_owned())
    } else {
        Err(Refusal::Private(host(authority).to_owned()))
    }
}

const SCHEME: &str = "begin it with http:// or https://";

/// Strips the port from `host[:port]`.
fn host(authority: &str) -> &str {
    match authority.rfind([':', ']']) {
        Some(at) if authority.as_bytes().get(at) == Some(&b':') => {
            authority.get(..at).unwrap_or_default()
        }
        _ => authority,
    }
}

fn is_public(authority: &str) -> Result<bool, Refusal> {
    let host = host(authority);
    if let Some(literal) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let address: Ipv6Addr = literal
            .parse()
            .map_err(|_| Refusal::Malformed("what stands in [ ] is no IPv6 address"))?;
        return Ok(address::is_public(IpAddr::V6(address)));
    }
    let host = host.to_ascii_lowercase();
    // A trailing dot makes a name absolute and changes nothing else.
    let host = host.strip_suffix('.').unwrap_or(&host);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !host.is_ascii() {
        return Err(Refusal::Malformed("write the host in its xn-- form"));
    }
    if !host
        .split('.')
        .all(|label| !label.is_empty() && label.bytes().all(plain))
    {
        return Err(Refusal::Malformed("its host is no host name"));
    }
    match address::ipv4(host) {
        Some(Ok(address)) => Ok(address::is_public(IpAddr::V4(address))),
        Some(Err(())) => Err(Refusal::Malformed("its host is no IPv4 address")),
        None => Ok(is_public_name(host)),
    }
}

/// Whether a name is public. A name without a dot is resolved only by the local network's rules.
fn is_public_name(host: &str) -> bool {
    let ends_so = |ending: &str| {
        host.strip_suffix(ending)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    host.contains('.') && !PRIVATE_NAMES.iter().any(|ending| ends_so(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internet_urls_pass_without_their_fragment() {
        for (url, called) in [
            (
                "https://example.com/openapi.json",
                "https://example.com/openapi.json",
            ),
            (
                " HTTP://Example.com:8080?x=1#part ",
                "HTTP://Example.com:8080?x=1",
            ),
            ("https://example.com./", "https://example.com./"),
            ("https://8.8.8.8/x", "https://8.8.8.8/x"),
            (
                "https://[2606:4700::1111]:443/",
                "https://[2606:4700::1111]:443/",
            ),
            (
                "https://xn--bcher-kva.example/ü",
                "https://xn--bcher-kva.example/ü",
            ),
            (
                "https://localhost.example.com/",
                "https://localhost.example.com/",
            ),
            ("https://mylocalhost.io/", "https://mylocalhost.io/"),
            ("https://a_b.example/@x:1", "https://a_b.example/@x:1"),
        ] {
            assert_eq!(destination(url, false).as_deref(), Ok(called), "{url}");
        }
    }

    #[test]
    fn private_hosts_are_refused_in_every_spelling_unless_allowed() {
        for host in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.localhost",
            "printer.local",
            "local",
            "metadata.google.internal",
            "metadata.google.internal.",
            "internal",
            "router.home.arpa",
            "a.localdomain",
            "metadata",
            "127.0.0.1",
            "127.0.0.1.",
            "2130706433",
            "0x7f.1",
            "0177.1",
            "10.1.2.3",
            "169.254.169.254",
            "192.168.1.1",
            "0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[64:ff9b::a00:1]",
            "[fd00:ec2::254]",
            "[fe80::1]",
        ] {
            for url in [format!("http://{host}"), format!("https://{host}:8080/x?y")] {
                let refused = destination(&url, false);
                assert_eq!(refused, Err(Refusal::Private(host.to_owned())), "{url}");
                assert_eq!(destination(&url, true), Ok(url.clone()), "{url}");
            }
        }
    }

    #[test]
    fn non_http_urls_are_refused_even_if_all_hosts_are_allowed() {
        for url in [
            "",
            "example.com",
            "/x",
            "ftp://example.com/",
            "ws://example.com/",
            "gateway://example.com/",
            "file:///etc/passwd",
            "http://",
            "http:///x",
            "https:example.com",
            "http://user@example.com/",
            "http://u:p@example.com/",
            "http://127.0.0.1@example.com/",
            "http://example.com\\@127.0.0.1/",
            "http://exa mple.com/",
            "http://exa\tmple.com/",
            "http://ex%61mple.com/",
            "http://127.0.0.1%2f/",
            "http://a..b/",
            "http://.a/",
            "http://①②⑦.0.0.1/",
            "http://example.com:0/",
            "http://example.com:99999/",
            "http://256.1.1.1/",
            "http://1.2.3.4.5/",
            "http://[::1",
            "http://[fe80::1%25eth0]/",
            "http://[v1.x]/",
            "http://a+b/",
            "http://a,b/",
        ] {
            let refused = destination(url, true);
            assert!(
                matches!(refused, Err(Refusal::Malformed(_))),
                "{url}: {refused:?}"
            );
        }
    }
}
