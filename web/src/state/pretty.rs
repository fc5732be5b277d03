//! JSON laid out for reading.

use gatewright_model::json::laid_out;

/// Texts longer than this are shown as they came: laying them out would block the page.
pub const LIMIT_BYTES: usize = 512 * 1024;

/// The text indented by two spaces, or `None` if it is not JSON, or too long.
#[must_use]
pub fn pretty(text: &str) -> Option<String> {
    if text.len() > LIMIT_BYTES {
        return None;
    }
    laid_out(text.trim_end())
}
