//! Dates as HTTP and certificates write them.

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Parses `Mon, 02 Jan 2006 15:04:05 GMT` (RFC 9110 section 5.6.7) into Unix milliseconds. The weekday isn't checked
/// against the date. As in the family, clients may use another zone: a name counts as UTC, `+01` as its offset.
pub(crate) fn http(text: &str) -> Option<i64> {
    let (name, rest) = text.split_once(", ")?;
    let parts: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, zone] = parts.as_slice() else {
        return None;
    };
    if !DAYS.contains(&name) || day.len() != 2 {
        return None;
    }
    at(day, month, year, time)?.checked_sub(ahead(zone)?)
}

/// Returns the offset of a zone in milliseconds, positive if its clocks are ahead.
fn ahead(zone: &str) -> Option<i64> {
    let hours = |digits| number(digits, 2, 23)?.checked_mul(3_600_000);
    if let Some(digits) = zone.strip_prefix('+') {
        return hours(digits);
    }
    if let Some(digits) = zone.strip_prefix('-') {
        return hours(digits)?.checked_neg();
    }
    let is_name = zone.bytes().all(|byte| byte.is_ascii_uppercase())
        && (zone.len() == 3 || (matches!(zone.len(), 4 | 5) && zone.ends_with('T')));
    is_name.then_some(0)
}

/// Parses `Jan  2 15:04:05 2006 GMT`, as OpenSSL prints the times of a certificate, into Unix milliseconds.
pub(crate) fn of_certificate(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [month, day, time, year, "GMT"] = parts.as_slice() else {
        return None;
    };
    at(day, month, year, time)
}

fn at(day: &str, month: &str, year: &str, time: &str) -> Option<i64> {
    let clock: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = clock.as_slice() else {
        return None;
    };
    let month = MONTHS.iter().position(|known| *known == month)?;
    let month = i64::try_from(month).ok()?.checked_add(1)?;
    let (day, year) = (number(day, day.len().min(2), 31)?, number(year, 4, 9999)?);
    let (hour, minute, second) = (
        number(hour, 2, 23)?,
        number(minute, 2, 59)?,
        number(second, 2, 60)?,
    );
    if day == 0 {
        return None;
    }
    let hours = days(year, month, day).checked_mul(24)?.checked_add(hour)?;
    let minutes = hours.checked_mul(60)?.checked_add(minute)?;
    minutes
        .checked_mul(60)?
        .checked_add(second)?
        .checked_mul(1000)
}

fn number(text: &str, digits: usize, most: i64) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse::<i64>().ok()).flatten()?;
    (number <= most).then_some(number)
}

/// Returns the days since 1970 (Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms*). The numbers are
/// bounded.
#[expect(clippy::arithmetic_side_effects, reason = "at most four digits each")]
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::{http, of_certificate};

    #[test]
    fn times_of_certificates_are_read() {
        for (text, at) in [
            ("Jan  1 00:00:00 1970 GMT", Some(0)),
            ("Dec 22 19:39:00 2018 GMT", Some(1_545_507_540_000)),
            ("Dec 22 19:39:00 2018", None),
            ("", None),
        ] {
            assert_eq!(of_certificate(text), at, "{text}");
        }
    }

    #[test]
    fn dates_of_http_are_read_and_no_others() {
        for (text, at) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Tue, 02 Jan 2024 03:04:05 GMT", Some(1_704_164_645_000)),
            ("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199_000)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777_000)),
            ("Sun, 6 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 UTC", Some(784_111_777_000)),
            ("Sun, 06 Nov 1994 08:49:37 CEST", Some(784_111_777_000)),
            ("Sun, 06 Nov 1994 09:49:37 +01", Some(784_111_777_000)),
            ("Sun, 06 Nov 1994 05:49:37 -03", Some(784_111_777_000)),
            ("Sun, 06 Nov 1994 08:49:37 +0000", None),
            ("Sun, 06 Nov 1994 08:49:37 +24", None),
            ("Sun, 06 Nov 1994 08:49:37 gmt", None),
            ("Sun, 06 Nov 1994 08:49:37 Z", None),
            ("Sun, 06 Nov 1994 08:49:37 CESX", None),
            ("Sun, 06 Nov 1994 08:49:37 ", None),
            ("Sun, 06 Nov 1994 08:49:37", None),
            ("Sun, 06 Nov 1994 24:49:37 GMT", None),
            ("Sun, 00 Nov 1994 08:49:37 GMT", None),
            ("2024-01-02T03:04:05Z", None),
            ("", None),
        ] {
            assert_eq!(http(text), at, "{text}");
        }
    }
}
