//! The results of a plan, while it runs and afterwards.

use leptos::prelude::*;

use super::plan::Desk;
use crate::components::{Notice, Tint, button, each, live, only};
use crate::state::bulk::report::{Entry, Outcome};

/// The progress, and then the report.
#[component]
pub(super) fn Outcomes(
    /// The plan.
    desk: Desk,
) -> impl IntoView {
    let report = desk.run.report;
    let busy = move || desk.task.busy();
    let progress = move || {
        let (ended, all) = report.with(|report| (report.ended(), report.entries.len()));
        let stopping = only(desk.run.stop.get(), || {
            view! { <span class="muted">"Stopping: waiting for the requests already sent."</span> }
                .into_any()
        });
        view! {
            <div class="bulk-progress">
                <progress max=all.to_string() value=ended.to_string() aria-label="Progress"></progress>
                <span>{format!("{ended} of {all}")}</span>
                {stopping}
            </div>
        }
        .into_any()
    };
    let summary = move || {
        if busy() {
            return String::new();
        }
        let words = report.with(|report| report.words());
        if desk.back.get() {
            format!("Undone: {words}")
        } else {
            words
        }
    };
    let ended = move || {
        let tint = if report.with(|report| report.again().is_empty()) {
            Tint::Green
        } else {
            Tint::Amber
        };
        view! { <Notice tint=tint><span>{summary()}</span></Notice> }.into_any()
    };
    let head = move || if busy() { progress() } else { ended() };
    let lists = move || {
        report.with(|report| {
            let failed = report.entries.iter().filter(|entry| match entry.outcome {
                Outcome::Failed(_) => true,
                Outcome::NotBegun => !busy(),
                Outcome::Done(_) => false,
            });
            let failed = each(failed, entry);
            let done: Vec<AnyView> = each(
                report
                    .entries
                    .iter()
                    .filter(|entry| matches!(entry.outcome, Outcome::Done(_))),
                entry,
            );
            let any = !done.is_empty();
            view! {
                <ul class="bulk-lines" aria-label="What was not done">{failed}</ul>
                {only(any, || view! {
                    <details>
                        <summary>"What was done"</summary>
                        <ul class="bulk-lines">{done}</ul>
                    </details>
                }.into_any())}
            }
            .into_any()
        })
    };
    view! {
        <div class="dialog-body">
            {live(head)}
            <p class="visually-hidden" role="status">{live(summary)}</p>
            {live(move || only(!busy(), lists))}
        </div>
        <footer class="dialog-foot">{live(move || buttons(desk))}</footer>
    }
}

fn entry(entry: &Entry) -> AnyView {
    let (class, says) = match &entry.outcome {
        Outcome::Failed(why) => ("bulk-line bulk-bad", why.clone()),
        Outcome::NotBegun => ("bulk-line bulk-held", "Not started.".to_owned()),
        Outcome::Done(_) => ("bulk-line", entry.says.clone()),
    };
    let name = entry.pick.name.clone();
    view! { <li class=class><strong>{name}</strong><span>{says}</span></li> }.into_any()
}

fn buttons(desk: Desk) -> AnyView {
    if desk.task.busy() {
        let stop = move |_| desk.run.stop.set(true);
        return view! {
            <button type="button" class="btn" disabled=move || desk.run.stop.get() on:click=stop>"Stop"</button>
        }
        .into_any();
    }
    let (left, undo) = desk
        .run
        .report
        .with(|report| (report.again(), report.undo()));
    let back = desk.back.get();
    let retry = {
        let label = format!("Try {} again…", left.len());
        let any = !left.is_empty();
        let again = move |_| desk.on_again.run((desk.verb, left.clone()));
        only(any && !back, || {
            view! { <button type="button" class="btn" on:click=again>{label}</button> }.into_any()
        })
    };
    let take_back = {
        let label = format!("Undo {}", undo.len());
        let any = !undo.is_empty();
        let take_back = move |_| {
            desk.back.set(true);
            desk.carry_out(undo.clone());
        };
        only(any && !back, || {
            view! { <button type="button" class="btn" on:click=take_back>{label}</button> }
                .into_any()
        })
    };
    view! {
        {take_back}
        {retry}
        {button("btn btn-primary", "Close", move || desk.on_close.run(()))}
    }
    .into_any()
}
