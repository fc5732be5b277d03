//! The parts around a list of documents: search, filters and order above it, the way to other pages below.

use leptos::prelude::*;

use super::{Glyph, Icon, each, live, only, unique_id};
use crate::state::listing::Listing;

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

/// The search of a page, which `/` goes to.
#[component]
pub fn SearchField(
    /// What is searched, for a screen reader.
    #[prop(into)]
    label: String,
    /// What the search looks at.
    placeholder: &'static str,
    /// What is searched for.
    #[prop(into)]
    value: Signal<String>,
    /// Something else is searched for.
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

/// A filter with a choice of values.
#[component]
pub fn ListFilter(
    /// What is shown.
    listing: Memo<Listing>,
    /// Shows something else.
    on_change: Callback<Listing>,
    /// Its name in the address.
    name: &'static str,
    /// What it is called.
    label: &'static str,
    /// Its values with their words; an empty value filters nothing.
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

/// A filter that is typed, with suggestions; each change goes out at once, as that of the search does.
#[component]
pub fn ListSuggest(
    /// What is shown.
    listing: Memo<Listing>,
    /// Shows something else.
    on_change: Callback<Listing>,
    /// Its name in the address.
    name: &'static str,
    /// What it is called.
    label: &'static str,
    /// Values that are suggested, with their words; it follows the signals that this reads.
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
