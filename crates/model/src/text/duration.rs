//! Durations as Go writes them: `1h30m10s`, `250ms`, `1.5s`.

/// Units with their nanoseconds; longer names precede their own prefixes.
const UNITS: [(&str, u64); 8] = [
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ns", 1),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Returns the nanoseconds of a duration, possibly signed, or `None` if the text is not a duration or exceeds Go's
/// range.
#[must_use]
pub fn nanoseconds(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let end = rest
            .find(|character: char| !character.is_ascii_digit() && character != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at_checked(end)?;
        let (unit, length) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
        sum = sum.checked_add(scaled(number, *length)?)?;
        rest = behind.get(unit.len()..)?;
    }
    let sum = i64::try_from(sum).ok()?;
    Some(if negative { sum.wrapping_neg() } else { sum })
}

/// Multiplies a number such as `1`, `.5` or `2.` by a length, dropping fractions of a nanosecond.
fn scaled(number: &str, length: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let digit = |byte: u8| u64::from(byte.wrapping_sub(b'0'));
    let whole = whole.bytes().try_fold(0_u64, |value, byte| {
        value.checked_mul(10)?.checked_add(digit(byte))
    })?;
    let mut part = length;
    let mut sum = whole.checked_mul(length)?;
    for byte in fraction.bytes() {
        part = part.wrapping_div(10);
        sum = sum.checked_add(part.saturating_mul(digit(byte)))?;
    }
    Some(sum)
}

/// Converts a duration to a JSON number of seconds, to the millisecond.
pub(crate) fn in_seconds(text: &str) -> Option<String> {
    let milliseconds = nanoseconds(text)?.wrapping_div(1_000_000);
    let sign = if milliseconds < 0 { "-" } else { "" };
    let whole = milliseconds.unsigned_abs().wrapping_div(1000);
    let rest = milliseconds.unsigned_abs().wrapping_rem(1000);
    Some(match rest {
        0 => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest:03}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        const S: i64 = 1_000_000_000;
        for (text, expected) in [
            ("0", 0),
            ("1h30m10s", 5410 * S),
            ("250ms", S / 4),
            ("1.5s", S * 3 / 2),
            (".5m", 30 * S),
            ("2.h", 7200 * S),
            ("-2s", -2 * S),
            ("1µs", 1000),
            ("1.0000000005s", S),
            ("10m", 600 * S),
        ] {
            assert_eq!(nanoseconds(text), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("1m", "60"),
            ("250ms", "0.250"),
            ("-1.5s", "-1.500"),
            ("1us", "0"),
        ] {
            assert_eq!(in_seconds(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "", "-", "1", "s", ".s", "1.2.3s", "1 s", "1d", "1h 2m", "9999999h", "1S",
        ] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
