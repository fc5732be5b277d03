//! Numbers by their text: exact, whatever their size.

use std::cmp::Ordering;

/// A decimal number, ±0.d₁d₂… × 10^point, without zeros at either end of the digits. Zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

/// Larger exponents are clamped to this: nothing that is compared comes near it.
const FAR: i64 = 1 << 40;

impl Number {
    /// Parses a JSON number (RFC 8259 section 6).
    #[must_use]
    pub(crate) fn read(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        let zeros = all().take_while(|digit| *digit == b'0').count();
        let mut digits: Vec<u8> = all().skip(zeros).map(|d| d.saturating_sub(b'0')).collect();
        while digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.is_empty() {
            return Self {
                negative: false,
                digits,
                point: 0,
            };
        }
        let before = long(whole.len()).saturating_sub(long(zeros));
        Self {
            negative,
            digits,
            point: before.saturating_add(exponent_of(exponent)),
        }
    }

    /// Whether it has no fraction: `1.0` and `1e2` have none.
    #[must_use]
    pub(crate) fn is_integer(&self) -> bool {
        self.point >= long(self.digits.len())
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// Compares two numbers.
    #[must_use]
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let size = || {
            self.point
                .cmp(&other.point)
                .then_with(|| self.digits.cmp(&other.digits))
        };
        match self.sign().cmp(&other.sign()) {
            Ordering::Equal if self.negative => size().reverse(),
            Ordering::Equal => size(),
            order => order,
        }
    }

    /// Whether it is an integer multiple of this number. A divisor of more than 18 digits divides only itself, its
    /// products with powers of ten, and 0.
    #[must_use]
    pub(crate) fn is_multiple_of(&self, divisor: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let Some(modulus) = divisor.short() else {
            return self.digits == divisor.digits && self.point >= divisor.point;
        };
        // Both are integers times a power of ten. An integer that doesn't end in a zero isn't a multiple of ten.
        let unit = |number: &Self| number.point.saturating_sub(long(number.digits.len()));
        let Ok(zeros) = u64::try_from(unit(self).saturating_sub(unit(divisor))) else {
            return false;
        };
        let append = |rest: u128, digit: &u8| {
            let longer = rest.wrapping_mul(10).wrapping_add(u128::from(*digit));
            longer.checked_rem(modulus).unwrap_or(0)
        };
        let rest = self.digits.iter().fold(0, append);
        let product = rest.wrapping_mul(power_of_ten(zeros, modulus));
        product.checked_rem(modulus) == Some(0)
    }

    /// Returns its digits as an integer; `None` if there are none, or more than 18.
    fn short(&self) -> Option<u128> {
        let is_short = (1..=18).contains(&self.digits.len());
        let append =
            |value: u128, digit: &u8| value.wrapping_mul(10).wrapping_add(u128::from(*digit));
        is_short.then(|| self.digits.iter().fold(0, append))
    }

    /// Formats the number as Go's `encoding/json` does, but exactly: without an exponent from 10⁻⁶ up to 10²¹, so that
    /// two numbers are equal if and only if their texts are.
    #[must_use]
    pub(crate) fn json(&self) -> String {
        let exponent = self.point.saturating_sub(1);
        if (-6..21).contains(&exponent) {
            self.plain()
        } else {
            self.scientific(1)
        }
    }

    /// Formats the number with as few digits as possible, as Go's `%g` does: the form of limits in messages.
    #[must_use]
    pub(crate) fn shortest(&self) -> String {
        let exponent = self.point.saturating_sub(1);
        if self.digits.is_empty() || (-4..6).contains(&exponent) {
            self.plain()
        } else {
            self.scientific(2)
        }
    }

    fn plain(&self) -> String {
        let mut text = String::from(if self.negative { "-" } else { "" });
        let digit = |digit: &u8| char::from(digit.saturating_add(b'0'));
        let (whole, fraction) = match usize::try_from(self.point) {
            Ok(point) => self
                .digits
                .split_at_checked(point)
                .unwrap_or((&self.digits, &[])),
            Err(_) => (&[][..], &self.digits[..]),
        };
        text.extend(whole.iter().map(digit));
        let zeros = |count: i64| std::iter::repeat_n('0', usize::try_from(count).unwrap_or(0));
        text.extend(zeros(self.point.saturating_sub(long(whole.len()))));
        if self.point <= 0 {
            text.push('0');
        }
        if !fraction.is_empty() {
            text.push('.');
            text.extend(zeros(self.point.saturating_neg()));
            text.extend(fraction.iter().map(digit));
        }
        text
    }

    fn scientific(&self, least: usize) -> String {
        let mantissa = Self {
            point: 1,
            ..self.clone()
        };
        let exponent = self.point.saturating_sub(1);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!(
            "{}e{sign}{:0least$}",
            mantissa.plain(),
            exponent.unsigned_abs()
        )
    }
}

/// Whether the text of a number has no fraction, like [`Number::is_integer`].
#[must_use]
pub(crate) fn is_integer(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    text.bytes().all(is_digit) || Number::read(text).is_integer()
}

fn long(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn exponent_of(text: &str) -> i64 {
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

fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let (mut power, mut base) = (1_u128, 10_u128);
    let times = |one: u128, other: u128| one.wrapping_mul(other).checked_rem(modulus).unwrap_or(0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = times(power, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        for (one, order, other) in [
            ("1", Ordering::Equal, "1.0"),
            ("100", Ordering::Equal, "1e2"),
            ("-0", Ordering::Equal, "0e9"),
            ("9007199254740993", Ordering::Greater, "9007199254740992"),
            ("-2", Ordering::Less, "-1.5"),
            ("0.1", Ordering::Less, "0.11"),
            ("1e400", Ordering::Greater, "9e399"),
            ("-1", Ordering::Less, "0"),
            ("99", Ordering::Less, "100"),
        ] {
            assert_eq!(
                Number::read(one).compare(&Number::read(other)),
                order,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn integers_have_no_fraction() {
        for (text, is) in [
            ("1.0", true),
            ("1e2", true),
            ("0", true),
            ("1.5", false),
            ("15e-1", false),
            ("1e-9", false),
        ] {
            assert_eq!(Number::read(text).is_integer(), is, "{text}");
            assert_eq!(is_integer(text), is, "{text}");
        }
    }

    #[test]
    fn multiples() {
        for (text, of, is) in [
            ("1.5", "0.5", true),
            ("100.5", "0.5", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("1e308", "0.123456789", false),
            ("12391239123", "1e-8", true),
            ("35", "1.5", false),
            ("4.5", "1.5", true),
            ("0", "7", true),
            ("10", "3", false),
            ("1e9999999", "7", false),
            ("20", "2", true),
            ("5", "10", false),
            ("123456789012345678901", "123456789012345678901", true),
        ] {
            assert_eq!(
                Number::read(text).is_multiple_of(&Number::read(of)),
                is,
                "{text} {of}"
            );
        }
    }

    #[test]
    fn limits_print_in_shortest_form() {
        for (text, printed) in [
            ("100", "100"),
            ("0.5", "0.5"),
            ("-1.50", "-1.5"),
            ("0", "0"),
            ("999999", "999999"),
            ("1000000", "1e+06"),
            ("2147483647", "2.147483647e+09"),
            ("-12345678901.5", "-1.23456789015e+10"),
            ("123456.7890123", "123456.7890123"),
            ("0.00001", "1e-05"),
            ("0.0001", "0.0001"),
        ] {
            assert_eq!(Number::read(text).shortest(), printed, "{text}");
        }
    }

    #[test]
    fn numbers_as_json() {
        for (text, printed) in [
            ("1.0", "1"),
            ("1e2", "100"),
            ("0.50", "0.5"),
            ("1e21", "1e+21"),
            ("1e-7", "1e-7"),
            ("-9007199254740993", "-9007199254740993"),
            ("123e-2", "1.23"),
        ] {
            assert_eq!(Number::read(text).json(), printed, "{text}");
        }
    }
}
