//! A page that takes a key which whoever is signed in may not have.

use leptos::prelude::*;

use super::connect::ConnectForm;
use crate::components::{PageHead, live};
use crate::state::session::Key;
use crate::state::use_console;

/// Shows a page, or says which key it needs and asks for it; the other key stays.
pub fn needs(
    key: Key,
    title: &'static str,
    page: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let session = use_console().session;
    let has = Memo::new(move |_| session.has(key));
    live(move || {
        if has.get() {
            page()
        } else {
            view! { <Ask key=key title=title /> }.into_any()
        }
    })
}

#[component]
fn Ask(key: Key, title: &'static str) -> impl IntoView {
    let console = use_console();
    let (keys, heading, text): (&'static [Key], _, _) = match key {
        Key::Secret => (
            &[Key::Secret],
            "This page needs the gateway secret",
            "It uses the administration API. Your dashboard token stays as it is.",
        ),
        Key::Token => (
            &[Key::Token],
            "This page needs a dashboard token",
            "It uses the dashboard API: DASHBOARD_TOKEN opens it, or a token issued under Credentials. Your gateway secret stays as it is.",
        ),
    };
    let connected = Callback::new(move |()| console.toasts.good("Connected."));
    view! {
        <PageHead title=title />
        <section class="card panel needs" aria-labelledby="needs-title">
            <h2 id="needs-title">{heading}</h2>
            <p>{text}</p>
            <ConnectForm keys=keys on_connected=connected />
        </section>
    }
}
