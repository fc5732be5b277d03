//! The mappings as a table, API × scope → policy: what is stored, with the patch applied. Each edit edits the patch.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::desk::Desk;
use super::row::MappingRows;
use crate::api::access::StoredPolicy;
use crate::components::{Glyph, Icon, Shown, each, keyed, live, unique_id};
use crate::state::Memo;
use crate::state::draft::plural;
use crate::state::mappings::{Edit, Fate, Mapping};
use crate::state::sought::Sought;

/// Mappings shown at once.
const SHOWN: usize = 50;

/// The id of the list of offered policies.
pub(super) const POLICIES: &str = "policy-ids";

/// The table with its filters.
#[component]
pub(super) fn MappingTable(desk: Desk) -> impl IntoView {
    let wanted = RwSignal::new(String::new());
    let changes = RwSignal::new(false);
    let most = RwSignal::new(SHOWN);
    let found = Memo::new(move |_| {
        let sought = wanted.with(|wanted| Sought::of(wanted));
        let only_changes = changes.get();
        desk.plan.with(|plan| {
            let mappings = plan.table.iter();
            mappings
                .filter(|mapping| answers(mapping, &sought, only_changes))
                .map(|mapping| mapping.api_id.clone())
                .collect::<Vec<_>>()
        })
    });
    let more = move || found.with(Vec::len).saturating_sub(most.get());
    let shown = move || found.with(|found| found.iter().take(most.get()).cloned().collect());
    let body = keyed(shown, move |api_id| {
        view! { <MappingRows desk=desk api_id=api_id /> }.into_any()
    });
    let policies = move || desk.policies.good().flatten().unwrap_or_default();
    let policy =
        |policy: StoredPolicy| view! { <option value=policy.id>{policy.name}</option> }.into_any();
    view! {
        <datalist id=POLICIES>{live(move || each(policies(), policy))}</datalist>
        <section class="card mapping-card" aria-labelledby="mappings-title">
            <div class="mapping-head">
                <h2 id="mappings-title">"Mappings"</h2>
                <Tools desk=desk wanted=wanted changes=changes />
            </div>
            <fieldset class="bare" disabled=move || desk.wrong()>
                <legend class="visually-hidden">"Mappings"</legend>
                <div class="mapping-scroll" id="mapping-scroll" tabindex="-1">
                    <table class="mapping-table">
                        <caption class="visually-hidden">"Scopes of each API and the policies that they lead to"</caption>
                        <thead>
                            <tr>
                                <th scope="col">"Scope"</th>
                                <th scope="col">"Policy"</th>
                                <th scope="col" class="col-fate">"Change"</th>
                                <th scope="col" class="col-actions"><span class="visually-hidden">"Actions"</span></th>
                            </tr>
                        </thead>
                        {body}
                    </table>
                </div>
                <Shown when=move || found.with(Vec::is_empty)>
                    <p class="mapping-none muted">
                        {live(move || if desk.plan.with(|plan| plan.table.is_empty()) { "No mappings yet. Add the first API below." } else { "No mapping matches." })}
                    </p>
                </Shown>
                <Shown when=move || more().ne(&0)>
                    <p class="mapping-more">
                        <button type="button" class="btn btn-small" on:click=move |_| most.update(|most| *most = most.saturating_add(SHOWN))>
                            {live(move || format!("Show more ({} left)", more()))}
                        </button>
                    </p>
                </Shown>
                <AddMapping desk=desk />
            </fieldset>
        </section>
    }
}

/// Whether a mapping matches the filters.
fn answers(mapping: &Mapping, sought: &Sought, only_changes: bool) -> bool {
    let scopes = &mapping.scopes;
    let changed =
        mapping.fate != Fate::Same || scopes.iter().any(|scope| scope.fate() != Fate::Same);
    let texts = scopes.iter().flat_map(|scope| {
        [
            Some(&scope.name),
            scope.before.as_ref(),
            scope.after.as_ref(),
        ]
    });
    let found = sought.is_in(texts.flatten().chain([&mapping.api_id]));
    found && (changed || !only_changes)
}

#[component]
fn Tools(desk: Desk, wanted: RwSignal<String>, changes: RwSignal<bool>) -> impl IntoView {
    let count = move || desk.plan.with(|plan| plan.table.len());
    view! {
        <span class="muted small mapping-count">{live(move || plural(count(), "API"))}</span>
        <div class="search">
            <Icon glyph=Glyph::Search />
            <input
                id="search"
                type="search"
                class="input input-small"
                aria-label="Find in the mappings"
                placeholder="API, scope or policy"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || wanted.get()
                on:input=move |event| wanted.set(event_target_value(&event))
            />
        </div>
        <label class="check">
            <input type="checkbox" prop:checked=move || changes.get() on:change=move |event| changes.set(event_target_checked(&event)) />
            <span>"Only changes"</span>
        </label>
    }
}

/// Adds a mapping for another API; ids are offered if they are known.
#[component]
fn AddMapping(desk: Desk) -> impl IntoView {
    let list = unique_id("apis");
    let typed = RwSignal::new(String::new());
    let there = move || {
        let typed = typed.get();
        let typed = typed.trim();
        desk.plan
            .with(|plan| plan.table.iter().any(|mapping| mapping.api_id == typed))
    };
    let add = move || {
        let api_id = typed.get_untracked().trim().to_owned();
        if api_id.is_empty() || untrack(there) {
            return;
        }
        desk.edit(&Edit::Add {
            api_id: api_id.clone(),
        });
        typed.set(String::new());
        focus_later(scope_field(&api_id));
    };
    let offered = move || desk.apis.good().unwrap_or_default().names;
    let option =
        |(id, name): (String, String)| view! { <option value=id>{name}</option> }.into_any();
    view! {
        <div class="mapping-add">
            <input
                type="text"
                class="input input-small mono"
                aria-label="API id of a new mapping"
                placeholder="API id"
                list=list.clone()
                autocomplete="off"
                spellcheck="false"
                prop:value=move || typed.get()
                on:input=move |event| typed.set(event_target_value(&event))
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        event.prevent_default();
                        add();
                    }
                }
            />
            <button type="button" class="btn btn-small" disabled=move || typed.with(|typed| typed.trim().is_empty()) || there() on:click=move |_| add()>
                <Icon glyph=Glyph::Plus />
                "Add API"
            </button>
            <span class="muted small" role="status">{live(move || there().then_some("It has a mapping already."))}</span>
        </div>
        <datalist id=list>{live(move || each(offered(), option))}</datalist>
    }
}

/// Returns the id of the field for a new scope of an API. Element ids may contain anything but white space.
pub(super) fn scope_field(api_id: &str) -> String {
    format!("scope-of-{}", api_id.replace(' ', "_"))
}

/// Focuses an element once it is on the page.
pub(super) fn focus_later(id: String) {
    request_animation_frame(move || {
        let element = document().get_element_by_id(&id);
        if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
        }
    });
}
