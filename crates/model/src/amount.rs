//! Numbers of limits: requests per period and seconds, with a fixed point.
//!
//! The reference keeps them as floating point numbers. Here they are exact, so that two limits compare
//! the same wherever they are compared, and a console doesn't load the tables that reading a floating
//! point number takes.

use std::fmt;

use crate::json::{Kind, Value, decimal};

/// A number in millionths. Numbers beyond what that can express are the largest there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// Nothing: for most limits, no limit.
    pub const ZERO: Self = Self(0);

    /// How many decimal places are kept.
    const PLACES: i64 = 6;

    /// One, in millionths.
    const ONE: i64 = 1_000_000;

    /// A whole number.
    #[must_use]
    pub const fn whole(number: i64) -> Self {
        Self(number.saturating_mul(Self::ONE))
    }

    /// The number in a document; 0 for anything that is no number. A number above 0 never becomes 0.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        match value.kind {
            Kind::Number(text) => Self::of(text),
            _ => Self::ZERO,
        }
    }

    /// The number that the text of a JSON number says.
    pub(crate) fn of(text: &str) -> Self {
        Self(decimal::scaled(text, Self::PLACES))
    }

    /// The number in millionths; for seconds, microseconds.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The number without what stands behind its point.
    #[must_use]
    pub const fn floor(self) -> i64 {
        self.0.div_euclid(Self::ONE)
    }

    /// Whether it lies above 0; limits that don't are none.
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
