//! The rows of one API in the table of mappings.

use leptos::prelude::*;

use super::desk::Desk;
use super::table::{POLICIES, focus_later, scope_field};
use crate::api::access::StoredPolicy;
use crate::components::{ChangeBadge, Glyph, Icon, IconButton, keyed, live, maybe, only};
use crate::state::Memo;
use crate::state::draft::plural;
use crate::state::mappings::{Edit, Fate, Mapping, Scope};

/// One API: a row with its id, a row for each scope, and a row that adds one.
#[component]
pub(super) fn MappingRows(desk: Desk, api_id: String) -> impl IntoView {
    let id = StoredValue::new(api_id);
    let mapping = Memo::new(move |_| {
        let found = desk.plan.with(|plan| {
            let mut mappings = plan.table.iter();
            id.with_value(|id| mappings.find(|mapping| mapping.api_id == *id).cloned())
        });
        found.unwrap_or_default()
    });
    let scopes = move || {
        mapping.with(|mapping| {
            let scopes = mapping.scopes.iter();
            scopes.map(|scope| scope.name.clone()).collect()
        })
    };
    let rows = keyed(scopes, move |scope| {
        view! { <ScopeRow desk=desk id=id mapping=mapping name=scope /> }.into_any()
    });
    let gone = Memo::new(move |_| mapping.with(|mapping| mapping.fate == Fate::Removed));
    view! {
        <tbody class:gone=move || gone.get()>
            <Head desk=desk id=id mapping=mapping />
            {rows}
            {live(move || only(!gone.get(), || view! { <AddScope desk=desk id=id mapping=mapping /> }.into_any()))}
        </tbody>
    }
}

fn badge(fate: Fate) -> AnyView {
    let word = match fate {
        Fate::Same => return ().into_any(),
        Fate::Changed => "modified",
        Fate::Added => "added",
        Fate::Removed => "deleted",
    };
    view! { <ChangeBadge change=word /> }.into_any()
}

#[component]
fn Head(desk: Desk, id: StoredValue<String>, mapping: Memo<Mapping>) -> impl IntoView {
    let name = move || {
        let apis = desk.apis.good().unwrap_or_default();
        id.with_value(|id| apis.names.get(id).cloned())
    };
    let fate = Memo::new(move |_| mapping.with(|mapping| mapping.fate));
    let others = move || mapping.with(|mapping| mapping.others);
    let toggle = Callback::new(move |()| {
        let api_id = id.get_value();
        match fate.get_untracked() {
            Fate::Removed => desk.edit(&Edit::KeepAll { api_id }),
            Fate::Added => {
                desk.edit(&Edit::RemoveAll { api_id });
                focus_later("mapping-scroll".to_owned());
            }
            _ => desk.edit(&Edit::RemoveAll { api_id }),
        }
    });
    let button = move || {
        let api_id = id.get_value();
        let (glyph, label) = match fate.get() {
            Fate::Removed => (Glyph::History, format!("Keep the mapping of {api_id}")),
            _ => (Glyph::Trash, format!("Delete the mapping of {api_id}")),
        };
        view! { <IconButton glyph=glyph label=label on_press=toggle /> }.into_any()
    };
    view! {
        <tr class="mapping-api">
            <th scope="rowgroup" colspan="2">
                <code>{id.get_value()}</code>
                {live(move || maybe(name(), |name| view! { <span class="muted">{name}</span> }.into_any()))}
                {live(move || only(others().ne(&0), || {
                    view! { <span class="muted small">{format!("{} kept beside the scopes", plural(others(), "member"))}</span> }.into_any()
                }))}
            </th>
            <td class="col-fate">{live(move || badge(fate.get()))}</td>
            <td class="col-actions">{live(button)}</td>
        </tr>
    }
}

#[component]
fn ScopeRow(
    desk: Desk,
    id: StoredValue<String>,
    mapping: Memo<Mapping>,
    name: String,
) -> impl IntoView {
    let name = StoredValue::new(name);
    let scope = Memo::new(move |_| {
        let found = mapping.with(|mapping| {
            let mut scopes = mapping.scopes.iter();
            name.with_value(|name| scopes.find(|scope| scope.name == *name).cloned())
        });
        found.unwrap_or_default()
    });
    let fate = Memo::new(move |_| scope.with(Scope::fate));
    let gone = Memo::new(move |_| mapping.with(|mapping| mapping.fate == Fate::Removed));
    let both = move || (id.get_value(), name.get_value());
    let set = move |event| {
        let (api_id, scope) = both();
        let policy = event_target_value(&event);
        desk.edit(&Edit::Set {
            api_id,
            scope,
            policy,
        });
    };
    let label = format!("Policy of {} for {}", name.get_value(), id.get_value());
    let value = move || scope.with(|scope| scope.after.clone().or_else(|| scope.before.clone()));
    // An unknown policy grants nothing; whether one exists is only known with the secret.
    let unknown = move || {
        let policy = value().filter(|policy| !policy.is_empty() && fate.get() != Fate::Removed);
        let policies = desk.policies.good().flatten();
        policy.zip(policies).is_some_and(|(policy, known)| {
            let is_it = |known: &StoredPolicy| known.id == policy || known.internal == policy;
            !known.iter().any(is_it)
        })
    };
    let was = move || {
        let changed = fate.get() == Fate::Changed;
        scope.with(|scope| scope.before.clone().filter(|_| changed))
    };
    view! {
        <tr class:scope-gone=move || fate.get() == Fate::Removed>
            <th scope="row" class="scope-name"><code>{name.get_value()}</code></th>
            <td class="scope-policy">
                <input
                    type="text"
                    class="input input-small mono"
                    aria-label=label
                    list=POLICIES
                    autocomplete="off"
                    spellcheck="false"
                    disabled=move || fate.get() == Fate::Removed
                    prop:value=move || value().unwrap_or_default()
                    on:input=set
                />
                {live(move || only(unknown(), || view! { <span class="small warned">"No policy has this id."</span> }.into_any()))}
                {live(move || maybe(was(), |was| view! { <span class="small muted was">"was "<del>{was}</del></span> }.into_any()))}
            </td>
            <td class="col-fate">{live(move || badge(fate.get()))}</td>
            <td class="col-actions">
                {live(move || only(!gone.get(), || view! { <ScopeButton desk=desk id=id name=name fate=fate /> }.into_any()))}
            </td>
        </tr>
    }
}

#[component]
fn ScopeButton(
    desk: Desk,
    id: StoredValue<String>,
    name: StoredValue<String>,
    fate: Memo<Fate>,
) -> impl IntoView {
    let press = Callback::new(move |()| {
        let (api_id, scope) = (id.get_value(), name.get_value());
        match fate.get_untracked() {
            Fate::Same => desk.edit(&Edit::Remove { api_id, scope }),
            Fate::Added => {
                // The row disappears; the focus stays with its API.
                focus_later(scope_field(&api_id));
                desk.edit(&Edit::Remove { api_id, scope });
            }
            Fate::Changed | Fate::Removed => desk.edit(&Edit::Keep { api_id, scope }),
        }
    });
    let what = move || format!("{} of {}", name.get_value(), id.get_value());
    let face = move || match fate.get() {
        Fate::Same | Fate::Added => (Glyph::Trash, format!("Delete {}", what())),
        Fate::Changed => (Glyph::History, format!("Undo the change of {}", what())),
        Fate::Removed => (Glyph::History, format!("Keep {}", what())),
    };
    // One button for both states, so that it keeps the focus when its meaning changes.
    view! {
        <button type="button" class="btn btn-icon btn-quiet" title=move || face().1 on:click=move |_| press.run(())>
            {live(move || view! { <Icon glyph=face().0 /> })}
            <span class="visually-hidden">{live(move || face().1)}</span>
        </button>
    }
}

/// A row that adds a scope to an API.
#[component]
fn AddScope(desk: Desk, id: StoredValue<String>, mapping: Memo<Mapping>) -> impl IntoView {
    let scope = RwSignal::new(String::new());
    let policy = RwSignal::new(String::new());
    let there = move || {
        let typed = scope.get();
        let typed = typed.trim();
        mapping.with(|mapping| mapping.scopes.iter().any(|scope| scope.name == typed))
    };
    let empty = |text: RwSignal<String>| text.with(|text| text.trim().is_empty());
    let blocked = move || empty(scope) || empty(policy) || there();
    let add = move || {
        if untrack(blocked) {
            return;
        }
        let api_id = id.get_value();
        desk.edit(&Edit::Set {
            api_id: api_id.clone(),
            scope: scope.get_untracked().trim().to_owned(),
            policy: policy.get_untracked().trim().to_owned(),
        });
        scope.set(String::new());
        policy.set(String::new());
        focus_later(scope_field(&api_id));
    };
    let enter = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            add();
        }
    };
    let field = move |text: RwSignal<String>, element: Option<String>, what: &'static str| {
        let list = element.is_none().then_some(POLICIES);
        view! {
            <input
                id=element
                list=list
                type="text"
                class="input input-small mono"
                aria-label=format!("New {what} for {}", id.get_value())
                placeholder=format!("New {what}")
                autocomplete="off"
                spellcheck="false"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=enter
            />
        }
        .into_any()
    };
    view! {
        <tr class="scope-add">
            <td>{field(scope, Some(scope_field(&id.get_value())), "scope")}</td>
            <td>{field(policy, None, "policy")}</td>
            <td colspan="2">
                <button type="button" class="btn btn-small" aria-label=format!("Add a scope to {}", id.get_value()) disabled=blocked on:click=move |_| add()>
                    <Icon glyph=Glyph::Plus />
                    "Add"
                </button>
                <span class="visually-hidden" role="status">{live(move || there().then_some("This scope is there already."))}</span>
            </td>
        </tr>
    }
}
