//! The access tokens of a client, by their hashes, and their revocation.

use js_sys::Date;
use leptos::prelude::*;

use super::client::Desk;
use crate::api::ApiError;
use crate::api::oauth::{Token, Tokens as Found};
use crate::components::{Confirm, Moment, Shown, button, each, failed, live, maybe, only};
use crate::pages::find_api::short;
use crate::pages::list::results;
use crate::routes;
use crate::state::Memo;
use crate::state::clock::{unix_seconds, until};
use crate::state::load::Load;
use crate::state::oauth::Revocation;
use crate::state::task::Task;

/// What may be revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doomed {
    One(String),
    All,
}

/// The card.
#[component]
pub(super) fn Tokens(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let page = RwSignal::new(1_u32);
    let listed = Load::new(move || {
        let page = page.get();
        async move {
            let (api, id) = (desk.api.get_value(), desk.id.get_value());
            console.api.oauth_tokens(&api, &id, page).await
        }
    });
    let doomed = RwSignal::new(None::<Doomed>);
    let some = Memo::new(move |_| listed.good().is_some_and(|found| !found.tokens.is_empty()));
    let readable = Memo::new(move |_| {
        desk.stored
            .good()
            .is_some_and(|client| !client.secret.is_empty())
    });
    let shown = move |found: Found| {
        if found.tokens.is_empty() {
            return view! { <p class="muted">"It has no access tokens now."</p> }.into_any();
        }
        let pages = found.pages;
        view! {
            <ul class="tokens">{each(found.tokens, |token| view! { <Row token=token doomed=doomed /> }.into_any())}</ul>
            {only(pages > 1, || view! { <Steps page=page pages=pages /> }.into_any())}
        }
        .into_any()
    };
    view! {
        <section class="card panel" aria-labelledby="tokens-title">
            <div class="panel-head">
                <h2 id="tokens-title">"Access tokens"</h2>
                <div class="row">
                    {button("btn btn-small", "Refresh", move || listed.again())}
                    <Shown when=move || some.get() && readable.get()>
                        {button("btn btn-small", "Revoke all…", move || doomed.set(Some(Doomed::All)))}
                    </Shown>
                </div>
            </div>
            <p class="muted small">"Only their hashes are known. Each is a key: its page has its limits and what is left of them."</p>
            {results(listed, "Loading the tokens", shown)}
        </section>
        {live(move || maybe(doomed.get(), |what| view! { <Revoking desk=desk what=what doomed=doomed listed=listed /> }.into_any()))}
    }
}

#[component]
fn Row(token: Token, doomed: RwSignal<Option<Doomed>>) -> impl IntoView {
    let Token { hash, expires } = token;
    let now = unix_seconds(Date::now()).unwrap_or_default();
    let ended = expires > 0 && expires <= now;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a time to come is far below 2^53 seconds"
    )]
    let ends_ms = expires as f64 * 1000.0;
    let when = match (expires, ended) {
        (0, _) => view! { <span class="muted small">"Never expires"</span> }.into_any(),
        (_, true) => view! { <span class="muted small">"Expired"</span> }.into_any(),
        (_, false) => view! {
            <span class="muted small">"Expires "{until(Date::now(), ends_ms)}", "<Moment seconds=expires /></span>
        }
        .into_any(),
    };
    let label = format!("Revoke token {}", short(&hash));
    let (page, own) = (routes::key(&hash), hash.clone());
    view! {
        <li class="pick">
            <span>
                <a href=page><code>{short(&hash)}</code></a>
                <span class="block">{when}</span>
            </span>
            {only(!ended, || view! {
                <button type="button" class="btn btn-small" aria-label=label on:click=move |_| doomed.set(Some(Doomed::One(own.clone())))>"Revoke…"</button>
            }.into_any())}
        </li>
    }
}

#[component]
fn Steps(page: RwSignal<u32>, pages: u32) -> impl IntoView {
    let step = move |by: i32| {
        page.update(|page| *page = page.saturating_add_signed(by).clamp(1, pages.max(1)))
    };
    view! {
        <div class="row steps">
            <button type="button" class="btn btn-small" disabled=move || page.get() <= 1 on:click=move |_| step(-1)>"Previous"</button>
            <span class="muted small">{live(move || format!("Page {} of {pages}", page.get()))}</span>
            <button type="button" class="btn btn-small" disabled=move || page.get() >= pages on:click=move |_| step(1)>"Next"</button>
        </div>
    }
}

#[component]
fn Revoking(
    desk: Desk,
    what: Doomed,
    doomed: RwSignal<Option<Doomed>>,
    listed: Load<Found>,
) -> impl IntoView {
    let console = desk.console;
    let task = Task::new();
    let failure = RwSignal::new(None::<ApiError>);
    let client = desk.stored.good_untracked().unwrap_or_default();
    let (title, means) = match &what {
        Doomed::One(hash) => (
            format!("Revoke the token {}?", short(hash)),
            "Requests with it are refused from the next one on, everywhere.",
        ),
        Doomed::All => (
            format!("Revoke all tokens of “{}”?", client.id),
            "All access and refresh tokens of the client are revoked, at every API that it was made for. It can get new ones.",
        ),
    };
    let what = StoredValue::new(what);
    let client = StoredValue::new(client);
    let revoke = Callback::new(move |()| {
        failure.set(None);
        let (what, client) = (what.get_value(), client.get_value());
        task.run(async move {
            let done = match &what {
                Doomed::One(hash) => console.api.end_oauth_token(hash).await,
                Doomed::All => {
                    let all = Revocation {
                        id: &client.id,
                        secret: &client.secret,
                    };
                    console.api.revoke_oauth_tokens(&all).await
                }
            };
            match done {
                // A token that has expired meanwhile is fine, too.
                Ok(()) | Err(ApiError::Missing(_)) => {
                    console.toasts.good("Revoked.");
                    doomed.try_set(None);
                    listed.again();
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    });
    view! {
        <Confirm
            title=title
            label="Revoke"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=revoke
            on_cancel=Callback::new(move |()| doomed.set(None))
        >
            <p>{means}</p>
            {failed(failure)}
        </Confirm>
    }
}
