//! Chooses the API to try.

use leptos::prelude::*;

use super::Desk;
use crate::components::{Failure, Notice, Tint, live, maybe, only};
use crate::pages::chosen_api::ApiPicker;
use crate::routes;
use crate::state::plan::bare;

/// The chosen API, or a field that finds one.
#[component]
pub(super) fn Picker(desk: Desk) -> impl IntoView {
    let pick = Callback::new(move |id: String| {
        desk.stored.set(false);
        desk.chosen.console.address.replace(&routes::try_it(&id));
    });
    view! {
        <ApiPicker of=desk.chosen only=|api| api.state != "deleted" nothing="No API matches." pick=pick>
            {live(move || maybe(desk.chosen.api.failed(), |error| {
                view! { <Failure error=error on_retry=move |()| desk.chosen.api.again() /> }.into_any()
            }))}
            {live(move || maybe(caution(desk), |text| {
                view! { <Notice tint=Tint::Amber><span>{text}</span></Notice> }.into_any()
            }))}
            <WhichDefinition desk=desk />
        </ApiPicker>
    }
}

/// Returns why a request to this API may not be served.
fn caution(desk: Desk) -> Option<String> {
    let text = match desk.chosen.api.get()?.ok()? {
        None => Some("There is no such API in the list."),
        Some(api) => match (api.state.as_str(), api.pending.as_deref()) {
            ("deleted", _) => Some("This API is deleted."),
            ("inactive", _) => Some("This API is inactive."),
            ("invalid", _) => {
                return api
                    .problem
                    .map(|why| format!("Skipped by the last reload: {}", bare(&why)));
            }
            // Then the stored definition is used.
            (_, Some("added")) if desk.stored.get() => None,
            (_, Some("added")) => {
                Some("This API is pending: it is served from the next reload on.")
            }
            _ => None,
        },
    };
    text.map(str::to_owned)
}

/// The choice between the stored definition and the served one, if they differ.
#[component]
fn WhichDefinition(desk: Desk) -> impl IntoView {
    live(move || {
        let pending = desk
            .chosen
            .api
            .good()
            .flatten()
            // The definition of an OpenAPI document is not what was stored, so it can't be sent along.
            .is_some_and(|api| {
                api.pending.is_some() && api.state != "deleted" && api.document.is_none()
            });
        // Only who may store a definition may try it before it is served, and only once it has arrived: a request would
        // otherwise go to the served one, or with the definition of the API chosen before.
        let identity = desk.chosen.console.session.identity();
        let document = desk.chosen.document;
        let here = !document.busy() && document.good().flatten().is_some();
        let offered = pending && here && identity.may_write(routes::APIS);
        only(offered, || {
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
                        <span class="muted small block">"It takes effect for this request only, as the next reload would serve it."</span>
                    </span>
                </label>
            }
            .into_any()
        })
    })
}
