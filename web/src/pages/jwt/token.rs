//! The token: the field for it, and its content.

use js_sys::Date;
use leptos::prelude::*;

use super::Desk;
use crate::components::{Moment, each, live, only, unique_id};
use crate::state::Memo;
use crate::state::jwt::{Time, Token};
use crate::state::pretty::pretty;

/// The field.
#[component]
pub(super) fn Paste(desk: Desk) -> impl IntoView {
    let field = unique_id("token");
    let about = format!("{field}-about");
    let wrong = Memo::new(move |_| {
        desk.token
            .with(|token| token.as_ref().err().copied().unwrap_or_default())
    });
    let hint = move || {
        match wrong.get() {
        "" => "With or without the word Bearer in front. It is stored nowhere, and gone when you leave this page.".into_any(),
        wrong => view! { <span class="field-problem">{wrong}</span> }.into_any(),
    }
    };
    view! {
        <section class="card panel" aria-labelledby="paste-title">
            <h2 id="paste-title">"Token"</h2>
            <div class="field">
                <label class="visually-hidden" for=field.clone()>"JSON Web Token"</label>
                <textarea
                    id=field
                    class="input mono look-token"
                    rows="5"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="eyJ…"
                    aria-describedby=about.clone()
                    aria-invalid=move || (!wrong.get().is_empty()).to_string()
                    prop:value=desk.entered
                    on:input=move |event| desk.entered.set(event_target_value(&event))
                ></textarea>
                <p id=about class="muted small" aria-live="polite">{live(hint)}</p>
            </div>
        </section>
    }
}

/// Its content, in words and as written.
#[component]
pub(super) fn Claims(desk: Desk) -> impl IntoView {
    let shown = move || match desk.read() {
        None => ().into_any(),
        Some(token) => view! { <Read token=token /> }.into_any(),
    };
    view! {
        <section class="card panel" aria-labelledby="said-title">
            <h2 id="said-title">"What it says"</h2>
            {live(shown)}
            <p class="muted small">"Whoever has a token can read this. Only the gateway checks its signature."</p>
        </section>
    }
}

#[component]
fn Read(token: Token) -> impl IntoView {
    let fact = |(name, text): (&'static str, String)| {
        view! { <div><dt>{name}</dt><dd class="wraps">{text}</dd></div> }.into_any()
    };
    let time = |time: Time| {
        let class = if time.is_bad { "field-problem" } else { "" };
        view! {
            <div>
                <dt><code>{time.claim}</code></dt>
                <dd><span class=class>{time.description}</span>" "<span class="muted small">"("<Moment seconds=time.seconds />")"</span></dd>
            </div>
        }
        .into_any()
    };
    let endless = token.is_endless();
    let text = |text: &str| pretty(text).unwrap_or_else(|| text.to_owned());
    view! {
        <dl class="facts">
            {each(token.facts(), fact)}
            {each(token.times(Date::now()), time)}
            {only(endless, || view! { <div><dt><code>"exp"</code></dt><dd>"It never expires."</dd></div> }.into_any())}
        </dl>
        <h3>"Header"</h3>
        <pre class="code mono" tabindex="0" role="region" aria-label="Header of the token">{text(&token.header)}</pre>
        <h3>"Claims"</h3>
        <pre class="code mono" tabindex="0" role="region" aria-label="Claims of the token">{text(&token.claims)}</pre>
    }
}
