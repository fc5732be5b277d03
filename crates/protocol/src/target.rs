//! Where an API's requests go: `target_url` parsed once, joined per request.

/// Characters that may be sent raw or encoded (RFC 3986 section 2.2), with their escapes.
const EITHER: [(char, &str); 5] = [
    ('!', "%21"),
    ('\'', "%27"),
    ('(', "%28"),
    (')', "%29"),
    ('*', "%2A"),
];

/// A `target_url`, ready for joining.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Scheme and authority, without a trailing slash.
    origin: String,
    /// The path without trailing slashes; empty or starting with `/`.
    path: String,
    /// Whether the path had a trailing slash.
    slash: bool,
    /// The query without `?`, empty for none.
    query: String,
}

impl Target {
    /// Parses an absolute `http`, `https`, `ws` or `wss` URL; `None` for anything else. The validator has checked the
    /// rest. WebSocket schemes become their HTTP counterparts, which `fetch` expects. Tabs and line breaks are removed, as
    /// `fetch` would do (URL Standard, section 4.4): a joined URL is a single line.
    #[must_use]
    pub fn parse(url: &str) -> Option<Self> {
        let url = url.trim().replace(['\t', '\r', '\n'], "");
        let (scheme, rest) = url.split_once("://")?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => "http",
            "https" | "wss" => "https",
            _ => return None,
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        if authority.is_empty() {
            return None;
        }
        Some(Self {
            origin: format!("{scheme}://{authority}"),
            path: path.trim_end_matches('/').to_owned(),
            slash: path.ends_with('/'),
            query: query.to_owned(),
        })
    }

    /// Returns its host, as [`host_of`] does.
    #[must_use]
    pub fn host(&self) -> String {
        host_of(&self.origin)
    }

    /// Returns the URL of one request. `path` is the rest of the normalised path after the listen path, and is joined
    /// with exactly one slash. If it is empty, the target's own trailing slash stays only with `keep_slash`
    /// (`proxy.disable_strip_slash`). As in the reference, a path without escapes is encoded anew; in one with escapes,
    /// the client has encoded what it wanted to.
    #[must_use]
    pub fn join(&self, path: &str, query: &str, keep_slash: bool) -> String {
        let length = [
            self.origin.len(),
            self.path.len(),
            path.len(),
            self.query.len(),
            query.len(),
        ];
        let mut url = String::with_capacity(length.iter().sum::<usize>().saturating_add(3));
        url.push_str(&self.origin);
        url.push_str(&self.path);
        let rest = path.trim_start_matches('/');
        if !rest.is_empty() || self.path.is_empty() || (keep_slash && self.slash) {
            url.push('/');
            push_path(&mut url, rest);
        }
        let mut separator = '?';
        for part in [self.query.as_str(), query] {
            if !part.is_empty() {
                url.push(separator);
                url.push_str(part);
                separator = '&';
            }
        }
        url
    }
}

fn push_path(url: &mut String, path: &str) {
    let is_either = |letter| matches!(letter, '!' | '\''..='*');
    if path.contains('%') || !path.contains(is_either) {
        return url.push_str(path);
    }
    for letter in path.chars() {
        let either = EITHER.iter().find(|(either, _)| *either == letter);
        match either {
            Some((_, escape)) => url.push_str(escape),
            None => url.push(letter),
        }
    }
}

/// Returns the host of an address in lower case, with the port unless it is the scheme's default; empty for none.
#[must_use]
pub fn host_of(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let own = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => ":80",
        "https" | "wss" => ":443",
        _ => return host,
    };
    host.strip_suffix(own).map(str::to_owned).unwrap_or(host)
}

/// Returns an address without the user name and password in it.
#[must_use]
pub fn without_user(url: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |at| at.saturating_add(3));
    let (scheme, rest) = url.split_at_checked(after_scheme).unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rfind('@').map_or(0, |at| at.saturating_add(1));
    format!("{scheme}{}", rest.get(user..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_are_removed() {
        for (url, expected) in [
            ("http://u:p@a.example/x@y?z=@", "http://a.example/x@y?z=@"),
            ("https://u:p@q@a.example", "https://a.example"),
            ("u:p@a.example:80", "a.example:80"),
            ("http://a.example/", "http://a.example/"),
            ("gateway://orders/x", "gateway://orders/x"),
            ("", ""),
        ] {
            assert_eq!(without_user(url), expected, "{url}");
        }
    }

    #[test]
    fn there_is_one_slash_at_the_seam_and_both_queries_stay() {
        let cases = [
            ("http://up", "/", "", "http://up/"),
            ("http://up", "", "", "http://up/"),
            ("http://up/", "/x", "", "http://up/x"),
            ("http://up/base", "x/y/", "", "http://up/base/x/y/"),
            // As `fetch` reads it, and a directive is lines.
            ("http://up/ba\n\tse\n", "/x", "", "http://up/base/x"),
            ("http://up/base/", "/x", "q=1", "http://up/base/x?q=1"),
            ("http://up/base/", "", "", "http://up/base"),
            ("http://up/base?k=v", "/x", "", "http://up/base/x?k=v"),
            (
                "http://up/base?k=v#f",
                "/x",
                "q=1",
                "http://up/base/x?k=v&q=1",
            ),
            ("http://up", "/o'(1)!*", "", "http://up/o%27%281%29%21%2A"),
            ("http://up", "/o'(%31)!*", "", "http://up/o'(%31)!*"),
            ("HTTPS://up:8443", "/x", "", "https://up:8443/x"),
            ("wss://up/ws", "", "", "https://up/ws"),
        ];
        for (target, path, query, url) in cases {
            assert_eq!(
                Target::parse(target).unwrap().join(path, query, false),
                url,
                "{target}"
            );
        }
        let kept = Target::parse("http://up/base/").unwrap();
        assert_eq!(kept.join("", "", true), "http://up/base/");
    }

    #[test]
    fn anything_but_a_web_address_is_refused() {
        for url in [
            "",
            "up",
            "tcp://up:1",
            "http://",
            "http:///x",
            "gateway://self/x",
        ] {
            assert_eq!(Target::parse(url), None, "{url}");
        }
    }

    #[test]
    fn a_host_has_no_port_of_its_own_scheme() {
        for (url, host) in [
            ("http://Up/x", "up"),
            ("http://up:80", "up"),
            ("https://up:80/", "up:80"),
            ("https://u:p@up:443?q", "up"),
            ("tcp://up:443", "up:443"),
            ("http://[::1]:80/", "[::1]"),
            ("http://", ""),
        ] {
            assert_eq!(host_of(url), host, "{url}");
        }
    }
}
