//! Exact arithmetic on the text of numbers, without floating point.
//!
//! The standard library's float parser brings a dozen kilobytes of tables, which the console and each module of the
//! worker would load for the few numbers compared here.

use std::cmp::Ordering;

/// The parts of a JSON number (RFC 8259 section 6).
#[derive(Clone, Copy, Debug)]
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn read(text: &'a str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = match text
            .find(['e', 'E'])
            .and_then(|at| text.split_at_checked(at))
        {
            Some((mantissa, exponent)) => (mantissa, exponent.get(1..).unwrap_or_default()),
            None => (text, ""),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Self {
            negative,
            whole,
            fraction,
            exponent: exponent_of(exponent),
        }
    }

    /// Returns its digits without the point, and how many precede the point, leading zeros aside.
    fn digits(&self) -> (impl Iterator<Item = u8> + Clone + use<'a>, i64) {
        let all = self.whole.bytes().chain(self.fraction.bytes());
        let zeros = all.clone().take_while(|digit| *digit == b'0').count();
        let before = i64::try_from(self.whole.len()).unwrap_or(i64::MAX);
        let zeros_before = i64::try_from(zeros).unwrap_or(i64::MAX);
        let point = before
            .saturating_add(self.exponent)
            .saturating_sub(zeros_before);
        (all.skip(zeros), point)
    }
}

/// Parses an exponent, clamping it to a range that covers every number of interest.
fn exponent_of(text: &str) -> i64 {
    const FAR: i64 = 1 << 40;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = digits.bytes().fold(0_i64, |value, digit| {
        let digit = i64::from(digit.saturating_sub(b'0'));
        value.saturating_mul(10).saturating_add(digit).min(FAR)
    });
    value.saturating_mul(sign)
}

/// Compares two JSON numbers by their value, however they are written.
#[must_use]
pub fn compare(one: &str, other: &str) -> Ordering {
    let (sign, other_sign) = (sign(one), sign(other));
    if sign != other_sign || sign.is_eq() {
        return sign.cmp(&other_sign);
    }
    let (digits, point) = Decimal::read(one).digits();
    let (other_digits, other_point) = Decimal::read(other).digits();
    let length = digits.clone().count().max(other_digits.clone().count());
    // `1` and `1.0` have the same digits up to zeros at the end.
    let filled = |digits: &mut dyn Iterator<Item = u8>| -> Vec<u8> {
        digits.chain(std::iter::repeat(b'0')).take(length).collect()
    };
    let size = point
        .cmp(&other_point)
        .then_with(|| filled(&mut digits.clone()).cmp(&filled(&mut other_digits.clone())));
    match sign {
        Ordering::Less => size.reverse(),
        _ => size,
    }
}

/// Whether a JSON number has no fraction: `1.0` and `1e2` have none.
#[must_use]
pub fn is_integer(text: &str) -> bool {
    let (digits, point) = Decimal::read(text).digits();
    let before = usize::try_from(point).unwrap_or(0);
    digits.skip(before).all(|digit| digit == b'0')
}

/// Returns whether a number is below, at or above 0.
pub(crate) fn sign(text: &str) -> Ordering {
    let number = Decimal::read(text);
    let (mut digits, _) = number.digits();
    match digits.next() {
        None => Ordering::Equal,
        Some(_) if number.negative => Ordering::Less,
        Some(_) => Ordering::Greater,
    }
}

/// Whether a number is above 1.
pub(crate) fn exceeds_one(text: &str) -> bool {
    if sign(text) != Ordering::Greater {
        return false;
    }
    let (mut digits, point) = Decimal::read(text).digits();
    let one = digits.next() == Some(b'1') && digits.all(|digit| digit == b'0');
    point > 1 || point == 1 && !one
}

/// Returns the value of a number without a fraction that fits 64 bits: `1.0` and `1e2` are integers (JSON Schema
/// 2020-12, core, section 4.2.3).
pub(crate) fn integer(text: &str) -> Option<i64> {
    let number = Decimal::read(text);
    let (digits, point) = number.digits();
    let mut value = 0_i64;
    let mut position = 0_i64;
    for digit in digits {
        // Digits after the point have to be 0.
        if position >= point {
            if digit != b'0' {
                return None;
            }
            continue;
        }
        value = append(value, digit, number.negative)?;
        position = position.saturating_add(1);
    }
    // Zeros between the last digit and the point; `append` fails before they exceed 64 bits.
    while value != 0 && position < point {
        value = append(value, b'0', number.negative)?;
        position = position.saturating_add(1);
    }
    Some(value)
}

/// Multiplies a number by ten to the power of `places` and returns an integer. A value out of range becomes the nearest
/// representable integer. Further digits are cut, but nothing above 0 becomes 0: a limit given in too small a unit has
/// to remain a limit.
pub(crate) fn scaled(text: &str, places: i64) -> i64 {
    let number = Decimal::read(text);
    let (digits, point) = number.digits();
    let point = point.saturating_add(places);
    let most = if number.negative { i64::MIN } else { i64::MAX };
    let (mut value, mut position) = (0_i64, 0_i64);
    let mut nothing = true;
    // The written digits are followed by zeros up to the point.
    for digit in digits.chain(std::iter::repeat(b'0')) {
        if position >= point || (nothing && position > 0) {
            break;
        }
        let Some(longer) = append(value, digit, number.negative) else {
            return most;
        };
        (value, position) = (longer, position.saturating_add(1));
        nothing = value == 0;
    }
    match sign(text) {
        Ordering::Greater => value.max(1),
        Ordering::Less => value.min(-1),
        Ordering::Equal => 0,
    }
}

fn append(value: i64, digit: u8, negative: bool) -> Option<i64> {
    let digit = i64::from(digit.saturating_sub(b'0'));
    let value = value.checked_mul(10)?;
    if negative {
        value.checked_sub(digit)
    } else {
        value.checked_add(digit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0.0", Some(0)),
            ("0e9", Some(0)),
            ("12", Some(12)),
            ("-12.000", Some(-12)),
            ("1e2", Some(100)),
            ("1.50E+1", Some(15)),
            ("1200e-2", Some(12)),
            ("0.12e2", Some(12)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775807.0", Some(i64::MAX)),
            ("9007199254740993.0", Some(9_007_199_254_740_993)),
            ("9223372036854775808", None),
            ("1e19", None),
            ("1e400", None),
            ("1e99999999999999999999", None),
            ("0e99999999999999999999", Some(0)),
            ("1e-99999999999999999999", None),
            ("0.5", None),
            ("12.01", None),
            ("1e-1", None),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_with_a_fixed_point() {
        for (text, places, expected) in [
            ("0", 6, 0),
            ("-0.0e9", 6, 0),
            ("0e99999999999999999999", 6, 0),
            ("1", 6, 1_000_000),
            ("-2.5", 6, -2_500_000),
            ("1e2", 6, 100_000_000),
            ("0.1234567", 6, 123_456),
            ("0.0000001", 6, 1),
            ("-1e-400", 6, -1),
            ("1.9", 0, 1),
            ("-1.9", 0, -1),
            ("0.2", 0, 1),
            ("120e-1", 0, 12),
            ("9223372036854775807", 0, i64::MAX),
            ("9223372036854775808", 0, i64::MAX),
            ("1e400", 0, i64::MAX),
            ("-1e99999999999999999999", 6, i64::MIN),
        ] {
            assert_eq!(scaled(text, places), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_by_value() {
        for (one, order, other) in [
            ("1", Ordering::Equal, "1.0"),
            ("100", Ordering::Equal, "1e2"),
            ("-0", Ordering::Equal, "0e9"),
            ("1200e-2", Ordering::Equal, "12.000"),
            ("9007199254740993", Ordering::Greater, "9007199254740992"),
            ("-2", Ordering::Less, "-1.5"),
            ("-0.11", Ordering::Less, "-0.1"),
            ("0.1", Ordering::Less, "0.11"),
            ("1e400", Ordering::Greater, "9e399"),
            ("-1", Ordering::Less, "0"),
            ("0", Ordering::Less, "1e-400"),
            ("99", Ordering::Less, "100"),
        ] {
            assert_eq!(compare(one, other), order, "{one} {other}");
            assert_eq!(compare(other, one), order.reverse(), "{other} {one}");
        }
    }

    #[test]
    fn integers_have_no_fraction() {
        for (text, is) in [
            ("1.0", true),
            ("1e2", true),
            ("1.25e2", true),
            ("0", true),
            ("-0.0", true),
            ("1e400", true),
            ("1.5", false),
            ("15e-1", false),
            ("1.25e1", false),
            ("1e-9", false),
        ] {
            assert_eq!(is_integer(text), is, "{text}");
        }
    }

    #[test]
    fn comparisons() {
        for text in ["0", "-0", "0.000", "0e5", "-0.0E-3"] {
            assert_eq!(sign(text), Ordering::Equal, "{text}");
        }
        assert_eq!(sign("-0.001"), Ordering::Less);
        assert_eq!(sign("1e-400"), Ordering::Greater);
        for text in ["1.0001", "2", "10", "0.11e2", "1e1", "100e-1"] {
            assert!(exceeds_one(text), "{text}");
        }
        for text in ["1", "1.000", "10e-1", "0.1e1", "0.999", "0", "-5", "1e-9"] {
            assert!(!exceeds_one(text), "{text}");
        }
    }
}
