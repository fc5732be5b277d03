//! Everything that matches the search and filters of a list, on all of its pages: how a page offers to select it, and the
//! requests that list it.

use crate::state::query_string::{join, pairs};

/// The maximum number of documents selected this way. A plan reads each of them again and shows a line for it.
const MOST: u64 = 1000;
/// Documents per request; the gateway returns no more.
const AT_ONCE: u64 = 500;

/// The matches of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The number of matches.
    pub total: u64,
    /// The query string of the list.
    pub query: String,
}

impl Matching {
    /// Returns the text that [`Matching::parse`] reads.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{} {}", self.total, self.query)
    }

    /// Parses the output of [`Matching::text`]; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (total, query) = text.split_once(' ')?;
        Some(Self {
            total: total.parse().ok()?,
            query: query.to_owned(),
        })
    }

    /// Returns how many of them can be selected at once.
    #[must_use]
    pub fn wanted(&self) -> u64 {
        self.total.min(MOST)
    }

    /// Returns the label of the button that selects them.
    #[must_use]
    pub fn label(&self) -> String {
        match self.total > MOST {
            true => format!("Select the first {MOST} of {} that match", self.total),
            false => format!("Select all {} that match", self.total),
        }
    }

    /// Returns the query strings of the requests that list them, in the order of the list.
    pub fn requests(&self) -> impl Iterator<Item = String> {
        let given = pairs(&self.query).into_iter();
        let kept: Vec<_> = given
            .filter(|(name, _)| !["p", "per_page"].contains(&&**name))
            .collect();
        (1..=self.wanted().div_ceil(AT_ONCE)).map(move |page| {
            let kept = kept.iter().map(|(name, value)| (&**name, value.clone()));
            let own = [("p", page.to_string()), ("per_page", AT_ONCE.to_string())];
            join(&kept.chain(own).collect::<Vec<_>>())
        })
    }
}
