//! HTTP dates, in all three formats that a recipient must accept (RFC 9110 section 5.6.7).

use gatewright_protocol::time::{MONTHS, days};

/// The formats behind the name of the day: `D` is a digit, `d` a digit or a space, and so on; other characters stand for
/// themselves, in any case.
const FORMATS: [&str; 3] = [
    ", DD NNN YYYY hh:mm:ss GMT",
    ", DD-NNN-YY hh:mm:ss GMT",
    " NNN dD hh:mm:ss YYYY",
];

/// Parses a date to Unix milliseconds; `None` if it is invalid or before 1970. Anything but the three formats is
/// invalid, because what is no date must count as past in `Expires` (RFC 9111 section 5.3).
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let format = FORMATS.iter().find(|format| fits(text, format))?;
    let field = |letters: [char; 2]| {
        let (from, to) = (format.find(letters)?, format.rfind(letters)?);
        text.get(from..=to)
    };
    let number = |letters| field(letters)?.trim_start().parse::<u64>().ok();
    let year = number(['Y', 'Y'])?;
    let year = match field(['Y', 'Y'])?.len() {
        2 if year < 70 => year.checked_add(2000)?,
        2 => year.checked_add(1900)?,
        _ => year,
    };
    let named =
        |known: &&str| Some(true) == field(['N', 'N']).map(|name| known.eq_ignore_ascii_case(name));
    let month = u64::try_from(MONTHS.iter().position(named)?).ok()?;
    let (hours, minutes, seconds) = (
        number(['h', 'h'])?,
        number(['m', 'm'])?,
        number(['s', 's'])?,
    );
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let days = days(year, month.checked_add(1)?, number(['d', 'D'])?)?;
    let hours = days.checked_mul(24)?.checked_add(hours)?;
    let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    seconds.checked_mul(1000)
}

fn fits(text: &str, format: &str) -> bool {
    let mut pairs = text.bytes().zip(format.bytes());
    text.len() == format.len()
        && pairs.all(|(byte, form)| match form {
            b'D' | b'Y' | b'h' | b'm' | b's' => byte.is_ascii_digit(),
            b'd' => byte.is_ascii_digit() || byte == b' ',
            b'N' => byte.is_ascii_alphabetic(),
            _ => byte.eq_ignore_ascii_case(&form),
        })
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
        assert_eq!(
            parse("SUN, 06 NOV 1994 08:49:37 gmt"),
            Some(784_111_777_000)
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
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 06  Nov  1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994 08.49.37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Növ 1994 08:49:37 GMT",
            "Sun Nov    08:49:37 1994",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
