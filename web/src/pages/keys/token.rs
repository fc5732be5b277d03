//! The new token of a key, shown once.

use leptos::html;
use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::access::Made;
use crate::components::{CopyButton, Failure, Notice, SecretText, Tint, button, maybe, only};
use crate::routes;
use crate::state::{effect, use_console};

/// The token. Leaving the page needs confirmation until it is marked as saved.
#[component]
pub(super) fn Token(
    /// The new key.
    made: Made,
    /// Its display name.
    alias: String,
    /// A further note.
    #[prop(optional)]
    note: &'static str,
    /// The secret that it signs requests with, or why that can't be shown; `None` for a key that signs nothing.
    #[prop(default = None)]
    secret: Option<Result<String, ApiError>>,
) -> impl IntoView {
    let address = use_console().address;
    let Made {
        token,
        hash,
        issues,
    } = made;
    let copied = token.clone();
    let page = routes::key(&hash);
    let done = move || {
        address.release();
        address.go(&page);
    };
    let title = match alias.trim() {
        "" => "The token of the key".to_owned(),
        alias => format!("The token of “{alias}”"),
    };
    let warning = issues.into_iter().next().map(|issue| issue.message);
    // The button that had the focus is gone.
    let heading = NodeRef::<html::H2>::new();
    effect(move || {
        if let Some(heading) = heading.get() {
            let _ = heading.focus();
        }
    });
    view! {
        <section class="card panel idp-form" aria-labelledby="token-title">
            <h2 id="token-title" tabindex="-1" node_ref=heading>{title}</h2>
            <Notice tint=Tint::Amber>
                <span>
                    <strong>"Copy it now. "</strong>
                    "The gateway keeps only a hash of it: this page is the only place that ever shows it. Clients send it in the header Authorization, unless an API says otherwise."
                </span>
            </Notice>
            {only(!note.is_empty(), || view! { <p>{note}</p> }.into_any())}
            {maybe(warning, |text| view! { <Notice tint=Tint::Blue><span>{text}</span></Notice> }.into_any())}
            <div class="token">
                <code class="token-text" tabindex="0" aria-label="Token">{token}</code>
                <CopyButton text=Signal::stored(copied) label="Copy the token" labelled=true />
            </div>
            {maybe(secret, signing)}
            <p class="muted small">"Its hash, which names it here: "<code class="crumb-id">{hash}</code></p>
            <div class="row">
                {button("btn btn-primary", "I have saved it", done)}
            </div>
        </section>
    }
}

/// The signing secret of a key.
fn signing(secret: Result<String, ApiError>) -> AnyView {
    match secret {
        Ok(secret) => view! {
            <p>
                "Requests are signed with the secret below; "<code>"keyId"</code>" is the token above. The gateway has to store it unhashed, so whoever may read the key with the gateway secret can read it, too."
            </p>
            <SecretText text=secret name="Signing secret" copy="Copy the secret" />
        }
        .into_any(),
        Err(error) => view! {
            <p>"The key was created, but its signing secret could not be read. It is on the page of the key, as hmac_string."</p>
            <Failure error=error />
        }
        .into_any(),
    }
}

/// The key of a user with a password, which only the person who typed it knows.
#[component]
pub(super) fn User(
    /// The new key.
    made: Made,
) -> impl IntoView {
    let address = use_console().address;
    let page = routes::key(&made.hash);
    let done = move || {
        address.release();
        address.go(&page);
    };
    let warning = made.issues.into_iter().next().map(|issue| issue.message);
    view! {
        <section class="card panel idp-form" aria-labelledby="user-title">
            <h2 id="user-title">{format!("The user “{}” can log in", made.token)}</h2>
            <p>"With the password that you have just typed, by basic authentication at APIs that ask for it. The gateway keeps only a bcrypt hash of it and never shows that either."</p>
            {maybe(warning, |text| view! { <Notice tint=Tint::Blue><span>{text}</span></Notice> }.into_any())}
            <p class="muted small">"Its hash, which names its key here: "<code class="crumb-id">{made.hash}</code></p>
            <div class="row">
                {button("btn btn-primary", "Go to the key", done)}
            </div>
        </section>
    }
}
