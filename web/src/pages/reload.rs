//! Reloading: what will change, the button, and the outcome.

mod affected;
mod between;
mod generations;
mod outcome;
mod plan;

use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::api::{ApiError, ReloadStatus, Skipped};
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, Notice, PageHead, Shown, Tint, When, each, live, maybe,
    only,
};
use crate::routes;
use crate::state::load::Load;
use crate::state::plan::{failure, key, selection};
use crate::state::task::Task;
use crate::state::{Memo, use_console};
use between::Between;
use generations::GenerationList;
use outcome::{Outcome, OutcomeCard};
use plan::{Desk, PlanTable};

/// The page.
#[component]
pub fn Reload() -> impl IntoView {
    let console = use_console();
    let board = console.board;
    // The known state may be old: somebody else may have stored something since.
    board.again();
    let outcome = RwSignal::new(None::<Result<Outcome, ApiError>>);
    let task = Task::new();
    let desk = Desk::of_changes();
    let left_out = move || {
        desk.left_out
            .map(|left_out| left_out.get())
            .unwrap_or_default()
    };
    let generations = Load::new(move || async move { console.api.generations().await });
    let publish = Callback::new(move |selection: Option<String>| {
        task.run(async move {
            let before = board.good_untracked().unwrap_or_default();
            let part = selection.is_some();
            let began = now();
            let published = match selection {
                None => console.api.reload().await,
                Some(selection) => console.api.reload_selected(&selection).await,
            };
            let result = match published {
                Ok(()) => console.api.reload_status().await,
                Err(error) => Err(error),
            };
            let took_ms = now() - began;
            outcome.try_set(Some(result.map(|after| Outcome {
                before,
                after,
                took_ms,
                part,
            })));
            board.again();
            generations.again();
        });
    });
    // A memo, because an unchanged result must not rebuild the rows and lose the focus in them.
    let status = Memo::new(move |_| board.good());
    let reload = move |_| {
        let status = status.get_untracked().unwrap_or_default();
        publish.run(selection(&status.pending, &left_out()));
    };
    let back = Callback::new(move |generation: u64| {
        publish.run(Some(format!(r#"{{"generation":{generation}}}"#)));
    });
    let choice = Memo::new(move |_| Choice::of(&status.get().unwrap_or_default(), &left_out()));
    let failed = Memo::new(move |_| matches!(board.get(), Some(Err(_))));
    // What is published has to be on screen before: a reload at once could neither be looked at nor say what it did.
    let unknown = Memo::new(move |_| board.get().is_none());
    let again = Callback::new(move |()| {
        board.again();
        generations.again();
    });
    let body = move || match (status.get(), failed.get()) {
        (_, true) => maybe(board.get().and_then(Result::err), |error| {
            view! { <Failure error=error on_retry=again /> }.into_any()
        }),
        (None, false) => view! { <Bones rows=8 label="Loading what is pending" /> }.into_any(),
        (Some(status), false) => view! { <Status status=status desk=desk /> }.into_any(),
    };
    view! {
        <PageHead title="Reload" lead="A reload publishes what is stored and swaps it in at once. Requests under way finish on the old set.">
            <button type="button" class="btn btn-primary" disabled=move || task.busy() || unknown.get() || choice.get() == Choice::Nothing || console.only_reads() on:click=reload>
                <Icon glyph=Glyph::Reload />
                {live(move || if task.busy() { "Reloading…".to_owned() } else { choice.get().says() })}
            </button>
        </PageHead>
        <div role="status">
            <Shown when=move || task.busy()>
                <div class="progress"><span class="visually-hidden">"Reloading"</span></div>
            </Shown>
            {live(move || match outcome.get() {
                None => ().into_any(),
                Some(Ok(outcome)) => view! { <OutcomeCard outcome=outcome /> }.into_any(),
                Some(Err(error)) => view! { <Failure error=error /> }.into_any(),
            })}
        </div>
        {live(body)}
        <GenerationList list=generations busy=Signal::derive(move || task.busy()) on_back=back />
        <Between list=generations />
    }
    .into_any()
}

/// How much of the pending changes is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    All,
    Some(u64, u64),
    Nothing,
}

impl Choice {
    fn of(status: &ReloadStatus, left_out: &BTreeSet<String>) -> Self {
        let pending = &status.pending;
        let left = pending
            .iter()
            .filter(|pending| left_out.contains(&key(pending)));
        match left.count() {
            0 => Self::All,
            left if left == pending.len() => Self::Nothing,
            left => {
                let chosen = u64::try_from(pending.len().saturating_sub(left));
                Self::Some(chosen.unwrap_or_default(), status.pending_total)
            }
        }
    }

    fn says(self) -> String {
        match self {
            Self::All => "Reload now".to_owned(),
            Self::Some(chosen, total) => format!("Publish {chosen} of {total}"),
            Self::Nothing => "Nothing is chosen".to_owned(),
        }
    }
}

fn now() -> f64 {
    window()
        .performance()
        .map(|clock| clock.now())
        .unwrap_or_default()
}

#[component]
fn Status(status: ReloadStatus, desk: Desk) -> impl IntoView {
    let failed = failure(&status);
    let ReloadStatus {
        generation,
        reloaded_at,
        loaded_total,
        skipped,
        pending_total,
        pending,
        ..
    } = status;
    let when = match reloaded_at {
        Some(at) => view! { <When at=at /> }.into_any(),
        None => "never".into_any(),
    };
    view! {
        {maybe(failed, |says| view! { <Notice tint=Tint::Red><span>{says}</span></Notice> }.into_any())}
        <dl class="figures">
            <div><dt>"Pending"</dt><dd>{pending_total}</dd></div>
            <div><dt>"Served"</dt><dd>{loaded_total}</dd></div>
            <div><dt>"Skipped"</dt><dd>{skipped.len()}</dd></div>
            <div><dt>"Generation"</dt><dd>{generation}</dd></div>
            <div><dt>"Last reload"</dt><dd class="figure-text">{when}</dd></div>
        </dl>
        <section aria-labelledby="pending-title">
            <h2 id="pending-title">"What a reload changes"</h2>
            {if pending.is_empty() {
                view! {
                    <Empty glyph=Glyph::Check title="Nothing is pending">
                        <p>"The gateway serves what is stored."</p>
                    </Empty>
                }
                .into_any()
            } else {
                view! { <PlanTable pending=pending total=pending_total desk=desk /> }.into_any()
            }}
        </section>
        <SkippedList skipped=skipped title="Skipped by the last reload" />
    }
}

/// What a load skipped, and why.
#[component]
pub(super) fn SkippedList(
    /// What was skipped.
    skipped: Vec<Skipped>,
    /// The heading.
    title: &'static str,
) -> impl IntoView {
    let row = |skipped: Skipped| {
        let name = [&skipped.name, &skipped.api_id, &skipped.file]
            .into_iter()
            .find(|name| !name.is_empty())
            .cloned();
        let href = (!skipped.api_id.is_empty()).then(|| routes::api(&skipped.api_id));
        let name = name.unwrap_or_default();
        let heading = match href {
            Some(href) => view! { <a href=href>{name}</a> }.into_any(),
            None => view! { <span>{name}</span> }.into_any(),
        };
        let issue = |issue: gatewright_model::Issue| {
            view! { <li><code>{issue.pointer}</code>" "{issue.message}</li> }.into_any()
        };
        view! {
            <li class="skipped">
                <strong>{heading}</strong>
                <code class="muted">{skipped.file}</code>
                <p>{skipped.reason}</p>
                <ul>{each(skipped.issues, issue)}</ul>
            </li>
        }
        .into_any()
    };
    only(!skipped.is_empty(), || {
        view! {
            <section aria-label=title>
                <h2>{title}</h2>
                <ul class="card skipped-list">{each(skipped, row)}</ul>
            </section>
        }
        .into_any()
    })
}
