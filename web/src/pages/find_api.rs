//! Finds an API, or a key, by a few letters.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::api::access::KeyRow;
use crate::api::{Api, ApiError, Summary};
use crate::components::{Failure, Glyph, Icon, Shown, each, live, maybe, unique_id};
use crate::state::filters::{Filters, LARGEST_PAGE};
use crate::state::load::Load;
use crate::state::palette::rank::closest;
use crate::state::palette::shorter;
use crate::state::query_string::encode;
use crate::state::{Memo, effect};

/// How many are offered at once.
const OFFERED: usize = 8;

/// A search result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// The id passed on when it is picked.
    pub(super) id: String,
    /// Its display name.
    pub(super) name: String,
    /// What distinguishes it from others.
    pub(super) detail: String,
}

/// A combobox that finds APIs with the search of their list, and forgives typos as the palette does.
#[component]
pub(super) fn FindApi(
    /// The client.
    api: Api,
    /// The label, also for screen readers.
    label: &'static str,
    /// Which APIs are offered.
    only: fn(&Summary) -> bool,
    /// The text if there is none.
    nothing: &'static str,
    /// Receives the id of the chosen one.
    pick: Callback<String>,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let found = Load::new(move || {
        let filters = Filters {
            q: typed.get(),
            // Those that are not offered may be the first ones.
            per_page: LARGEST_PAGE,
            ..Filters::default()
        };
        async move {
            let mut apis = offered(api, &filters, only).await?;
            // Perhaps there is a typo in it.
            if let Some(q) = shorter(&filters.q).filter(|_| apis.is_empty()) {
                let less = Filters {
                    q,
                    ..filters.clone()
                };
                apis = closest(&filters.q, offered(api, &less, only).await?, |api| {
                    [&api.name, &api.api_id, &api.listen_path]
                });
            }
            Ok((filters.q, apis))
        }
    });
    let one = |api: Summary| Found {
        name: match api.name.as_str() {
            "" => api.api_id.clone(),
            _ => api.name,
        },
        id: api.api_id,
        detail: api.listen_path,
    };
    let matches = Memo::new(move |_| {
        let apis = answer_to(typed, found)?;
        let mut matches: Vec<Found> = apis.into_iter().map(one).collect();
        // However many others contain it, the API with exactly this id comes first.
        let is_it = |found: &Found| typed.with(|typed| found.id == typed.trim());
        if let Some(at) = matches.iter().position(is_it) {
            let exact = matches.remove(at);
            matches.insert(0, exact);
        }
        matches.truncate(OFFERED);
        Some(matches)
    });
    let pick = Callback::new(move |found: Found| pick.run(found.id));
    view! { <Find label=label typed=typed matches=matches nothing=nothing pick=pick /> }
}

/// Fetches the APIs that match and are offered.
async fn offered(
    api: Api,
    filters: &Filters,
    only: fn(&Summary) -> bool,
) -> Result<Vec<Summary>, ApiError> {
    let found = api.summaries(&filters.to_request()).await?;
    Ok(found.apis.into_iter().filter(only).collect())
}

/// A combobox that finds keys with the search of their list.
#[component]
pub(super) fn FindKey(
    /// The client.
    api: Api,
    /// Receives the chosen one: its hash and its display name.
    pick: Callback<Found>,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let found = Load::new(move || {
        let searched = typed.get();
        let query = format!(
            "per_page={OFFERED}&sort=-updated_at&q={}",
            encode(&searched)
        );
        async move { Ok((searched, api.listed::<KeyRow>(&query).await?)) }
    });
    let one = |key: KeyRow| Found {
        name: match key.alias.as_str() {
            "" => short(&key.hash),
            _ => key.alias,
        },
        detail: match key.state.as_str() {
            "active" => short(&key.hash),
            state => format!("{state} · {}", short(&key.hash)),
        },
        id: key.hash,
    };
    let matches = Memo::new(move |_| {
        let keys = answer_to(typed, found)?.documents;
        Some(keys.into_iter().map(one).collect::<Vec<_>>())
    });
    view! {
        <Find label="Find a key by alias, hash or tag" typed=typed matches=matches nothing="No key matches." pick=pick />
        {live(move || maybe(found.failed(), |error| view! { <Failure error=error on_retry=move |()| found.again() /> }.into_any()))}
    }
}

/// Shortens a hash; its first digits distinguish it well enough.
pub(super) fn short(hash: &str) -> String {
    match hash.get(..12) {
        Some(start) if hash.len() > 16 => format!("{start}…"),
        _ => hash.to_owned(),
    }
}

/// Returns the result if it belongs to the current text of the field, not to an earlier one.
pub(super) fn answer_to<T: Clone + Send + Sync + 'static>(
    typed: RwSignal<String>,
    found: Load<(String, T)>,
) -> Option<T> {
    let (searched, answer) = found.good()?;
    typed.with(|typed| *typed == searched).then_some(answer)
}

/// Fetches the summary of an API by its id; `None` for an empty id.
pub(super) async fn summary(api: Api, id: &str) -> Result<Option<Summary>, ApiError> {
    if id.is_empty() {
        return Ok(None);
    }
    let filters = Filters {
        q: id.to_owned(),
        // The search also finds names and targets that contain the id.
        per_page: LARGEST_PAGE,
        ..Filters::default()
    };
    let found = api.summaries(&filters.to_request()).await?;
    Ok(found.apis.into_iter().find(|summary| summary.api_id == id))
}

/// A combobox over the results of a caller's search.
#[component]
pub(super) fn Find(
    /// The label, also for screen readers.
    label: &'static str,
    /// The typed text.
    typed: RwSignal<String>,
    /// The results for it; `None` until they are known.
    matches: Memo<Option<Vec<Found>>>,
    /// The text if there are none.
    nothing: &'static str,
    /// Receives the chosen one.
    pick: Callback<Found>,
) -> impl IntoView {
    let at = RwSignal::new(0_usize);
    // Enter was pressed before there were results: the typed text is chosen once it is found.
    let hasty = RwSignal::new(false);
    effect(move || {
        let first = matches.with(|found| found.as_ref().map(|found| found.first().cloned()));
        if let Some(first) = first
            && hasty.get_untracked()
        {
            hasty.set(false);
            first.into_iter().for_each(|found| pick.run(found));
        }
    });
    let list = unique_id("picker");
    let steer = move |event: KeyboardEvent| {
        let count = matches.with_untracked(|found| found.as_ref().map_or(0, Vec::len));
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = at.saturating_add(1).min(count.saturating_sub(1))),
            "ArrowUp" => at.update(|at| *at = at.saturating_sub(1)),
            "Enter" if !event.ctrl_key() && !event.meta_key() => {
                let found = matches.get_untracked();
                hasty.set(found.is_none());
                let chosen = found.and_then(|found| found.get(at.get_untracked()).cloned());
                chosen.into_iter().for_each(|found| pick.run(found));
            }
            _ => return,
        }
        event.prevent_default();
    };
    let typing = move |event| {
        at.set(0);
        hasty.set(false);
        typed.set(event_target_value(&event));
    };
    let active = {
        let list = list.clone();
        move || format!("{list}-{}", at.get())
    };
    view! {
        <div class="search">
            <Icon glyph=Glyph::Search />
            <input
                type="text"
                class="input"
                role="combobox"
                aria-label=label
                aria-expanded="true"
                aria-controls=list.clone()
                aria-activedescendant=active
                placeholder=label
                autocomplete="off"
                spellcheck="false"
                on:input=typing
                on:keydown=steer
            />
        </div>
        <Options list=list label=label matches=matches at=at pick=pick />
        <Shown when=move || matches.with(|found| found.as_ref().is_some_and(Vec::is_empty))>
            <p class="muted">{nothing}</p>
        </Shown>
    }
}

#[component]
fn Options(
    list: String,
    label: &'static str,
    matches: Memo<Option<Vec<Found>>>,
    at: RwSignal<usize>,
    pick: Callback<Found>,
) -> impl IntoView {
    // Earlier results stay visible until there are new ones.
    let shown = Memo::new(move |before: Option<&Vec<Found>>| {
        let before = || before.cloned().unwrap_or_default();
        matches.get().unwrap_or_else(before)
    });
    let id = list.clone();
    let option = move |(index, found): (usize, Found)| {
        let chosen = found.clone();
        view! {
            <li
                role="option"
                id=format!("{id}-{index}")
                aria-selected=move || (at.get() == index).to_string()
                on:mousemove=move |_| at.set(index)
                on:click=move |_| pick.run(chosen.clone())
            >
                <span class="palette-name">{found.name}</span>
                <span class="palette-detail">{found.detail}</span>
            </li>
        }
        .into_any()
    };
    view! {
        <ul id=list class="options" role="listbox" aria-label=label>
            {live(move || each(shown.get().into_iter().enumerate(), option.clone()))}
        </ul>
    }
}
