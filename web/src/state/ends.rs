//! The two sides of a comparison, kept in the address bar. Plain values.

use super::query_string::{join, pairs};

/// The two sides: numbers of revisions, or of generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The side shown as before.
    pub from: Option<u64>,
    /// The side shown as after.
    pub to: Option<u64>,
}

impl Ends {
    /// Reads a query string. Anything that is not a number is ignored.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let given = pairs(query);
        let number = |name: &str| {
            let (_, text) = given.iter().find(|(known, _)| known == name)?;
            text.parse().ok()
        };
        Self {
            from: number("from"),
            to: number("to"),
        }
    }

    /// Fills in a side that isn't chosen from these numbers, newest first: the latest two by default.
    #[must_use]
    pub fn or_newest(self, numbers: &[u64]) -> Self {
        let newest = numbers.first().copied();
        Self {
            from: self.from.or(numbers.get(1).copied().or(newest)),
            to: self.to.or(newest),
        }
    }

    /// Swaps the sides.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
        }
    }

    /// Returns both numbers, if both are chosen.
    #[must_use]
    pub fn both(self) -> Option<(u64, u64)> {
        self.from.zip(self.to)
    }

    /// Returns path and query for the address bar.
    #[must_use]
    pub fn to_url(self, path: &str) -> String {
        let text =
            |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        match join(&[("from", text(self.from)), ("to", text(self.to))]) {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn the_address_has_both_ends() {
        let ends = Ends::parse("?from=3&to=7&view=json");
        assert_eq!(ends.both(), Some((3, 7)));
        assert_eq!(ends.to_url("/a"), "/a?from=3&to=7");
        assert_eq!(ends.swapped().to_url("/a"), "/a?from=7&to=3");
        assert_eq!(Ends::parse("from=x&to=-1"), Ends::default());
        assert_eq!(Ends::default().to_url("/a"), "/a");
    }

    #[test]
    fn newest_is_compared_with_its_predecessor_by_default() {
        let of = |query: &str, numbers: &[u64]| Ends::parse(query).or_newest(numbers).both();
        assert_eq!(of("", &[9, 8, 5]), Some((8, 9)));
        assert_eq!(of("from=5", &[9, 8, 5]), Some((5, 9)));
        assert_eq!(of("", &[1]), Some((1, 1)));
        assert_eq!(of("", &[]), None);
    }
}
