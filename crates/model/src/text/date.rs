//! Dates: `2006-01-02 15:04` for expiries, and RFC 3339 timestamps.

/// Whether a text is a date and time in UTC of the form `2006-01-02 15:04` (reference section 3.4). As in the
/// reference, the hour may have one digit.
pub(crate) fn is_minute(text: &str) -> bool {
    let Some((day, time)) = text.split_once(' ') else {
        return false;
    };
    let Some((hour, minute)) = time.split_once(':') else {
        return false;
    };
    let is_hour = is_below(24, hour) || (hour.len() == 1 && number(hour).is_some());
    is_day(day) && is_hour && is_below(60, minute)
}

/// Whether a text is a timestamp (RFC 3339 section 5.6), with `T` and `Z` in upper case as Go requires.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let Some((day, rest)) = text.split_once('T') else {
        return false;
    };
    let (time, offset) = match rest.strip_suffix('Z') {
        Some(time) => (time, None),
        None => match rest
            .rfind(['+', '-'])
            .and_then(|at| rest.split_at_checked(at))
        {
            Some((time, offset)) => (time, offset.get(1..)),
            None => return false,
        },
    };
    is_day(day) && is_second(time) && offset.is_none_or(is_clock)
}

/// `15:04:05`, with or without a fraction.
fn is_second(text: &str) -> bool {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((clock, second)) = whole.rsplit_once(':') else {
        return false;
    };
    is_clock(clock) && is_below(60, second) && fraction.is_none_or(digits)
}

/// `15:04`.
fn is_clock(text: &str) -> bool {
    let parts = text.split_once(':');
    parts.is_some_and(|(hour, minute)| is_below(24, hour) && is_below(60, minute))
}

/// Whether a text is a number of two digits that is less than `end`.
fn is_below(end: u32, text: &str) -> bool {
    text.len() == 2 && number(text).is_some_and(|number| number < end)
}

/// `2006-01-02`, if it is a calendar day.
fn is_day(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(year), number(month), number(day)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let longest = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=longest).contains(&day)
}

fn number(digits: &str) -> Option<u32> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiries() {
        for text in [
            "2006-01-02 15:04",
            "2024-02-29 00:00",
            "9999-12-31 23:59",
            "2030-01-01 5:00",
        ] {
            assert!(is_minute(text), "{text}");
        }
        for text in [
            "",
            "2006-01-02",
            "2006-01-02T15:04",
            "2006-1-02 15:04",
            "2023-02-29 00:00",
            "1900-02-29 00:00",
            "2006-13-01 00:00",
            "2006-00-10 00:00",
            "2006-01-32 00:00",
            "2006-01-02 24:00",
            "2006-01-02 15:60",
            "2006-01-02 15:4",
            "2006-01-02 +5:04",
            "2006-01-02 15:04:05",
        ] {
            assert!(!is_minute(text), "{text}");
        }
    }

    #[test]
    fn timestamps() {
        for text in [
            "2023-07-24T08:36:18.871+01:00",
            "2023-07-24T08:36:18Z",
            "2023-07-24T08:36:18-11:30",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "",
            "2023-07-24",
            "2023-07-24 08:36:18Z",
            "2023-07-24T08:36Z",
            "2023-07-24T08:36:18",
            "2023-07-24T08:36:60Z",
            "2023-07-24T08:36:18.Z",
            "2023-07-24T08:36:18+1:00",
            "2023-07-24t08:36:18z",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
