//! The clock.

/// Returns the current time in Unix milliseconds.
#[must_use]
pub fn now_ms() -> u64 {
    to_millis(js_sys::Date::now())
}

/// Converts a JavaScript time to whole Unix milliseconds.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time after 1970, far below 2^53"
)]
pub const fn to_millis(ms: f64) -> u64 {
    ms as u64
}

/// Returns the current time in RFC 3339 format, UTC with milliseconds.
#[must_use]
pub fn now() -> String {
    String::from(js_sys::Date::new_0().to_iso_string())
}
