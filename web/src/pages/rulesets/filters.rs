//! What narrows the list of rulesets, beside its search.

use leptos::prelude::*;

use crate::components::{each, live};
use crate::state::listing::Listing;
use crate::state::load::Load;
use crate::state::use_console;

/// A filter: its name in the address, what it is called, and its values with their words.
type FixedFilter = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// Filters with the values that they always have; the first value filters nothing.
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
    /// What is shown.
    listing: Memo<Listing>,
    /// Shows something else.
    on_change: Callback<Listing>,
) -> impl IntoView {
    let console = use_console();
    let known = Load::new(move || async move { console.api.categories().await });
    let pairs = |(value, name): &(&str, &str)| ((*value).to_owned(), (*name).to_owned());
    let fixed = move |(name, label, values): FixedFilter| {
        let values = values.iter().map(pairs).collect();
        view! { <Filter listing=listing on_change=on_change name=name label=label values=values /> }
            .into_any()
    };
    // Without the permission to see categories there is nothing to choose from.
    let categories = move || {
        let mut known = known.good().unwrap_or_default();
        // What the address asks for filters, whether or not an API has it.
        let asked = listing.with_untracked(|listing| listing.filter("categories").to_owned());
        if !asked.is_empty() && !known.contains(&asked) {
            known.push(asked);
        }
        let known = known.into_iter().map(|name| (name.clone(), name));
        let mut values = vec![(String::new(), "Any category".to_owned())];
        values.extend(known);
        view! { <Filter listing=listing on_change=on_change name="categories" label="Category" values=values /> }.into_any()
    };
    view! {
        <div class="list-filters">
            {each(FILTERS, fixed)}
            {live(categories)}
        </div>
    }
}

#[component]
fn Filter(
    listing: Memo<Listing>,
    on_change: Callback<Listing>,
    name: &'static str,
    label: &'static str,
    values: Vec<(String, String)>,
) -> impl IntoView {
    let change = move |event| {
        let mut changed = listing.get_untracked();
        changed.set_filter(name, &event_target_value(&event));
        on_change.run(changed);
    };
    let now = listing.with_untracked(|listing| listing.filter(name).to_owned());
    let option = |(value, text): (String, String)| {
        let selected = value == now;
        view! { <option value=value selected=selected>{text}</option> }.into_any()
    };
    view! {
        <select
            class="input"
            aria-label=label
            prop:value=move || listing.with(|listing| listing.filter(name).to_owned())
            on:change=change
        >
            {each(values, option)}
        </select>
    }
}
