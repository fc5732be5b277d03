//! Listen paths: one canonical form, so that two spellings of a route can't be two routes.

use super::template::{Template, outside, parts};

/// First segments that the gateway itself answers; no API can be served there.
pub const RESERVED: [&str; 4] = ["/gateway", "/openapi", "/hello", "/ready"];

/// One segment of a listen path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Matches itself, in its normal form (RFC 3986 section 6.2.2).
    Literal(String),
    /// `{name}` or `{name:pattern}`: matches one segment that isn't empty, decoded, and that fits the
    /// pattern from end to end if there is one.
    Template(Template),
}

/// A listen path in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListenPath {
    segments: Vec<Segment>,
    trailing_slash: bool,
}

impl ListenPath {
    /// Reads a listen path. One without `/` at its start is read as if it had one, so that collisions
    /// are seen; it isn't served ([`NO_SLASH`]).
    ///
    /// # Errors
    /// A short sentence that names the remedy.
    pub fn parse(raw: &str) -> Result<Self, &'static str> {
        if raw.is_empty() {
            return Err("the listen path is empty; write '/' to serve everything");
        }
        if let Some(problem) = raw.chars().find_map(forbidden) {
            return Err(problem);
        }
        if let Some(problem) = outside(raw).find_map(|(_, character)| meant_otherwise(character)) {
            return Err(problem);
        }
        let path = raw.strip_prefix('/').unwrap_or(raw);
        let (path, trailing_slash) = match path.strip_suffix('/') {
            Some(path) => (path, true),
            None => (path, path.is_empty()),
        };
        if path.is_empty() && !matches!(raw, "/") {
            return Err(DOUBLE_SLASH);
        }
        let mut segments: Vec<Segment> = Vec::new();
        for text in parts(path, '/').into_iter().filter(|_| !path.is_empty()) {
            let segment = segment(text)?;
            if segments.iter().any(|other| same_name(other, &segment)) {
                return Err("two templates of the listen path have the same name; rename one");
            }
            segments.push(segment);
        }
        Ok(Self {
            segments,
            trailing_slash,
        })
    }

    /// Its segments, in order; none for `/`.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether it was written with a slash at its end.
    #[must_use]
    pub const fn trailing_slash(&self) -> bool {
        self.trailing_slash
    }

    /// The canonical path without trailing slash ("/" for the root), templates without their names.
    #[must_use]
    pub fn key(&self) -> String {
        self.write(Template::key)
    }

    /// The canonical path without trailing slash ("/" for the root).
    #[must_use]
    pub fn canonical(&self) -> String {
        self.write(Template::written)
    }

    fn write(&self, written: impl Fn(&Template) -> String) -> String {
        if self.segments.is_empty() {
            return "/".to_owned();
        }
        let mut path = String::new();
        for segment in &self.segments {
            path.push('/');
            match segment {
                Segment::Literal(text) => path.push_str(text),
                Segment::Template(template) => path.push_str(&written(template)),
            }
        }
        path
    }
}

/// What is wrong with a listen path without `/` at its start: it is kept, and never matches (reference
/// section 5.1).
pub(crate) const NO_SLASH: &str =
    "a listen path begins with '/'; the API is kept, but not served without it";

const DOUBLE_SLASH: &str = "a listen path can't contain '//'; write one '/'";

/// Whether two segments are templates of one name.
fn same_name(one: &Segment, other: &Segment) -> bool {
    match (one, other) {
        (Segment::Template(one), Segment::Template(other)) => one.name == other.name,
        _ => false,
    }
}

/// What ends a path or is read as another character; in the pattern of a template it is neither.
fn meant_otherwise(character: char) -> Option<&'static str> {
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

fn segment(text: &str) -> Result<Segment, &'static str> {
    if text.is_empty() {
        return Err(DOUBLE_SLASH);
    }
    if let Some(template) = Template::read(text) {
        return template.map(Segment::Template);
    }
    if text.contains(['{', '}']) {
        return Err("a template is a whole segment; write '/{name}/'");
    }
    let literal = normal_form(text)?;
    if literal == "." || literal == ".." {
        return Err(
            "a listen path can't contain '.' or '..' segments; write the path they lead to",
        );
    }
    Ok(Segment::Literal(literal))
}

/// The normal form of a literal segment (RFC 3986 section 6.2.2): escapes of unreserved characters
/// are decoded, the others written in upper case, and what no path may hold is escaped.
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

/// The key of a route: lower-case domain, `|`, canonical listen path without trailing slash, names
/// of templates erased. Two publicly served APIs with the same key collide: `/a` and `/a/` are the
/// same route, and so are `/{x}` and `/{y}`. What is no listen path is its own key.
#[must_use]
pub fn route_key(domain: &str, listen_path: &str) -> String {
    let path =
        ListenPath::parse(listen_path).map_or_else(|_| listen_path.to_owned(), |path| path.key());
    format!("{}|{path}", super::host::key(domain))
}

/// The reserved path a listen path lies on or below, if there is one.
#[must_use]
pub fn reserved(listen_path: &str) -> Option<&'static str> {
    let path = ListenPath::parse(listen_path).ok()?;
    let Segment::Literal(first) = path.segments.first()? else {
        return None;
    };
    RESERVED
        .into_iter()
        .find(|reserved| reserved.strip_prefix('/').is_some_and(|name| name == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(raw: &str) -> Result<String, &'static str> {
        ListenPath::parse(raw).map(|path| path.canonical())
    }

    #[test]
    fn spellings_of_one_route_have_one_key() {
        for (raw, expected) in [
            ("/", "/"),
            ("/a", "/a"),
            ("/a/", "/a"),
            ("a/b", "/a/b"),
            ("/%61%2d%7e", "/a-~"),
            ("/a%2cb", "/a%2Cb"),
            ("/é", "/%C3%A9"),
            ("/%c3%a9/", "/%C3%A9"),
            ("/users/{id}/x", "/users/{id}/x"),
            ("/a;b=c,(d)*|", "/a;b=c,(d)*|"),
            ("/helloworld.Greeter", "/helloworld.Greeter"),
            ("/{id:[0-9]+}/x/", "/{id:[0-9]+}/x"),
            (r"/{id:\d{2}[^/?#]}", r"/{id:\d{2}[^/?#]}"),
        ] {
            assert_eq!(canonical(raw).as_deref(), Ok(expected), "{raw}");
        }
        assert_eq!(route_key("Example.COM", "/a/{x}/"), "example.com|/a/{}");
        assert_eq!(route_key("", "/{a:[0-9]+}"), route_key("", "/{b:[0-9]+}/"));
        assert_ne!(route_key("", "/{a:[0-9]+}"), route_key("", "/{a:[a-z]+}"));
        assert_ne!(route_key("", "/{a:[0-9]+}"), route_key("", "/{a}"));
        assert_eq!(route_key("", "/a"), route_key("", "a/"));
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
            "//",
            "///",
            "/a//b",
            "//a",
            "/a//",
            "/.",
            "/..",
            "/a/../b",
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
            "/x{a}",
            "/{a}{b}",
            "/{a:[0-9}",
            "/{a:}",
            "/{a: +}",
            "/x{a:b}",
            "/{a:b}/{a:c}",
            "/{a b}",
            "/{a}/{a}",
            "/a\u{a0}b",
            "/a\u{85}",
        ];
        for path in paths {
            assert!(canonical(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn what_the_gateway_answers_itself_is_reserved() {
        assert_eq!(reserved("/gateway"), Some("/gateway"));
        assert_eq!(reserved("/gateway/x/"), Some("/gateway"));
        assert_eq!(reserved("hello"), Some("/hello"));
        assert_eq!(reserved("/%72eady/"), Some("/ready"));
        assert_eq!(reserved("/openapi"), Some("/openapi"));
        for path in [
            "/",
            "/gateways",
            "/Gateway",
            "/a/gateway",
            "/{gateway}",
            "a b",
        ] {
            assert_eq!(reserved(path), None, "{path}");
        }
    }

    #[test]
    fn a_trailing_slash_is_remembered() {
        assert!(ListenPath::parse("/a/").unwrap().trailing_slash());
        assert!(!ListenPath::parse("/a").unwrap().trailing_slash());
        assert!(ListenPath::parse("/").unwrap().trailing_slash());
    }
}
