//! The definition that was made, and what the validator says about it.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::importer::Importer;
use crate::components::{CopyButton, JsonEditor, ProblemList, live};
use crate::state::draft::Tally;

/// The definition as it would be stored.
#[component]
pub(super) fn Made(importer: Importer) -> impl IntoView {
    let text = Signal::derive(move || importer.definition());
    view! {
        <section class="card import-result" aria-labelledby="result-title">
            <div class="import-ways">
                <h2 id="result-title">"Definition"</h2>
                <span class="muted small">{live(move || importer.found.with(|found| Tally::of(found).to_string()))}</span>
                <span class="spacer"></span>
                <CopyButton text=text label="Copy the definition" />
            </div>
            <JsonEditor
                text=text
                on_edit=Callback::new(|_| ())
                root="api_definition"
                on_issues=Callback::new(move |issues| importer.found.set(issues))
                goto=importer.shown
                read_only=true
                label="Definition that was made"
            />
        </section>
    }
}

/// What is wrong with it, or worth knowing.
#[component]
pub(super) fn Findings(importer: Importer) -> impl IntoView {
    let jump = Callback::new(move |issue: Issue| importer.shown.set(Some(issue.start)));
    view! {
        <section class="card panel import-findings" aria-labelledby="findings-title">
            <h2 id="findings-title">"Problems of the definition"</h2>
            <ProblemList issues=importer.found on_jump=jump />
        </section>
    }
}
