//! Percent-encoding (RFC 3986 section 2.1).

/// Removes one layer of percent-encoding; invalid encodings are left unchanged.
#[must_use]
pub fn percent_decode(text: &str) -> String {
    String::from_utf8_lossy(&percent_bytes(text)).into_owned()
}

/// The same as bytes, which need not be UTF-8.
#[must_use]
pub fn percent_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let decoded = match (byte, tail) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => Some(((high << 4) | low, after)),
                _ => None,
            },
            _ => None,
        };
        let (byte, after) = decoded.unwrap_or((byte, tail));
        out.push(byte);
        rest = after;
    }
    out
}

/// Encodes a text as the value of a parameter: spaces as `+`, everything but unreserved characters percent-encoded.
#[must_use]
pub fn encode_query(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn hex(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layer_is_decoded_and_invalid_escapes_stay() {
        for (text, decoded) in [
            ("a%2Fb", "a/b"),
            ("%252F", "%2F"),
            ("%2", "%2"),
            ("%zz", "%zz"),
        ] {
            assert_eq!(percent_decode(text), decoded, "{text}");
        }
    }

    #[test]
    fn a_value_of_a_query_is_encoded() {
        assert_eq!(encode_query("a b&c=é/~"), "a+b%26c%3D%C3%A9%2F~");
    }
}
