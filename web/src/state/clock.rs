//! Formats points in time and durations for people.

/// Formats how long ago something was, given milliseconds since 1970. A time after `now` (a clock that is off) is "just
/// now".
#[must_use]
pub fn relative(now_ms: f64, then_ms: f64) -> String {
    let seconds = whole((now_ms - then_ms) / 1000.0);
    match seconds {
        0..45 => "just now".to_owned(),
        _ => format!("{} ago", span(seconds)),
    }
}

/// Formats how long it is until then. A time before `now` is "now".
#[must_use]
pub fn until(now_ms: f64, then_ms: f64) -> String {
    match whole((then_ms - now_ms) / 1000.0) {
        0 => "now".to_owned(),
        seconds @ 1..45 => format!("in {seconds} s"),
        seconds => format!("in {}", span(seconds)),
    }
}

/// Formats seconds in the unit that fits, minutes at least.
fn span(seconds: u64) -> String {
    let (length, unit) = match seconds {
        0..3_570 => (60, "min"),
        3_570..84_600 => (3_600, "h"),
        84_600..2_548_800 => (86_400, "d"),
        2_548_800..30_758_400 => (2_629_800, "mo"),
        _ => (31_557_600, "y"),
    };
    format!("{} {unit}", rounded(seconds, length).max(1))
}

/// Converts milliseconds since 1970 to Unix seconds; `None` for NaN.
#[must_use]
pub fn unix_seconds(ms: f64) -> Option<i64> {
    let seconds = whole(ms / 1000.0);
    i64::try_from(seconds).ok().filter(|_| !ms.is_nan())
}

/// Formats a duration: milliseconds below a second, seconds with one decimal above.
#[must_use]
pub fn duration(ms: f64) -> String {
    match whole(ms) {
        ms @ 0..1_000 => format!("{ms} ms"),
        ms => format!("{} s", one_digit(ms, 1_000)),
    }
}

/// Formats a number of bytes in the unit that fits, in powers of 1000.
#[must_use]
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", one_digit(count, 1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", one_digit(count, 1_000_000)),
        _ => format!("{} GB", one_digit(count, 1_000_000_000)),
    }
}

/// Rounds to the nearest whole number, at least 0. Only whole numbers are ever formatted: formatting floats would need
/// tables of 20 kB.
fn whole(number: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and what is out of range is far from any time"
    )]
    let whole = number.round() as u64;
    whole
}

fn rounded(count: u64, unit: u64) -> u64 {
    count
        .saturating_add(unit / 2)
        .checked_div(unit)
        .unwrap_or_default()
}

fn one_digit(count: u64, unit: u64) -> String {
    let tenths = rounded(count.saturating_mul(10), unit);
    format!("{}.{}", tenths / 10, tenths % 10)
}
