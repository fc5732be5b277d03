//! Finding an API by a few letters.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::api::{Api, Summary};
use crate::components::{Glyph, Icon, Shown, each, live};
use crate::state::filters::Filters;
use crate::state::load::Load;

/// A combobox that finds APIs by the rule of the list's search.
#[component]
pub(super) fn FindApi(
    /// Who is asked.
    api: Api,
    /// What is looked for, for the field and for a screen reader.
    label: &'static str,
    /// Which APIs are offered.
    only: fn(&Summary) -> bool,
    /// What is said if there is none.
    nothing: &'static str,
    /// Takes the id of the chosen one.
    pick: Callback<String>,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let found = Load::new(move || {
        let filters = Filters {
            q: typed.get(),
            per_page: 100,
            ..Filters::default()
        };
        async move { api.summaries(&filters.to_request()).await }
    });
    let matches = Memo::new(move |_| {
        let apis = found.good().unwrap_or_default().apis;
        apis.into_iter().filter(only).take(8).collect::<Vec<_>>()
    });
    let steer = move |event: KeyboardEvent| {
        let count = matches.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = at.saturating_add(1).min(count.saturating_sub(1))),
            "ArrowUp" => at.update(|at| *at = at.saturating_sub(1)),
            "Enter" if !event.ctrl_key() && !event.meta_key() => {
                let id = matches.with_untracked(|matches| {
                    matches
                        .get(at.get_untracked())
                        .map(|api| api.api_id.clone())
                });
                if let Some(id) = id {
                    pick.run(id);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let typing = move |event| {
        at.set(0);
        typed.set(event_target_value(&event));
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
                aria-controls="picker-list"
                aria-activedescendant=move || format!("picker-{}", at.get())
                placeholder=label
                autocomplete="off"
                spellcheck="false"
                on:input=typing
                on:keydown=steer
            />
        </div>
        <Options matches=matches at=at pick=pick />
        <Shown when=move || found.good().is_some() && matches.with(Vec::is_empty)>
            <p class="muted">{nothing}</p>
        </Shown>
    }
}

#[component]
fn Options(
    matches: Memo<Vec<Summary>>,
    at: RwSignal<usize>,
    pick: Callback<String>,
) -> impl IntoView {
    let option = move |(index, api): (usize, Summary)| {
        let id = api.api_id.clone();
        view! {
            <li
                role="option"
                id=format!("picker-{index}")
                aria-selected=move || (at.get() == index).to_string()
                on:mousemove=move |_| at.set(index)
                on:click=move |_| pick.run(id.clone())
            >
                <span class="palette-name">{if api.name.is_empty() { api.api_id } else { api.name }}</span>
                <span class="palette-detail">{api.listen_path}</span>
            </li>
        }
        .into_any()
    };
    view! {
        <ul id="picker-list" class="options" role="listbox" aria-label="APIs">
            {live(move || each(matches.get().into_iter().enumerate(), option))}
        </ul>
    }
}
