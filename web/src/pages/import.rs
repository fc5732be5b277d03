//! Import from OpenAPI: a document comes in, and is looked at as a definition before anything is stored.

mod choices;
mod document;
mod importer;
mod merge;
mod report;
mod result;

use leptos::prelude::*;

use crate::components::{FileDrop, Glyph, Icon, Notice, PageHead, Shown, Tint, live};
use crate::routes;
use crate::state::use_console;
use choices::Becomes;
use document::DocumentCard;
use importer::Importer;
use merge::MergeDialog;
use report::Report;
use result::{Findings, Made};

/// The page.
#[component]
pub fn Import() -> impl IntoView {
    let importer = Importer::new(use_console());
    let made = move || importer.has_made();
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::APIS>"APIs"</a>
            <Icon glyph=Glyph::Chevron />
            <span>"Import"</span>
        </nav>
        <PageHead title="Import from OpenAPI" lead="A document, in JSON or YAML, becomes a definition. Nothing is stored here.">
            <Actions importer=importer />
        </PageHead>
        <FileDrop label="Drop the document to import it" on_file=Callback::new(move |file| importer.open_file(file)) />
        <Broken importer=importer />
        <p class="visually-hidden" role="status">{live(move || importer.said())}</p>
        <div class="import" class:stale=move || importer.converter.busy.get()>
            <div class="import-main">
                <DocumentCard importer=importer />
                <Shown when=made>
                    <Made importer=importer />
                    <Findings importer=importer />
                </Shown>
            </div>
            <div class="import-side">
                <Shown when=made fallback=|| view! { <Promise /> }>
                    <Becomes importer=importer />
                    <Report importer=importer />
                </Shown>
            </div>
        </div>
        <Shown when=move || importer.merging.get()>
            <MergeDialog importer=importer />
        </Shown>
    }
    .into_any()
}

/// The two ways on.
#[component]
fn Actions(importer: Importer) -> impl IntoView {
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let command = event.ctrl_key() || event.meta_key();
        let here = !importer.merging.get_untracked() && !importer.console.palette.get_untracked();
        if command && event.key() == "Enter" && here {
            event.prevent_default();
            importer.open_in_editor();
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <button type="button" class="btn" disabled=move || !importer.ready() on:click=move |_| importer.merging.set(true)>
            "Merge into an API…"
        </button>
        <button
            type="button"
            class="btn btn-primary"
            title="Ctrl or ⌘ and Enter"
            disabled=move || !importer.ready()
            on:click=move |_| importer.open_in_editor()
        >
            "Open in the editor"
        </button>
    }
}

#[component]
fn Broken(importer: Importer) -> impl IntoView {
    view! {
        <Shown when=move || importer.converter.broken.get()>
            <Notice tint=Tint::Red>
                <span role="alert">"The part of the console that imports could not be loaded, or it stopped. Check the connection and change the document to try again, or load the page again."</span>
            </Notice>
        </Shown>
    }
}

/// What stands beside the document as long as there is none.
#[component]
fn Promise() -> impl IntoView {
    view! {
        <section class="card panel" aria-labelledby="promise-title">
            <h2 id="promise-title">"What becomes of it"</h2>
            <ul class="promise">
                <li>"Title, servers and security become name, listen path, upstream and authentication."</li>
                <li>"Paths become rules if you want that: to allow nothing else, to check requests, or to answer with examples."</li>
                <li>"A report names everything that was taken and everything that was not."</li>
                <li>"The result opens as an unsaved draft, or goes over the upstream and the rules of an API you have."</li>
            </ul>
        </section>
    }
}
