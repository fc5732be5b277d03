//! Base64 as Go's standard decoder reads it (RFC 4648 section 4): padded, with line breaks and left-over bits ignored.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Decodes a text, or returns `None` if it is not Base64.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if text.contains(['\r', '\n']) {
        return LENIENT.decode(text.replace(['\r', '\n'], "")).ok();
    }
    LENIENT.decode(text).ok()
}

/// Encodes bytes, padded and on one line.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    LENIENT.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_go_accepts() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm\r\n9v", b"foo"),
            ("Zh==", b"f"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes), "{text:?}");
        }
        for text in ["Z", "Zg", "Zg=", "Zm9v=", "Zm 9v", "Zm-_", "é"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
