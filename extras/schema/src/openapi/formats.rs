//! The formats that strings and integers are checked against: those of the reference (3.14), no others.

use crate::formats::fits;

/// The message for a string that isn't Base64.
const BASE64: &str = r#"string doesn't match pattern "(^$|^[a-zA-Z0-9+/\-_]*=*$)""#;

/// Returns why a string doesn't have a format; `None` if it does, or if the format isn't checked.
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

/// Whether the time has a 60th second, which the reference does not accept.
fn is_leap_second(text: &str) -> bool {
    text.get(17..19) == Some("60")
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
