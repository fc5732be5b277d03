//! The content of the import: a document comes in, and is reviewed as a definition before anything is stored.

use leptos::prelude::*;

use super::choices::Becomes;
use super::document::DocumentCard;
pub use super::importer::Importer;
use super::merge::MergeDialog;
use super::report::Report;
use super::result::{Findings, Made};
use crate::components::{FileDrop, Notice, Shown, Tint, live};

/// The import below its heading.
#[component]
pub fn ImportView(
    /// The shared state.
    importer: Importer,
) -> impl IntoView {
    let made = move || importer.has_made();
    view! {
        <FileDrop label="Drop the document to import it" on_file=Callback::new(move |file| importer.open_file(file)) />
        <Broken importer=importer />
        <p class="visually-hidden" role="status">{live(move || importer.status())}</p>
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
                    // An import as a document leaves nothing out, unless it is converted first.
                    <Shown when=move || importer.classic() || importer.with_made(|made| !made.report.is_empty())>
                        <Report importer=importer />
                    </Shown>
                </Shown>
            </div>
        </div>
        <Shown when=move || importer.merging.get()>
            <MergeDialog importer=importer />
        </Shown>
    }
    .into_any()
}

#[component]
fn Broken(importer: Importer) -> impl IntoView {
    view! {
        <Shown when=move || importer.converter.broken.get()>
            <Notice tint=Tint::Red>
                <span role="alert">"The import could not be loaded, or it stopped. Check the connection and change the document to try again, or load the page again."</span>
            </Notice>
        </Shown>
    }
}

/// Shown beside the document editor while there is no document.
#[component]
fn Promise() -> impl IntoView {
    view! {
        <section class="card panel" aria-labelledby="promise-title">
            <h2 id="promise-title">"What happens to it"</h2>
            <ul class="promise">
                <li>"It stays an OpenAPI document with the gateway's extension, or becomes a classic definition."</li>
                <li>"Swagger 2.0 is converted to OpenAPI 3.0 first."</li>
                <li>"Title, servers and security become name, listen path, upstream and authentication."</li>
                <li>"Paths become rules if you want that: to allow nothing else, to check requests, or to answer with examples."</li>
                <li>"For a definition and for a converted document, a report lists everything that was imported and everything that was not."</li>
                <li>"The result opens as an unsaved draft; a definition can also replace the upstream and the rules of an existing API."</li>
            </ul>
        </section>
    }
}
