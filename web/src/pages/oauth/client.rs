//! One client: its stored data, a new secret, its tokens, and its deletion.

use leptos::prelude::*;

use super::Crumbs;
use super::fields::Fields;
use super::secret::Secret;
use super::tokens::Tokens;
use crate::api::ApiError;
use crate::api::oauth::Client;
use crate::components::{
    Bones, Confirm, Empty, Failure, Glyph, Icon, Menu, MenuItem, PageHead, Shown, failed, live,
    maybe, only,
};
use crate::pages::sessions::Known;
use crate::routes;
use crate::state::load::Load;
use crate::state::oauth::Wanted;
use crate::state::query_string::decode;
use crate::state::task::Task;
use crate::state::{Console, Memo, effect, use_console};

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    pub(super) console: Console,
    pub(super) api: StoredValue<String>,
    pub(super) id: StoredValue<String>,
    pub(super) stored: Load<Client>,
    /// The client with a secret that is shown only now.
    secret: RwSignal<Option<Client>>,
    asking: RwSignal<Option<Question>>,
}

/// What needs confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Rotate,
    Delete,
}

/// The page.
#[component]
pub fn ClientPage(
    /// The API that it belongs to.
    api: String,
    /// Its id, as written in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let id = decode(&id);
    let (of, own) = (StoredValue::new(api.clone()), StoredValue::new(id.clone()));
    let desk = Desk {
        console,
        api: of,
        id: own,
        stored: Load::new(move || async move {
            let (api, id) = (of.get_value(), own.get_value());
            console.api.oauth_client(&api, &id).await
        }),
        secret: RwSignal::new(None),
        asking: RwSignal::new(None),
    };
    let saved = Callback::new(move |()| {
        desk.secret.set(None);
        desk.stored.again();
    });
    let there = Memo::new(move |_| desk.stored.good().is_some());
    let is_asking = move |question| desk.asking.get() == Some(question);
    let rotate = Callback::new(move |()| desk.asking.set(Some(Question::Rotate)));
    let delete = Callback::new(move |()| desk.asking.set(Some(Question::Delete)));
    view! {
        <Crumbs api=api last=id.clone() />
        <PageHead title=id>
            <Shown when=there>
                <Menu label="More actions">
                    <MenuItem glyph=Glyph::Key label="New secret…" on_choose=rotate />
                    <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=delete />
                </Menu>
            </Shown>
        </PageHead>
        {live(move || maybe(desk.secret.get(), |client| view! { <Secret client=client on_saved=saved /> }.into_any()))}
        <Shown when=there fallback=move || view! { <NotYet desk=desk /> }>
            <div class="stack">
                <Form desk=desk />
                <Tokens desk=desk />
            </div>
        </Shown>
        <Shown when=move || is_asking(Question::Rotate)>
            <Rotation desk=desk />
        </Shown>
        <Shown when=move || is_asking(Question::Delete)>
            <Deletion desk=desk />
        </Shown>
    }
    .into_any()
}

#[component]
fn NotYet(desk: Desk) -> impl IntoView {
    live(move || {
        match desk.stored.failed() {
        None => view! { <Bones rows=6 label="Loading the client" /> }.into_any(),
        Some(ApiError::Missing(_)) => view! {
            <Empty glyph=Glyph::Search title="There is no such client">
                <p>"It was deleted, or there never was one of this name at this API."</p>
                <a class="btn btn-primary" href=routes::oauth_clients(&desk.api.get_value())>"Go to the list"</a>
            </Empty>
        }
        .into_any(),
        Some(error) => {
            view! { <Failure error=error on_retry=move |()| desk.stored.again() /> }.into_any()
        }
    }
    })
}

#[component]
fn Form(desk: Desk) -> impl IntoView {
    let Desk { console, .. } = desk;
    let known = Known::load(console);
    let stored = Memo::new(move |_| desk.stored.good().unwrap_or_default());
    let wanted = RwSignal::new(stored.with_untracked(Wanted::of));
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    // A fetched client replaces the fields if nobody has edited them.
    let base = StoredValue::new(wanted.get_untracked());
    effect(move || {
        let fresh = stored.with(Wanted::of);
        if wanted.get_untracked() == base.get_value() {
            wanted.set(fresh.clone());
        }
        base.set_value(fresh);
    });
    let dirty =
        Memo::new(move |_| stored.with(|stored| wanted.with(|now| *now != Wanted::of(stored))));
    let own = routes::oauth_client(&desk.api.get_value(), &desk.id.get_value());
    let unsaved = move || dirty.get() || desk.secret.with(Option::is_some);
    console.address.hold_while(own, unsaved);
    let ends =
        move || dirty.get() && stored.with(|stored| wanted.with(|now| now.ends_tokens(stored)));
    let savable = Memo::new(move |_| dirty.get() && wanted.with(Wanted::is_complete));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !savable.get_untracked() {
            return;
        }
        failure.set(None);
        let (api, id) = (desk.api.get_value(), desk.id.get_value());
        // The id is in the path.
        let body = wanted.with_untracked(|wanted| wanted.body(""));
        task.run(async move {
            match console.api.change_oauth_client(&api, &id, &body).await {
                Ok(_) => {
                    console.toasts.good("Saved. It takes effect at once.");
                    desk.stored.again();
                    let now = wanted.try_get_untracked().unwrap_or_default();
                    let _ = base.try_set_value(now);
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    };
    view! {
        <form class="card panel idp-form" on:submit=submit novalidate aria-labelledby="client-title">
            <h2 id="client-title">"The client"</h2>
            {failed(failure)}
            <Fields api=desk.api.get_value() wanted=wanted known=known />
            {live(move || only(ends(), || view! {
                <p role="status" class="field-problem">"Another policy revokes the access tokens that the client has. They can be refreshed."</p>
            }.into_any()))}
            <div class="row">
                <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !savable.get()>
                    {live(move || match (task.busy(), dirty.get()) {
                        (true, _) => "Saving…",
                        (false, true) => "Save",
                        (false, false) => "Saved",
                    })}
                </button>
                <button type="button" class="btn" on:click=move |_| desk.asking.set(Some(Question::Rotate))>
                    <Icon glyph=Glyph::Key />
                    "New secret…"
                </button>
            </div>
        </form>
    }
}

#[component]
fn Rotation(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let task = Task::new();
    let failure = RwSignal::new(None::<ApiError>);
    let close = Callback::new(move |()| desk.asking.set(None));
    let rotate = Callback::new(move |()| {
        failure.set(None);
        let (api, id) = (desk.api.get_value(), desk.id.get_value());
        task.run(async move {
            match console.api.rotate_oauth_client(&api, &id).await {
                Ok(client) => {
                    desk.secret.try_set(Some(client));
                    desk.asking.try_set(None);
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    });
    view! {
        <Confirm
            title=format!("Give “{}” a new secret?", desk.id.get_value())
            label="Create the new secret"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=rotate
            on_cancel=close
        >
            <p>"The old secret gets no tokens from now on, at any API that the client was made for. Its existing tokens stay valid."</p>
            {failed(failure)}
        </Confirm>
    }
}

#[component]
fn Deletion(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let task = Task::new();
    let failure = RwSignal::new(None::<ApiError>);
    let close = Callback::new(move |()| desk.asking.set(None));
    let delete = Callback::new(move |()| {
        failure.set(None);
        let (api, id) = (desk.api.get_value(), desk.id.get_value());
        task.run(async move {
            match console.api.delete_oauth_client(&api, &id).await {
                Ok(()) => {
                    console.toasts.good(format!("Deleted “{id}”."));
                    console.address.release();
                    console.address.go(&routes::oauth_clients(&api));
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    });
    view! {
        <Confirm
            title=format!("Delete “{}”?", desk.id.get_value())
            label="Delete"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=delete
            on_cancel=close
        >
            <p>"Its tokens at this API are refused from now on, and it gets no more. It can't be restored: create another client instead."</p>
            {failed(failure)}
        </Confirm>
    }
}
