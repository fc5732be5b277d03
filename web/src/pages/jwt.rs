//! Inspects a JSON Web Token: its content, the key it is verified with, the policies it gets, and the gateway's
//! verdict.

mod keys;
mod picker;
mod policies;
mod token;
mod verdict;

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::dashboard::{ClientIdp, Group};
use crate::api::debug::Debugged;
use crate::components::{Glyph, Icon, PageHead, Shown, task_label};
use crate::pages::chosen_api::ChosenApi;
use crate::pages::sessions::Known;
use crate::routes;
use crate::state::jwt::Token;
use crate::state::listen::on_go;
use crate::state::load::Load;
use crate::state::session::Key;
use crate::state::task::Task;
use crate::state::trial::{Against, Sender, TokenLocation, Trial};
use crate::state::{Console, Memo, use_console};
use keys::KeyCard;
use picker::Picker;
use policies::PolicyCard;
use token::{Claims, Paste};
use verdict::Verdict;

/// Providers whose mappings are read: an organisation has few.
const PROVIDERS: usize = 25;

/// A provider's document, with the location of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
struct Provider {
    name: String,
    issuer: String,
    text: String,
}

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
struct Desk {
    chosen: ChosenApi,
    /// The providers of the organisation; `None` without a dashboard token.
    providers: Load<Option<Vec<Provider>>>,
    known: Known,
    entered: RwSignal<String>,
    token: Memo<Result<Token, &'static str>>,
    method: RwSignal<String>,
    path: RwSignal<String>,
    /// The result of the last request, and the token that it was sent with.
    verdict: RwSignal<Option<(String, Result<Debugged, ApiError>)>>,
    task: Task,
}

type Asking = Pin<Box<dyn Future<Output = Result<Debugged, ApiError>>>>;

impl Desk {
    fn open(console: Console) -> Self {
        let entered = RwSignal::new(String::new());
        Self {
            chosen: ChosenApi::of_address(console),
            providers: Load::new(move || providers(console)),
            known: Known::load(console),
            entered,
            token: Memo::new(move |_| entered.with(|entered| Token::read(entered))),
            method: RwSignal::new("GET".to_owned()),
            path: RwSignal::new("/".to_owned()),
            verdict: RwSignal::new(None),
            task: Task::new(),
        }
    }

    /// Returns the stored definition; empty until it is loaded.
    fn text(self) -> String {
        let document = self.chosen.document.good().flatten();
        document.map(|document| document.text).unwrap_or_default()
    }

    /// Returns the entered token, if it is one.
    fn read(self) -> Option<Token> {
        self.token.get().ok()
    }

    /// Returns the providers that may have issued the token: those with its issuer, else those without any.
    fn meant(self) -> Vec<Provider> {
        let issuer = self.read().map(|token| token.issuer()).unwrap_or_default();
        let all = self.providers.good().flatten().unwrap_or_default();
        let (named, any): (Vec<_>, Vec<_>) = all
            .into_iter()
            .filter(|provider| provider.issuer.is_empty() || provider.issuer == issuer)
            .partition(|provider| !provider.issuer.is_empty());
        if named.is_empty() { any } else { named }
    }

    fn ready(self) -> bool {
        self.chosen.is_chosen() && self.token.with(Result::is_ok) && self.lacks().is_none()
    }

    /// Returns what is missing to send the token to the gateway, in a request as the page that tries an API sends it.
    fn lacks(self) -> Option<String> {
        self.chosen.console.session.identity().lacks(routes::TRY)
    }

    fn ask(self) {
        let Some(token) = untrack(|| self.ready().then(|| self.read()).flatten()) else {
            return;
        };
        self.task.run(async move {
            let outcome = self.debugged(&token).await;
            self.verdict.try_set(Some((token.compact, outcome)));
        });
    }

    /// Sends a request with the token through the chain of the loaded API.
    /// Boxed, so that its content is compiled once.
    fn debugged(self, token: &Token) -> Asking {
        let id = self.chosen.id.get_untracked();
        let location = TokenLocation::of_jwt(&untrack(|| self.text()));
        let sent = match &location {
            TokenLocation::Header(_) => format!("Bearer {}", token.compact),
            _ => token.compact.clone(),
        };
        let trial = Trial {
            method: self.method.get_untracked(),
            path: self.path.get_untracked(),
            sender: Sender::Token(sent),
            ..Trial::default()
        };
        let body = trial.to_json(Against::Loaded(&id), &location);
        let api = self.chosen.console.api;
        Box::pin(async move { api.debug(&body).await })
    }
}

/// Fetches the providers of the organisation, with their documents; `None` without a dashboard token.
async fn providers(console: Console) -> Result<Option<Vec<Provider>>, ApiError> {
    if !console.session.has_untracked(Key::Token) {
        return Ok(None);
    }
    let listed = console.api.listed::<ClientIdp>("per_page=100").await?;
    let mut found = Vec::new();
    let mapping = listed
        .documents
        .into_iter()
        .filter(|idp| !idp.apis.is_empty());
    for idp in mapping.take(PROVIDERS) {
        let document = console.api.fetch(Group::ClientIdps, &idp.id).await?;
        found.push(Provider {
            name: idp.name,
            issuer: idp.issuer,
            text: document.text,
        });
    }
    Ok(Some(found))
}

/// The page. It stays the same for another API in the address, so the token stays.
#[component]
pub fn JwtPage() -> impl IntoView {
    let desk = Desk::open(use_console());
    on_go(move || desk.ask());
    let readable = move || desk.token.with(Result::is_ok);
    let both = move || readable() && !desk.text().is_empty();
    view! {
        <PageHead title="Tokens" lead="A JSON Web Token, decoded in this browser, and the gateway's verdict on it.">
            <button
                type="button"
                class="btn btn-primary"
                title=move || desk.lacks().unwrap_or_else(|| "Ctrl or ⌘ and Enter".to_owned())
                disabled=move || !desk.ready() || desk.task.busy()
                on:click=move |_| desk.ask()
            >
                <Icon glyph=Glyph::Play />
                {task_label(desk.task, "Ask the gateway", "Asking…")}
            </button>
        </PageHead>
        <div class="look">
            <div class="stack">
                <Paste desk=desk />
                <Picker desk=desk />
                <Shown when=readable>
                    <Claims desk=desk />
                </Shown>
            </div>
            <div class="stack">
                <Verdict desk=desk />
                <Shown when=both>
                    <KeyCard desk=desk />
                    <PolicyCard desk=desk />
                </Shown>
            </div>
        </div>
    }
    .into_any()
}
