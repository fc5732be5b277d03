//! The document being edited, with its problems beside it.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::desk::Desk;
use crate::components::{
    DocumentEditor, JumpTarget, Notice, ProblemList, QuickFixes, Tint, live, maybe,
};
use crate::pages::editor::shows;
use crate::routes;
use crate::state::draft::{Tally, plural};
use crate::state::rebase::Rebased;

/// The editor, the problems, and further content for this kind of document.
#[component]
pub(super) fn Editor(desk: Desk) -> impl IntoView {
    let problems = Memo::new(move |_| desk.problems());
    let rebased = move || {
        maybe(desk.rebased.get(), |rebased| {
            view! { <RebaseNotice desk=desk rebased=rebased /> }.into_any()
        })
    };
    let yaml = desk.id().zip(desk.sort.document);
    let yaml = yaml.map(|(id, kind)| routes::yaml(&id, kind));
    view! {
        <div class="notices" role="status">{live(rebased)}</div>
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
        </section>
    }
}

#[component]
fn RebaseNotice(desk: Desk, rebased: Rebased) -> impl IntoView {
    let Rebased {
        carried,
        overlapping,
        dropped,
        ..
    } = rebased;
    let clean = overlapping.is_empty() && dropped.is_empty();
    let count = plural(carried.len().saturating_add(overlapping.len()), "change");
    view! {
        <Notice tint=if clean { Tint::Green } else { Tint::Amber }>
            <span>
                {format!("Your text is now based on the stored revision, with {count} of yours on top.")}
                {(!overlapping.is_empty()).then(|| format!(" Both of you changed {}: yours is in the text, please check.", overlapping.join(", ")))}
                {(!dropped.is_empty()).then(|| format!(" Could not be carried over: {}.", dropped.join(", ")))}
            </span>
            <button type="button" class="btn btn-small" on:click=move |_| desk.rebased.set(None)>"Dismiss"</button>
        </Notice>
    }
}
