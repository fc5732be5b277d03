//! The filters and position in the audit trail, kept in the address bar.

use super::query_string::{join, pairs};

/// The filters of the trail, with the dashboard API's names.
pub const FILTERS: [&str; 7] = ["q", "actor", "subject", "id", "action", "from", "to"];
/// The parameter with the entry before which the page starts.
const BEFORE: &str = "before";
/// The parameter with the open entry.
const ENTRY: &str = "entry";
/// Entries per page.
const PER_PAGE: u32 = 50;

/// Filters, position in the trail and open entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail(Vec<(String, String)>);

impl Trail {
    /// Reads a query string; unknown parameters are ignored.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let known = |name: &str| FILTERS.contains(&name) || [BEFORE, ENTRY].contains(&name);
        let mut given = pairs(query);
        given.retain(|(name, value)| known(name) && !value.is_empty());
        Self(given)
    }

    /// The value of a filter; empty for none.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    fn with(&self, name: &str, value: &str) -> Self {
        let mut trail = self.clone();
        trail.0.retain(|(known, _)| known != name);
        if !value.is_empty() {
            trail.0.push((name.to_owned(), value.to_owned()));
        }
        trail
    }

    /// Sets a filter and returns to the newest entry.
    #[must_use]
    pub fn filtered(&self, name: &str, value: &str) -> Self {
        self.with(name, value).with(BEFORE, "").with(ENTRY, "")
    }

    /// Goes to the page that starts before an entry; without one, to the newest.
    #[must_use]
    pub fn page(&self, before: Option<u64>) -> Self {
        let before = before.map(|seq| seq.to_string()).unwrap_or_default();
        self.with(BEFORE, &before).with(ENTRY, "")
    }

    /// Opens an entry, or none.
    #[must_use]
    pub fn opened(&self, entry: Option<u64>) -> Self {
        self.with(ENTRY, &entry.map(|seq| seq.to_string()).unwrap_or_default())
    }

    /// Returns the open entry.
    #[must_use]
    pub fn entry(&self) -> Option<u64> {
        self.get(ENTRY).parse().ok()
    }

    /// Whether the page omits newer entries.
    #[must_use]
    pub fn is_older(&self) -> bool {
        !self.get(BEFORE).is_empty()
    }

    /// Whether anything is filtered out.
    #[must_use]
    pub fn narrowed(&self) -> bool {
        FILTERS.into_iter().any(|name| !self.get(name).is_empty())
    }

    /// Returns path and query for the address bar.
    #[must_use]
    pub fn to_url(&self, path: &str) -> String {
        let query = self.0.iter();
        let query: Vec<_> = query
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        let query = join(&query);
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{query}")
        }
    }

    /// Returns the query string for a page of the trail.
    #[must_use]
    pub fn to_request(&self) -> String {
        let before = (BEFORE, self.get(BEFORE).to_owned());
        self.request([before, ("limit", PER_PAGE.to_string())])
    }

    /// Returns the query string for a file with all entries that match the filters.
    #[must_use]
    pub fn to_file(&self, format: &str) -> String {
        self.request([("format", format.to_owned())])
    }

    fn request(&self, more: impl IntoIterator<Item = (&'static str, String)>) -> String {
        let filters = FILTERS.map(|name| {
            let value = self.get(name);
            // The API takes a day as its first moment, whereas "to" includes the whole day.
            match (name, value.len()) {
                ("to", 10) => (name, format!("{value}T23:59:59.999Z")),
                _ => (name, value.to_owned()),
            }
        });
        join(&filters.into_iter().chain(more).collect::<Vec<_>>())
    }
}
