//! The path of a request, parsed once.
//!
//! The promise: routing, rules, key rights and forwarding all use this one result, so a request can't pass a check
//! under one name and be served under another (the class of CVE-2025-32431 and similar bugs). Matching uses the
//! *decoded* path; forwarding uses the path *as it was sent*, with its escapes and their letter case (reference 5.2). A
//! path whose decoded form has empty or dot segments is not processed: the client is redirected to the canonical path.
//! One that would leave its API when parsed more leniently, or when the listen path is stripped, is refused
//! ([`readings`], [`splits_dots`]).

mod lenient;

pub use lenient::{CLIMBS, alternatives, climbs, leaves, readings, splits_dots};

use gatewright_model::text::percent::percent_bytes;
pub use gatewright_model::text::percent::{encode_query, percent_decode};
use std::borrow::Cow;

/// Why a request with this path is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// `%` is not followed by two hexadecimal digits.
    BrokenEscape,
    /// The path has empty or dot segments; this is the canonical path, encoded.
    Unclean(String),
}

/// The path of a request. The default is empty, which occurs only in a loop's address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestPath {
    /// The path as sent, with characters encoded that must not appear raw.
    sent: String,
    /// The decoded path; `None` if it equals `sent`.
    decoded: Option<String>,
    /// For each byte of `decoded`, where its encoding ends in `sent`; empty if they are equal.
    offsets: Vec<u32>,
}

impl RequestPath {
    /// Parses the path of a request target; an empty one becomes `/`.
    ///
    /// # Errors
    /// If it has a broken escape or is not in canonical form.
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
            Cow::Owned(_) => Err(PathError::Unclean(canonical(path))),
        }
    }

    /// The decoded path, which rules are matched against. Bytes that aren't UTF-8 stay escaped.
    #[must_use]
    pub fn decoded(&self) -> &str {
        self.decoded.as_deref().unwrap_or(&self.sent)
    }

    /// The path as it was sent.
    #[must_use]
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// The part of the path, as it was sent, after the first `decoded` bytes of the decoded path.
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

/// Whether a byte is the same encoded and decoded.
const fn is_plain(byte: u8) -> bool {
    byte > b' ' && byte < 0x7f && byte != b'%' && !is_unsafe(byte)
}

/// Whether a character must not appear raw in a path (RFC 3986 section 3.3).
const fn is_unsafe(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'<' | b'>' | b'?' | b'#' | b'[' | b']' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
    )
}

/// Whether a character may appear raw or encoded in a path (RFC 3986 section 2.2).
const fn is_either(byte: u8) -> bool {
    matches!(byte, b'!' | b'\''..=b'*')
}

fn decode(path: &str) -> Result<RequestPath, PathError> {
    let mut sent = String::with_capacity(path.len());
    let mut bytes = Vec::with_capacity(path.len());
    let mut ends = Vec::with_capacity(path.len());
    // As in `Target::join`: a path without escapes is encoded anew.
    let is_new = !path.contains('%');
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
            if is_plain(byte) && !(is_new && is_either(byte)) {
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

/// The canonical form of a path, encoded. Each byte is a character here, so that those which aren't UTF-8 survive.
fn canonical(path: &str) -> String {
    let letters: String = percent_bytes(path).into_iter().map(char::from).collect();
    let clean = clean(&letters);
    encode_bytes(clean.chars().filter_map(|letter| u8::try_from(letter).ok()))
}

/// Converts bytes to text, escaping those that aren't UTF-8.
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

/// Removes empty and dot segments; returns the same text if there are none. `..` stops at the root, a trailing slash
/// stays.
#[must_use]
pub fn clean(path: &str) -> Cow<'_, str> {
    // Most paths are clean, and every request asks: one pass, without searching for texts.
    let is_clean = path.strip_prefix('/').is_some_and(|rest| {
        let mut segments = rest.split('/');
        let last = segments.next_back();
        !matches!(last, Some("." | ".."))
            && segments.all(|segment| !matches!(segment, "" | "." | ".."))
    });
    if is_clean {
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

/// Encodes a decoded path for use in a URL.
#[must_use]
pub fn encode(path: &str) -> String {
    encode_bytes(path.bytes())
}

fn encode_bytes(path: impl Iterator<Item = u8>) -> String {
    let mut encoded = String::with_capacity(path.size_hint().0);
    for byte in path {
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

/// Encodes the characters of a text that must not appear raw in a URL; existing escapes stay.
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

/// The unreserved characters of RFC 3986 section 2.3.
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
