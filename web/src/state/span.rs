//! Durations that documents give in seconds, converted to other units.

/// The units: their length in seconds and their names.
pub const UNITS: [(u32, &str); 4] = [
    (1, "seconds"),
    (60, "minutes"),
    (3_600, "hours"),
    (86_400, "days"),
];

/// Decimals in units other than seconds.
const DIGITS: u32 = 4;
const TENS: i64 = 10_000;

/// Converts seconds to a unit, with a few decimals. Anything that is not a positive number stays unchanged: 0 and
/// negative values have special meanings.
#[must_use]
pub fn in_unit(seconds: &str, unit: u32) -> String {
    let whole = seconds.trim().parse::<i64>().ok();
    let Some(whole) = whole.filter(|seconds| *seconds > 0 && unit > 1) else {
        return seconds.to_owned();
    };
    let parts = whole.saturating_mul(TENS).checked_div(i64::from(unit));
    let parts = parts.unwrap_or_default();
    let text = format!("{}.{:04}", parts / TENS, parts % TENS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Converts what was typed in a unit to whole seconds; unchanged if it isn't a duration.
#[must_use]
pub fn in_seconds(typed: &str, unit: u32) -> String {
    match parts(typed.trim()) {
        Some(parts) if parts > 0 && unit > 1 => {
            let seconds = parts.saturating_mul(i64::from(unit));
            (seconds.saturating_add(TENS / 2) / TENS).to_string()
        }
        _ => typed.to_owned(),
    }
}

/// Parses a number as ten-thousandths.
fn parts(typed: &str) -> Option<i64> {
    let (whole, rest) = typed.split_once('.').unwrap_or((typed, ""));
    let rest = rest.get(..DIGITS as usize).unwrap_or(rest);
    let padded = format!("{rest:0<4}");
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(&padded) {
        return None;
    }
    let whole = whole.parse::<i64>().ok()?.checked_mul(TENS)?;
    whole.checked_add(padded.parse().ok()?)
}

/// Formats a duration in at most two units: `1 day`, `1 hour 30 minutes`. Empty below a minute, where seconds are clear
/// enough.
#[must_use]
pub fn words(seconds: &str) -> Option<String> {
    let mut rest = seconds
        .trim()
        .parse::<i64>()
        .ok()
        .filter(|seconds| *seconds >= 60)?;
    let mut parts = Vec::new();
    for (length, name) in UNITS.into_iter().rev() {
        let count = rest.checked_div(i64::from(length))?;
        rest = rest.checked_rem(i64::from(length))?;
        match count {
            0 => {}
            1 => parts.push(format!("1 {}", name.trim_end_matches('s'))),
            count => parts.push(format!("{count} {name}")),
        }
    }
    parts.truncate(2);
    Some(parts.join(" "))
}

#[cfg(test)]
#[cfg(target_arch = "wasm32")]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn durations_accept_any_unit() {
        for (seconds, unit, shown) in [
            ("86400", 86_400, "1"),
            ("5400", 3_600, "1.5"),
            ("100", 60, "1.6666"),
            ("86400", 1, "86400"),
            ("0", 60, "0"),
            ("-1", 60, "-1"),
            ("1.5", 60, "1.5"),
            ("", 60, ""),
        ] {
            assert_eq!(in_unit(seconds, unit), shown, "{seconds}");
        }
        for (typed, unit, seconds) in [
            ("1", 86_400, "86400"),
            (" 1.5 ", 3_600, "5400"),
            ("0.5", 60, "30"),
            ("7", 1, "7"),
            ("-1", 60, "-1"),
            ("0", 60, "0"),
            ("1h", 60, "1h"),
            ("1.", 60, "60"),
            (".5", 60, ".5"),
            ("99999999999999999999", 60, "99999999999999999999"),
        ] {
            assert_eq!(in_seconds(typed, unit), seconds, "{typed}");
        }
    }

    #[wasm_bindgen_test]
    fn durations_use_two_units() {
        for (seconds, said) in [
            ("86400", Some("1 day")),
            ("3600", Some("1 hour")),
            ("5400", Some("1 hour 30 minutes")),
            ("90061", Some("1 day 1 hour")),
            ("172800", Some("2 days")),
            ("61", Some("1 minute 1 second")),
            ("59", None),
            ("0", None),
            ("-1", None),
            ("a", None),
        ] {
            assert_eq!(words(seconds).as_deref(), said, "{seconds}");
        }
    }
}
