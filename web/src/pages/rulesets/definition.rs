//! The definition of a ruleset, a JSON document inside a string of its document, in an editor of its own.

use gatewright_model::json::{parse, quote};
use gatewright_model::{Issue, Position};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::components::{
    FileButton, FileDrop, ForeignText, JsonEditor, Notice, ProblemList, QuickFixes, Shown, Tint,
};
use crate::pages::documents::Desk;
use crate::state::ruleset::{definition, filled};
use crate::state::{Memo, effect, files};

/// Its pointer in the document.
const POINTER: &str = "/definition";
/// Its kind, for the editor.
const ROOT: &str = "ruleset_definition";

/// The card: its own editor, its own problems, and a button for loading a file.
#[component]
pub(super) fn Definition(desk: Desk) -> impl IntoView {
    let text = Memo::new(move |last: Option<&String>| definition(&desk.text(), last));
    let broken = Memo::new(move |_| parse(&desk.text()).is_err());
    let issues = RwSignal::new(Vec::<Issue>::new());
    let found = Callback::new(move |found: Vec<Issue>| issues.set(found));
    let goto = RwSignal::new(None::<Position>);
    effect(move || {
        let inside = desk.goto.get().filter(|target| target.pointer == POINTER);
        let first = issues.with_untracked(|issues| issues.first().map(|issue| issue.start));
        if let (Some(_), Some(first)) = (inside, first) {
            goto.set(Some(first));
        }
    });
    let edit = Callback::new(move |text: String| desk.set(POINTER, &quote(&text)));
    let jump = Callback::new(move |issue: Issue| goto.set(Some(issue.start)));
    let quick_fixes = QuickFixes::of(ROOT, text.into(), edit, desk.console.toasts);
    let document = Signal::derive(move || desk.text());
    let put = Callback::new(move |text| desk.type_text(text));
    let take = Callback::new(move |file| take(desk, document, put, file));
    // A file that was dropped on the list is the initial definition of a new ruleset.
    if desk.id().is_none()
        && let Some(source) = desk.console.handover.take_source()
        && let Some(text) = filled(&untrack(|| desk.text()), &source)
    {
        desk.type_text(text);
    }
    view! {
        <section class="card definition" aria-labelledby="definition-title">
            <div class="definition-head">
                <h2 id="definition-title">"Definition"</h2>
                <span class="muted small">"The rules. In the document above they are a text."</span>
                <FileButton label="Upload a file" accept=".json,.yaml,.yml,application/json" on_file=take />
            </div>
            <Shown when=move || broken.get()>
                <Notice tint=Tint::Amber>
                    <span>"The document above is not valid JSON. The definition can be edited once it is."</span>
                </Notice>
            </Shown>
            <ForeignText text=text.into() on_edit=edit on_import=None toasts=desk.console.toasts />
            <div class="definition-body">
                <JsonEditor
                    text=text
                    on_edit=edit
                    root=ROOT
                    on_issues=found
                    goto=goto
                    read_only=broken
                    hint="{ \"rules\": { … } }"
                    label="Definition"
                />
                <ProblemList issues=issues on_jump=jump quick_fixes=quick_fixes />
            </div>
        </section>
        <FileDrop label="Drop the file to make it the definition" on_file=take />
    }
}

/// Replaces the definition by a file, with an undo.
fn take(desk: Desk, document: Signal<String>, put: Callback<String>, file: File) {
    let toasts = desk.console.toasts;
    spawn_local(async move {
        match files::read(file).await {
            Ok(source) => {
                let before = document.get_untracked();
                desk.set(POINTER, &quote(&source.text));
                // It stays as it was, and that was reported, if it is not JSON at the moment.
                if document.get_untracked() != before {
                    let report = format!("{} is the definition now.", source.name);
                    toasts.offer_back(report, document, put, before);
                }
            }
            Err(why) => toasts.bad(why),
        }
    });
}
