//! Search and filters.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::face::Face;
use crate::api::SummaryPage;
use crate::components::{SearchField, each, live, maybe, unique_id};
use crate::state::filters::{COLUMNS, Filters, STATES};
use crate::state::load::Load;
use crate::state::task::pause;
use crate::state::{Memo, use_console};

/// How long the page must be free of other requests before the states are counted, in milliseconds.
const COUNTED_AFTER_MS: i32 = 250;

/// Returns the label of an order.
fn column_label(column: &str) -> &'static str {
    match column {
        "api_id" => "By id",
        "listen_path" => "By listen path",
        "domain" => "By domain",
        "state" => "By state",
        "updated_at" => "Oldest first",
        _ => "By name",
    }
}

/// Search and filters; each change is reflected in the address at once.
#[component]
pub(super) fn Toolbar(
    face: &'static Face,
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
    page: Load<SummaryPage>,
) -> impl IntoView {
    let change = move |act: &dyn Fn(&mut Filters)| {
        let mut changed = Filters {
            page: 1,
            ..filters.get_untracked()
        };
        act(&mut changed);
        set_filters.run(changed);
    };
    view! {
        <div class="toolbar" role="search" aria-label=face.title>
            <SearchField
                label=format!("Search {}", face.title)
                placeholder="Search name, id, path, domain, tag or target"
                value=Signal::derive(move || filters.get().q)
                on_input=Callback::new(move |text: String| change(&|filters| filters.q.clone_from(&text)))
            />
            <TagFilter filters=filters set_filters=set_filters page=page />
            <label class="sort-select">
                <span class="visually-hidden">"Order"</span>
                <select
                    class="input"
                    prop:value=move || filters.get().sort
                    on:change=move |event| {
                        change(&|filters| {
                            filters.sort = event_target_value(&event);
                            filters.descending = false;
                        });
                    }
                >
                    {each(COLUMNS, |column| view! { <option value=column>{column_label(column)}</option> }.into_any())}
                </select>
            </label>
            <StateFilter face=face filters=filters set_filters=set_filters page=page />
        </div>
    }
}

/// The tag filter, which suggests the tags of the APIs shown.
#[component]
fn TagFilter(
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
    page: Load<SummaryPage>,
) -> impl IntoView {
    let list = unique_id("tags");
    let known = Memo::new(move |_| {
        let apis = page.good().unwrap_or_default().apis;
        let mut tags = BTreeSet::new();
        for tag in apis.into_iter().flat_map(|api| api.tags) {
            tags.insert(tag);
        }
        tags
    });
    let set = move |event| {
        let tag = event_target_value(&event).trim().to_owned();
        set_filters.run(Filters {
            tag,
            page: 1,
            ..filters.get_untracked()
        });
    };
    view! {
        <label class="tag-filter">
            <span class="visually-hidden">"Tag"</span>
            <input
                type="search"
                class="input"
                placeholder="Any tag"
                list=list.clone()
                autocomplete="off"
                prop:value=move || filters.get().tag
                on:input=set
            />
        </label>
        <datalist id=list>{live(move || each(known.get(), |tag| view! { <option value=tag></option> }.into_any()))}</datalist>
    }
}

/// The state filter as one row of radio buttons, each with its count.
#[component]
fn StateFilter(
    face: &'static Face,
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
    page: Load<SummaryPage>,
) -> impl IntoView {
    let api = use_console().api;
    let option = move |(state, label): (&'static str, &'static str)| {
        let count = Load::new(move || {
            // A fresh page may mean that other APIs are listed now.
            let (filters, listing) = (filters.get(), page.busy());
            async move {
                if listing {
                    // Pending until the page has arrived, which runs the request again.
                    std::future::pending::<()>().await;
                }
                let _ = pause(COUNTED_AFTER_MS).await;
                let request = filters.to_count(state) + face.query();
                Ok(api.summaries(&request).await?.total)
            }
        });
        let choose = move |_| {
            set_filters.run(Filters {
                state: state.to_owned(),
                page: 1,
                ..filters.get_untracked()
            });
        };
        view! {
            <label class="pill">
                <input type="radio" name="state" prop:checked=move || filters.with(|filters| filters.state == state) on:change=choose />
                <span>
                    {label}
                    {live(move || maybe(count.good(), |count| view! { " "<small>{count}</small> }.into_any()))}
                </span>
            </label>
        }
        .into_any()
    };
    let labels = [
        "Served", "Pending", "Inactive", "Internal", "Skipped", "Deleted",
    ];
    let options = std::iter::once(("", "All")).chain(STATES.into_iter().zip(labels));
    view! {
        <fieldset class="pills">
            <legend class="visually-hidden">"State"</legend>
            {each(options, option)}
        </fieldset>
    }
}
