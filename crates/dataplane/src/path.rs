//! The one normaliser of paths.
//!
//! The promise: two spellings of a path that an upstream could take for the same resource either
//! become the same text here or are refused. Matching, rules, batch items and forwarding all use
//! the result, so a request can't pass a check under one name and be served under another
//! (the class of CVE-2025-32431 and its kin).
//!
//! The rules, in their order: `\`, control characters and broken percent-encodings are refused;
//! unreserved characters are decoded and hexadecimal digits made upper case (RFC 3986 section
//! 6.2.2); empty segments are dropped, dot segments resolved (section 5.2.4), and one that would
//! leave the root is refused. What stays encoded (`%2F`, `%5C`, `%25`) is never a separator; a
//! segment that hides a dot segment behind such an encoding, up to three layers deep or in front
//! of a `;`, is refused.

use gatewright_model::text::percent::percent_decode;
use std::borrow::Cow;

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathError {
    /// A backslash, a control character, or `%` without two hexadecimal digits.
    Character,
    /// A `..` with nothing before it.
    AboveRoot,
    /// A dot segment behind an encoding or a path parameter.
    HiddenDots,
}

/// Brings a path into its one form. It starts with `/` and ends with one only if the path given
/// did, or ended in a dot segment.
///
/// # Errors
/// If the path can be read in more than one way; see the module's rules.
pub fn normalise(path: &str) -> Result<Cow<'_, str>, PathError> {
    if is_plain(path) {
        return Ok(Cow::Borrowed(path));
    }
    let decoded = decode(path)?;
    let mut segments: Vec<&str> = Vec::new();
    let mut ends_open = true;
    for segment in decoded.split('/') {
        ends_open = matches!(segment, "" | "." | "..");
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop().ok_or(PathError::AboveRoot)?;
            }
            _ if hides_dots(segment) => return Err(PathError::HiddenDots),
            _ => segments.push(segment),
        }
    }
    let mut normal = String::with_capacity(decoded.len().saturating_add(1));
    for segment in &segments {
        normal.push('/');
        normal.push_str(segment);
    }
    if ends_open || normal.is_empty() {
        normal.push('/');
    }
    Ok(Cow::Owned(normal))
}

/// True for the paths that nearly every request has: nothing in them needs a second look.
fn is_plain(path: &str) -> bool {
    let mut bytes = path.bytes();
    if bytes.next() != Some(b'/') {
        return false;
    }
    let mut before = b'/';
    for byte in bytes {
        let plain = match byte {
            b'/' | b'.' => before != b'/',
            b'%' | b'\\' | b';' => false,
            _ => byte > b' ' && byte < 0x7f,
        };
        if !plain {
            return false;
        }
        before = byte;
    }
    true
}

/// Decodes what RFC 3986 calls unreserved, encodes what may not stand in a path.
fn decode(path: &str) -> Result<String, PathError> {
    let mut out = String::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let value = (hex(bytes.next())? << 4) | hex(bytes.next())?;
                if value < b' ' || value == 0x7f {
                    return Err(PathError::Character);
                }
                if is_unreserved(value) {
                    out.push(char::from(value));
                } else {
                    push_encoded(&mut out, value);
                }
            }
            b'\\' | 0..b' ' | 0x7f => return Err(PathError::Character),
            b' ' | b'"' | b'<' | b'>' | b'?' | b'#' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x80.. => {
                push_encoded(&mut out, byte);
            }
            _ => out.push(char::from(byte)),
        }
    }
    Ok(out)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn hex(byte: Option<u8>) -> Result<u8, PathError> {
    let digit = byte
        .and_then(|byte| char::from(byte).to_digit(16))
        .ok_or(PathError::Character)?;
    u8::try_from(digit).map_err(|_| PathError::Character)
}

fn push_encoded(out: &mut String, byte: u8) {
    let digit = |value: u8| {
        char::from_digit(u32::from(value), 16)
            .unwrap_or('0')
            .to_ascii_uppercase()
    };
    out.push('%');
    out.push(digit(byte >> 4));
    out.push(digit(byte & 15));
}

/// True if an upstream that decodes more than it should, or cuts path parameters off, would see
/// a dot segment here.
fn hides_dots(segment: &str) -> bool {
    let mut text = segment.to_owned();
    for _ in 0..4 {
        let dotted = text
            .split(['/', '\\'])
            .map(|part| part.split([';', '\0', '?', '#']).next().unwrap_or_default())
            .any(|part| matches!(part.trim_matches([' ', '\t']), "." | ".."));
        if dotted || text.contains('\0') {
            return true;
        }
        let next = percent_decode(&text);
        if next == text {
            return false;
        }
        text = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_path_become_one() {
        let cases = [
            ("/a/b", "/a/b"),
            ("/a/b/", "/a/b/"),
            ("/", "/"),
            ("", "/"),
            ("//", "/"),
            ("//a///b", "/a/b"),
            ("/a/./b", "/a/b"),
            ("/a/b/.", "/a/b/"),
            ("/a/x/../b", "/a/b"),
            ("/a/b/x/..", "/a/b/"),
            ("/a/%2e/b", "/a/b"),
            ("/a/x/%2e%2E/b", "/a/b"),
            ("/a/x/.%2e/b", "/a/b"),
            ("/%61/b", "/a/b"),
            ("/a/%62", "/a/b"),
            ("/a%2fb", "/a%2Fb"),
            ("/a%2Fb", "/a%2Fb"),
            ("/a%5cb", "/a%5Cb"),
            ("/a;v=1/b", "/a;v=1/b"),
            ("/a/..b", "/a/..b"),
            ("/a/b..", "/a/b.."),
            ("/a/...", "/a/..."),
            ("/a/%7Eb", "/a/~b"),
            ("/a/%25", "/a/%25"),
            ("/a b", "/a%20b"),
            ("/a%20b", "/a%20b"),
            ("/ä", "/%C3%A4"),
            ("/%c3%a4", "/%C3%A4"),
            ("/a:b@c!$&'()*+,=", "/a:b@c!$&'()*+,="),
            ("a/b", "/a/b"),
        ];
        for (raw, normal) in cases {
            assert_eq!(normalise(raw).as_deref(), Ok(normal), "{raw}");
        }
    }

    #[test]
    fn ambiguous_paths_are_refused() {
        let cases = [
            ("/a\\b", PathError::Character),
            ("/a/%00", PathError::Character),
            ("/a/\0", PathError::Character),
            ("/a/%0d%0aX: 1", PathError::Character),
            ("/a/%7f", PathError::Character),
            ("/a/%", PathError::Character),
            ("/a/%2", PathError::Character),
            ("/a/%zz", PathError::Character),
            ("/..", PathError::AboveRoot),
            ("/a/../../b", PathError::AboveRoot),
            ("/%2e%2e/b", PathError::AboveRoot),
            ("/a/..%2fb", PathError::HiddenDots),
            ("/a/..%5cb", PathError::HiddenDots),
            ("/a/%2e%2e%2fb", PathError::HiddenDots),
            ("/a/x%2f..%2fb", PathError::HiddenDots),
            ("/a/%252e%252e/b", PathError::HiddenDots),
            ("/a/%25252e%25252e%25252fb", PathError::HiddenDots),
            ("/a/..;/b", PathError::HiddenDots),
            ("/a/..;x=1/b", PathError::HiddenDots),
            ("/a/.;/b", PathError::HiddenDots),
            ("/a/..%3bx/b", PathError::HiddenDots),
            ("/a/..%20/b", PathError::HiddenDots),
            ("/a/%2500", PathError::HiddenDots),
        ];
        for (raw, error) in cases {
            assert_eq!(normalise(raw), Err(error), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing(raw in "[/a.;%2eEfF5cC\\\\ -]{0,24}") {
            if let Ok(once) = normalise(&raw) {
                let twice = normalise(&once);
                prop_assert_eq!(twice.as_deref(), Ok(&*once));
            }
        }

        #[test]
        fn no_input_panics_and_no_dots_survive(raw in ".{0,64}") {
            if let Ok(normal) = normalise(&raw) {
                prop_assert!(normal.starts_with('/'));
                prop_assert!(!normal.contains("//"));
                prop_assert!(normal.split('/').all(|segment| segment != "." && segment != ".."));
            }
        }
    }
}
