//! Times as they are stored, RFC 3339 in UTC with milliseconds, and as numbers to count with.

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
/// From the first day of the year 0, counted from March, to that of Unix time.
const EPOCH_DAYS: u64 = 719_468;

/// Milliseconds since the beginning of 1970 as RFC 3339 writes them, to the year 9999.
#[must_use]
pub fn rfc3339(ms: u64) -> String {
    let (year, month, day) = civil(ms / DAY);
    let (hour, minute) = (ms / 3_600_000 % 24, ms / 60_000 % 60);
    let (second, rest) = (ms / 1000 % 60, ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}

/// Milliseconds since the beginning of 1970 of a time that [`rfc3339`] has written; `None` for
/// every other text.
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

/// The day of the calendar, by the algorithm of <https://howardhinnant.github.io/date_algorithms.html>:
/// years begin in March, so that the leap day is the last one.
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

/// Days since 1970 of a day of the calendar.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
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
    fn what_is_written_otherwise_is_no_time() {
        for text in [
            "",
            "2024-02-29",
            "2024-02-29T12:34:56Z",
            "2024-02-29T12:34:56.789+00:00",
            "2024-13-01T00:00:00.000Z",
            "2024-00-01T00:00:00.000Z",
            "1969-12-31T00:00:00.000Z",
            "+024-01-01T00:00:00.000Z",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }
}
