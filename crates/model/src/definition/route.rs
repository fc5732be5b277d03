//! Listen paths in one canonical form, so that two spellings of a route can't be two routes.

use super::template::{Piece, Template, outside, parts, pieces};
use crate::order::repeats;
use std::borrow::Cow;

/// First path segments served by the gateway itself; no API can be served there.
pub const RESERVED: [&str; 4] = ["/gateway", "/openapi", "/hello", "/ready"];

/// A listen path in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListenPath {
    segments: Vec<Segment>,
    trailing_slash: bool,
}

/// One segment of a listen path: texts in their normal form (RFC 3986 section 6.2.2) and templates between them. A
/// template without a pattern matches a non-empty decoded text without a slash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Segment {
    /// Its form in the key of a route.
    key: String,
    templates: Vec<Template>,
}

impl ListenPath {
    /// Parses a listen path and cleans it ([`clean`]). One without a leading `/` is parsed as if it had one, so that
    /// collisions are found; it isn't served.
    ///
    /// # Errors
    /// A short sentence that names the remedy.
    pub fn parse(raw: &str) -> Result<Self, &'static str> {
        if let Some(problem) = raw.chars().find_map(forbidden) {
            return Err(problem);
        }
        if let Some(problem) = outside(raw).find_map(|(_, character)| misread(character)) {
            return Err(problem);
        }
        let path = clean(raw);
        if path.is_empty() {
            return Err("the listen path is empty; write '/' to serve everything");
        }
        let path = path.strip_prefix('/').unwrap_or(&path);
        let (path, trailing_slash) = match path.strip_suffix('/') {
            Some(path) => (path, true),
            None => (path, path.is_empty()),
        };
        let texts = parts(path, '/').into_iter().filter(|_| !path.is_empty());
        let segments: Vec<Segment> = texts.map(Segment::read).collect::<Result<_, _>>()?;
        let templates = segments.iter().flat_map(|segment| &segment.templates);
        let names: Vec<&str> = templates.map(|template| &*template.name).collect();
        if !repeats(&names).is_empty() {
            return Err("two templates of the listen path have the same name; rename one");
        }
        Ok(Self {
            segments,
            trailing_slash,
        })
    }

    /// Returns the canonical path ("/" for the root), with template names erased. A trailing slash is part of it: `/a/`
    /// is the longer listen path, and requests it does not match go to `/a`.
    #[must_use]
    pub fn key(&self) -> String {
        let mut path = String::new();
        for segment in &self.segments {
            path.push('/');
            path.push_str(&segment.key);
        }
        if self.trailing_slash {
            path.push('/');
        }
        path
    }
}

impl Segment {
    fn read(text: &str) -> Result<Self, &'static str> {
        let (mut key, mut templates) = (String::new(), Vec::new());
        for piece in pieces(text)? {
            match piece {
                Piece::Text(text) => key.push_str(&normal_form(text)?),
                Piece::Template(template) => {
                    key.push_str(&template.key());
                    templates.push(template);
                }
            }
        }
        if key == "." || key == ".." {
            return Err("a listen path can't contain encoded '.' or '..' segments; remove them");
        }
        Ok(Self { key, templates })
    }
}

/// Cleans a listen path as it is served (reference section 5.1): empty, `.` and `..` segments are removed; a trailing
/// slash stays. Text in braces is never treated as a segment.
#[must_use]
pub fn clean(path: &str) -> Cow<'_, str> {
    let rest = path.strip_prefix('/').unwrap_or(path);
    let segments = parts(rest, '/');
    let is_dots = |segment: &&str| matches!(*segment, "." | "..");
    let empty = segments.iter().rev().skip(1).any(|part| part.is_empty());
    if !empty && !segments.iter().any(is_dots) {
        return Cow::Borrowed(path);
    }
    let mut kept: Vec<&str> = Vec::new();
    for segment in segments {
        match segment {
            "" | "." => {}
            ".." => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    let end = if path.ends_with('/') && !kept.is_empty() {
        "/"
    } else {
        ""
    };
    Cow::Owned(format!("{start}{}{end}", kept.join("/")))
}

/// The message for a listen path without a leading `/`: it is stored, and never matches (reference section 5.1).
pub(crate) const NO_SLASH: &str =
    "a listen path begins with '/'; the API is kept, but not served without it";

/// Returns the problem of a character that ends a path or is read as another one; in the pattern of a template it does
/// neither.
fn misread(character: char) -> Option<&'static str> {
    match character {
        '?' => Some("a listen path has no query; remove '?' and what follows"),
        '#' => Some("a listen path has no fragment; remove '#' and what follows"),
        '\\' => Some("a listen path can't contain a backslash; write '/'"),
        _ => None,
    }
}

fn forbidden(character: char) -> Option<&'static str> {
    match character {
        control if control.is_control() => {
            Some("a listen path can't contain control characters; remove them")
        }
        space if space.is_whitespace() => Some("a listen path can't contain spaces; remove them"),
        _ => None,
    }
}

/// Returns the normal form of a text in a segment (RFC 3986 section 6.2.2): escapes of unreserved characters are
/// decoded, other escapes are written in upper case, and characters not allowed in paths are escaped.
fn normal_form(text: &str) -> Result<String, &'static str> {
    let mut normal = String::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            push_byte(
                &mut normal,
                byte,
                matches!(byte, b'"' | b'<' | b'>' | b'^' | b'`') || !byte.is_ascii(),
            );
            continue;
        }
        let digits = bytes
            .next()
            .and_then(hex_digit)
            .zip(bytes.next().and_then(hex_digit));
        let Some((high, low)) = digits else {
            return Err("'%' needs two hexadecimal digits behind it in a listen path");
        };
        let decoded = high.wrapping_shl(4) | low;
        if matches!(decoded, b'/' | b'\\' | b'%' | 0..=0x20 | 0x7F) {
            return Err(
                "a listen path can't contain an encoded '/', '\\', '%', space or control character",
            );
        }
        let unreserved =
            decoded.is_ascii_alphanumeric() || matches!(decoded, b'-' | b'.' | b'_' | b'~');
        push_byte(&mut normal, decoded, !unreserved);
    }
    Ok(normal)
}

fn push_byte(text: &mut String, byte: u8, escaped: bool) {
    if escaped {
        let digit = |value: u8| {
            char::from_digit(u32::from(value), 16)
                .unwrap_or('0')
                .to_ascii_uppercase()
        };
        text.extend(['%', digit(byte.wrapping_shr(4)), digit(byte & 0xF)]);
    } else {
        text.push(char::from(byte));
    }
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// Returns the key of a route: lower-case domain, `|`, canonical listen path, template names erased. Two publicly
/// served APIs with the same key collide: `/a/` and `/b/../a/` are the same route, and so are `/{x}` and `/{y}`. An
/// invalid listen path is its own key.
#[must_use]
pub fn route_key(domain: &str, listen_path: &str) -> String {
    let path =
        ListenPath::parse(listen_path).map_or_else(|_| listen_path.to_owned(), |path| path.key());
    format!("{}|{path}", super::host::key(domain))
}

/// Returns the reserved path that a listen path equals or is below, if any.
#[must_use]
pub fn reserved(listen_path: &str) -> Option<&'static str> {
    let path = ListenPath::parse(listen_path).ok()?;
    let first = path.segments.first()?;
    let is_first = |reserved: &&str| reserved.strip_prefix('/') == Some(&*first.key);
    RESERVED.into_iter().find(is_first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(raw: &str) -> Result<String, &'static str> {
        ListenPath::parse(raw).map(|path| path.key())
    }

    #[test]
    fn spellings_of_one_route_have_one_key() {
        for (raw, expected) in [
            ("/", "/"),
            ("/a", "/a"),
            ("/a/", "/a/"),
            ("a/b", "/a/b"),
            ("/%61%2d%7e", "/a-~"),
            ("/a%2cb", "/a%2Cb"),
            ("/é", "/%C3%A9"),
            ("/%c3%a9/", "/%C3%A9/"),
            ("/users/{id}/x", "/users/{}/x"),
            ("/a;b=c,(d)*|", "/a;b=c,(d)*|"),
            ("/helloworld.Greeter", "/helloworld.Greeter"),
            ("/{id:[0-9]+}/x/", "/{:[0-9]+}/x/"),
            (r"/{id:\d{2}[^/?#]}", r"/{:\d{2}[^/?#]}"),
            ("/v{n}/", "/v{}/"),
            ("/a-{id:[0-9]+}.json/", "/a-{:[0-9]+}.json/"),
            ("/%61{n}{m}", "/a{}{}"),
            ("//", "/"),
            ("///a//b//", "/a/b/"),
            ("/./a/../b/.", "/b"),
            ("/../{x:a//b}/..", "/"),
            ("/a/{x:../.}/", "/a/{:../.}/"),
        ] {
            assert_eq!(canonical(raw).as_deref(), Ok(expected), "{raw}");
        }
        assert_eq!(route_key("Example.COM", "/a/{x}/"), "example.com|/a/{}/");
        assert_eq!(route_key("", "/{a:[0-9]+}"), route_key("", "/{b:[0-9]+}"));
        assert_ne!(route_key("", "/{a:[0-9]+}"), route_key("", "/{a:[a-z]+}"));
        assert_ne!(route_key("", "/{a:[0-9]+}"), route_key("", "/{a}"));
        assert_eq!(route_key("", "/a/"), route_key("", "a/"));
        assert_ne!(route_key("", "/a"), route_key("", "/a/"));
        assert_eq!(route_key("", "/v{n}/"), route_key("", "//v{m}/"));
        assert_eq!(
            route_key("{sub}.example.com", "/"),
            route_key("{x}.Example.com", "/")
        );
        assert_eq!(route_key("", "a b"), "|a b");
    }

    #[test]
    fn paths_that_could_mean_something_else_are_refused() {
        let paths = [
            "",
            "./",
            "/a/%2e%2E/b",
            "/%2e",
            "/a?b",
            "/a#b",
            "/a b",
            "/a\tb",
            "/a\u{0}",
            "/a\\b",
            "/%2fa",
            "/%5c",
            "/%00",
            "/%25",
            "/%20",
            "/%",
            "/%4",
            "/%zz",
            "/{}",
            "/{a",
            "/a}",
            "/{a:[0-9}",
            "/{a:}",
            "/{a: +}",
            "/{a:b}/{a:c}",
            "/{a b}",
            "/{a}/{a}",
            "/{a}-{a}",
            "/a{b}}",
            "/%{a}",
            "/a\u{a0}b",
            "/a\u{85}",
        ];
        for path in paths {
            assert!(canonical(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn gateway_paths_are_reserved() {
        assert_eq!(reserved("/gateway"), Some("/gateway"));
        assert_eq!(reserved("/gateway/x/"), Some("/gateway"));
        assert_eq!(reserved("hello"), Some("/hello"));
        assert_eq!(reserved("/%72eady/"), Some("/ready"));
        assert_eq!(reserved("/openapi"), Some("/openapi"));
        assert_eq!(reserved("//gateway/"), Some("/gateway"));
        assert_eq!(reserved("/a/../hello"), Some("/hello"));
        for path in [
            "/",
            "/gateways",
            "/Gateway",
            "/a/gateway",
            "/{gateway}",
            "/gate{way}",
            "/gateway/../a",
            "a b",
        ] {
            assert_eq!(reserved(path), None, "{path}");
        }
    }
}
