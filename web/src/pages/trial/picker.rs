//! Choosing the API that is tried.

use leptos::prelude::*;

use super::Desk;
use crate::api::Summary;
use crate::components::{Failure, Notice, Shown, StateBadge, Tint, live, maybe, only};
use crate::pages::find_api::FindApi;
use crate::routes;

/// The chosen API, or a field that finds one.
#[component]
pub(super) fn Picker(desk: Desk) -> impl IntoView {
    let open = RwSignal::new(false);
    let pick = Callback::new(move |id: String| {
        open.set(false);
        desk.stored.set(false);
        desk.console.address.replace(&routes::try_it(&id));
    });
    let find = move || {
        view! {
            <FindApi
                api=desk.console.api
                label="Find an API"
                only=|api| api.state != "deleted"
                nothing="No API matches."
                pick=pick
            />
        }
    };
    view! {
        <section class="card panel" aria-labelledby="picker-title">
            <h2 id="picker-title">"API"</h2>
            <Shown when=move || desk.ready() && !open.get() fallback=find>
                <div class="picked">
                    {live(move || match desk.api.good().flatten() {
                        Some(found) => view! { <Chosen api=found /> }.into_any(),
                        None => view! { <code>{desk.chosen.get()}</code> }.into_any(),
                    })}
                    <button type="button" class="btn btn-small" on:click=move |_| open.set(true)>"Change"</button>
                </div>
                {live(move || maybe(desk.api.failed(), |error| {
                    view! { <Failure error=error on_retry=move |()| desk.api.again() /> }.into_any()
                }))}
                {live(move || maybe(caution(desk), |text| {
                    view! { <Notice tint=Tint::Amber><span>{text}</span></Notice> }.into_any()
                }))}
                <WhichDefinition desk=desk />
            </Shown>
        </section>
    }
}

/// Why a request to this API may not go anywhere.
fn caution(desk: Desk) -> Option<&'static str> {
    match desk.api.get()?.ok()? {
        None => Some("There is no such API in the list."),
        Some(api) => match (api.state.as_str(), api.pending.as_deref()) {
            ("deleted", _) => Some("This API is deleted."),
            ("inactive", _) => Some("This API is switched off."),
            // Then it is the stored definition that counts.
            (_, Some("added")) if desk.stored.get() => None,
            (_, Some("added")) => Some("This API is stored and not loaded yet."),
            _ => None,
        },
    }
}

/// Where another definition is stored than the gateway serves, the choice between the two.
#[component]
fn WhichDefinition(desk: Desk) -> impl IntoView {
    live(move || {
        let pending = desk
            .api
            .good()
            .flatten()
            // The definition of a document is not what was stored, so it can't be sent along.
            .is_some_and(|api| {
                api.pending.is_some() && api.state != "deleted" && api.document.is_none()
            });
        only(pending, || {
            view! {
                <label class="check">
                    <input
                        type="checkbox"
                        role="switch"
                        prop:checked=move || desk.stored.get()
                        on:change=move |event| desk.stored.set(event_target_checked(&event))
                    />
                    <span>
                        "Use the stored definition"
                        <span class="muted small block">"It takes effect for this request only, as the next reload would load it."</span>
                    </span>
                </label>
            }
            .into_any()
        })
    })
}

#[component]
fn Chosen(api: Summary) -> impl IntoView {
    let name = api.title().to_owned();
    view! {
        <div class="chosen">
            <span class="chosen-name">
                <a href=routes::api_page(&api.api_id, api.document)><strong>{name}</strong></a>
                <StateBadge state=api.state.clone() pending=api.pending.clone() problem=api.problem.clone() />
            </span>
            <code class="muted">{api.listen_path}</code>
        </div>
    }
}
