//! Query strings, read and written without the browser's functions, so that code that uses them can be tested natively.

use std::fmt::Write as _;

/// Percent-encodes everything but the unreserved characters of RFC 3986, section 2.3.
#[must_use]
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            // Writing to a String can't fail.
            other => drop(write!(out, "%{other:02X}")),
        }
    }
    out
}

/// Decodes `%XX` and `+`. A broken escape is left unchanged; bytes that aren't UTF-8 become U+FFFD.
#[must_use]
pub fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        match (first, tail) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push((high << 4) | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            (other, _) => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// Returns the decoded pairs of a query string, with or without its `?`, in order.
#[must_use]
pub fn pairs(query: &str) -> Vec<(String, String)> {
    query
        .trim_start_matches('?')
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// Joins pairs into a query string without `?`. Pairs with an empty value are left out.
#[must_use]
pub fn join(pairs: &[(&str, String)]) -> String {
    let given = pairs.iter().filter(|(_, value)| !value.is_empty());
    given
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}
