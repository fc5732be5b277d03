//! The document being edited, with its problems beside it.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::desk::Desk;
use crate::components::{DocumentEditor, JumpTarget, ProblemList, QuickFixes, live};
use crate::pages::editor::shows;
use crate::pages::rebased::rebase_notice;
use crate::routes;
use crate::state::Memo;
use crate::state::draft::Tally;

/// The editor, the problems, and further content for this kind of document.
#[component]
pub(super) fn Editor(desk: Desk) -> impl IntoView {
    let problems = Memo::new(move |_| desk.problems());
    let yaml = desk.id().zip(desk.sort.document);
    let yaml = yaml.map(|(id, kind)| routes::yaml(&id, kind));
    view! {
        <div class="notices" role="status">{rebase_notice(desk.rebased)}</div>
        <div class="workbench">
            <DocumentEditor
                root=desk.sort.root
                label="Document"
                text=Signal::derive(move || desk.text())
                on_edit=Callback::new(move |text| desk.type_text(text))
                on_issues=Callback::new(move |issues| desk.issues.set(Some(issues)))
                external=Signal::derive(move || desk.edge_issues())
                problems=Signal::derive(move || desk.found())
                on_unread=Callback::new(move |issues| desk.unread.set(issues))
                on_format=Callback::new(move |()| desk.format())
                one_line=Signal::derive(move || desk.stored_on_one_line())
                goto=desk.goto
                shows=shows(desk.console.address, desk.sort.root)
                yaml=yaml
                quiet=desk.sort.quiet()
                ids=desk.ids
                toasts=desk.console.toasts
            />
            <div class="workbench-side">
                <Problems desk=desk problems=problems />
                {(desk.sort.beside)(desk)}
            </div>
        </div>
    }
}

/// The problems, with their fixes.
#[component]
fn Problems(desk: Desk, problems: Memo<Vec<Issue>>) -> impl IntoView {
    let jump = Callback::new(move |issue: Issue| desk.goto.set(Some(JumpTarget::of(&issue))));
    let text = Signal::derive(move || desk.text());
    let edit = Callback::new(move |text| desk.type_text(text));
    let quick_fixes = QuickFixes::of(desk.sort.root, text, edit, desk.console.toasts);
    view! {
        <section class="card panel" aria-labelledby="problems-title">
            <h2 id="problems-title">"Problems"</h2>
            <p class="visually-hidden" role="status">{live(move || problems.with(|problems| Tally::of(problems).to_string()))}</p>
            <ProblemList issues=problems on_jump=jump quick_fixes=quick_fixes />
            {(desk.sort.about_problems)(desk)}
        </section>
    }
}
