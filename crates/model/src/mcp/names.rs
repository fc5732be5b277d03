//! Names of tools, resources and prompts, and their form in the paths of rules.

use super::Category;
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

/// The readings a server may give a resource's URI: unchanged, and decoded without dot segments (RFC 3986 sections 2.1
/// and 5.2.4). A server that uses the second reading must not receive requests for what is blocked under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readings<'n> {
    /// The name as written.
    pub name: &'n str,
    /// The decoded name, if it differs.
    pub other: Option<String>,
    /// Whether it has dot segments: then a rule that allows its prefix does not determine where it leads.
    pub climbs: bool,
}

impl<'n> Readings<'n> {
    /// Returns the readings of a name. Only a resource has more than one.
    #[must_use]
    pub fn of(category: Category, name: &'n str) -> Self {
        let plain = Self {
            name,
            other: None,
            climbs: false,
        };
        if category != Category::Resource || !name.contains(['%', '.', '\\']) {
            return plain;
        }
        let decoded = decode(name).replace('\\', "/");
        let is_dots = |part: &str| matches!(part, "." | "..");
        let climbs = decoded.split('/').any(is_dots);
        let clean = if climbs {
            without_dots(&decoded)
        } else {
            decoded
        };
        Self {
            climbs,
            other: (clean != name).then_some(clean),
            ..plain
        }
    }

    /// Iterates over all readings.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        [self.name].into_iter().chain(self.other.as_deref())
    }
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

fn without_dots(text: &str) -> String {
    // Scheme and authority, before the path, stay.
    let path = text.find("://").map_or(0, |at| at.saturating_add(3));
    let (before, path) = text.split_at_checked(path).unwrap_or(("", text));
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.len() > 1 => {
                parts.pop();
            }
            ".." => {}
            part => parts.push(part),
        }
    }
    format!("{before}{}", parts.join("/"))
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
}
