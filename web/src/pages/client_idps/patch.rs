//! The merge patch beside the table, and its effect.

use leptos::prelude::*;

use super::desk::Desk;
use crate::components::{
    ChangeList, CopyButton, JsonEditor, LineDiff, Shown, each, live, maybe, only,
};
use crate::state::Memo;
use crate::state::mappings::{Counts, Plan};

/// Changes listed; the line comparison shows all of them.
const LISTED: usize = 50;

/// The column.
#[component]
pub(super) fn PatchSide(desk: Desk) -> impl IntoView {
    view! {
        <div class="mapping-side">
            <section class="card patch-card" aria-labelledby="patch-title">
                <div class="mapping-head">
                    <h2 id="patch-title">"Merge patch"</h2>
                    <span class="spacer"></span>
                    <button type="button" class="btn btn-small" disabled=move || desk.patch.with(|patch| patch.trim() == "{}") on:click=move |_| desk.discard()>
                        "Discard"
                    </button>
                    <CopyButton text=Signal::derive(move || desk.curl()) label="Copy as curl" />
                </div>
                <JsonEditor
                    text=Signal::derive(move || desk.patch.get())
                    on_edit=Callback::new(move |text| desk.patch.set(text))
                    problems=Signal::derive(move || desk.plan.with(|plan| plan.issues.clone()))
                    goto=desk.goto
                    label="Merge patch of the mappings"
                />
                <Issues desk=desk />
            </section>
            <section class="card panel" aria-labelledby="effect-title">
                <h2 id="effect-title">"What it does"</h2>
                <p class="visually-hidden" role="status">{live(move || desk.summary())}</p>
                <Shown when=move || !desk.wrong()>
                    <EffectCounts plan=desk.plan />
                </Shown>
                {live(move || changes(desk))}
                <Shown when=move || !desk.wrong()>
                    <Result desk=desk />
                </Shown>
            </section>
        </div>
    }
}

/// Errors and hints for the patch; each leads to its member.
#[component]
fn Issues(desk: Desk) -> impl IntoView {
    let issues = Memo::new(move |_| desk.plan.with(|plan| plan.issues.clone()));
    let row = move |issue: gatewright_model::Issue| {
        let (class, start) = if issue.is_error() {
            ("patch-issue patch-error", issue.start)
        } else {
            ("patch-issue", issue.start)
        };
        view! {
            <li>
                <button type="button" class=class on:click=move |_| desk.goto.set(Some(start))>
                    <span class="visually-hidden">{if issue.is_error() { "Error: " } else { "Warning: " }}</span>
                    {issue.message}
                    " "
                    <code>{issue.pointer}</code>
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <Shown when=move || !issues.with(Vec::is_empty)>
            <ul class="patch-issues" aria-label="Problems of the patch">{live(move || each(issues.get(), row))}</ul>
        </Shown>
    }
}

/// How many scopes are changed, added, deleted, and left untouched.
#[component]
pub(super) fn EffectCounts(
    /// The effect of the patch.
    plan: Memo<Plan>,
) -> impl IntoView {
    let counts = move || {
        let Counts {
            changed,
            added,
            removed,
            same,
        } = plan.with(Plan::counts);
        [
            (changed, "changed", "tally tally-changed"),
            (added, "added", "tally tally-added"),
            (removed, "deleted", "tally tally-removed"),
            (same, "untouched", "tally"),
        ]
    };
    let one = |(count, word, class): (usize, &'static str, &'static str)| {
        view! {
            <div class=class class:zero={count == 0}>
                <dt>{word}</dt>
                <dd>{count}</dd>
            </div>
        }
        .into_any()
    };
    view! {
        <dl class="tallies" aria-label="Scopes">{live(move || each(counts(), one))}</dl>
    }
}

/// Returns the differences, or a note that there are none.
pub(super) fn changes(desk: Desk) -> AnyView {
    let (right, mut list) = desk
        .plan
        .with(|plan| (plan.result.is_some(), plan.changes.clone()));
    if !right {
        return view! { <p class="muted small">"The patch is not valid yet. The table shows the result of the last valid one."</p> }.into_any();
    }
    if list.is_empty() {
        return view! { <p class="muted small">"Nothing. Edit the table or the patch."</p> }
            .into_any();
    }
    let more = list.len().saturating_sub(LISTED);
    list.truncate(LISTED);
    view! {
        <ChangeList changes=list />
        {only(more > 0, || view! { <p class="muted small">{format!("and {more} more, all of them below")}</p> }.into_any())}
    }
    .into_any()
}

/// The resulting document against the stored one, computed on demand.
#[component]
fn Result(desk: Desk) -> impl IntoView {
    let open = RwSignal::new(false);
    let toggle = move |_| open.update(|open| *open = !*open);
    let after = move || desk.plan.with(|plan| plan.result.clone());
    let lines = move || {
        maybe(after().filter(|_| open.get()), |after| {
            view! { <LineDiff before=desk.text() after=after label="The resulting document, line by line" /> }.into_any()
        })
    };
    view! {
        <div class="patch-result">
            <button type="button" class="btn btn-small" aria-expanded=move || open.get().to_string() on:click=toggle>
                {live(move || if open.get() { "Hide the resulting document" } else { "Show the resulting document" })}
            </button>
            {live(lines)}
        </div>
    }
}
