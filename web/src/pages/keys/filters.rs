//! The filters of the list of keys, beside its search.

use leptos::prelude::*;

use crate::components::{ListFilter, ListSuggest};
use crate::pages::sessions::Known;
use crate::state::Memo;
use crate::state::listing::Listing;

/// The states of a key, with their labels.
const STATES: [(&str, &str); 4] = [
    ("", "Any state"),
    ("active", "Active"),
    ("inactive", "Inactive"),
    ("expired", "Expired"),
];

/// One choice for each filter.
#[component]
pub(super) fn Filters(
    /// The current search, filters, order and page.
    listing: Memo<Listing>,
    /// Applies a change.
    on_change: Callback<Listing>,
    /// The existing policies and APIs.
    known: Known,
) -> impl IntoView {
    let states = STATES
        .map(|(value, name)| (value.to_owned(), name.to_owned()))
        .to_vec();
    view! {
        <div class="list-filters">
            <ListFilter listing=listing on_change=on_change name="state" label="State" values=states />
            <ListSuggest listing=listing on_change=on_change name="policy" label="Policy" values=Callback::new(move |()| known.policies()) />
            <ListSuggest listing=listing on_change=on_change name="api_id" label="API id" values=Callback::new(move |()| known.apis()) />
            <ListSuggest listing=listing on_change=on_change name="tag" label="Tag" values=Callback::new(|()| Vec::new()) />
        </div>
    }
}
