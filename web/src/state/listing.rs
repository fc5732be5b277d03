//! What a list of documents shows: search, order and page, kept in the address bar as the list of
//! APIs keeps its [`Filters`](super::filters::Filters).

use super::query_string::{join, pairs};

/// Orders of a list by their words in the address, the standard one first, and what they are called.
pub type Orders = &'static [(&'static str, &'static str)];

/// The orders that the dashboard API knows.
pub const ORDERS: Orders = &[
    ("-last_updated", "Changed last first"),
    ("name", "By name"),
    ("-date_created", "Newest first"),
    ("date_created", "Oldest first"),
];
/// How many documents a page has.
const PER_PAGE: u32 = 50;

/// Search, order and page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// What is searched for in names and ids.
    pub q: String,
    /// One of `orders`.
    pub sort: String,
    /// The page, first is 1.
    pub page: u32,
    /// The orders of this list.
    pub orders: Orders,
    /// What else the address says, such as filters of one list only.
    pub more: Vec<(String, String)>,
}

impl Default for Listing {
    fn default() -> Self {
        Self::new(ORDERS)
    }
}

impl Listing {
    /// The first page of a list with these orders.
    #[must_use]
    pub fn new(orders: Orders) -> Self {
        Self {
            q: String::new(),
            sort: orders.first().map_or("", |(sort, _)| sort).to_owned(),
            page: 1,
            orders,
            more: Vec::new(),
        }
    }

    /// Reads a query string. What is out of range is as if it were not there.
    #[must_use]
    pub fn parse(orders: Orders, query: &str) -> Self {
        let mut listing = Self::new(orders);
        for (name, value) in pairs(query) {
            match name.as_str() {
                "q" => listing.q = value,
                "sort" => {
                    if orders.iter().any(|(sort, _)| *sort == value) {
                        listing.sort = value;
                    }
                }
                "p" => listing.page = value.parse().ok().filter(|page| *page >= 1).unwrap_or(1),
                _ => listing.more.push((name, value)),
            }
        }
        listing
    }

    /// Path and query for the address bar: only what differs from the default.
    #[must_use]
    pub fn to_url(&self, path: &str) -> String {
        let sort = if self.sort == Self::new(self.orders).sort {
            ""
        } else {
            &self.sort
        };
        let page = if self.page == 1 {
            String::new()
        } else {
            self.page.to_string()
        };
        let query = self.with(&self.q, sort, page, None);
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{query}")
        }
    }

    /// The query string for the API.
    #[must_use]
    pub fn to_request(&self) -> String {
        self.with(
            self.q.trim(),
            &self.sort,
            self.page.to_string(),
            Some(PER_PAGE),
        )
    }

    fn with(&self, q: &str, sort: &str, page: String, per_page: Option<u32>) -> String {
        let mut all = vec![
            ("q", q.to_owned()),
            ("sort", sort.to_owned()),
            ("p", page),
            (
                "per_page",
                per_page.map(|size| size.to_string()).unwrap_or_default(),
            ),
        ];
        all.extend(
            self.more
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone())),
        );
        join(&all)
    }

    /// The value of a filter of one list only.
    #[must_use]
    pub fn filter(&self, name: &str) -> &str {
        let found = self.more.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// Sets such a filter and goes to the first page; an empty value removes it.
    pub fn set_filter(&mut self, name: &str, value: &str) {
        self.page = 1;
        self.more.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.more.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Whether anything narrows the list down.
    #[must_use]
    pub fn narrowed(&self) -> bool {
        !self.q.trim().is_empty() || !self.more.is_empty()
    }
}
