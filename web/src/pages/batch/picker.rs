//! Choosing the API that a batch goes to.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::api::Summary;
use crate::components::{Glyph, Icon, Notice, Shown, StateBadge, Tint, each, live, maybe};
use crate::routes;
use crate::state::filters::Filters;
use crate::state::load::Load;
use crate::state::use_console;

/// A field that finds APIs while somebody types; only those that answer batches are offered.
#[component]
pub(super) fn Picker(chosen: Memo<String>, api: Load<Option<Summary>>) -> impl IntoView {
    let address = use_console().address;
    let choose = Callback::new(move |id: String| {
        address.replace(&routes::batch(&id));
    });
    let open = RwSignal::new(chosen.with_untracked(String::is_empty));
    let pick = Callback::new(move |id: String| {
        open.set(false);
        choose.run(id);
    });
    view! {
            <section class="card panel" aria-labelledby="picker-title">
                <h2 id="picker-title">"API"</h2>
                <Shown when=move || !open.get() fallback=move || view! { <Search pick=pick /> }>
                    <div class="picked">
                        {live(move || match api.good().flatten() {
                            Some(found) => view! { <Chosen api=found /> }.into_any(),
                            None => view! { <code>{chosen.get()}</code> }.into_any(),
                        })}
                        <button type="button" class="btn btn-small" on:click=move |_| open.set(true)>"Change"</button>
                    </div>
                    {live(move || {
    maybe(api.good().flatten().and_then(|api| caution(&api)), |text| {
    view! { <Notice tint=Tint::Amber><span>{text}</span></Notice> }.into_any()
    })
    })}
                </Shown>
            </section>
        }
}

/// Why a batch to this API may not run.
fn caution(api: &Summary) -> Option<&'static str> {
    match (api.batch, api.state.as_str()) {
        (false, _) => {
            Some("This API answers no batches: \"enable_batch_request_support\" is not true.")
        }
        (true, "inactive") => Some("This API is switched off."),
        (true, "deleted") => Some("This API is deleted."),
        (true, _) if api.pending.is_some() => {
            Some("The stored definition is not loaded yet; the batch runs on what is loaded.")
        }
        (true, _) => None,
    }
}

#[component]
fn Chosen(api: Summary) -> impl IntoView {
    view! {
        <div class="chosen">
            <span class="chosen-name">
                <strong>{if api.name.is_empty() { api.api_id.clone() } else { api.name.clone() }}</strong>
                <StateBadge state=api.state.clone() pending=api.pending.clone() problem=api.problem.clone() />
            </span>
            <code class="muted">{api.listen_path}</code>
        </div>
    }
}

#[component]
fn Search(pick: Callback<String>) -> impl IntoView {
    let console = use_console();
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let found = Load::new(move || {
        let filters = Filters {
            q: typed.get(),
            per_page: 100,
            ..Filters::default()
        };
        async move { console.api.summaries(&filters.to_request()).await }
    });
    let matches = Memo::new(move |_| {
        let apis = found.good().unwrap_or_default().apis;
        apis.into_iter()
            .filter(|api| api.batch)
            .take(8)
            .collect::<Vec<_>>()
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
                aria-label="Find an API that answers batches"
                aria-expanded="true"
                aria-controls="picker-list"
                aria-activedescendant=move || format!("picker-{}", at.get())
                placeholder="Find an API that answers batches"
                autocomplete="off"
                spellcheck="false"
                on:input=typing
                on:keydown=steer
            />
        </div>
        <Options matches=matches at=at pick=pick />
        <Shown when=move || found.good().is_some() && matches.with(Vec::is_empty)>
            <p class="muted">"No API that answers batches matches. Set \"enable_batch_request_support\" to true in a definition."</p>
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
