//! Fixed-point numbers for limits: requests per period, and seconds.
//!
//! The reference stores them as floating-point numbers. Here they are exact, so that a comparison of two limits gives
//! the same result everywhere, and the console doesn't load the tables that parsing floats needs.

use std::fmt;

use crate::json::{Kind, Value, decimal};

/// A number in millionths. Values outside the range saturate at the largest representable one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// Zero, which for most limits means no limit.
    pub const ZERO: Self = Self(0);

    /// The number of decimal places kept.
    const PLACES: i64 = 6;

    /// One, in millionths.
    const ONE: i64 = 1_000_000;

    /// Converts a whole number.
    #[must_use]
    pub const fn whole(number: i64) -> Self {
        Self(number.saturating_mul(Self::ONE))
    }

    /// Reads the number of a JSON value; 0 for any other type. A number above 0 never becomes 0.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        match value.kind {
            Kind::Number(text) => Self::of(text),
            _ => Self::ZERO,
        }
    }

    /// Parses the text of a JSON number.
    pub(crate) fn of(text: &str) -> Self {
        Self(decimal::scaled(text, Self::PLACES))
    }

    /// Returns the number in millionths; for seconds, these are microseconds.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Rounds down to an integer.
    #[must_use]
    pub const fn floor(self) -> i64 {
        self.0.div_euclid(Self::ONE)
    }

    /// Whether the number is above 0; a limit that isn't is no limit.
    #[must_use]
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ONE: u64 = Amount::ONE.unsigned_abs();
        let micros = self.0.unsigned_abs();
        let (whole, fraction) = (micros / ONE, micros % ONE);
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}")?;
        if fraction == 0 {
            return Ok(());
        }
        let digits = format!("{fraction:06}");
        write!(f, ".{}", digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn numbers_are_read_and_shown_exactly() {
        for (text, shown) in [
            ("10", "10"),
            ("-1", "-1"),
            ("0.5", "0.5"),
            ("-0.05", "-0.05"),
            ("1.5e2", "150"),
            ("1e-9", "0.000001"),
            ("1e99", "9223372036854.775807"),
            ("true", "0"),
            ("\"10\"", "0"),
            ("null", "0"),
        ] {
            let amount = Amount::read(&parse(text).unwrap());
            assert_eq!(amount.to_string(), shown, "{text}");
        }
        assert_eq!(Amount::whole(3).micros(), 3_000_000);
        assert_eq!(Amount(-1).floor(), -1);
        assert_eq!(Amount(1_999_999).floor(), 1);
    }
}
