//! The parts around a list of the dashboard: search and order above it, the way to other pages below.

use leptos::prelude::*;

use super::{Glyph, Icon, each, only};
use crate::state::listing::{Listing, ORDERS};

/// Search and order; each change goes out at once.
#[component]
pub fn ListTools(
    /// What is listed, in the plural.
    label: &'static str,
    /// What the search looks at.
    placeholder: &'static str,
    /// What is shown.
    listing: Memo<Listing>,
    /// Shows something else.
    on_change: Callback<Listing>,
    /// Filters of this list only.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let change = move |act: &dyn Fn(&mut Listing)| {
        let mut changed = Listing {
            page: 1,
            ..listing.get_untracked()
        };
        act(&mut changed);
        on_change.run(changed);
    };
    view! {
        <div class="toolbar list-tools" role="search" aria-label=label>
            <div class="search">
                <Icon glyph=Glyph::Search />
                <input
                    id="search"
                    type="search"
                    class="input"
                    aria-label=format!("Search {label}")
                    placeholder=placeholder
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || listing.get().q
                    on:input=move |event| change(&|listing| listing.q = event_target_value(&event))
                />
                <kbd aria-hidden="true">"/"</kbd>
            </div>
            {children.map(|children| children())}
            <label class="list-order">
                <span class="visually-hidden">"Order"</span>
                <select
                    class="input"
                    prop:value=move || listing.get().sort
                    on:change=move |event| change(&|listing| listing.sort = event_target_value(&event))
                >
                    {each(ORDERS, |(sort, name)| {
                        let selected = listing.get_untracked().sort == sort;
                        view! { <option value=sort selected=selected>{name}</option> }.into_any()
                    })}
                </select>
            </label>
        </div>
    }
}

/// How much there is, and the way to the other pages.
#[component]
pub fn ListSteps(
    /// How many match, with their noun.
    count: String,
    /// The page, first is 1.
    page: u32,
    /// How many pages there are.
    pages: u32,
    /// What is shown.
    listing: Memo<Listing>,
    /// Shows something else.
    on_change: Callback<Listing>,
) -> impl IntoView {
    let go = move |page: u32| {
        on_change.run(Listing {
            page,
            ..listing.get_untracked()
        })
    };
    let steps = move || {
        view! {
            <div class="paging-steps">
                <button type="button" class="btn btn-small" disabled={page <= 1} on:click=move |_| go(page.saturating_sub(1))>"Previous"</button>
                <span class="muted small">{format!("Page {page} of {pages}")}</span>
                <button type="button" class="btn btn-small" disabled={page >= pages} on:click=move |_| go(page.saturating_add(1))>"Next"</button>
            </div>
        }
        .into_any()
    };
    view! {
        <nav class="paging" aria-label="Paging">
            <p class="muted">{count}</p>
            {only(pages > 1, steps)}
        </nav>
    }
}
