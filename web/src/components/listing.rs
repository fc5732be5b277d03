//! The parts around a list of documents: search, filters and order above it, pagination below.

use leptos::prelude::*;

use super::{Glyph, Icon, each, live, only, unique_id};
use crate::state::Memo;
use crate::state::listing::Listing;

/// Search and order; each change applies at once.
#[component]
pub fn ListTools(
    /// What is listed, in the plural.
    label: &'static str,
    /// What the search covers.
    placeholder: &'static str,
    /// The current search, filters, order and page.
    listing: Memo<Listing>,
    /// Applies a change.
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
            <SearchField
                label=format!("Search {label}")
                placeholder=placeholder
                value=Signal::derive(move || listing.get().q)
                on_input=Callback::new(move |text: String| change(&|listing| listing.q.clone_from(&text)))
            />
            {children.map(|children| children())}
            <label class="list-order">
                <span class="visually-hidden">"Order"</span>
                <select
                    class="input"
                    prop:value=move || listing.get().sort
                    on:change=move |event| change(&|listing| listing.sort = event_target_value(&event))
                >
                    {each(listing.get_untracked().orders, |(sort, name)| {
                        let selected = listing.get_untracked().sort == *sort;
                        view! { <option value=*sort selected=selected>{*name}</option> }.into_any()
                    })}
                </select>
            </label>
        </div>
    }
}

/// The search field of a page, focused by `/`.
#[component]
pub fn SearchField(
    /// What is searched, for screen readers.
    #[prop(into)]
    label: String,
    /// What the search covers.
    placeholder: &'static str,
    /// The search text.
    #[prop(into)]
    value: Signal<String>,
    /// Receives each change of the search text.
    on_input: Callback<String>,
) -> impl IntoView {
    view! {
        <div class="search">
            <Icon glyph=Glyph::Search />
            <input
                id="search"
                type="search"
                class="input"
                aria-label=label
                placeholder=placeholder
                autocomplete="off"
                spellcheck="false"
                prop:value=move || value.get()
                on:input=move |event| on_input.run(event_target_value(&event))
            />
            <kbd aria-hidden="true">"/"</kbd>
        </div>
    }
}

/// The number of matches, and the pagination.
#[component]
pub fn ListSteps(
    /// How many match, with their noun.
    count: String,
    /// The page; the first one is 1.
    page: u32,
    /// How many pages there are.
    pages: u32,
    /// The current search, filters, order and page.
    listing: Memo<Listing>,
    /// Applies a change.
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

/// A filter with a choice of values.
#[component]
pub fn ListFilter(
    /// The current search, filters, order and page.
    listing: Memo<Listing>,
    /// Applies a change.
    on_change: Callback<Listing>,
    /// Its query parameter in the address.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// Its values with their labels; an empty value filters nothing.
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

/// A text filter with suggestions; each change applies at once, as with the search.
#[component]
pub fn ListSuggest(
    /// The current search, filters, order and page.
    listing: Memo<Listing>,
    /// Applies a change.
    on_change: Callback<Listing>,
    /// Its query parameter in the address.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// Suggested values with their labels; reactive to the signals that it reads.
    values: Callback<(), Vec<(String, String)>>,
) -> impl IntoView {
    let id = unique_id("suggest");
    let change = move |event| {
        let mut changed = listing.get_untracked();
        changed.set_filter(name, event_target_value(&event).trim());
        on_change.run(changed);
    };
    let option =
        |(value, text): (String, String)| view! { <option value=value>{text}</option> }.into_any();
    view! {
        <input
            class="input"
            list=id.clone()
            aria-label=label
            placeholder=label
            autocomplete="off"
            spellcheck="false"
            prop:value=move || listing.with(|listing| listing.filter(name).to_owned())
            on:input=change
        />
        <datalist id=id>{live(move || each(values.run(()), option))}</datalist>
    }
}
