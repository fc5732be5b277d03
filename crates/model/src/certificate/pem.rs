//! PEM: the textual encodings of RFC 7468, read as leniently as it allows.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// A block: its label and its bytes.
pub(super) struct Block {
    pub(super) label: String,
    pub(super) der: Vec<u8>,
}

/// Returns the blocks of a text in order, ignoring what is between them. `None` if one of them is not Base64, is
/// unterminated, or has headers of its own, as encrypted keys in the old format do.
pub(super) fn blocks(text: &str) -> Option<Vec<Block>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("-----BEGIN ") {
        let (label, behind) = behind.split_once("-----")?;
        let (inside, behind) = behind.split_once(&format!("-----END {label}-----"))?;
        let base64: String = inside.split_whitespace().collect();
        found.push(Block {
            label: label.to_owned(),
            der: BASE64_STANDARD.decode(base64).ok()?,
        });
        rest = behind;
    }
    Some(found)
}
