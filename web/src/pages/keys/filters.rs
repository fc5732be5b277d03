//! What narrows the list of keys, beside its search.

use leptos::prelude::*;

use crate::components::{ListFilter, ListSuggest};
use crate::pages::sessions::Known;
use crate::state::listing::Listing;

/// The states of a key, and what they are called.
const STATES: [(&str, &str); 4] = [
    ("", "Any state"),
    ("active", "Active"),
    ("inactive", "Inactive"),
    ("expired", "Expired"),
];

/// One choice for each filter.
#[component]
pub(super) fn Filters(
    /// What is shown.
    listing: Memo<Listing>,
    /// Shows something else.
    on_change: Callback<Listing>,
    /// The policies and APIs there are.
    known: Known,
) -> impl IntoView {
    let states = STATES
        .map(|(value, name)| (value.to_owned(), name.to_owned()))
        .to_vec();
    view! {
        <div class="list-filters">
            <ListFilter listing=listing on_change=on_change name="state" label="State" values=states />
            <ListSuggest listing=listing on_change=on_change name="policy" label="Policy id" values=Callback::new(move |()| known.policies()) />
            <ListSuggest listing=listing on_change=on_change name="api_id" label="API id" values=Callback::new(move |()| known.apis()) />
            <ListSuggest listing=listing on_change=on_change name="tag" label="Tag" values=Callback::new(|()| Vec::new()) />
        </div>
    }
}
