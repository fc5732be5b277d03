//! Reloading: what will change, the button, and what happened.

mod outcome;

use leptos::prelude::*;

use crate::api::{ApiError, Pending, ReloadStatus, Skipped};
use crate::components::{
    Bones, ChangeBadge, Empty, Failure, Glyph, Icon, Notice, PageHead, Shown, Tint, When, each,
    live, maybe, only,
};
use crate::routes;
use crate::state::plan::{Counts, Step, Weight, steps};
use crate::state::task::Task;
use crate::state::use_console;
use outcome::{Outcome, OutcomeCard};

/// The page.
#[component]
pub fn Reload() -> impl IntoView {
    let console = use_console();
    let board = console.board;
    // What is known may be old: somebody else may have stored something since.
    board.again();
    let outcome = RwSignal::new(None::<Result<Outcome, ApiError>>);
    let task = Task::new();
    let reload = move |_| {
        task.run(async move {
            let before = board.good_untracked().unwrap_or_default();
            let began = now();
            let result = match console.api.reload().await {
                Ok(()) => console.api.reload_status().await,
                Err(error) => Err(error),
            };
            let took_ms = now() - began;
            outcome.try_set(Some(result.map(|after| Outcome {
                before,
                after,
                took_ms,
            })));
            board.again();
        });
    };
    let body = move || match board.get() {
        None => view! { <Bones rows=8 label="Loading what is pending" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| board.again() /> }.into_any()
        }
        Some(Ok(status)) => view! { <Status status=status /> }.into_any(),
    };
    view! {
        <PageHead title="Reload" lead="A reload publishes what is stored and swaps it in at once. Requests under way finish on the old set.">
            <button type="button" class="btn btn-primary" disabled=move || task.busy() on:click=reload>
                <Icon glyph=Glyph::Reload />
                {live(move || if task.busy() { "Reloading…" } else { "Reload now" })}
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
    }
    .into_any()
}

fn now() -> f64 {
    window()
        .performance()
        .map(|clock| clock.now())
        .unwrap_or_default()
}

#[component]
fn Status(status: ReloadStatus) -> impl IntoView {
    let ReloadStatus {
        generation,
        reloaded_at,
        error,
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
            {maybe(error, |error| {
                    view! { <Notice tint=Tint::Red><span>{format!("The last reload failed: {error}. The set before it stays in service.")}</span></Notice> }
    .into_any()
    })}
            <dl class="figures">
                <div><dt>"Pending"</dt><dd>{pending_total}</dd></div>
                <div><dt>"Loaded"</dt><dd>{loaded_total}</dd></div>
                <div><dt>"Skipped"</dt><dd>{skipped.len()}</dd></div>
                <div><dt>"Generation"</dt><dd>{generation}</dd></div>
                <div><dt>"Last reload"</dt><dd class="figure-text">{when}</dd></div>
            </dl>
            <section aria-labelledby="pending-title">
                <h2 id="pending-title">"What a reload changes"</h2>
                <PlanLine counts=Counts::of(&pending) />
                <PendingList pending=pending total=pending_total />
            </section>
            <SkippedList skipped=skipped title="Skipped by the last reload" />
        }
}

#[component]
fn PendingList(pending: Vec<Pending>, total: u64) -> impl IntoView {
    if pending.is_empty() {
        return view! {
            <Empty glyph=Glyph::Check title="Nothing is pending">
                <p>"The gateway serves what is stored."</p>
            </Empty>
        }
        .into_any();
    }
    let more = total.saturating_sub(u64::try_from(pending.len()).unwrap_or_default());
    view! {
        <div class="card table-card">
            <table class="table">
                <caption class="visually-hidden">"Pending changes"</caption>
                <thead>
                    <tr>
                        <th scope="col">"API or policy"</th>
                        <th scope="col">"What the reload does"</th>
                        <th scope="col">"Listen path"</th>
                        <th scope="col">"Revision"</th>
                    </tr>
                </thead>
                <tbody>{each(steps(&pending), pending_row)}</tbody>
            </table>
        </div>
        {only(more > 0, || view! { <p class="muted">{format!("And {more} more.")}</p> }.into_any())}
    }
    .into_any()
}

/// How many APIs the reload does what to. What is lost is said also where nothing is.
#[component]
fn PlanLine(counts: Counts) -> impl IntoView {
    let Counts {
        served,
        skipped,
        lost,
        policies,
    } = counts;
    let part = |(count, always, class, says): (usize, bool, &'static str, &'static str)| {
        let class = if count > 0 { class } else { "badge" };
        only(count > 0 || always, || {
            view! { <span class=format!("{class} plan-part")><strong class="number">{count}</strong>" "{says}</span> }
                .into_any()
        })
    };
    let changes = served
        .saturating_add(skipped)
        .saturating_add(lost)
        .saturating_add(policies)
        > 0;
    let parts = [
        (served, true, "badge badge-live", "will be served"),
        (skipped, true, "badge badge-pending", "will be skipped"),
        (
            lost,
            true,
            "badge badge-invalid",
            "no longer served by this reload",
        ),
        (
            policies,
            false,
            "badge",
            if policies == 1 {
                "policy changes"
            } else {
                "policies change"
            },
        ),
    ];
    only(changes, || {
        view! { <p class="plan-line">{each(parts, part)}</p> }.into_any()
    })
}

fn pending_row((pending, step): (Pending, Step)) -> AnyView {
    let deleted = pending.change == "deleted";
    let href = match (pending.policy, deleted) {
        (true, true) => routes::POLICIES.to_owned(),
        (true, false) => routes::policy(&pending.api_id),
        (false, true) => routes::revisions(&pending.api_id),
        (false, false) => routes::api(&pending.api_id),
    };
    let listen_path = if pending.policy {
        view! { <span class="muted">"a policy"</span> }.into_any()
    } else {
        view! { <code>{pending.listen_path}</code> }.into_any()
    };
    let name = if pending.name.is_empty() {
        pending.api_id.clone()
    } else {
        pending.name
    };
    let says = match step.weight {
        Weight::Plain => "plan-says muted",
        Weight::Skipped => "plan-says plan-skipped",
        Weight::Lost => "plan-says plan-lost",
    };
    let revisions = match pending.loaded_revision {
        Some(loaded) if deleted => format!("{loaded} → none"),
        Some(loaded) => format!("{loaded} → {}", pending.revision),
        None => pending.revision.to_string(),
    };
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href>{name}</a>
                <span class="cell-sub"><code class="api-id">{pending.api_id}</code></span>
            </th>
            <td data-label="What the reload does">
                <div>
                    <ChangeBadge change=step.word />
                    <span class=says>{step.says}</span>
                </div>
            </td>
            <td data-label="Listen path">{listen_path}</td>
            <td data-label="Revision" class="number">{revisions}</td>
        </tr>
    }
    .into_any()
}

/// What a load left out, and why.
#[component]
pub(super) fn SkippedList(
    /// What was left out.
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
