//! Tries an API: one request with a chosen key, its response, and each step of its chain.

mod compose;
mod history;
mod outcome;
mod picker;
mod sender;
mod tools;

use std::future::Future;
use std::pin::Pin;

use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::debug::Debugged;
use crate::components::{CopyButton, Glyph, Icon, PageHead, Shown, task_label};
use crate::pages::chosen_api::ChosenApi;
use crate::state::failures::{again, below};
use crate::state::listen::on_go;
use crate::state::query_string::pairs;
use crate::state::task::Task;
use crate::state::trial::{Against, Sender, TokenLocation, Trial};
use crate::state::{Console, effect, use_console};
use compose::Compose;
use history::History;
use outcome::Outcome;
use picker::Picker;
use sender::Senders;
use tools::Tools;

/// One request of this page, and its result.
#[derive(Clone)]
struct Sent {
    trial: Trial,
    outcome: Result<Debugged, ApiError>,
    took_ms: f64,
}

/// A request on its way through the chain.
type Debugging = Pin<Box<dyn Future<Output = Result<Debugged, ApiError>>>>;

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
struct Desk {
    chosen: ChosenApi,
    trial: RwSignal<Trial>,
    /// Whether the stored definition is used while the gateway still serves another one.
    stored: RwSignal<bool>,
    /// The requests of this page, the newest last. They are kept no longer than the page.
    sent: RwSignal<Vec<Sent>>,
    /// The index of the one shown.
    shown: RwSignal<usize>,
    task: Task,
}

impl Desk {
    fn new(console: Console) -> Self {
        Self {
            chosen: ChosenApi::of_address(console),
            trial: RwSignal::new(Trial::default()),
            stored: RwSignal::new(false),
            sent: RwSignal::new(Vec::new()),
            shown: RwSignal::new(0),
            task: Task::new(),
        }
    }

    /// Where the API looks for a token.
    fn token_location(self) -> TokenLocation {
        let document = self.chosen.document.good().flatten();
        document.map_or_else(TokenLocation::default, |document| {
            TokenLocation::of(&document.text)
        })
    }

    /// Whether the stored API requires no key.
    fn keyless(self) -> bool {
        self.chosen
            .api
            .good()
            .flatten()
            .is_some_and(|api| api.keyless)
    }

    fn ready(self) -> bool {
        self.chosen.is_chosen()
    }

    fn send(self) {
        if untrack(|| self.ready()) {
            self.task.run(self.sending());
        }
    }

    async fn sending(self) {
        let trial = self.trial.get_untracked();
        let began = now();
        let outcome = self.debugged(trial.clone()).await;
        let took_ms = now() - began;
        let number = self.sent.try_update(|sent| {
            sent.push(Sent {
                trial,
                outcome,
                took_ms,
            });
            sent.len().saturating_sub(1)
        });
        if let Some(number) = number {
            self.shown.try_set(number);
        }
    }

    /// Sends a request through the chain of the chosen API.
    /// Boxed, so that its content is compiled once.
    fn debugged(self, mut trial: Trial) -> Debugging {
        let id = self.chosen.id.get_untracked();
        if untrack(|| self.keyless()) {
            trial.sender = Sender::Nobody;
        }
        let document = self.chosen.document.good_untracked().flatten();
        let stored = document.filter(|_| self.stored.get_untracked());
        let against = match &stored {
            Some(document) => Against::Text(&document.text),
            None => Against::Loaded(&id),
        };
        let body = trial.to_json(against, &untrack(|| self.token_location()));
        let api = self.chosen.console.api;
        Box::pin(async move { api.debug(&body).await })
    }

    /// Whether the API is an MCP proxy.
    fn is_proxy(self) -> bool {
        let api = self.chosen.api.good().flatten();
        api.is_some_and(|api| api.document == Some(DocumentKind::Mcp))
    }

    fn curl(self) -> String {
        let api = self.chosen.api.good().flatten().unwrap_or_default();
        let mut trial = self.trial.get();
        if self.keyless() {
            trial.sender = Sender::Nobody;
        }
        let path = match api.listen_path.as_str() {
            "" => format!("/{}", self.chosen.id.get()),
            path => path.to_owned(),
        };
        trial.curl(&path, &api.domain, &self.token_location())
    }
}

/// The page. It stays the same for another API in the address, so the input stays.
#[component]
pub fn TryPage() -> impl IntoView {
    let desk = Desk::new(use_console());
    on_go(move || desk.send());
    take_failed(desk);
    take_called(desk);
    view! {
        <PageHead title="Try it" lead="One real request through the gateway: it reaches the upstream and counts against the limits.">
            <CopyButton text=Signal::derive(move || desk.curl()) label="Copy as curl" labelled=true />
            <button
                type="button"
                class="btn btn-primary"
                title="Ctrl or ⌘ and Enter"
                disabled=move || !desk.ready() || desk.task.busy()
                on:click=move |_| desk.send()
            >
                <Icon glyph=Glyph::Play />
                {task_label(desk.task, "Send", "Sending…")}
            </button>
        </PageHead>
        <div class="batch">
            <div class="batch-compose">
                <Picker desk=desk />
                <Shown when=move || desk.is_proxy()>
                    <Tools desk=desk />
                </Shown>
                <Compose desk=desk />
                <Senders desk=desk />
            </div>
            <section class="batch-answers" aria-label="Answer">
                <Outcome desk=desk />
                <History desk=desk />
            </section>
        </div>
    }
    .into_any()
}

/// Fills in the failed request that is to be sent again, once the API's listen path is known.
fn take_failed(desk: Desk) {
    let ChosenApi {
        console, id, api, ..
    } = desk.chosen;
    let given = console.handover.take_failed(&id.get_untracked());
    let given = StoredValue::new(given);
    effect(move || {
        if let Some(api) = api.good().flatten()
            && let Some(failed) = given.try_update_value(Option::take).flatten()
        {
            let trial = again(&failed.request, &failed.key_name, &api.listen_path);
            desk.trial.set(trial);
        }
    });
}

/// Fills in the called path from the address, once the API's listen path is known.
fn take_called(desk: Desk) {
    let ChosenApi { console, api, .. } = desk.chosen;
    let query = untrack(|| console.address.query());
    let in_address = pairs(&query).into_iter().find(|(name, _)| name == "path");
    let called = StoredValue::new(in_address.map(|(_, path)| path));
    effect(move || {
        if let Some(api) = api.good().flatten()
            && let Some(called) = called.try_update_value(Option::take).flatten()
        {
            let path = below(&called, &api.listen_path).to_owned();
            desk.trial.update(|trial| trial.path = path);
        }
    });
}

fn now() -> f64 {
    window()
        .performance()
        .map(|clock| clock.now())
        .unwrap_or_default()
}
