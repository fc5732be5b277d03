//! The definition being edited, with its problems beside it.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::at_a_glance::AtAGlance;
use super::desk::Desk;
use super::playground::Playground;
use crate::api::Pending;
use crate::components::{
    DocumentEditor, JumpTarget, Notice, ProblemList, QuickFixes, Shown, Shows, Tint, each, live,
    maybe, only,
};
use crate::pages::neighbours::owner_link;
use crate::pages::rebased::rebase_notice;
use crate::pages::recent_notices::RecentNotices;
use crate::pages::used_by::{Used, UsedBy};
use crate::routes;
use crate::state::address::Address;
use crate::state::draft::Tally;
use crate::state::import::Source;
use crate::state::plan::Step;
use crate::state::view::{self, View};
use crate::state::{Console, Memo};

/// The kind of document, by its name in the model.
const ROOT: &str = "api_definition";

/// The editor, the problems and the summary.
#[component]
pub(super) fn Definition(desk: Desk) -> impl IntoView {
    let problems = Memo::new(move |_| desk.problems());
    let shows = shows(desk.console.address, ROOT);
    view! {
        <Notices desk=desk />
        <div class="workbench">
            <DocumentEditor
                root=ROOT
                label="API definition"
                text=Signal::derive(move || desk.text())
                on_edit=Callback::new(move |text| desk.type_text(text))
                on_issues=Callback::new(move |issues| desk.issues.set(Some(issues)))
                external=Signal::derive(move || desk.gateway_issues())
                problems=Signal::derive(move || desk.found())
                on_unread=Callback::new(move |issues| desk.unread.set(issues))
                on_format=Callback::new(move |()| desk.format())
                on_import=Callback::new(move |text| import(desk.console, text))
                one_line=Signal::derive(move || desk.stored_on_one_line())
                goto=desk.goto
                shows=shows
                toasts=desk.console.toasts
            />
            <div class="workbench-side">
                <Problems desk=desk problems=problems />
                <Playground desk=desk shows=shows />
                <AtAGlance desk=desk />
                {maybe(desk.id(), |id| {
                    view! {
                        <UsedBy console=desk.console used=Used::Api id=id.clone() none="Nothing that you can see uses it." />
                        <RecentNotices console=desk.console id=id />
                    }
                    .into_any()
                })}
            </div>
        </div>
    }
}

/// Opens the import page with a text.
fn import(console: Console, text: String) {
    console.handover.give_source(Source::new(&text, "", None));
    console.address.release();
    console.address.go(routes::IMPORT);
}

/// The view to show: the one in the address, or else the last choice.
pub(in crate::pages) fn shows(address: Address, root: &'static str) -> Shows {
    let chosen = RwSignal::new(View::stored(root));
    let in_address = Memo::new(move |_| view::read(&address.query()));
    let current = move || in_address.get().0.unwrap_or_else(|| chosen.get());
    let on_view = move |view: View| {
        view.keep(root);
        chosen.set(view);
        let at = in_address.get_untracked().1;
        address.replace(&view::address(&untrack(|| address.path()), view, &at));
    };
    let on_at = move |at: String| {
        address.go(&view::address(&untrack(|| address.path()), View::Form, &at));
    };
    Shows {
        view: Signal::derive(current),
        on_view: Callback::new(on_view),
        at: Signal::derive(move || in_address.get().1),
        on_at: Callback::new(on_at),
    }
}

/// The problems, with their fixes.
#[component]
fn Problems(desk: Desk, problems: Memo<Vec<Issue>>) -> impl IntoView {
    let jump = Callback::new(move |issue: Issue| desk.goto.set(Some(JumpTarget::of(&issue))));
    let text = Signal::derive(move || desk.text());
    let edit = Callback::new(move |text| desk.type_text(text));
    let quick_fixes = QuickFixes::of(ROOT, text, edit, desk.console.toasts);
    view! {
        <section class="card panel" aria-labelledby="problems-title">
            <h2 id="problems-title">"Problems" <ProblemCounts problems=problems /></h2>
            <p class="visually-hidden" role="status">{live(move || problems.with(|problems| Tally::of(problems).to_string()))}</p>
            <ProblemList issues=problems on_jump=jump quick_fixes=quick_fixes />
            {live(move || maybe(desk.neighbours.owner(), owner_link))}
        </section>
    }
}

#[component]
fn ProblemCounts(problems: Memo<Vec<Issue>>) -> impl IntoView {
    let badges = move || {
        let Tally {
            errors,
            warnings,
            notes,
        } = problems.with(|problems| Tally::of(problems));
        let counts = [
            (errors, "badge badge-invalid"),
            (warnings, "badge badge-pending"),
            (notes, "badge"),
        ];
        let badge = |(count, class): (usize, &'static str)| {
            only(count > 0, || {
                view! { <span class=class>{count}</span> }.into_any()
            })
        };
        each(counts, badge)
    };
    view! { <span class="problem-counts" aria-hidden="true">{live(badges)}</span> }
}

/// Notices about the stored definition and the last rebase.
#[component]
fn Notices(desk: Desk) -> impl IntoView {
    let busy = RwSignal::new(false);
    view! {
            <div class="notices" role="status">
                <Shown when=move || desk.pending()>
                    <Notice tint=Tint::Amber>
                        <span>{live(move || waits(desk.outlook()))}</span>
                        <button type="button" class="btn btn-small" disabled=move || busy.get() || !desk.console.may_reload() on:click=move |_| desk.reload(busy)>
                            {live(move || if busy.get() { "Reloading…" } else { "Reload now" })}
                        </button>
                    </Notice>
                </Shown>
                {live(move || {
                    maybe(desk.skipped(), |reason| {
                            view! { <Notice tint=Tint::Red><span>{format!("The last reload skipped this API: {reason}")}</span></Notice> }
    .into_any()
    })
                })}
                {rebase_notice(desk.rebased)}
            </div>
        }
}

/// Returns what a pending revision waits for.
fn waits(pending: Option<Pending>) -> String {
    let skipped = pending.filter(|pending| pending.outlook == "skipped");
    match skipped {
        Some(pending) => format!("Pending. {}.", Step::of(&pending).says),
        None => {
            "Pending: the gateway doesn't serve this revision before the next reload.".to_owned()
        }
    }
}
