//! Points in time as people say them.

/// How long ago, from milliseconds since 1970. A moment ahead of `now` (a clock that is off) is "just now".
#[must_use]
pub fn relative(now_ms: f64, then_ms: f64) -> String {
    let seconds = ((now_ms - then_ms) / 1000.0).max(0.0);
    let (count, unit) = match seconds {
        s if s < 45.0 => return "just now".to_owned(),
        s if s < 3_570.0 => ((s / 60.0).round(), "min"),
        s if s < 84_600.0 => ((s / 3_600.0).round(), "h"),
        s if s < 2_548_800.0 => ((s / 86_400.0).round(), "d"),
        s if s < 30_758_400.0 => ((s / 2_629_800.0).round().max(1.0), "mo"),
        s => ((s / 31_557_600.0).round().max(1.0), "y"),
    };
    format!("{count} {unit} ago")
}

/// A length of time: milliseconds below a second, seconds with one digit above.
#[must_use]
pub fn duration(ms: f64) -> String {
    if ms < 1_000.0 {
        format!("{} ms", ms.round())
    } else {
        format!("{:.1} s", ms / 1_000.0)
    }
}

/// Bytes in the unit that fits, in powers of 1000.
#[must_use]
pub fn bytes(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let exact = count as f64;
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", exact / 1e3),
        _ => format!("{:.1} MB", exact / 1e6),
    }
}
