//! The audit trail: who changed what, when, and what exactly.

mod entry;
mod table;
mod tools;

use leptos::prelude::*;

use crate::components::{Bones, Empty, Failure, Glyph, PageHead, button, live, maybe};
use crate::routes;
use crate::state::load::Load;
use crate::state::trail::Trail;
use crate::state::{Memo, use_console};
use entry::OpenEntry;
use table::{Steps, Table};
use tools::{Downloads, Filters};

/// The page.
#[component]
pub fn Audit() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let trail = Memo::new(move |_| Trail::parse(&address.query()));
    let request = Memo::new(move |_| trail.with(Trail::to_request));
    let open = Memo::new(move |_| trail.with(Trail::entry));
    let show = Callback::new(move |trail: Trail| address.replace(&trail.to_url(routes::AUDIT)));
    let page = Load::new(move || {
        let request = request.get();
        async move { console.api.audit(&request).await }
    });
    let shown = move || match page.get() {
        None => view! { <Bones rows=8 label="Loading the audit trail" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.entries.is_empty() => none(trail, show),
        Some(Ok(found)) => view! {
            <Table entries=found.entries trail=trail />
            <Steps next=found.next trail=trail />
        }
        .into_any(),
    };
    let close = Callback::new(move |()| show.run(trail.get_untracked().opened(None)));
    view! {
        <PageHead title="Audit" lead="Every administrative write of both APIs, and who signs in here, newest first. Secrets are masked.">
            <Downloads trail=trail />
        </PageHead>
        <Filters trail=trail on_change=show />
        <section aria-label="Results" class="results" class:stale=move || page.busy() && page.good().is_some()>
            {live(shown)}
        </section>
        {live(move || maybe(open.get(), |seq| view! { <OpenEntry seq=seq on_close=close /> }.into_any()))}
    }
    .into_any()
}

fn none(trail: Memo<Trail>, show: Callback<Trail>) -> AnyView {
    if trail.with_untracked(|trail| trail.narrowed() || trail.is_older()) {
        return view! {
            <Empty glyph=Glyph::Search title="No entry matches">
                <p>"Actor and document id must match completely. Days are in UTC."</p>
                {button("btn", "Clear the filters", move || show.run(Trail::default()))}
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty glyph=Glyph::Audit title="Nothing has happened yet">
            <p>"Every change of an API, a provider, a ruleset, a webhook or a credential, every reload, and every sign-in to the console, will be listed here."</p>
        </Empty>
    }
    .into_any()
}
