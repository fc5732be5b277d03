//! The filters of the list of rulesets, beside its search.

use leptos::prelude::*;

use crate::components::{ListFilter, each, live};
use crate::state::listing::Listing;
use crate::state::load::Load;
use crate::state::{Memo, use_console};

/// A filter: its query parameter, its label, and its values with their labels.
type FixedFilter = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// Filters with fixed values; the first value filters nothing.
const FILTERS: [FixedFilter; 4] = [
    (
        "active",
        "State",
        &[("", "Any state"), ("true", "Active"), ("false", "Inactive")],
    ),
    (
        "resource_type",
        "Resource type",
        &[
            ("", "Any type"),
            ("oas-api", "oas-api"),
            ("mcp-api", "mcp-api"),
        ],
    ),
    (
        "is_template",
        "Templates",
        &[("", "No templates"), ("true", "Templates")],
    ),
    (
        "deleted",
        "Deleted",
        &[("", "Not deleted"), ("true", "Deleted")],
    ),
];

/// One choice for each filter.
#[component]
pub(super) fn Filters(
    /// The current search, filters, order and page.
    listing: Memo<Listing>,
    /// Applies a change.
    on_change: Callback<Listing>,
) -> impl IntoView {
    let console = use_console();
    let known = Load::new(move || async move { console.api.categories().await });
    let pairs = |(value, name): &(&str, &str)| ((*value).to_owned(), (*name).to_owned());
    let fixed = move |(name, label, values): FixedFilter| {
        let values = values.iter().map(pairs).collect();
        view! { <ListFilter listing=listing on_change=on_change name=name label=label values=values /> }
            .into_any()
    };
    // Without the permission to see categories there is nothing to choose from.
    let categories = move || {
        let mut known = known.good().unwrap_or_default();
        // The category in the address filters, whether or not an API has it.
        let wanted = listing.with_untracked(|listing| listing.filter("categories").to_owned());
        if !wanted.is_empty() && !known.contains(&wanted) {
            known.push(wanted);
        }
        let known = known.into_iter().map(|name| (name.clone(), name));
        let mut values = vec![(String::new(), "Any category".to_owned())];
        values.extend(known);
        view! { <ListFilter listing=listing on_change=on_change name="categories" label="Category" values=values /> }.into_any()
    };
    view! {
        <div class="list-filters">
            {each(FILTERS, fixed)}
            {live(categories)}
        </div>
    }
}
