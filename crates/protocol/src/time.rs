//! Times as stored, RFC 3339 in UTC with milliseconds, and as numbers to calculate with.

/// The milliseconds in a day.
const DAY: u64 = 86_400_000;
/// The last millisecond of the year 9999.
const LAST_MS: u64 = 253_402_300_799_999;
/// The days from 1 March of the year 0 to the start of Unix time.
const EPOCH_DAYS: u64 = 719_468;
/// The names of months in HTTP (RFC 9110 section 5.6.7).
pub const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Formats Unix milliseconds by RFC 3339, up to the year 9999.
#[must_use]
pub fn rfc3339(ms: u64) -> String {
    let (year, month, day) = civil(ms / DAY);
    let (hour, minute) = (ms / 3_600_000 % 24, ms / 60_000 % 60);
    let (second, rest) = (ms / 1000 % 60, ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}

/// Formats Unix milliseconds as HTTP does, in whole seconds (RFC 9110 section 5.6.7), with this name for UTC: `Sat, 31
/// Jan 2026 12:34:56 GMT`.
#[must_use]
pub fn http_date(ms: u64, zone: &str) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let days = ms / DAY;
    let (year, month, day) = civil(days);
    let named = |names: &[&'static str], index: u64| {
        let index = usize::try_from(index).unwrap_or_default();
        names.get(index).copied().unwrap_or_default()
    };
    let (weekday, month) = (
        named(&DAYS, days % 7),
        named(&MONTHS, month.saturating_sub(1)),
    );
    let (hour, minute, second) = (ms / 3_600_000 % 24, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} {zone}")
}

/// Returns the Unix milliseconds of a time that [`rfc3339`] has written; `None` for any other text.
#[must_use]
pub fn millis(text: &str) -> Option<u64> {
    let form = "0000-00-00T00:00:00.000Z";
    let same = |(own, wanted): (u8, u8)| match wanted {
        b'0' => own.is_ascii_digit(),
        _ => own == wanted,
    };
    if text.len() != form.len() || !text.bytes().zip(form.bytes()).all(same) {
        return None;
    }
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let days = days(part(0, 4)?, part(5, 7)?, part(8, 10)?)?;
    let seconds = part(11, 13)?
        .checked_mul(3600)?
        .checked_add(part(14, 16)?.checked_mul(60)?)?
        .checked_add(part(17, 19)?)?;
    days.checked_mul(DAY)?
        .checked_add(seconds.checked_mul(1000)?)?
        .checked_add(part(20, 23)?)
}

/// Parses a time by RFC 3339 (section 5.6) into the form of [`rfc3339`]. A time before 1970 becomes the start of 1970:
/// nothing stored is older. `None` for any other text, for leap seconds, and for times after the year 9999 in UTC.
#[must_use]
pub fn instant(text: &str) -> Option<String> {
    let (date, time) = (text.get(..10)?, text.get(11..19)?);
    let rest = text.get(19..)?;
    if !matches!(text.as_bytes().get(10), Some(b'T' | b't')) {
        return None;
    }
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (fraction, zone) = (rest.get(..zone)?, rest.get(zone..)?);
    let local = local_ms(date, time)?.checked_add(fraction_ms(fraction)?)?;
    let ms = match zone.split_at_checked(1)? {
        ("Z" | "z", "") => local,
        ("+", offset) => local.saturating_sub(minutes(offset)?.checked_mul(60_000)?),
        ("-", offset) => local.checked_add(minutes(offset)?.checked_mul(60_000)?)?,
        _ => return None,
    };
    (ms <= LAST_MS).then(|| rfc3339(ms))
}

/// Returns the Unix milliseconds of a date and a time, ignoring the time zone; 0 for times before 1970.
fn local_ms(date: &str, time: &str) -> Option<u64> {
    let (day, seconds) = (parts(date, '-')?, parts(time, ':')?);
    let [year, month, day] = day;
    let [hour, minute, second] = seconds;
    if year > 9999 || !is_day(year, month, day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let Some(days) = days(year, month, day) else {
        return Some(0);
    };
    let seconds = hour
        .checked_mul(3600)?
        .checked_add(minute.checked_mul(60)?)?
        .checked_add(second)?;
    days.checked_mul(DAY)?
        .checked_add(seconds.checked_mul(1000)?)
}

/// Parses three numbers separated by `sign`, the last two of two digits.
fn parts(text: &str, sign: char) -> Option<[u64; 3]> {
    let mut words = text.split(sign);
    let (first, second, third) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || second.len() != 2 || third.len() != 2 {
        return None;
    }
    Some([digits(first)?, digits(second)?, digits(third)?])
}

/// Parses a number that consists of digits only: a sign is refused.
fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok())?
}

/// Returns the milliseconds of a fraction of a second that includes its point; finer digits are dropped.
fn fraction_ms(text: &str) -> Option<u64> {
    let Some(fraction) = text.strip_prefix('.') else {
        return text.is_empty().then_some(0);
    };
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ms: String = fraction.chars().chain("00".chars()).take(3).collect();
    digits(&ms)
}

/// Returns `hh:mm` in minutes.
fn minutes(text: &str) -> Option<u64> {
    let (hours, minutes) = text.split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    let all = hours.checked_mul(60)?.checked_add(minutes)?;
    (hours <= 23 && minutes <= 59).then_some(all)
}

/// Whether it is a day of the calendar.
fn is_day(year: u64, month: u64, day: u64) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=last).contains(&day)
}

/// Converts days since 1970 to year, month and day, by the algorithm of
/// <https://howardhinnant.github.io/date_algorithms.html>: years start in March, so that the leap day is the last one.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "days since 1970 are far below any overflow, and each difference is that of a part to its whole"
)]
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + EPOCH_DAYS;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// Converts a day to days since 1970; `None` for an earlier one, and if the calendar has no such day.
#[must_use]
pub fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !is_day(year, month, day) {
        return None;
    }
    let year = year.checked_sub(u64::from(month <= 2))?;
    let (era, of_era) = (year / 400, year % 400);
    let from_march = month.checked_add(9)? % 12;
    let day_of_year = (from_march.checked_mul(153)?.checked_add(2)? / 5).checked_add(day)?;
    let leap_days = (of_era / 4).checked_sub(of_era / 100)?;
    let day_of_era = of_era
        .checked_mul(365)?
        .checked_add(leap_days)?
        .checked_add(day_of_year)?;
    era.checked_mul(146_097)?
        .checked_add(day_of_era)?
        .checked_sub(EPOCH_DAYS.checked_add(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_210_096_789, "2024-02-29T12:34:56.789Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
            assert_eq!(millis(text), Some(ms), "{text}");
        }
        for day in 0..80_000 {
            assert_eq!(millis(&rfc3339(day * DAY)), Some(day * DAY));
        }
    }

    #[test]
    fn times_of_rfc_3339_are_read_as_utc() {
        for (text, utc) in [
            ("2026-01-31T12:34:56Z", "2026-01-31T12:34:56.000Z"),
            ("2026-01-31t12:34:56.7z", "2026-01-31T12:34:56.700Z"),
            ("2026-01-31T12:34:56.789Z", "2026-01-31T12:34:56.789Z"),
            (
                "2026-01-31T12:34:56.7899999999999999999999Z",
                "2026-01-31T12:34:56.789Z",
            ),
            ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
            ("2026-01-01T00:30:00-11:45", "2026-01-01T12:15:00.000Z"),
            ("2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00.000Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
            ("1969-12-31T23:59:59Z", "1970-01-01T00:00:00.000Z"),
            ("1970-01-01T00:00:00+01:00", "1970-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(instant(text).as_deref(), Some(utc), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_rfc_3339_is_not_a_time() {
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T12:34Z",
            "2026-01-31T12:34:56",
            "2026-01-31 12:34:56Z",
            "2026-01-31T12:34:56.Z",
            "2026-01-31T12:34:56.7x9Z",
            "2026-01-31T12:34:56ZZ",
            "2026-01-31T12:34:56+0100",
            "2026-01-31T12:34:56+1:00",
            "2026-01-31T12:34:56+24:00",
            "2026-01-31T12:34:56+00:60",
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "+026-01-01T00:00:00Z",
            "2026-+1-01T00:00:00Z",
            "+12026-01-01T00:00:00Z",
            "9999-12-31T23:59:59-01:00",
            "Sat, 31 Jan 2026 12:34:56 GMT",
            "\u{fc}\u{fc}\u{fc}\u{fc}\u{fc}T\u{fc}\u{fc}\u{fc}\u{fc}Z",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_written_as_http_does() {
        for (ms, expected) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_769_862_896_789, "Sat, 31 Jan 2026 12:34:56 GMT"),
            (1_709_251_140_000, "Thu, 29 Feb 2024 23:59:00 GMT"),
        ] {
            assert_eq!(http_date(ms, "GMT"), expected);
        }
    }

    #[test]
    fn another_spelling_is_not_a_time() {
        for text in [
            "",
            "2024-02-29",
            "2024-02-29T12:34:56Z",
            "2024-02-29T12:34:56.789+00:00",
            "2024-13-01T00:00:00.000Z",
            "2024-00-01T00:00:00.000Z",
            "2023-02-29T00:00:00.000Z",
            "1969-12-31T00:00:00.000Z",
            "+024-01-01T00:00:00.000Z",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }
}
