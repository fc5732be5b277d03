//! All that a list finds, on whichever of its pages it stands: what a page says of it, and what is asked for to select it.

use crate::state::query_string::{join, pairs};

/// Documents that are selected so at most. A plan reads each of them anew, and shows a line for it.
const MOST: u64 = 1000;
/// How many of them one request lists; the gateway answers no more.
const AT_ONCE: u64 = 500;

/// What a list finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// How many documents.
    pub total: u64,
    /// The query string that one page of them is asked for by.
    pub query: String,
}

impl Matching {
    /// As [`Matching::parse`] reads it.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{} {}", self.total, self.query)
    }

    /// What [`Matching::text`] has written; none of any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (total, query) = text.split_once(' ')?;
        Some(Self {
            total: total.parse().ok()?,
            query: query.to_owned(),
        })
    }

    /// How many of them can be selected at once.
    #[must_use]
    pub fn wanted(&self) -> u64 {
        self.total.min(MOST)
    }

    /// What selects them.
    #[must_use]
    pub fn label(&self) -> String {
        match self.total > MOST {
            true => format!("Select the first {MOST} of {} that match", self.total),
            false => format!("Select all {} that match", self.total),
        }
    }

    /// The query strings that list them, in the order of the list.
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
