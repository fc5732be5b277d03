//! The upstream's URL: absolute, with a scheme this runtime can call.

use std::net::Ipv6Addr;

/// The kind of a target URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Requests can be forwarded to it.
    Usable {
        /// Whether it contains a user name or password.
        credentials: bool,
    },
    /// Another API of this gateway (reference section 3.12): its id, record id or name, as written.
    Loop(String),
    /// Well-formed, but of a kind this runtime can't call; the sentence says why.
    Unsupported(&'static str),
}

/// Checks a URL.
///
/// # Errors
/// A short sentence that names the remedy.
pub fn check(url: &str) -> Result<Target, &'static str> {
    if url
        .chars()
        .any(|character| character.is_whitespace() || character.is_control())
    {
        return Err("a URL can't contain spaces or control characters; remove them");
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return Err("a URL is absolute; begin it with http:// or https://");
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ws" | "wss" => {}
        "tyk" | "gateway" => {
            let api = rest.split(['/', '?', '#']).next().unwrap_or_default();
            return match api {
                "" => Err("name the API behind gateway://"),
                api => Ok(Target::Loop(api.to_owned())),
            };
        }
        "tcp" | "tls" => {
            return Ok(Target::Unsupported(
                "Workers can't proxy plain TCP or TLS connections",
            ));
        }
        "h2c" => {
            return Ok(Target::Unsupported(
                "Workers can't speak HTTP/2 without TLS to an upstream",
            ));
        }
        "env" | "secrets" | "consul" | "vault" | "file" | "kv" => {
            return Ok(Target::Unsupported(
                "references to secret stores aren't replaced; write the URL itself",
            ));
        }
        _ => return Err("a URL begins with http://, https://, ws:// or wss://"),
    }
    if url.contains('\\') {
        return Err("a URL can't contain a backslash; write '/'");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (credentials, host_port) = match authority.rsplit_once('@') {
        Some((_, host_port)) => (true, host_port),
        None => (false, authority),
    };
    check_host_port(host_port)?;
    if rest.contains('#') {
        return Err("a URL has no fragment; remove '#' and what follows");
    }
    Ok(Target::Usable { credentials })
}

fn check_host_port(host_port: &str) -> Result<(), &'static str> {
    let (host, port) = match host_port.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest
                .split_once(']')
                .ok_or("an IPv6 address ends with ']'")?;
            if address.parse::<Ipv6Addr>().is_err() {
                return Err("what stands in [ ] is no IPv6 address");
            }
            ("", port)
        }
        None => {
            let at = host_port.find(':').unwrap_or(host_port.len());
            let (host, port) = host_port.split_at_checked(at).unwrap_or((host_port, ""));
            if host.is_empty() {
                return Err("a URL needs a host after '://'");
            }
            (host, port)
        }
    };
    let number = match port.strip_prefix(':') {
        // RFC 3986 section 3.2.3: an empty port means the scheme's default.
        Some("") => None,
        Some(digits) => Some(digits),
        None if port.is_empty() => None,
        None => return Err("after the ']' of an IPv6 address only a port can follow"),
    };
    if let Some(digits) = number {
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || digits.parse::<u16>().map_or(true, |port| port == 0) {
            return Err("the port of a URL is a number from 1 to 65535");
        }
    }
    let forbidden = |character: char| {
        !character.is_ascii_alphanumeric() && !"-._~!$&'()*+,;=".contains(character)
    };
    if host.is_ascii() && host.contains(forbidden) || host.starts_with('.') {
        return Err("the host of a URL is no host name");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_upstreams_are_accepted() {
        for url in [
            "http://httpbin.org",
            "HTTPS://a.b:8443/x?y=z",
            "ws://localhost:1/",
            "http://[::1]:8080/x",
            "http://10.0.0.1:/",
            "https://httpbin.default.svc:8000",
            "http://bücher.example/",
        ] {
            assert_eq!(
                check(url),
                Ok(Target::Usable { credentials: false }),
                "{url}"
            );
        }
        assert_eq!(
            check("http://u:p@a.b/"),
            Ok(Target::Usable { credentials: true })
        );
    }

    #[test]
    fn another_api_of_the_gateway_is_named() {
        for (url, api) in [
            ("tyk://3/", "3"),
            ("gateway://self", "self"),
            ("gateway://a.b-c/x?y", "a.b-c"),
        ] {
            assert_eq!(check(url), Ok(Target::Loop(api.to_owned())), "{url}");
        }
        assert!(check("gateway:///x").is_err());
    }

    #[test]
    fn targets_unreachable_from_workers_are_reported() {
        for url in [
            "tcp://localhost:6379",
            "tls://a",
            "h2c://grpc:50051",
            "env://UPSTREAM",
        ] {
            assert!(matches!(check(url), Ok(Target::Unsupported(_))), "{url}");
        }
    }

    #[test]
    fn relative_or_invalid_url_is_refused() {
        let urls = [
            "",
            "/x",
            "a.b/c",
            "httpbin.org",
            "http://",
            "http:///x",
            "http://:80",
            "ftp://a",
            "http://a:0",
            "http://a:65536",
            "http://a:+1",
            "http://a:8x",
            "http://a b",
            "http://a\n",
            "http://[::1",
            "http://[x]",
            "http://[::1]x",
            "http://a#b",
            "http://a\\b",
            "http://a<b",
            "http://{host}/",
            "http://u@",
            "javascript:alert(1)",
        ];
        for url in urls {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
