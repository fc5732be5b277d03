//! The token that a key has just got: it is shown here and never again.

use leptos::prelude::*;

use crate::api::access::Made;
use crate::components::{CopyButton, Notice, Tint, maybe, only};
use crate::routes;
use crate::state::use_console;

/// The token. Leaving is asked about until somebody says that it is kept.
#[component]
pub(super) fn Token(
    /// What was made.
    made: Made,
    /// What it is called.
    alias: String,
    /// What else has to be known.
    #[prop(optional)]
    note: &'static str,
) -> impl IntoView {
    let address = use_console().address;
    let Made {
        token,
        hash,
        issues,
    } = made;
    let copied = token.clone();
    let page = routes::key(&hash);
    let done = move |_| {
        address.release();
        address.go(&page);
    };
    let title = match alias.trim() {
        "" => "The token of the key".to_owned(),
        alias => format!("The token of “{alias}”"),
    };
    let warning = issues.into_iter().next().map(|issue| issue.message);
    view! {
        <section class="card panel idp-form" aria-labelledby="token-title">
            <h2 id="token-title">{title}</h2>
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
            <p class="muted small">"Its hash, which names it here: "<code class="crumb-id">{hash}</code></p>
            <div class="row">
                <button type="button" class="btn btn-primary" on:click=done>"I have kept it"</button>
            </div>
        </section>
    }
}
