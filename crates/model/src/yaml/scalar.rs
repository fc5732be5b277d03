//! The types of plain scalars: the core schema of YAML 1.2.2, section 10.3.2.

use std::borrow::Cow;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    /// A number as JSON writes it, with the same digits.
    Number(Cow<'a, str>),
    Text,
}

/// Returns the type of a plain scalar, or why JSON has no equivalent.
pub(super) fn plain(text: &str) -> Result<Scalar<'_>, &'static str> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        _ => return number(text),
    })
}

/// Whether a plain scalar is a boolean in YAML 1.1 and text in YAML 1.2.
pub(super) fn was_boolean(text: &str) -> bool {
    let word = ["yes", "no", "on", "off"].into_iter();
    text.len() <= 3 && word.into_iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Counts the leading digits of a text.
fn digits(text: &str) -> usize {
    let solid = |byte: u8| !byte.is_ascii_digit();
    text.bytes().position(solid).unwrap_or(text.len())
}

fn number(text: &str) -> Result<Scalar<'_>, &'static str> {
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let (minus, size) = match text.strip_prefix(['-', '+']) {
        Some(size) if text.starts_with('-') => ("-", size),
        Some(size) => ("", size),
        None => ("", text),
    };
    if matches!(size, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err("JSON has only finite numbers; write null, or quotes around it if it is text");
    }
    let Some((whole, fraction, exponent)) = parts(size) else {
        return Ok(Scalar::Text);
    };
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(
            "a number can't begin with 0; remove the leading zeros, or write quotes around it if it is text",
        );
    }
    let is_json = !whole.is_empty() && fraction != Some("") && !text.starts_with('+');
    if is_json {
        return Ok(Scalar::Number(Cow::Borrowed(text)));
    }
    let or_zero = |digits: &'static str, part: &str| match part {
        "" => digits.to_owned(),
        part => part.to_owned(),
    };
    let fraction = fraction.map(|fraction| format!(".{}", or_zero("0", fraction)));
    let number = [
        minus,
        &or_zero("0", whole),
        &fraction.unwrap_or_default(),
        exponent,
    ];
    Ok(Scalar::Number(Cow::Owned(number.concat())))
}

/// Splits a number into the digits before and after the point and the exponent with its `e`; `None` if it is not a
/// number.
fn parts(size: &str) -> Option<(&str, Option<&str>, &str)> {
    let (whole, rest) = size.split_at_checked(digits(size))?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (fraction, rest) = rest.split_at_checked(digits(rest))?;
            (Some(fraction), rest)
        }
        None => (None, rest),
    };
    if whole.is_empty() && fraction.unwrap_or_default().is_empty() {
        return None;
    }
    let is_exponent = rest.strip_prefix(['e', 'E']).is_some_and(|power| {
        let power = power.strip_prefix(['-', '+']).unwrap_or(power);
        !power.is_empty() && digits(power) == power.len()
    });
    (rest.is_empty() || is_exponent).then_some((whole, fraction, rest))
}

/// Converts an integer in another base; anything else is text.
fn based(digits: &str, base: u32) -> Result<Scalar<'_>, &'static str> {
    let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
    match u128::from_str_radix(digits, base) {
        Ok(number) if is_number => Ok(Scalar::Number(Cow::Owned(number.to_string()))),
        Err(_) if is_number => Err(
            "this number is longer than is read in this notation; write it in decimal digits, or quotes around it if it is text",
        ),
        _ => Ok(Scalar::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<String> {
        match plain(text) {
            Ok(Scalar::Number(number)) => Some(number.into_owned()),
            _ => None,
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        for text in [
            "0",
            "-0",
            "1.0",
            "1.10",
            "1e3",
            "1.5E+10",
            "-1.0e-7",
            "12345678901234567890123",
            "0.1000000000000000055511151231257827",
        ] {
            assert_eq!(number(text).as_deref(), Some(text));
        }
        for (text, expected) in [
            ("+1", "1"),
            (".5", "0.5"),
            ("-.5e3", "-0.5e3"),
            ("5.", "5.0"),
            ("+5.e2", "5.0e2"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"),
        ] {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_plain_scalars_are_text() {
        for text in [
            "no",
            "on",
            "y",
            "2001-12-14",
            "2001-12-14t21:59:43.10-05:00",
            "1_000",
            "12:30:45",
            "1.2.3",
            "0x",
            "0xG",
            "0o8",
            "-0x1",
            "0x+1",
            "e3",
            ".",
            "-",
            "+",
            ".e1",
            "1e",
            "1e+",
            "--1",
            "nULL",
            "tRUE",
            "_",
            "1 2",
            "-.",
            "inf",
            "NaN",
            "-.nan",
        ] {
            assert_eq!(plain(text), Ok(Scalar::Text), "{text}");
        }
        assert!(
            was_boolean("No") && was_boolean("OFF") && !was_boolean("n") && !was_boolean("note")
        );
    }

    #[test]
    fn values_without_json_equivalent_are_refused() {
        for text in [
            ".inf",
            "-.INF",
            "+.Inf",
            ".NaN",
            "01234",
            "-007",
            "00.5",
            "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        ] {
            assert!(plain(text).is_err(), "{text}");
        }
    }
}
