//! Names of tools, resources and prompts, and their form in the paths of rules.

use super::Category;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the path of a primitive's rules in a definition: `/mcp-tool:get_weather`. No request has this path: the data
/// plane looks at the message alone. Every character that could have a meaning in the path of a rule is
/// percent-encoded, so the path is a plain text and two names never share one.
#[must_use]
pub fn path(category: Category, name: &str) -> String {
    let mut path = format!("/mcp-{}:", category.name());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') {
            path.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path
}

/// The readings a server may give a resource's URI: unchanged, and as URL parsers normalise it (RFC 3986 section 6.2.2,
/// RFC 8089, URL Standard). A server that uses the second reading must not receive requests for what is blocked under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readings<'n> {
    /// The name as written.
    pub name: &'n str,
    /// The normalised name, decoded, if it differs.
    pub other: Option<String>,
    /// Whether it has dot segments: then a rule that allows its prefix does not determine where it leads.
    pub climbs: bool,
}

impl<'n> Readings<'n> {
    /// Returns the readings of a name. Only a resource has more than one.
    #[must_use]
    pub fn of(category: Category, name: &'n str) -> Self {
        let (mut other, mut climbs) = (None, false);
        if category == Category::Resource {
            let (normal, has_dots) = normalised(name);
            other = (normal != name).then_some(normal);
            climbs = has_dots;
        }
        Self {
            name,
            other,
            climbs,
        }
    }

    /// Returns all readings: what is blocked in one of them is blocked.
    #[must_use]
    pub fn all(&self) -> Vec<Cow<'_, str>> {
        let other = self.other.as_deref().map(Cow::Borrowed);
        let encoded = self.encoded().map(Cow::Owned);
        let name = [Cow::Borrowed(self.name)].into_iter();
        name.chain(other).chain(encoded).collect()
    }

    /// The normalised name.
    #[must_use]
    pub fn normal(&self) -> &str {
        self.other.as_deref().unwrap_or(self.name)
    }

    /// The normalised name in the encoding of the URL Standard (section 1.3, path percent-encode set), in which an
    /// expression may be written; `None` if that is one of the other readings.
    fn encoded(&self) -> Option<String> {
        let normal = self.normal();
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>`".contains(&byte);
        if normal.bytes().all(is_plain) {
            return None;
        }
        let mut encoded = String::with_capacity(normal.len());
        for byte in normal.bytes() {
            if is_plain(byte) {
                encoded.push(char::from(byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
        (encoded != self.name).then_some(encoded)
    }
}

/// Schemes whose URLs always have a host, and their ports.
const WITH_HOST: [(&str, &str); 5] = [
    ("http", ":80"),
    ("https", ":443"),
    ("ws", ":80"),
    ("wss", ":443"),
    ("ftp", ":21"),
];

/// Returns what URL parsers make of a URI, decoded: scheme and host in lower case, no dot segments, no fragment, and for
/// files no local host and no query. Also returns whether it had dot segments.
fn normalised(uri: &str) -> (String, bool) {
    let is_ignored = |letter: char| matches!(letter, '\t' | '\n' | '\r');
    let uri = uri.trim_matches(|letter: char| letter <= ' ');
    let uri = uri.split('#').next().unwrap_or_default();
    let uri = uri.replace(is_ignored, "");
    let is_of_scheme = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    let split = uri.split_once(':').filter(|(scheme, _)| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.chars().all(is_of_scheme)
    });
    let Some((scheme, rest)) = split else {
        return without_dots("", &decode(&uri));
    };
    let scheme = scheme.to_ascii_lowercase();
    let is_file = scheme == "file";
    let port = WITH_HOST.iter().find(|(known, _)| *known == scheme);
    let rest = match is_file {
        true => rest.split('?').next().unwrap_or_default(),
        false => rest,
    };
    let rest = decode(rest).replace('\\', "/");
    let of_host = match port {
        Some(_) => Some(rest.trim_start_matches('/')),
        None => rest.strip_prefix("//"),
    };
    let Some(of_host) = of_host else {
        let (before, slash) = match is_file {
            true if rest.starts_with('/') => ("//", ""),
            true => ("//", "/"),
            false => ("", ""),
        };
        return without_dots(&format!("{scheme}:{before}"), &format!("{slash}{rest}"));
    };
    let (host, path) = of_host.split_at(of_host.find('/').unwrap_or(of_host.len()));
    let mut host = host.to_ascii_lowercase();
    if is_file && host == "localhost" {
        host.clear();
    }
    if let Some(bare) = port.and_then(|(_, port)| host.strip_suffix(port)) {
        host.truncate(bare.len());
    }
    without_dots(&format!("{scheme}://{host}"), path)
}

/// Decodes percent escapes repeatedly until there are none: a server may decode more than once.
fn decode(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..3 {
        let decoded = decode_once(&text);
        if decoded == text {
            break;
        }
        text = decoded;
    }
    text
}

fn decode_once(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digit = |at: usize| {
            behind
                .get(at)
                .and_then(|digit| char::from(*digit).to_digit(16))
        };
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                let byte = high.saturating_mul(16).saturating_add(low);
                bytes.push(u8::try_from(byte).unwrap_or_default());
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Appends a path without its dot segments (RFC 3986 section 5.2.4). Also returns whether there were any.
fn without_dots(before: &str, path: &str) -> (String, bool) {
    let mut parts: Vec<&str> = Vec::new();
    let mut has_dots = false;
    for part in path.split('/') {
        has_dots |= matches!(part, "." | "..");
        match part {
            // The root has no parent.
            ".." if parts != [""] => {
                parts.pop();
            }
            "." | ".." => {}
            part => parts.push(part),
        }
    }
    (format!("{before}{}", parts.join("/")), has_dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_name_is_a_plain_text() {
        for (category, name, expected) in [
            (Category::Tool, "get_weather", "/mcp-tool:get_weather"),
            (Category::Tool, "a.b*{c}$", "/mcp-tool:a%2Eb%2A%7Bc%7D%24"),
            (
                Category::Resource,
                "file:///a/*",
                "/mcp-resource:file%3A%2F%2F%2Fa%2F%2A",
            ),
            (Category::Prompt, "grün%", "/mcp-prompt:gr%C3%BCn%25"),
        ] {
            assert_eq!(path(category, name), expected);
        }
    }

    #[test]
    fn resource_uris_are_normalised_like_servers_do() {
        for (name, other, climbs) in [
            ("file:///a/b", None, false),
            ("file:///a.md", None, false),
            ("file:///a/%62", Some("file:///a/b"), false),
            ("file:///a/%2562", Some("file:///a/b"), false),
            ("file:///repo/../etc/x", Some("file:///etc/x"), true),
            ("file:///repo/%2e%2e/etc", Some("file:///etc"), true),
            ("file:///repo/..%5cetc", Some("file:///etc"), true),
            ("file:///../../etc", Some("file:///etc"), true),
            ("file:///a/./b", Some("file:///a/b"), true),
            ("file:///100%", None, false),
            ("FILE:///a/B", Some("file:///a/B"), false),
            ("file:/a", Some("file:///a"), false),
            ("file:a", Some("file:///a"), false),
            ("file:\\\\\\a", Some("file:///a"), false),
            ("file://LocalHost/a", Some("file:///a"), false),
            ("file://host/a", None, false),
            (" fi\tle:///a\n", Some("file:///a"), false),
            ("file:///a/.\t./b", Some("file:///b"), true),
            ("file:///a?x=1", Some("file:///a"), false),
            ("file:///a#x", Some("file:///a"), false),
            ("file:///a%23x", Some("file:///a#x"), false),
            (
                "HTTP://Example.COM:80/A?b=C",
                Some("http://example.com/A?b=C"),
                false,
            ),
            ("https:/example.com/a", Some("https://example.com/a"), false),
            ("http://example.com:8080/a", None, false),
            ("db://Main/t", Some("db://main/t"), false),
            ("db://main/../t", Some("db://main/t"), true),
            ("urn:isbn:1", None, false),
            ("DOC:readme", Some("doc:readme"), false),
            ("no scheme/../x", Some("x"), true),
            ("", None, false),
        ] {
            let readings = Readings::of(Category::Resource, name);
            assert_eq!(
                (readings.other.as_deref(), readings.climbs),
                (other, climbs),
                "{name}"
            );
        }
        assert_eq!(Readings::of(Category::Tool, "a/../b").other, None);
    }

    #[test]
    fn an_encoded_reading_is_that_of_url_parsers() {
        let encoded = |name| Readings::of(Category::Resource, name).encoded();
        assert_eq!(encoded("file:///a b").as_deref(), Some("file:///a%20b"));
        assert_eq!(
            encoded("file:///%67r%c3%bcn").as_deref(),
            Some("file:///gr%C3%BCn")
        );
        for same in ["file:///a%20b", "file:///a"] {
            assert_eq!(encoded(same), None, "{same}");
        }
    }
}
