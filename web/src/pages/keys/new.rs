//! Creates a key: a form, beside it what the key would grant, and then its token.

use leptos::prelude::*;

use super::form::KeyForm;
use super::token::{Token, User};
use crate::api::access::Made;
use crate::api::{ApiError, Refused};
use crate::components::{Glyph, Icon, PageHead, live};
use crate::pages::sessions::{Known, OutcomeView, outcome};
use crate::routes;
use crate::state::access::Outcome;
use crate::state::new_key::{AuthMethod, NewKey as Wanted};
use crate::state::task::Task;
use crate::state::{Console, Memo, use_console};

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
pub(super) struct Making {
    pub(super) console: Console,
    pub(super) known: Known,
    pub(super) wanted: RwSignal<Wanted>,
    pub(super) failure: RwSignal<Option<ApiError>>,
    pub(super) task: Task,
    made: RwSignal<Option<Created>>,
}

/// The new key: it is shown now and never again.
#[derive(Clone)]
struct Created {
    made: Made,
    /// The signing secret, or why it can't be shown; `None` for a key that signs nothing.
    secret: Option<Result<String, ApiError>>,
}

impl Making {
    /// Creates the key, and shows its token.
    pub(super) fn run(self) {
        if !self.wanted.with_untracked(Wanted::complete) || untrack(|| self.console.only_reads()) {
            return;
        }
        self.failure.set(None);
        let session = self.wanted.with_untracked(Wanted::session);
        self.task.run(async move {
            match self.making(&session).await {
                Ok(made) => {
                    self.made.try_set(Some(made));
                    // A password stays in memory no longer than necessary.
                    self.wanted.try_update(|wanted| wanted.password.clear());
                }
                Err(error) => drop(self.failure.try_set(Some(error))),
            }
        });
    }

    async fn making(self, session: &str) -> Result<Created, ApiError> {
        let api = self.console.api;
        let (auth_method, user) = self
            .wanted
            .with_untracked(|wanted| (wanted.auth_method, wanted.user.trim().to_owned()));
        if auth_method == AuthMethod::Password {
            let made = api.make_user(&user, session).await;
            let made = made.map_err(|error| match error {
                ApiError::Stale(refused) => ApiError::Taken(Refused {
                    message: format!("There is a user “{user}” already."),
                    ..refused
                }),
                error => error,
            })?;
            // The response has no token for a user, who logs in by name.
            let made = Made {
                token: user,
                ..made
            };
            return Ok(Created { made, secret: None });
        }
        let made = api.make_key(session).await?;
        let secret = match auth_method {
            AuthMethod::Signature => Some(api.signing_secret(&made.hash).await),
            _ => None,
        };
        Ok(Created { made, secret })
    }
}

/// The page.
#[component]
pub fn NewKey() -> impl IntoView {
    let console = use_console();
    let making = Making {
        console,
        known: Known::load(console),
        wanted: RwSignal::new(Wanted::default()),
        failure: RwSignal::new(None),
        task: Task::new(),
        made: RwSignal::new(None),
    };
    // Neither the input nor the token is lost without confirmation.
    let unsaved = move || {
        making.made.with(Option::is_some)
            || making.wanted.with(|wanted| *wanted != Wanted::default())
    };
    console
        .address
        .hold_while(routes::NEW_KEY.to_owned(), unsaved);
    let body = move || match making.made.get() {
        Some(Created { made, secret }) => {
            let (alias, auth_method) = making
                .wanted
                .with_untracked(|wanted| (wanted.alias.clone(), wanted.auth_method));
            match auth_method {
                AuthMethod::Password => view! { <User made=made /> }.into_any(),
                _ => view! { <Token made=made alias=alias secret=secret /> }.into_any(),
            }
        }
        None => view! {
            <div class="making">
                <KeyForm making=making />
                <Preview making=making />
            </div>
        }
        .into_any(),
    };
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::KEYS>"Keys"</a>
            <Icon glyph=Glyph::Chevron />
            <span>"New"</span>
        </nav>
        <PageHead title="New key" lead="It opens what its policies name, and the APIs that are chosen here." />
        {live(body)}
    }
    .into_any()
}

/// Returns the outcome of the form; a key without policies and APIs has none.
fn of_wanted(session: &str, known: Known) -> Result<Outcome, String> {
    if session.is_empty() {
        return Ok(Outcome::default());
    }
    outcome(session, &known.all())
}

/// What the key would grant, computed by the same code as at the edge.
#[component]
fn Preview(making: Making) -> impl IntoView {
    let Making { known, wanted, .. } = making;
    let session = Memo::new(move |_| wanted.with(Wanted::preview));
    view! {
        <section class="card panel" aria-labelledby="preview-title">
            <h2 id="preview-title">"What it will give"</h2>
            <OutcomeView outcome=of_wanted text=session known=known nothing="Choose policies or APIs: a key without any opens nothing." />
        </section>
    }
}
