//! Composes a batch, runs it and shows every response.

mod answers;
mod compose;
mod item;
mod picker;

use leptos::prelude::*;

use crate::api::{ApiError, BatchAnswer, Summary};
use crate::components::{CopyButton, Empty, Failure, Glyph, Icon, PageHead, live, task_label};
use crate::pages::find_api::summary;
use crate::state::batch::Batch;
use crate::state::clock::duration;
use crate::state::curl::Curl;
use crate::state::draft::plural;
use crate::state::listen::on_go;
use crate::state::load::Load;
use crate::state::query_string::pairs;
use crate::state::task::Task;
use crate::state::{Memo, use_console};
use answers::Answers;
use compose::Compose;
use picker::Picker;

/// The default address of the gateway: the port of `cargo xtask serve`.
const GATEWAY_URL: &str = "http://127.0.0.1:8787";
/// The environment variable with the gateway's address in a copied command.
const GATEWAY_VARIABLE: &str = "GATEWAY_URL";

/// The result of a run.
#[derive(Clone)]
struct Run {
    answers: Vec<BatchAnswer>,
    took_ms: f64,
}

/// The page.
#[component]
pub fn BatchPage() -> impl IntoView {
    let console = use_console();
    let chosen = Memo::new(move |_| {
        let mut found = pairs(&console.address.query()).into_iter();
        found
            .find(|(name, _)| name == "api")
            .map(|(_, id)| id)
            .unwrap_or_default()
    });
    let api = Load::new(move || {
        let id = chosen.get();
        async move { summary(console.api, &id).await }
    });
    let batch = RwSignal::new(Batch::starter());
    let result = RwSignal::new(None::<Result<Run, ApiError>>);
    let task = Task::new();
    let run = move || async move {
        let (id, body) = (chosen.get_untracked(), batch.with_untracked(Batch::to_json));
        let began = now();
        let outcome = console.api.batch(&id, &body).await;
        let took_ms = now() - began;
        result.try_set(Some(outcome.map(|answers| Run { answers, took_ms })));
    };
    let runnable =
        move || !chosen.with(String::is_empty) && batch.with(|batch| !batch.items.is_empty());
    let start = move || {
        if untrack(runnable) {
            task.run(run());
        }
    };
    on_go(start);
    let curl =
        Signal::derive(move || command(api.good().flatten().as_ref(), &chosen.get(), &batch.get()));
    view! {
        <PageHead title="Batch" lead="Several requests to one API in one call. Each passes the same chain as a single request.">
            <CopyButton text=curl label="Copy as curl" labelled=true />
            <button
                type="button"
                class="btn btn-primary"
                title="Ctrl or ⌘ and Enter"
                disabled=move || !runnable() || task.busy()
                on:click=move |_| start()
            >
                <Icon glyph=Glyph::Play />
                {task_label(task, "Run", "Running…")}
            </button>
        </PageHead>
        <div class="batch">
            <div class="batch-compose">
                <Picker chosen=chosen api=api />
                <Compose batch=batch />
            </div>
            <section class="batch-answers" aria-label="Answers">
                <Outcome result=result />
            </section>
        </div>
    }
    .into_any()
}

#[component]
fn Outcome(result: RwSignal<Option<Result<Run, ApiError>>>) -> impl IntoView {
    let status = move || {
        result.with(|result| match result {
            Some(Ok(run)) => format!(
                "{} in {}",
                plural(run.answers.len(), "answer"),
                duration(run.took_ms)
            ),
            Some(Err(error)) => error.title().to_owned(),
            None => String::new(),
        })
    };
    view! {
        <p class="visually-hidden" role="status">{live(status)}</p>
        {live(move || match result.get() {
            None => {
                view! {
                    <Empty glyph=Glyph::Batch title="No answers yet">
                        <p>"Choose an API, compose the requests, then run them. Answers come in the order of the requests."</p>
                    </Empty>
                }
                    .into_any()
            }
            Some(Err(error)) => view! { <Failure error=error /> }.into_any(),
            Some(Ok(run)) => view! { <Answers answers=run.answers took_ms=run.took_ms /> }.into_any(),
        })}
    }
}

/// Returns the command for the public endpoint, which needs no secret.
fn command(api: Option<&Summary>, id: &str, batch: &Batch) -> String {
    let path = api.map_or_else(
        || format!("/{id}"),
        |api| api.listen_path.trim_end_matches('/').to_owned(),
    );
    let path = format!("{path}/gateway/batch/");
    let request = Curl::below_variable("POST", GATEWAY_VARIABLE, GATEWAY_URL, &path);
    let host = api
        .map(|api| api.domain.as_str())
        .filter(|domain| !domain.is_empty());
    let request = match host {
        Some(domain) => request.header("Host", domain),
        None => request,
    };
    request.json(&batch.to_json()).command()
}

fn now() -> f64 {
    window()
        .performance()
        .map(|clock| clock.now())
        .unwrap_or_default()
}
