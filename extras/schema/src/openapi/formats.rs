//! The formats that strings and integers are checked against: those of the reference (3.14), no others.

use crate::formats::fits;

/// The message for a string that isn't Base64.
const BASE64: &str = r#"string doesn't match pattern "(^$|^[a-zA-Z0-9+/\-_]*=*$)""#;

/// The layouts of times in the language of the reference, by which its messages name them.
const DATE: &str = "2006-01-02";
const DATE_TIME: &str = "2006-01-02T15:04:05Z07:00";

/// The numbers of a time: the separator before each, its place in the layout, its name, and its smallest and largest
/// value; the day's depends on the month.
const NUMBERS: [(&str, &str, &str, u32, u32); 6] = [
    ("", "2006", "year", 0, 9999),
    ("-", "01", "month", 1, 12),
    ("-", "02", "day", 0, 99),
    ("T", "15", "hour", 0, 23),
    (":", "04", "minute", 0, 59),
    (":", "05", "second", 0, 59),
];

/// Returns why a string doesn't have a format; `None` if it does, or if the format isn't checked.
pub(crate) fn problem(format: &str, text: &str) -> Option<String> {
    match format {
        "date" => time(text, DATE).err(),
        "date-time" => time(text, DATE_TIME).err(),
        "byte" => (!is_base64(text)).then(|| BASE64.to_owned()),
        _ => None,
    }
}

/// Checks a time as the reference parses it, with its messages.
fn time(text: &str, layout: &str) -> Result<(), String> {
    let wrong = |why: String| format!("parsing time {}{why}", quoted(text));
    let outside = |what: &str| wrong(format!(": {what} out of range"));
    let unread = |rest: &str, element: &str| {
        let rest = quoted(rest);
        wrong(format!(
            " as \"{layout}\": cannot parse {rest} as \"{element}\""
        ))
    };
    let is_date = layout == DATE;
    let mut rest = text;
    for (separator, element, name, least, most) in
        NUMBERS.into_iter().take(if is_date { 3 } else { 6 })
    {
        rest = rest
            .strip_prefix(separator)
            .ok_or_else(|| unread(rest, separator))?;
        let is_short = name == "hour" && number(rest, 2).is_none();
        let length = if is_short { 1 } else { element.len() };
        let value = number(rest, length).ok_or_else(|| unread(rest, element))?;
        if !(least..=most).contains(&value) {
            return Err(outside(name));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    if !is_date {
        rest = zone(without_fraction(rest)).map_err(|what| match what {
            "" => unread(without_fraction(rest), "Z07:00"),
            what => outside(what),
        })?;
    }
    if !rest.is_empty() {
        return Err(wrong(format!(": extra text: {}", quoted(rest))));
    }
    match fits("date", text.get(..DATE.len()).unwrap_or_default()) {
        true => Ok(()),
        false => Err(outside("day")),
    }
}

/// Returns what follows the fraction of a second, if there is one.
fn without_fraction(text: &str) -> &str {
    let digits = text.strip_prefix(['.', ',']).unwrap_or_default();
    let behind = digits.trim_start_matches(|digit: char| digit.is_ascii_digit());
    if behind.len() < digits.len() {
        behind
    } else {
        text
    }
}

/// Returns what follows a zone; otherwise what of it is out of range, or nothing if it is none.
fn zone(text: &str) -> Result<&str, &'static str> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Ok(rest);
    }
    let two = |at: usize| text.get(at..).and_then(|text| number(text, 2));
    let rest = text.get(6..).filter(|_| text.get(3..4) == Some(":"));
    let (rest, hours) = rest.zip(two(1)).ok_or("")?;
    let minutes = two(4);
    if minutes.is_some_and(|minutes| minutes > 60) {
        Err("time zone offset minute")
    } else if hours > 24 {
        Err("time zone offset hour")
    } else if minutes.is_some() && text.starts_with(['+', '-']) {
        Ok(rest)
    } else {
        Err("")
    }
}

/// Reads the number that a text starts with, of exactly so many digits.
fn number(text: &str, length: usize) -> Option<u32> {
    let digits = text.get(..length)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Quotes a text as the reference does in messages about times.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=0x7F => quoted.push(char::from(byte)),
            _ => {
                let [high, low] =
                    [byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16));
                quoted.push_str("\\x");
                quoted.extend(high.into_iter().chain(low));
            }
        }
    }
    quoted + "\""
}

/// Whether a text is Base64 in either alphabet, without line breaks; padding is optional.
fn is_base64(text: &str) -> bool {
    let text = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    text.bytes().all(is_digit)
}

/// Returns the smallest and the largest integer of a format.
pub(crate) fn range(format: &str) -> Option<(&'static str, &'static str)> {
    match format {
        "int32" => Some(("-2147483648", "2147483647")),
        "int64" => Some(("-9223372036854775808", "9223372036854775807")),
        _ => None,
    }
}
