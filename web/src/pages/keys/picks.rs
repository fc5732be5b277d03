//! Chooses the policies and the APIs of a new key by name.

use leptos::prelude::*;

use super::new::Making;
use crate::components::{
    Bones, Dialog, Failure, Glyph, IconButton, Shown, button, each, live, only,
};
use crate::pages::find_api::FindApi;
use crate::routes;
use crate::state::access::called;
use crate::state::new_key::NewKey as Wanted;
use crate::state::sought::Sought;

/// From this number of policies on there is a search field.
const MANY: usize = 8;

/// Check boxes for the policies.
#[component]
pub(super) fn Policies(
    /// The key being created.
    making: Making,
) -> impl IntoView {
    let Making { known, wanted, .. } = making;
    let typed = RwSignal::new(String::new());
    let many = move || known.policies().len() > MANY;
    let matches = move || {
        let sought = typed.with(|typed| Sought::of(typed));
        let chosen = wanted.with_untracked(|wanted| wanted.policies.clone());
        let answers =
            move |(id, name): &(String, String)| chosen.contains(id) || sought.is_in([id, name]);
        known.policies().into_iter().filter(answers)
    };
    let list = move || {
        match known.policies.get() {
        None => view! { <Bones rows=2 label="Loading the policies" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| known.policies.again() /> }.into_any()
        }
        Some(Ok(found)) if found.is_empty() => view! {
            <p class="muted">"There are none yet. " <a href=routes::NEW_POLICY>"Write one"</a>", or choose APIs below."</p>
        }
        .into_any(),
        Some(Ok(_)) => view! {
            <ul class="category-list picks">
                {each(matches(), |(id, name)| view! { <Policy wanted=wanted id=id name=name /> }.into_any())}
            </ul>
        }
        .into_any(),
    }
    };
    view! {
        <fieldset class="bare stack">
            <legend><h2>"Policies"</h2></legend>
            <Shown when=many>
                <input
                    type="search"
                    class="input"
                    aria-label="Find a policy"
                    placeholder="Find a policy"
                    autocomplete="off"
                    on:input=move |event| typed.set(event_target_value(&event))
                />
            </Shown>
            {live(list)}
        </fieldset>
    }
}

#[component]
fn Policy(wanted: RwSignal<Wanted>, id: String, name: String) -> impl IntoView {
    let chosen = {
        let id = id.clone();
        move || wanted.with(|wanted| wanted.policies.contains(&id))
    };
    let shown = id.clone();
    let change = move |event| {
        let on = event_target_checked(&event);
        wanted.update(|wanted| {
            wanted.policies.retain(|other| *other != id);
            if on {
                wanted.policies.push(id.clone());
            }
        });
    };
    let other = (name != shown).then_some(shown);
    view! {
        <li>
            <label class="check">
                <input type="checkbox" prop:checked=chosen on:change=change />
                <span>{name}{other.map(|id| view! { " "<code class="muted small">{id}</code> })}</span>
            </label>
        </li>
    }
}

/// The APIs of the key's own access rights.
#[component]
pub(super) fn Apis(
    /// The key being created.
    making: Making,
) -> impl IntoView {
    let Making {
        console,
        known,
        wanted,
        ..
    } = making;
    let finding = RwSignal::new(false);
    let close = Callback::new(move |()| finding.set(false));
    let pick = Callback::new(move |id: String| {
        finding.set(false);
        let name = called(&untrack(|| known.apis()), &id);
        wanted.update(|wanted| {
            if !wanted.apis.iter().any(|(other, _)| *other == id) {
                wanted.apis.push((id.clone(), name.clone()));
            }
        });
    });
    let list = move || {
        let apis = wanted.with(|wanted| wanted.apis.clone());
        only(!apis.is_empty(), || {
            view! {
                <ul class="category-list">
                    {each(apis, |(id, name)| view! { <Api wanted=wanted id=id name=name /> }.into_any())}
                </ul>
            }
            .into_any()
        })
    };
    view! {
        <fieldset class="bare stack">
            <legend><h2>"APIs"</h2></legend>
            <p class="muted small">"Access rights of its own. Policies that give access replace them."</p>
            {live(list)}
            <div>
                {button("btn btn-small", "Add an API…", move || finding.set(true))}
            </div>
        </fieldset>
        <Shown when=move || finding.get()>
            <Dialog title="Add an API" on_close=close>
                <div class="dialog-body">
                    <FindApi api=console.api label="Find an API" only=|api| !api.keyless nothing="No API that takes keys matches." pick=pick />
                </div>
            </Dialog>
        </Shown>
    }
}

#[component]
fn Api(wanted: RwSignal<Wanted>, id: String, name: String) -> impl IntoView {
    let shown = if name.is_empty() { id.clone() } else { name };
    let label = format!("Remove {shown}");
    let code = id.clone();
    let remove = Callback::new(move |()| {
        wanted.update(|wanted| wanted.apis.retain(|(other, _)| *other != id));
    });
    view! {
        <li class="pick">
            <span>{shown}" "<code class="muted small">{code}</code></span>
            <IconButton glyph=Glyph::Close label=label on_press=remove />
        </li>
    }
}
