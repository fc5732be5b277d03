//! Durations as Go writes them: `1h30m10s`, `250ms`, `1.5s`.

/// Units and how many nanoseconds each has; longer names before those they begin with.
const UNITS: [(&str, f64); 8] = [
    ("ms", 1e6),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ns", 1.0),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// The longest duration Go can hold, in nanoseconds (2^63).
const LONGEST: f64 = 9_223_372_036_854_775_808.0;

/// The seconds of a duration, or `None` when the text is none. A sign may stand before it.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0.0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut nanoseconds = 0.0;
    while !rest.is_empty() {
        let end = rest
            .find(|character: char| !character.is_ascii_digit() && character != '.')
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at_checked(end)?;
        let digits = number.bytes().any(|byte| byte.is_ascii_digit());
        if !digits || number.matches('.').count() > 1 {
            return None;
        }
        let (unit, length) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
        nanoseconds += number.parse::<f64>().ok()? * length;
        rest = behind.get(unit.len()..)?;
    }
    (nanoseconds < LONGEST).then_some(sign * nanoseconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        for (text, expected) in [
            ("0", 0.0),
            ("1h30m10s", 5410.0),
            ("250ms", 0.25),
            ("1.5s", 1.5),
            (".5m", 30.0),
            ("-2s", -2.0),
            ("1µs", 1e-6),
            ("10m", 600.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "", "-", "1", "s", ".s", "1.2.3s", "1 s", "1d", "1h 2m", "9999999h", "1S",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
