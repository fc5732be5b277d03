//! The definition being edited, with its problems beside it.

use leptos::prelude::*;

use super::at_a_glance::AtAGlance;
use super::desk::Desk;
use crate::components::{JsonEditor, Notice, ProblemList, Shown, Tint, each, live, maybe, only};
use crate::state::draft::{Tally, plural};

/// Editor, problems and facts.
#[component]
pub(super) fn Definition(desk: Desk) -> impl IntoView {
    let problems = Memo::new(move |_| desk.problems());
    let jump = Callback::new(move |place| desk.goto.set(Some(place)));
    view! {
        <Notices desk=desk />
        <div class="workbench">
            <section class="card editor-card" aria-label="Definition">
                <JsonEditor
                    text=Signal::derive(move || desk.text())
                    on_edit=Callback::new(move |text| desk.type_text(text))
                    root="api_definition"
                    on_issues=Callback::new(move |issues| desk.issues.set(Some(issues)))
                    problems=Signal::derive(move || desk.said())
                    goto=desk.goto
                    label="API definition"
                />
            </section>
            <div class="workbench-side">
                <section class="card panel" aria-labelledby="problems-title">
                    <h2 id="problems-title">
                        "Problems"
                        <ProblemCounts problems=problems />
                    </h2>
                    <p class="visually-hidden" role="status">{live(move || problems.with(|problems| Tally::of(problems).to_string()))}</p>
                    <ProblemList issues=problems on_jump=jump />
                </section>
                <AtAGlance desk=desk />
            </div>
        </div>
    }
}

#[component]
fn ProblemCounts(problems: Memo<Vec<gatewright_model::Issue>>) -> impl IntoView {
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

/// What has to be known about the stored definition and the last rebase.
#[component]
fn Notices(desk: Desk) -> impl IntoView {
    let busy = RwSignal::new(false);
    view! {
            <div class="notices" role="status">
                <Shown when=move || desk.pending()>
                    <Notice tint=Tint::Amber>
                        <span>"Stored, not loaded yet: the gateway doesn't serve this revision."</span>
                        <button type="button" class="btn btn-small" disabled=move || busy.get() on:click=move |_| desk.reload(busy)>
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
                {live(move || maybe(desk.rebased.get(), |rebased| view! { <RebaseNotice desk=desk rebased=rebased /> }.into_any()))}
            </div>
        }
}

#[component]
fn RebaseNotice(desk: Desk, rebased: crate::state::rebase::Rebased) -> impl IntoView {
    let list = |pointers: &[String]| pointers.join(", ");
    let clean = rebased.overlapping.is_empty() && rebased.dropped.is_empty();
    let carried = plural(
        rebased
            .carried
            .len()
            .saturating_add(rebased.overlapping.len()),
        "change",
    );
    view! {
        <Notice tint=if clean { Tint::Green } else { Tint::Amber }>
            <span>
                {format!("Your draft now stands on the stored revision, with {carried} of yours on top.")}
                {(!rebased.overlapping.is_empty())
                    .then(|| format!(" Both of you changed {}: yours is in the text, please check.", list(&rebased.overlapping)))}
                {(!rebased.dropped.is_empty())
                    .then(|| format!(" There was no place left for {}.", list(&rebased.dropped)))}
            </span>
            <button type="button" class="btn btn-small" on:click=move |_| desk.rebased.set(None)>"Dismiss"</button>
        </Notice>
    }
}
