//! Creates a client, and shows its secret.

use leptos::prelude::*;

use super::Crumbs;
use super::fields::Fields;
use super::secret::Secret;
use crate::api::ApiError;
use crate::api::oauth::Client;
use crate::components::{PageHead, failed, live, task_label};
use crate::pages::sessions::Known;
use crate::routes;
use crate::state::oauth::Wanted;
use crate::state::task::Task;
use crate::state::use_console;

/// The page.
#[component]
pub fn NewClient(
    /// The API that it will belong to.
    api: String,
) -> impl IntoView {
    let console = use_console();
    let made = RwSignal::new(None::<Client>);
    let wanted = RwSignal::new(Wanted::default());
    let own = routes::new_oauth_client(&api);
    let filled = move || wanted.with(|wanted| *wanted != Wanted::default());
    console
        .address
        .hold_while(own, move || made.with(Option::is_some) || filled());
    let of = StoredValue::new(api.clone());
    let body = move || match made.get() {
        Some(client) => {
            let page = routes::oauth_client(&of.get_value(), &client.id);
            let saved = Callback::new(move |()| {
                console.address.release();
                console.address.go(&page);
            });
            view! { <Secret client=client on_saved=saved /> }.into_any()
        }
        None => view! { <Form api=of.get_value() wanted=wanted made=made /> }.into_any(),
    };
    view! {
        <Crumbs api=api last="New".to_owned() />
        <PageHead title="New OAuth client" lead="It takes effect at once. Its tokens get the policy that is chosen here." />
        {live(body)}
    }
    .into_any()
}

#[component]
fn Form(api: String, wanted: RwSignal<Wanted>, made: RwSignal<Option<Client>>) -> impl IntoView {
    let console = use_console();
    let known = Known::load(console);
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    let cancel = routes::oauth_clients(&api);
    let of = StoredValue::new(api.clone());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !wanted.with_untracked(Wanted::is_complete) {
            return;
        }
        failure.set(None);
        let api = of.get_value();
        task.run(async move {
            let wanted = wanted.get_untracked();
            let id = wanted.id.trim().to_owned();
            // Creating replaces an existing client, so its existence is checked first.
            if !id.is_empty() && console.api.oauth_client(&api, &id).await.is_ok() {
                let conflict = crate::api::Refused {
                    message: format!("This API has a client “{id}” already."),
                    ..Default::default()
                };
                failure.try_set(Some(ApiError::Taken(conflict)));
                return;
            }
            match console.api.make_oauth_client(&wanted.body(&api)).await {
                Ok(client) => drop(made.try_set(Some(client))),
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    };
    let complete = move || wanted.with(Wanted::is_complete);
    view! {
        <form class="card panel idp-form" on:submit=submit novalidate>
            {failed(failure)}
            <Fields api=api wanted=wanted known=known new=true />
            <p class="muted small">"The gateway generates a secret of 256 random bits."</p>
            <div class="row">
                <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !complete()>
                    {task_label(task, "Create the client", "Creating…")}
                </button>
                <a class="btn" href=cancel>"Cancel"</a>
            </div>
        </form>
    }
}
