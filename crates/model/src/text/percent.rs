//! Percent-encoding (RFC 3986 section 2.1).

/// One layer of percent-decoding; what is no encoding stays.
#[must_use]
pub fn percent_decode(text: &str) -> String {
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
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layer_is_taken_off_and_what_is_no_encoding_stays() {
        for (text, decoded) in [
            ("a%2Fb", "a/b"),
            ("%252F", "%2F"),
            ("%2", "%2"),
            ("%zz", "%zz"),
        ] {
            assert_eq!(percent_decode(text), decoded, "{text}");
        }
    }
}
