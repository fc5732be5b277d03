//! Formats JSON for reading.

use gatewright_model::json::laid_out;

/// Longer texts are shown unformatted: formatting them would block the page.
pub const LIMIT_BYTES: usize = 512 * 1024;

/// Returns the text indented by two spaces, or `None` if it is too long or not JSON.
#[must_use]
pub fn pretty(text: &str) -> Option<String> {
    if text.len() > LIMIT_BYTES {
        return None;
    }
    laid_out(text.trim_end())
}
