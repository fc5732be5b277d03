//! The resulting definition, and the validator's problems with it.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::importer::Importer;
use crate::components::{CopyButton, JsonEditor, ProblemList, live};
use crate::state::Memo;
use crate::state::draft::Tally;

/// The definition as it would be stored.
#[component]
pub(super) fn Made(importer: Importer) -> impl IntoView {
    let text = Signal::derive(move || importer.definition());
    let classic = Memo::new(move |_| importer.classic());
    let editor = move || {
        let root = if classic.get() {
            "api_definition"
        } else {
            "openapi_api"
        };
        view! {
            <JsonEditor
                text=text
                on_edit=Callback::new(|_| ())
                root=root
                on_issues=Callback::new(move |issues| importer.found.set(issues))
                goto=importer.shown
                read_only=true
                label="Resulting definition"
            />
        }
        .into_any()
    };
    view! {
        <section class="card import-result" aria-labelledby="result-title">
            <div class="import-ways">
                <h2 id="result-title">{live(move || if classic.get() { "Definition" } else { "OpenAPI API" })}</h2>
                <span class="muted small">{live(move || importer.found.with(|found| Tally::of(found).to_string()))}</span>
                <span class="spacer"></span>
                <CopyButton text=text label="Copy the result" />
            </div>
            {live(editor)}
        </section>
    }
}

/// Errors and hints for it.
#[component]
pub(super) fn Findings(importer: Importer) -> impl IntoView {
    let jump = Callback::new(move |issue: Issue| importer.shown.set(Some(issue.start)));
    view! {
        <section class="card panel import-findings" aria-labelledby="findings-title">
            <h2 id="findings-title">"Problems of the result"</h2>
            <ProblemList issues=importer.found on_jump=jump />
        </section>
    }
}
