//! Who the request is sent as: nobody, a stored key, or the holder of a token.

use leptos::prelude::*;

use super::Desk;
use crate::components::{Shown, button, live};
use crate::pages::find_api::{FindKey, Found, short};
use crate::routes;
use crate::state::Memo;
use crate::state::trial::Sender;

/// Who a request is sent as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SenderKind {
    Nobody,
    Stored,
    Token,
}

/// The choice, and its fields.
#[component]
pub(super) fn Senders(desk: Desk) -> impl IntoView {
    let trial = desk.trial;
    let choose = move |chosen: SenderKind| {
        trial.update(|trial| {
            trial.sender = match chosen {
                SenderKind::Nobody => Sender::Nobody,
                SenderKind::Stored => Sender::unpicked(),
                SenderKind::Token => Sender::Token(String::new()),
            };
        });
    };
    let current = Memo::new(move |_| {
        trial.with(|trial| match &trial.sender {
            Sender::Nobody => SenderKind::Nobody,
            Sender::Stored { .. } => SenderKind::Stored,
            Sender::Token(_) => SenderKind::Token,
        })
    });
    let option = move |value: SenderKind, label: &'static str| {
        view! {
            <label class="pill">
                <input type="radio" name="sender" prop:checked=move || current.get() == value on:change=move |_| choose(value) />
                <span>{label}</span>
            </label>
        }
    };
    let inside = move || match current.get() {
        SenderKind::Nobody => {
            view! { <p class="muted small">"The request carries no credential."</p> }.into_any()
        }
        SenderKind::Stored => view! { <Stored desk=desk /> }.into_any(),
        SenderKind::Token => view! { <Token desk=desk /> }.into_any(),
    };
    view! {
        <section class="card panel" aria-labelledby="sender-title">
            <h2 id="sender-title">"Key"</h2>
            <Shown when=move || !desk.keyless() fallback=|| view! { <p class="muted">"This API requires no key."</p> }>
                <fieldset class="pills">
                    <legend class="visually-hidden">"Send as"</legend>
                    {option(SenderKind::Nobody, "None")}
                    {option(SenderKind::Stored, "Stored key")}
                    {option(SenderKind::Token, "Token")}
                </fieldset>
                {live(inside)}
            </Shown>
        </section>
    }
}

/// A stored key, found by its alias.
#[component]
fn Stored(desk: Desk) -> impl IntoView {
    let trial = desk.trial;
    let chosen = Memo::new(move |_| match trial.with(|trial| trial.sender.clone()) {
        Sender::Stored { hash, name } if !hash.is_empty() => Some((hash, name)),
        _ => None,
    });
    let pick = Callback::new(move |found: Found| {
        trial.update(|trial| {
            trial.sender = Sender::Stored {
                hash: found.id,
                name: found.name,
            };
        });
    });
    let shown = move || {
        match chosen.get() {
        None => match desk.chosen.console.session.identity().lacks(routes::KEYS) {
            Some(why) => view! { <p class="muted small">{why}</p> }.into_any(),
            None => view! { <FindKey api=desk.chosen.console.api pick=pick /> }.into_any(),
        },
        Some((hash, name)) => view! {
            <div class="picked">
                <div class="chosen">
                    <a href=routes::key(&hash)><strong>{name}</strong></a>
                    <code class="muted block">{short(&hash)}</code>
                </div>
                {button("btn btn-small", "Change", move || trial.update(|trial| trial.sender = Sender::unpicked()))}
            </div>
            <p class="muted small">"The request counts against its limits. Its token is not known here, so the upstream gets none."</p>
        }
        .into_any(),
    }
    };
    live(shown)
}

/// A typed token. It is gone with the page.
#[component]
fn Token(desk: Desk) -> impl IntoView {
    let trial = desk.trial;
    let token = move || match trial.with(|trial| trial.sender.clone()) {
        Sender::Token(token) => token,
        _ => String::new(),
    };
    let typing = move |event| {
        let typed = event_target_value(&event);
        trial.update(|trial| trial.sender = Sender::Token(typed));
    };
    view! {
        <label class="field">
            <span>"Token"</span>
            <input type="password" class="input mono" autocomplete="off" spellcheck="false" prop:value=token on:input=typing />
        </label>
        <p class="muted small">
            {live(move || format!("Sent as the {}. It is stored nowhere, and gone when you leave this page.", desk.token_location().description()))}
        </p>
    }
}
