//! What the list of APIs shows: search, filters, order and page. The address bar is where they live,
//! so a filtered list can be shared, kept and gone back to.

use super::query_string::{join, pairs};

/// The states an API can be in, in the order in which the list offers them.
pub const STATES: [&str; 6] = [
    "live", "pending", "inactive", "internal", "invalid", "deleted",
];
/// The columns the list can be ordered by.
pub const COLUMNS: [&str; 6] = [
    "name",
    "api_id",
    "listen_path",
    "domain",
    "state",
    "updated_at",
];
/// Sizes of a page that are offered.
pub const PAGE_SIZES: [u32; 4] = [25, 50, 100, 200];
/// The size of a page if nothing else is asked for.
pub const PAGE_SIZE: u32 = 50;

/// The filters of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filters {
    /// What is searched for, in name, id, path, domain, tags and target.
    pub q: String,
    /// One of [`STATES`], or empty for all but the deleted.
    pub state: String,
    /// One tag, or empty.
    pub tag: String,
    /// One of [`COLUMNS`].
    pub sort: String,
    /// Whether the order is the other way round.
    pub descending: bool,
    /// The page, first is 1.
    pub page: u32,
    /// How many on a page.
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
    /// Reads a query string. What is unknown or out of range is as if it were not there.
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

    /// The query string for the address bar: only what differs from the default.
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

    /// The query string for `GET /gateway/apis`.
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

    /// The query string that asks how many APIs of a state match, of those that are listed.
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

    /// The same order turned round, or another column ascending; the first page either way.
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

    /// Whether anything narrows the list down.
    #[must_use]
    pub fn narrowed(&self) -> bool {
        !(self.q.trim().is_empty() && self.state.is_empty() && self.tag.is_empty())
    }
}
