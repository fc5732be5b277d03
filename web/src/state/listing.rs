//! The search, order and page of a list of documents, kept in the address bar like the
//! [`Filters`](super::filters::Filters) of the list of APIs.

use super::query_string::{join, pairs};

/// The sort orders of a list: their words in the address, the default first, and their labels.
pub type Orders = &'static [(&'static str, &'static str)];

/// The sort orders of the dashboard API.
pub const ORDERS: Orders = &[
    ("-last_updated", "Last changed first"),
    ("name", "By name"),
    ("-date_created", "Newest first"),
    ("date_created", "Oldest first"),
];
/// Documents per page.
const PER_PAGE: u32 = 50;

/// Search, order and page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The search text, matched against names and ids.
    pub q: String,
    /// One of `orders`.
    pub sort: String,
    /// The number of the page, starting at 1.
    pub page: u32,
    /// The sort orders of this list.
    pub orders: Orders,
    /// Other parameters in the address, such as filters of this list only.
    pub more: Vec<(String, String)>,
}

impl Default for Listing {
    fn default() -> Self {
        Self::new(ORDERS)
    }
}

impl Listing {
    /// Returns the first page of a list with these orders.
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

    /// Reads a query string. Out-of-range parameters are ignored.
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

    /// Returns path and query for the address bar: only what differs from the default.
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

    /// Returns the query string for the API.
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

    /// Returns the value of a filter of this list only.
    #[must_use]
    pub fn filter(&self, name: &str) -> &str {
        let found = self.more.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// Sets such a filter and goes to the first page; an empty value removes the filter.
    pub fn set_filter(&mut self, name: &str, value: &str) {
        self.page = 1;
        self.more.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.more.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Returns the same page of the list with another value of a filter that is set, such as an id instead of a name.
    #[must_use]
    pub fn with_filter(mut self, name: &str, value: impl Fn(&str) -> String) -> Self {
        let found = self.more.iter_mut().find(|(known, _)| known == name);
        if let Some((_, given)) = found {
            *given = value(given);
        }
        self
    }

    /// Whether this is another page of the same list.
    #[must_use]
    pub fn is_page_of(&self, shown: &Self) -> bool {
        let page = shown.page;
        self.page != page
            && *shown
                == Self {
                    page,
                    ..self.clone()
                }
    }

    /// Whether anything is filtered out.
    #[must_use]
    pub fn narrowed(&self) -> bool {
        !self.q.trim().is_empty() || !self.more.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::filters::Filters;
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn only_another_page_of_the_same_list_is_one() {
        let list = |query: &str| Listing::parse(ORDERS, query);
        let apis = Filters::parse;
        for (wanted, shown, is) in [
            ("p=2", "", true),
            ("", "p=3", true),
            ("q=a&p=2", "q=a", true),
            ("p=2", "p=2", false),
            ("q=a", "p=2", false),
            ("tag=a&p=2", "tag=b", false),
        ] {
            assert_eq!(list(wanted).is_page_of(&list(shown)), is, "{wanted}");
            assert_eq!(apis(wanted).is_page_of(&apis(shown)), is, "{wanted}");
        }
    }
}
