//! The path of a request, read once.
//!
//! The promise: routing, rules, rights of keys and forwarding all see this one reading, so a request
//! can't pass a check under one name and be served under another (the class of CVE-2025-32431 and its
//! kin). What is compared is the *decoded* path; what is sent on is the path *as it was sent*, with its
//! escapes and their letter case (reference 5.2). A path whose decoded form has empty or dot segments
//! never gets so far: its client is redirected to the clean one; one that would leave its API where
//! somebody reads it with more freedom is refused ([`readings`]).

mod lenient;

pub use lenient::{CLIMBS, climbs, readings};

pub use gatewright_model::text::percent::{encode_query, percent_decode};
use std::borrow::Cow;

/// Why a request with this path is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// `%` without two hexadecimal digits.
    BrokenEscape,
    /// It has empty or dot segments; the same resource is at this address, encoded.
    Unclean(String),
}

/// The path of a request. The default is empty, which only a loop's address can have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestPath {
    /// As it was sent; what must not stand there raw is encoded.
    sent: String,
    /// Decoded; the same text as `sent` where `offsets` is empty.
    decoded: Option<String>,
    /// For each byte of `decoded` the end of its spelling in `sent`.
    offsets: Vec<u32>,
}

impl RequestPath {
    /// Reads the path of a request target; an empty one is `/`.
    ///
    /// # Errors
    /// If it can't be read, or is not in its clean form.
    pub fn parse(raw: &str) -> Result<Self, PathError> {
        let path = if raw.is_empty() { "/" } else { raw };
        let read = if path.bytes().all(is_plain) {
            Self {
                sent: path.to_owned(),
                decoded: None,
                offsets: Vec::new(),
            }
        } else {
            decode(path)?
        };
        match clean(read.decoded()) {
            Cow::Borrowed(_) => Ok(read),
            Cow::Owned(clean) => Err(PathError::Unclean(encode(&clean))),
        }
    }

    /// The decoded path, which rules are compared with. Bytes that are no UTF-8 stay escapes.
    #[must_use]
    pub fn decoded(&self) -> &str {
        self.decoded.as_deref().unwrap_or(&self.sent)
    }

    /// The path as it was sent.
    #[must_use]
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// What follows the first bytes of the decoded path, as it was sent.
    #[must_use]
    pub fn sent_behind(&self, decoded: usize) -> &str {
        let at = match decoded.checked_sub(1) {
            None => 0,
            Some(last) if self.decoded.is_some() => {
                let end = self.offsets.get(last).copied();
                end.map_or(self.sent.len(), |end| {
                    usize::try_from(end).unwrap_or(usize::MAX)
                })
            }
            Some(_) => decoded,
        };
        self.sent.get(at..).unwrap_or_default()
    }
}

/// True for bytes that stand for themselves, decoded and sent.
const fn is_plain(byte: u8) -> bool {
    byte > b' ' && byte < 0x7f && byte != b'%' && !is_unsafe(byte)
}

/// Characters that must not stand raw in a path (RFC 3986 section 3.3).
const fn is_unsafe(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'<' | b'>' | b'?' | b'#' | b'[' | b']' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
    )
}

fn decode(path: &str) -> Result<RequestPath, PathError> {
    let mut sent = String::with_capacity(path.len());
    let mut bytes = Vec::with_capacity(path.len());
    let mut ends = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let (high, low) = (rest.next(), rest.next());
            let (Some(high), Some(low)) = (high, low) else {
                return Err(PathError::BrokenEscape);
            };
            bytes.push((hex(high)? << 4) | hex(low)?);
            sent.push('%');
            sent.push(char::from(high));
            sent.push(char::from(low));
        } else {
            bytes.push(byte);
            if is_plain(byte) {
                sent.push(char::from(byte));
            } else {
                push_encoded(&mut sent, byte);
            }
        }
        ends.push(u32::try_from(sent.len()).unwrap_or(u32::MAX));
    }
    let (decoded, offsets) = text(&bytes, &ends);
    Ok(RequestPath {
        sent,
        decoded: Some(decoded),
        offsets,
    })
}

/// The bytes as a text; those that are no UTF-8 as escapes.
fn text(bytes: &[u8], ends: &[u32]) -> (String, Vec<u32>) {
    let mut decoded = String::with_capacity(bytes.len());
    let mut offsets = Vec::with_capacity(bytes.len());
    let mut ends = ends.iter().copied();
    for chunk in bytes.utf8_chunks() {
        decoded.push_str(chunk.valid());
        offsets.extend(ends.by_ref().take(chunk.valid().len()));
        for byte in chunk.invalid() {
            push_encoded(&mut decoded, *byte);
            let end = ends.next().unwrap_or(u32::MAX);
            offsets.extend([end; 3]);
        }
    }
    (decoded, offsets)
}

/// The path without empty and dot segments; the same text if it has none. `..` stops at the root, a
/// slash at the end stays.
#[must_use]
pub fn clean(path: &str) -> Cow<'_, str> {
    let dirty = path.contains("//")
        || path.contains("/./")
        || path.contains("/../")
        || path.ends_with("/.")
        || path.ends_with("/..")
        || !path.starts_with('/');
    if !dirty {
        return Cow::Borrowed(path);
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let mut clean = String::with_capacity(path.len());
    for segment in &segments {
        clean.push('/');
        clean.push_str(segment);
    }
    if clean.is_empty() || path.ends_with('/') {
        clean.push('/');
    }
    Cow::Owned(clean)
}

/// A decoded path as it stands in an address.
#[must_use]
pub fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        let stays = is_unreserved(byte)
            || matches!(
                byte,
                b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@'
            );
        if stays {
            encoded.push(char::from(byte));
        } else {
            push_encoded(&mut encoded, byte);
        }
    }
    encoded
}

/// A text whose raw characters may all stand in an address; its escapes stay as they are.
#[must_use]
pub fn encode_unsafe(path: &str) -> Cow<'_, str> {
    if path.bytes().all(|byte| is_plain(byte) || byte == b'%') {
        return Cow::Borrowed(path);
    }
    let mut encoded = String::with_capacity(path.len().saturating_add(8));
    for byte in path.bytes() {
        if is_plain(byte) || byte == b'%' {
            encoded.push(char::from(byte));
        } else {
            push_encoded(&mut encoded, byte);
        }
    }
    Cow::Owned(encoded)
}

/// RFC 3986 section 2.3.
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn hex(byte: u8) -> Result<u8, PathError> {
    let digit = char::from(byte).to_digit(16);
    let digit = digit.and_then(|digit| u8::try_from(digit).ok());
    digit.ok_or(PathError::BrokenEscape)
}

fn push_encoded(out: &mut String, byte: u8) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or('0');
    out.push('%');
    out.push(digit(byte >> 4));
    out.push(digit(byte & 15));
}

#[cfg(test)]
mod tests;
