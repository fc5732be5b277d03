//! The versions of an API side by side: how each is reached and chosen, and how their operations differ.

mod facts;
mod found;
mod new;
mod operations;

use std::sync::Arc;

use leptos::prelude::*;

use super::cache::no_api;
use crate::components::{Bones, Empty, Glyph, Icon, PageHead, Shown, live, maybe};
use crate::routes;
use crate::state::load::Load;
use crate::state::{Console, Memo, use_console};
use facts::Facts;
use found::{Found, find};
use new::{NewVersionDialog, Started};
use operations::Operations;

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
struct Desk {
    console: Console,
    found: Load<Arc<Found>>,
    /// The index of the version that the others are compared with.
    with: RwSignal<usize>,
    /// The version that a new one is to be copied from, while the dialog is open.
    making: RwSignal<Option<Started>>,
}

impl Desk {
    fn good(self) -> Option<Arc<Found>> {
        self.found.good()
    }
}

/// The page.
#[component]
pub fn VersionsPage(
    /// The id in the address, of the base or of one of its versions.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let id = StoredValue::new(id);
    let desk = Desk {
        console,
        found: Load::new(move || {
            // Another set may have been loaded since.
            let _ = console.board.get();
            async move { find(console.api, &id.get_value()).await.map(Arc::new) }
        }),
        with: RwSignal::new(0),
        making: RwSignal::new(None),
    };
    let title = move || {
        desk.good()
            .map_or_else(|| "Versions".to_owned(), |found| found.title())
    };
    let there = Memo::new(move |_| desk.found.good().is_some());
    let several = Memo::new(move |_| desk.good().is_some_and(|found| found.members.len() > 1));
    let again = Callback::new(move |()| desk.found.again());
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::OPENAPI>"OpenAPI APIs"</a>
            <Icon glyph=Glyph::Chevron />
            <a href=routes::openapi(&id.get_value())><code>{id.get_value()}</code></a>
            <Icon glyph=Glyph::Chevron />
            <span>"Versions"</span>
        </nav>
        <PageHead title=Signal::derive(title) lead="What a request can choose between, and how the choices differ.">
            <Shown when=move || !console.only_reads() && desk.good().is_some_and(|found| found.source().is_some())>
                <button type="button" class="btn btn-primary" on:click=move |_| desk.start(None)>
                    <Icon glyph=Glyph::Plus />
                    "New version"
                </button>
            </Shown>
        </PageHead>
        {live(move || maybe(desk.found.failed(), |error| no_api(error, again)))}
        <Shown when=move || !there.get() && desk.found.failed().is_none()>
            <Bones rows=8 label="Loading the versions" />
        </Shown>
        <Shown when=move || there.get() && !several.get()>
            <Empty glyph=Glyph::Copy title="There is one version">
                <p>"All requests get it. A second one is an API of its own; this one passes requests to it depending on a header, a parameter or the path."</p>
            </Empty>
        </Shown>
        <Shown when=move || several.get()>
            <Facts desk=desk />
            <Operations desk=desk />
        </Shown>
        {live(move || maybe(desk.making.get(), |started| view! { <NewVersionDialog desk=desk started=started /> }.into_any()))}
    }
    .into_any()
}
