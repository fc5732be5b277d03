//! Expiry dates: `2006-01-02 15:04` in UTC, and the format of the announcement.

use gatewright_protocol::time::{days, http_date};

/// A minute of the calendar. The default is the start of 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    minutes: u64,
}

const MINUTES_OF_DAY: u64 = 24 * 60;

impl Moment {
    /// Parses a date; the hour may have a single digit. `None` if it is malformed or before 1970.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_once(' ')?;
        let (hour, minute) = time.split_once(':')?;
        let mut parts = day.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || !matches!(hour.len(), 1 | 2) {
            return None;
        }
        let hour = number(hour, hour.len()).filter(|hour| *hour < 24)?;
        let minute = number(minute, 2).filter(|minute| *minute < 60)?;
        let days = days(number(year, 4)?, number(month, 2)?, number(day, 2)?)?;
        let minutes = days.checked_mul(MINUTES_OF_DAY)?;
        let minutes = minutes.checked_add(hour.checked_mul(60)?)?;
        let minutes = minutes.checked_add(minute)?;
        Some(Self { minutes })
    }

    /// Unix milliseconds.
    pub(super) const fn ms(&self) -> u64 {
        self.minutes.saturating_mul(60_000)
    }

    /// Formats it as in RFC 1123, but with `UTC`: `Mon, 01 Jun 2099 00:00:00 UTC`.
    pub(super) fn http(self) -> String {
        http_date(self.ms(), "UTC")
    }
}

fn number(text: &str, digits: usize) -> Option<u64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_and_written() {
        for (text, ms, http) in [
            ("1970-01-01 0:00", 0, "Thu, 01 Jan 1970 00:00:00 UTC"),
            (
                "2099-06-01 00:00",
                4_083_955_200_000,
                "Mon, 01 Jun 2099 00:00:00 UTC",
            ),
            (
                "2024-02-29 23:59",
                1_709_251_140_000,
                "Thu, 29 Feb 2024 23:59:00 UTC",
            ),
            (
                "3000-01-02 15:04",
                32_503_820_640_000,
                "Thu, 02 Jan 3000 15:04:00 UTC",
            ),
        ] {
            let moment = Moment::parse(text).unwrap();
            assert_eq!(
                (moment.ms(), moment.http()),
                (ms, http.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn impossible_dates_are_rejected() {
        for text in [
            "",
            "next week",
            "2006-01-02",
            "2006-01-02T15:04",
            "2006-1-02 15:04",
            "2023-02-29 00:00",
            "2006-13-01 00:00",
            "2006-00-10 00:00",
            "2006-01-00 00:00",
            "2006-04-31 00:00",
            "2006-01-02 24:00",
            "2006-01-02 15:4",
            "2006-01-02 15:04:05",
            "1969-12-31 00:00",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
