//! Issues a credential, and shows its token, once.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::api::ApiError;
use crate::api::dashboard::credentials::{ACCESSES, GROUPS, Issued, OF_DASHBOARD, Wanted};
use crate::components::{
    Glyph, Icon, Notice, PageHead, SecretText, TextField, Tint, button, each, failed, live,
    task_label,
};
use crate::routes;
use crate::state::task::Task;
use crate::state::use_console;

/// The page: a form, and then the token.
#[component]
pub fn NewCredential() -> impl IntoView {
    let address = use_console().address;
    let issued = RwSignal::new(None::<Issued>);
    let shown = move || issued.with(Option::is_some);
    address.hold_while(routes::NEW_CREDENTIAL.to_owned(), shown);
    let body = move || match issued.get() {
        Some(issued) => view! { <Token issued=issued /> }.into_any(),
        None => view! { <Form issued=issued /> }.into_any(),
    };
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::CREDENTIALS>"Credentials"</a>
            <Icon glyph=Glyph::Chevron />
            <span>"New"</span>
        </nav>
        <PageHead title="New credential" lead="A named token. It may do what is permitted below, and can be revoked at any time." />
        {live(body)}
    }
    .into_any()
}

/// Converts a local date and time from its field to RFC 3339 in UTC.
fn instant(local: &str) -> Option<String> {
    let date = Date::new(&JsValue::from_str(local));
    (!date.get_time().is_nan()).then(|| String::from(date.to_iso_string()))
}

#[component]
fn Form(issued: RwSignal<Option<Issued>>) -> impl IntoView {
    let console = use_console();
    let wanted = RwSignal::new(Wanted {
        access: ["deny"; GROUPS.len()],
        ..Wanted::default()
    });
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    let complete =
        move || wanted.with(|wanted| !wanted.name.trim().is_empty() && wanted.allows_something());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !untrack(complete) {
            return;
        }
        failure.set(None);
        let wanted = wanted.get_untracked();
        task.run(async move {
            match console.api.issue(&wanted).await {
                Ok(answer) => drop(issued.try_set(Some(answer))),
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    };
    let name = move |text: String| wanted.update(|wanted| wanted.name = text);
    let org = move |text: String| wanted.update(|wanted| wanted.org_id = text);
    let ends = move |text: String| wanted.update(|wanted| wanted.expires_at = instant(&text));
    let grant = move |(index, (_, label)): (usize, (&'static str, &'static str))| {
        view! { <Grant index=index label=label wanted=wanted /> }.into_any()
    };
    view! {
        <form class="card panel idp-form" on:submit=submit novalidate>
            {failed(failure)}
            <div class="fields">
                <TextField label="Name *" hint="How the audit trail names its user." needed=true on_text=Callback::new(name) />
                <TextField label="Organisation" hint="The gateway's own if it is empty." on_text=Callback::new(org) />
                <TextField label="Expires" hint="In your local time; never if it is empty." kind="datetime-local" on_text=Callback::new(ends) />
            </div>
            <div class="grants">
                <h2>"Permissions in the organisation"</h2>
                <p class="muted small">"Grant only what is needed. Notifications and the audit trail show only what these permissions can read; those about credentials need the right to write everything."</p>
                {each(GROUPS.into_iter().enumerate().take(OF_DASHBOARD), grant)}
            </div>
            <div class="grants">
                <h2>"Permissions at the gateway"</h2>
                <p class="muted small">"In every organisation. Credentials, exports and imports take the gateway secret."</p>
                {each(GROUPS.into_iter().enumerate().skip(OF_DASHBOARD), grant)}
            </div>
            <div class="row">
                <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !complete()>
                    {task_label(task, "Create", "Creating…")}
                </button>
                <a class="btn" href=routes::CREDENTIALS>"Cancel"</a>
            </div>
        </form>
    }
}

/// The access to one group.
#[component]
fn Grant(index: usize, label: &'static str, wanted: RwSignal<Wanted>) -> impl IntoView {
    let option = move |(access, word): (&'static str, &'static str)| {
        let chosen = move || wanted.with(|wanted| wanted.access.get(index) == Some(&access));
        let choose = move |_| {
            wanted.update(|wanted| {
                if let Some(granted) = wanted.access.get_mut(index) {
                    *granted = access;
                }
            });
        };
        view! {
            <label class="pill">
                <input type="radio" name=format!("grant-{index}") prop:checked=chosen on:change=choose />
                <span>{word}</span>
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset class="grant bare">
            <legend>{label}</legend>
            <div class="pills">{each(ACCESSES, option)}</div>
        </fieldset>
    }
}

/// The token. Leaving the page needs confirmation until it is marked as saved.
#[component]
fn Token(issued: Issued) -> impl IntoView {
    let address = use_console().address;
    let Issued { token, credential } = issued;
    let done = move || {
        address.release();
        address.go(routes::CREDENTIALS);
    };
    view! {
        <section class="card panel idp-form" aria-labelledby="token-title">
            <h2 id="token-title">{format!("The token of “{}”", credential.name)}</h2>
            <Notice tint=Tint::Amber>
                <span>
                    <strong>"Copy it now. "</strong>
                    "The gateway keeps only a hash of it: this page is the only place that ever shows it. Whoever has it can do what it is permitted in organisation "
                    <code>{credential.org_id}</code>"."
                </span>
            </Notice>
            <SecretText text=token name="Token" copy="Copy the token" />
            <div class="row">
                {button("btn btn-primary", "I have saved it", done)}
            </div>
        </section>
    }
}
