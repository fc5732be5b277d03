//! Trying an API: one request with a chosen key, its answer, and each step of its way.

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

use crate::api::debug::Debugged;
use crate::api::{ApiError, Document, Summary};
use crate::components::{CopyButton, Glyph, Icon, PageHead, Shown, live};
use crate::pages::find_api::summary;
use crate::routes;
use crate::state::load::Load;
use crate::state::task::Task;
use crate::state::trial::{Against, Sender, TokenLocation, Trial};
use crate::state::{Console, use_console};
use compose::Compose;
use history::History;
use outcome::Outcome;
use picker::Picker;
use sender::Senders;
use tools::Tools;

/// One request of this page, and what came of it.
#[derive(Clone)]
struct Sent {
    trial: Trial,
    outcome: Result<Debugged, ApiError>,
    took_ms: f64,
}

/// A request on its way through the chain.
type Debugging = Pin<Box<dyn Future<Output = Result<Debugged, ApiError>>>>;

/// What the parts of the page work on.
#[derive(Clone, Copy)]
struct Desk {
    console: Console,
    /// The id of the API in the address; empty for none.
    chosen: Memo<String>,
    api: Load<Option<Summary>>,
    document: Load<Option<Document>>,
    trial: RwSignal<Trial>,
    /// Whether the stored definition is used although the gateway still serves another one.
    stored: RwSignal<bool>,
    /// The requests of this page, the newest last. They are kept no longer than the page.
    sent: RwSignal<Vec<Sent>>,
    /// Which of them is shown.
    shown: RwSignal<usize>,
    task: Task,
}

impl Desk {
    fn new(console: Console, chosen: Memo<String>) -> Self {
        Self {
            console,
            chosen,
            api: Load::new(move || {
                let id = chosen.get();
                async move { summary(console.api, &id).await }
            }),
            document: Load::new(move || {
                let id = chosen.get();
                async move {
                    if id.is_empty() {
                        return Ok(None);
                    }
                    console.api.document(&id).await.map(Some)
                }
            }),
            trial: RwSignal::new(Trial::default()),
            stored: RwSignal::new(false),
            sent: RwSignal::new(Vec::new()),
            shown: RwSignal::new(0),
            task: Task::new(),
        }
    }

    /// Where the API looks for a token.
    fn token_location(self) -> TokenLocation {
        let document = self.document.good().flatten();
        document.map_or_else(TokenLocation::default, |document| {
            TokenLocation::of(&document.text)
        })
    }

    /// Whether the API asks for no key, as it is stored.
    fn keyless(self) -> bool {
        self.api.good().flatten().is_some_and(|api| api.keyless)
    }

    fn ready(self) -> bool {
        !self.chosen.with(String::is_empty)
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
    /// Boxed, so that what is inside is compiled once.
    fn debugged(self, mut trial: Trial) -> Debugging {
        let id = self.chosen.get_untracked();
        if untrack(|| self.keyless()) {
            trial.sender = Sender::Nobody;
        }
        let document = self.document.good_untracked().flatten();
        let stored = document.filter(|_| self.stored.get_untracked());
        let against = match &stored {
            Some(document) => Against::Text(&document.text),
            None => Against::Loaded(&id),
        };
        let body = trial.to_json(against, &untrack(|| self.token_location()));
        let api = self.console.api;
        Box::pin(async move { api.debug(&body).await })
    }

    /// Whether the API is an MCP proxy.
    fn is_proxy(self) -> bool {
        let api = self.api.good().flatten();
        api.is_some_and(|api| api.document == Some(DocumentKind::Mcp))
    }

    fn curl(self) -> String {
        let api = self.api.good().flatten().unwrap_or_default();
        let mut trial = self.trial.get();
        if self.keyless() {
            trial.sender = Sender::Nobody;
        }
        let path = match api.listen_path.as_str() {
            "" => format!("/{}", self.chosen.get()),
            path => path.to_owned(),
        };
        trial.curl(&path, &api.domain, &self.token_location())
    }
}

/// The page. Another API in the address is the same page, so what was typed stays.
#[component]
pub fn TryPage() -> impl IntoView {
    let console = use_console();
    let chosen = Memo::new(move |_| routes::tried(&console.address.path()));
    let desk = Desk::new(console, chosen);
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        if (event.ctrl_key() || event.meta_key()) && event.key() == "Enter" {
            event.prevent_default();
            desk.send();
        }
    });
    on_cleanup(move || keys.remove());
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
                {live(move || if desk.task.busy() { "Sending…" } else { "Send" })}
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

fn now() -> f64 {
    window()
        .performance()
        .map(|clock| clock.now())
        .unwrap_or_default()
}
