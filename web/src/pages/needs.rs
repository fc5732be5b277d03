//! Pages that require a credential, or a right, that the current session may not have.

use leptos::prelude::*;

use super::connect::ConnectForm;
use crate::components::{Glyph, Icon, Notice, PageHead, Tint, live, only};
use crate::state::session::Key;
use crate::state::{Memo, use_console};

/// Shows a page, or names the credential or right that it needs and asks for it; the other credential stays.
pub fn needs(
    key: Key,
    title: &'static str,
    page: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let console = use_console();
    let session = console.session;
    let path = untrack(|| console.address.path());
    let missing = Memo::new(move |_| {
        let identity = session.identity();
        match (identity.has(key), identity.lacks(&path)) {
            (false, _) => Some(None),
            (true, Some(right)) => Some(Some(right)),
            (true, None) => None,
        }
    });
    live(move || match missing.get() {
        Some(right) => view! { <Ask key=key title=title right=right /> }.into_any(),
        None => view! {
            <ReadOnly />
            {page()}
        }
        .into_any(),
    })
}

/// Shows controls that change something on this page; nothing with read-only rights.
pub fn writes(view: impl Fn() -> AnyView + Send + Sync + 'static) -> AnyView {
    let console = use_console();
    live(move || only(!console.only_reads(), &view))
}

/// Links to a page that creates something; nothing for a session that couldn't store it.
pub fn to_new(href: &'static str, label: &'static str) -> AnyView {
    let console = use_console();
    let link = move || {
        view! {
            <a class="btn btn-primary" href=href>
                <Icon glyph=Glyph::Plus />
                {label}
            </a>
        }
        .into_any()
    };
    live(move || only(console.session.identity().may_write(href), link))
}

/// Links to *Try it* with an API chosen; nothing for a session that may not send requests.
pub fn to_try(href: String, class: &'static str) -> AnyView {
    let console = use_console();
    let link = move || {
        let href = href.clone();
        view! {
            <a class=class href=href>
                <Icon glyph=Glyph::Play />
                "Try it"
            </a>
        }
        .into_any()
    };
    live(move || only(console.may_try(), &link))
}

/// A notice, shown in advance, that nothing can be changed.
#[component]
fn ReadOnly() -> impl IntoView {
    let console = use_console();
    live(move || {
        only(console.only_reads(), || {
            view! {
                <Notice tint=Tint::Blue>
                    <Icon glyph=Glyph::Lock />
                    <span>"You can look at this page but change nothing: your credential only has the right to read."</span>
                </Notice>
            }
            .into_any()
        })
    })
}

#[component]
fn Ask(key: Key, title: &'static str, right: Option<String>) -> impl IntoView {
    let console = use_console();
    let (keys, heading, text): (&'static [Key], _, _) = match (&right, key) {
        (Some(_), _) => (
            &Key::ALL,
            "You may not see this page",
            "Sign in with a credential that has it, or with the gateway secret.",
        ),
        (None, Key::Secret) => (
            &[Key::Secret],
            "This page needs the gateway secret",
            "It uses the administration API. Your dashboard token stays as it is.",
        ),
        (None, Key::Token) => (
            &[Key::Token],
            "This page needs a dashboard token",
            "It uses the dashboard API: DASHBOARD_TOKEN opens it, or a token created under Credentials. Your gateway secret stays as it is.",
        ),
    };
    let right = right.map(|right| format!("{right}. "));
    let connected = Callback::new(move |()| console.toasts.good("Connected."));
    view! {
        <PageHead title=title />
        <section class="card panel needs" aria-labelledby="needs-title">
            <h2 id="needs-title">{heading}</h2>
            <p>{right}{text}</p>
            <ConnectForm keys=keys on_connected=connected />
        </section>
    }
}
