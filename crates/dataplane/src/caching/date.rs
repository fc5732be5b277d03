//! HTTP dates, in all three formats that a recipient must accept (RFC 9110 section 5.6.7).

use gatewright_protocol::time::{MONTHS, days};

/// Parses a date to Unix milliseconds; `None` if it is invalid or before 1970.
pub(super) fn parse(text: &str) -> Option<u64> {
    let mut parts = text
        .split([' ', ',', '-'])
        .filter(|part| !part.is_empty())
        .skip(1);
    let (first, second) = (parts.next()?, parts.next()?);
    let (third, fourth) = (parts.next()?, parts.next()?);
    // `Sun Nov  6 08:49:37 1994` has the month first and no time zone.
    let (month, day, time, year) = match (month(first), parts.next()) {
        (Some(month), None) => (month, second, third, fourth),
        (None, Some("GMT")) => (month(second)?, first, fourth, third),
        _ => return None,
    };
    let mut time = time.split(':').map(|part| number(part, 2));
    let (hours, minutes, seconds) = (time.next()??, time.next()??, time.next()??);
    if parts.next().is_some() || time.next().is_some() || hours > 23 || minutes > 59 || seconds > 60
    {
        return None;
    }
    let days = days(year_of(year)?, month, number(day, 2)?)?;
    let minutes = days
        .checked_mul(24)?
        .checked_add(hours)?
        .checked_mul(60)?
        .checked_add(minutes)?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    seconds.checked_mul(1000)
}

fn month(name: &str) -> Option<u64> {
    let named = |known: &&str| known.eq_ignore_ascii_case(name);
    let at = MONTHS.iter().position(named)?;
    u64::try_from(at).ok()?.checked_add(1)
}

/// Parses a year; two digits stand for 1970 to 2069.
fn year_of(text: &str) -> Option<u64> {
    match number(text, 4)? {
        year if text.len() == 2 && year < 70 => year.checked_add(2000),
        year if text.len() == 2 => year.checked_add(1900),
        year => Some(year),
    }
}

fn number(text: &str, most: usize) -> Option<u64> {
    let is_number = text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn all_date_formats_agree() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(parse(text), Some(784_111_777_000), "{text}");
        }
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            parse("Mon, 01-Jan-68 00:00:00 GMT"),
            Some(3_092_601_600_000)
        );
    }

    #[test]
    fn rejects_other_dates() {
        for text in [
            "0",
            "",
            "-1",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 PST",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT+1 x",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
