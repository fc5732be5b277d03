//! The search, filters, order and page of the list of APIs. They are kept in the address bar, so that a filtered list
//! can be shared, bookmarked and navigated back to.

use super::query_string::{join, pairs};

/// The states of an API, in the order in which the list offers them.
pub const STATES: [&str; 6] = [
    "live", "pending", "inactive", "internal", "invalid", "deleted",
];
/// The columns by which the list can be sorted.
pub const COLUMNS: [&str; 6] = [
    "name",
    "api_id",
    "listen_path",
    "domain",
    "state",
    "updated_at",
];
/// The page sizes that are offered.
pub const PAGE_SIZES: [u32; 4] = [25, 50, 100, 200];
/// The default page size.
pub const PAGE_SIZE: u32 = 50;
/// The largest page that the gateway returns.
pub const LARGEST_PAGE: u32 = 500;

/// The filters of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filters {
    /// The search text, matched against name, id, path, domain, tags and target.
    pub q: String,
    /// One of [`STATES`], or empty for all but the deleted.
    pub state: String,
    /// One tag, or empty.
    pub tag: String,
    /// One of [`COLUMNS`].
    pub sort: String,
    /// Whether the order is descending.
    pub descending: bool,
    /// The number of the page, starting at 1.
    pub page: u32,
    /// The page size.
    pub per_page: u32,
}

impl Default for Filters {
    fn default() -> Self {
        Self {
            q: String::new(),
            state: String::new(),
            tag: String::new(),
            sort: "name".to_owned(),
            descending: false,
            page: 1,
            per_page: PAGE_SIZE,
        }
    }
}

impl Filters {
    /// Reads a query string. Unknown or out-of-range parameters are ignored.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let mut filters = Self::default();
        for (name, value) in pairs(query) {
            match name.as_str() {
                "q" => filters.q = value,
                "tag" => filters.tag = value,
                "state" if STATES.contains(&value.as_str()) => filters.state = value,
                "sort" => filters.read_sort(&value),
                "p" => filters.page = value.parse().ok().filter(|page| *page >= 1).unwrap_or(1),
                "per_page" => {
                    let asked = value.parse().ok().filter(|size| PAGE_SIZES.contains(size));
                    filters.per_page = asked.unwrap_or(PAGE_SIZE);
                }
                _ => {}
            }
        }
        filters
    }

    fn read_sort(&mut self, value: &str) {
        let column = value.strip_prefix('-').unwrap_or(value);
        if COLUMNS.contains(&column) {
            self.sort = column.to_owned();
            self.descending = value.starts_with('-');
        }
    }

    fn sort_value(&self) -> String {
        format!("{}{}", if self.descending { "-" } else { "" }, self.sort)
    }

    /// Returns the query string for the address bar: only what differs from the default.
    #[must_use]
    pub fn to_query(&self) -> String {
        let standard = Self::default();
        let unless = |same: bool, value: String| if same { String::new() } else { value };
        join(&[
            ("q", self.q.clone()),
            ("state", self.state.clone()),
            ("tag", self.tag.clone()),
            (
                "sort",
                unless(
                    self.sort_value() == standard.sort_value(),
                    self.sort_value(),
                ),
            ),
            (
                "p",
                unless(self.page == standard.page, self.page.to_string()),
            ),
            (
                "per_page",
                unless(
                    self.per_page == standard.per_page,
                    self.per_page.to_string(),
                ),
            ),
        ])
    }

    /// Returns the query string for `GET /gateway/apis`.
    #[must_use]
    pub fn to_request(&self) -> String {
        join(&[
            ("view", "summary".to_owned()),
            ("q", self.q.trim().to_owned()),
            ("state", self.state.clone()),
            ("tag", self.tag.clone()),
            ("sort", self.sort_value()),
            ("p", self.page.to_string()),
            ("per_page", self.per_page.to_string()),
        ])
    }

    /// Returns the query string for counting the matches in a state, among those that are listed.
    #[must_use]
    pub fn to_count(&self, state: &str) -> String {
        let counted = Self {
            state: state.to_owned(),
            page: 1,
            per_page: 1,
            ..self.clone()
        };
        counted.to_request()
    }

    /// Reverses the order, or sorts by another column ascending; goes to the first page either way.
    #[must_use]
    pub fn sorted_by(&self, column: &str) -> Self {
        let descending = self.sort == column && !self.descending;
        Self {
            sort: column.to_owned(),
            descending,
            page: 1,
            ..self.clone()
        }
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
        !(self.q.trim().is_empty() && self.state.is_empty() && self.tag.is_empty())
    }
}
