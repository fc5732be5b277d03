//! Dates in UTC, in the layouts of Go's `time`.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "of numbers as small as dates are"
)]

use std::cell::Cell;

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
}

/// 0001-01-01, Go's zero time.
pub(crate) const ZERO: i64 = -62_135_596_800;

/// Returns the time of the request, in Unix seconds.
pub(crate) fn now() -> i64 {
    NOW.get()
}

/// Sets what `now` returns.
pub(crate) fn set_now(seconds: i64) {
    NOW.set(seconds);
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// The elements of a layout, the longest first.
const PARTS: [&str; 30] = [
    "January", "Monday", "2006", "Z07:00", "-07:00", "Z0700", "-0700", "Jan", "Mon", "MST",
    ".000000", ".000", "002", "01", "02", "03", "04", "05", "06", "15", "_2", "PM", "pm", "-07",
    "Z07", "1", "2", "3", "4", "5",
];

/// Returns year, month from 1, and day (Howard Hinnant, *chrono-compatible low-level date algorithms*).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Splits a layout at its next element: what precedes it, the element, and the rest.
fn part(layout: &str) -> (&str, &'static str, &str) {
    for (at, _) in layout.char_indices() {
        let rest = layout.get(at..).unwrap_or_default();
        if let Some(part) = PARTS.iter().find(|part| rest.starts_with(**part)) {
            let before = layout.get(..at).unwrap_or_default();
            return (before, part, rest.get(part.len()..).unwrap_or_default());
        }
    }
    (layout, "", "")
}

/// Formats a time.
pub(crate) fn format(seconds: i64, layout: &str) -> String {
    let clamped = seconds.clamp(ZERO, 253_402_300_799);
    let day_number = clamped.div_euclid(86_400);
    let (year, month, day) = civil(day_number);
    let of_day = clamped.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day % 3600 / 60, of_day % 60);
    let half = if hour % 12 == 0 { 12 } else { hour % 12 };
    let name = |names: &[&'static str], at: i64| {
        usize::try_from(at)
            .ok()
            .and_then(|at| names.get(at))
            .copied()
            .unwrap_or_default()
    };
    let month_name = name(&MONTHS, month - 1);
    let day_name = name(&DAYS, (day_number + 4).rem_euclid(7));
    let mut out = String::new();
    let mut rest = layout;
    loop {
        let (before, found, behind) = part(rest);
        out.push_str(before);
        match found {
            "" => return out,
            "January" => out.push_str(month_name),
            "Jan" => out.push_str(month_name.get(..3).unwrap_or_default()),
            "Monday" => out.push_str(day_name),
            "Mon" => out.push_str(day_name.get(..3).unwrap_or_default()),
            "2006" => out.push_str(&format!("{year:04}")),
            "06" => out.push_str(&format!("{:02}", year % 100)),
            "01" => out.push_str(&format!("{month:02}")),
            "1" => out.push_str(&month.to_string()),
            "02" => out.push_str(&format!("{day:02}")),
            "_2" => out.push_str(&format!("{day:2}")),
            "2" => out.push_str(&day.to_string()),
            "002" => out.push_str(&format!("{:03}", day_number - days(year, 1, 1) + 1)),
            "15" => out.push_str(&format!("{hour:02}")),
            "03" => out.push_str(&format!("{half:02}")),
            "3" => out.push_str(&half.to_string()),
            "04" => out.push_str(&format!("{minute:02}")),
            "4" => out.push_str(&minute.to_string()),
            "05" => out.push_str(&format!("{second:02}")),
            "5" => out.push_str(&second.to_string()),
            "PM" => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            "pm" => out.push_str(if hour < 12 { "am" } else { "pm" }),
            "MST" => out.push_str("UTC"),
            "-07:00" => out.push_str("+00:00"),
            "-0700" => out.push_str("+0000"),
            "-07" => out.push_str("+00"),
            "Z07:00" | "Z0700" | "Z07" => out.push('Z'),
            zeros => out.push_str(zeros),
        }
        rest = behind;
    }
}

/// Parses a time into Unix seconds.
pub(crate) fn parse(layout: &str, text: &str) -> Option<i64> {
    let (mut layout, mut reader) = (layout, Reader(text));
    let mut time = Time::START;
    loop {
        let (before, found, behind) = part(layout);
        reader.0 = reader.0.strip_prefix(before)?;
        layout = behind;
        if found.is_empty() {
            break;
        }
        time.read(found, &mut reader)?;
        // A fraction may follow the seconds even if the layout has none.
        if matches!(found, "05" | "5") && !layout.starts_with('.') && reader.0.starts_with('.') {
            let fraction = reader.0.trim_start_matches('.');
            reader.0 = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    time.seconds().filter(|_| reader.0.is_empty())
}

/// The rest of a text that is parsed.
struct Reader<'t>(&'t str);

impl Reader<'_> {
    /// Takes a number with as many digits.
    fn number(&mut self, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
        let most = self.0.bytes().take(*digits.end());
        let count = most.take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        number.parse().ok().filter(|_| digits.contains(&count))
    }

    /// Takes one of some names, or what it starts with, and returns its position.
    fn name(&mut self, names: &[&str], is_short: bool) -> Option<usize> {
        names.iter().position(|name| {
            let name = if is_short { name.get(..3) } else { Some(*name) };
            let rest = self.0.strip_prefix(name.unwrap_or_default());
            rest.map(|rest| self.0 = rest).is_some()
        })
    }

    /// Takes what is as long as a part of the layout.
    fn skip(&mut self, length: usize) -> Option<&str> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// Takes an offset from UTC as a zone of the layout writes it, and returns it in seconds.
    fn offset(&mut self, zone: &str) -> Option<i64> {
        if zone.starts_with('Z') && self.0.starts_with('Z') {
            self.skip(1)?;
            return Some(0);
        }
        let written = self.skip(zone.len())?;
        let digits: String = written.chars().filter(char::is_ascii_digit).collect();
        let (hours, minutes) = digits.split_at_checked(2)?;
        let minutes = if minutes.is_empty() { "0" } else { minutes };
        let size = hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60;
        Some(if written.starts_with('-') {
            -size
        } else {
            size
        })
    }
}

/// A time as its text states it.
struct Time {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// The offset from UTC in seconds.
    offset: i64,
    /// Whether the hour is one after noon; `None` if it counts from midnight.
    after_noon: Option<bool>,
}

impl Time {
    /// What a time is of which a text states nothing.
    const START: Self = Self {
        year: 1,
        month: 1,
        day: 1,
        hour: 0,
        minute: 0,
        second: 0,
        offset: 0,
        after_noon: None,
    };

    /// Reads a part of the layout.
    fn read(&mut self, part: &str, reader: &mut Reader<'_>) -> Option<()> {
        match part {
            "2006" => self.year = reader.number(4..=4)?,
            "06" => {
                let year = reader.number(2..=2)?;
                self.year = year + if year < 69 { 2000 } else { 1900 };
            }
            "01" => self.month = reader.number(2..=2)?,
            "1" => self.month = reader.number(1..=2)?,
            "January" | "Jan" => {
                let at = reader.name(&MONTHS, part == "Jan")?;
                self.month = i64::try_from(at).ok()?.saturating_add(1);
            }
            "02" => self.day = reader.number(2..=2)?,
            "2" => self.day = reader.number(1..=2)?,
            "_2" => {
                reader.0 = reader.0.trim_start_matches(' ');
                self.day = reader.number(1..=2)?;
            }
            "Monday" | "Mon" => {
                reader.name(&DAYS, part == "Mon")?;
            }
            "15" | "03" => self.hour = reader.number(2..=2)?,
            "3" => self.hour = reader.number(1..=2)?,
            "PM" | "pm" => self.after_noon = Some(reader.skip(2)?.eq_ignore_ascii_case("pm")),
            "04" => self.minute = reader.number(2..=2)?,
            "4" => self.minute = reader.number(1..=2)?,
            "05" => self.second = reader.number(2..=2)?,
            "5" => self.second = reader.number(1..=2)?,
            zone if zone.contains("07") => self.offset = reader.offset(zone)?,
            // `MST`, or the zeros of a fraction.
            other => {
                reader.skip(other.len())?;
            }
        }
        Some(())
    }

    /// Returns it in Unix seconds; `None` if there is no such time.
    fn seconds(&self) -> Option<i64> {
        let hour = match self.after_noon {
            Some(after) => self.hour % 12 + if after { 12 } else { 0 },
            None => self.hour,
        };
        let date = (self.year, self.month, self.day);
        let is_time = hour < 24 && self.minute < 60 && self.second < 60;
        if !(1..=12).contains(&self.month) || !(1..=31).contains(&self.day) || !is_time {
            return None;
        }
        let days = days(self.year, self.month, self.day);
        let seconds = hour * 3600 + self.minute * 60 + self.second;
        (civil(days) == date).then_some(days * 86_400 + seconds - self.offset)
    }
}

/// Parses a duration such as `1h30m` into seconds.
pub(crate) fn duration(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.trim_start_matches('+')),
    };
    let mut total = 0.0;
    while !rest.is_empty() {
        let at = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(at);
        let end = behind
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let unit = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * unit;
        rest = behind;
    }
    #[expect(clippy::cast_possible_truncation, reason = "as long as times are")]
    Some((sign * total) as i64)
}

/// Formats seconds as `1h2m3s`.
pub(crate) fn spelled(seconds: i64) -> String {
    let size = seconds.unsigned_abs();
    let sign = if seconds < 0 { "-" } else { "" };
    let (hours, minutes, rest) = (size / 3600, size % 3600 / 60, size % 60);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}s"),
        (0, _) => format!("{sign}{minutes}m{rest}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}s"),
    }
}

/// Formats seconds in the largest unit that they exceed.
pub(crate) fn rounded(seconds: i64) -> String {
    let size = seconds.unsigned_abs();
    let units = [
        (31_536_000, "y"),
        (2_592_000, "mo"),
        (86_400, "d"),
        (3600, "h"),
        (60, "m"),
        (1, "s"),
    ];
    let found = units.iter().find(|(unit, _)| size > *unit);
    found.map_or_else(
        || "0s".to_owned(),
        |(unit, name)| format!("{}{name}", size / unit),
    )
}
