//! Formats that texts and integers are held against: those of the reference (3.14), no others.

use crate::formats::fits;

/// What is said of a text that is no Base64.
const BASE64: &str = r#"string doesn't match pattern "(^$|^[a-zA-Z0-9+/\-_]*=*$)""#;

/// Why a text does not have a format; `None` if it has, or nobody checks the format.
pub(crate) fn problem(format: &str, text: &str) -> Option<String> {
    let is_right = match format {
        "date" | "date-time" => fits(format, text) && !is_leap_second(text),
        "byte" => is_base64(text),
        _ => true,
    };
    if is_right {
        return None;
    }
    Some(match format {
        "byte" => BASE64.to_owned(),
        _ => format!("parsing time \"{text}\": it is none, or out of range"),
    })
}

/// A 60th second, which the reference does not read.
fn is_leap_second(text: &str) -> bool {
    text.get(17..19) == Some("60")
}

/// Base64 in either alphabet, without line breaks; padding may be missing.
fn is_base64(text: &str) -> bool {
    let text = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    text.bytes().all(is_digit)
}

/// The smallest and the largest integer of a format.
pub(crate) fn range(format: &str) -> Option<(&'static str, &'static str)> {
    match format {
        "int32" => Some(("-2147483648", "2147483647")),
        "int64" => Some(("-9223372036854775808", "9223372036854775807")),
        _ => None,
    }
}
