//! The clock.

/// The current time in Unix milliseconds.
#[must_use]
pub fn now_ms() -> u64 {
    whole(js_sys::Date::now())
}

/// A time of JavaScript in Unix milliseconds.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time after 1970, far below 2^53"
)]
pub const fn whole(ms: f64) -> u64 {
    ms as u64
}

/// The current time, RFC 3339 in UTC with milliseconds.
#[must_use]
pub fn now() -> String {
    String::from(js_sys::Date::new_0().to_iso_string())
}
