//! What refers to an API, a policy or a webhook: a card on its page, and a warning before it is deleted.

use gatewright_model::json::parse;
use leptos::prelude::*;

use super::documents::Desk;
use crate::api::ApiError;
use crate::api::access::KeyRow;
use crate::api::dashboard::ClientIdp;
use crate::api::group::{Group, Page};
use crate::components::{Bones, Notice, Tint, each, live, only};
use crate::routes;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::query_string::encode;
use crate::state::used_by::{
    User, apis_of_hook, policies_of, providers_of_api, providers_of_policy,
};
use crate::state::{Console, use_console};

/// Keys listed by name; the rest is a count.
const KEYS: usize = 8;
/// Providers searched.
pub(super) const PROVIDERS: u32 = 500;

/// What is being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Used {
    /// An API.
    Api,
    /// A policy.
    Policy,
    /// A webhook.
    Hook,
}

/// The users of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Users {
    /// The noun for one of them, for a count.
    noun: &'static str,
    /// Those listed by name.
    named: Vec<User>,
    /// How many there are.
    total: usize,
    /// The address of the full list.
    all: Option<String>,
}

impl Users {
    fn of(noun: &'static str, named: Vec<User>) -> Self {
        Self {
            noun,
            total: named.len(),
            named,
            all: None,
        }
    }

    fn keys(page: Page<KeyRow>, all: String) -> Self {
        let user = |key: KeyRow| User {
            url: routes::key(&key.hash),
            name: match key.alias.trim() {
                "" => key.hash.chars().take(12).chain(['…']).collect(),
                alias => alias.to_owned(),
            },
        };
        Self {
            noun: "key",
            named: page.documents.into_iter().map(user).collect(),
            total: usize::try_from(page.total).unwrap_or(usize::MAX),
            all: Some(all),
        }
    }

    fn count(&self) -> String {
        plural(self.total, self.noun)
    }
}

/// What was found, and what could not be read.
type Found = Vec<Result<Users, String>>;

/// Describes what could not be read, so that the rest can still be shown.
pub(super) fn explain<T>(what: &str, found: Result<T, ApiError>) -> Result<T, String> {
    found.map_err(|error| match error {
        ApiError::Forbidden => format!("{what}: the gateway secret is needed to see them."),
        ApiError::NotAuthorised => format!("{what}: a dashboard token is needed to see them."),
        error => format!("{what}: {error}"),
    })
}

async fn find(console: Console, used: Used, id: String) -> Found {
    match used {
        Used::Api => {
            let policies = policies(console, &id).await;
            let filter = format!("api_id={}", encode(&id));
            let keys = keys(console, &filter, routes::keys_at(&id)).await;
            let keys = explain("Keys", keys);
            let idps = idps(console).await;
            let idps = idps.map(|idps| Users::of("client IdP", providers_of_api(&idps, &id)));
            vec![policies, keys, explain("Client IdPs", idps)]
        }
        Used::Policy => {
            let filter = format!("policy={}", encode(&id));
            let keys = keys(console, &filter, routes::keys_of(&id)).await;
            let keys = explain("Keys", keys);
            let idps = idps(console).await;
            let idps = idps.map(|idps| Users::of("client IdP", providers_of_policy(&idps, &id)));
            vec![keys, explain("Client IdPs", idps)]
        }
        Used::Hook => {
            let apis = apis(console, &id).await;
            vec![explain("APIs", apis)]
        }
    }
}

async fn policies(console: Console, id: &str) -> Result<Users, String> {
    let found = console.api.policies().await;
    let found = found.map(|policies| Users::of("policy", policies_of(&policies, id)));
    explain("Policies", found)
}

async fn keys(console: Console, filter: &str, all: String) -> Result<Users, ApiError> {
    // The last changed ones: many keys have no alias to be in order of.
    let query = format!("sort=-updated_at&p=1&per_page={KEYS}&{filter}");
    let page = console.api.listed::<KeyRow>(&query).await?;
    Ok(Users::keys(page, all))
}

async fn idps(console: Console) -> Result<Vec<ClientIdp>, ApiError> {
    let query = format!("per_page={PROVIDERS}&sort=name");
    Ok(console.api.listed(&query).await?.documents)
}

async fn apis(console: Console, id: &str) -> Result<Users, ApiError> {
    let hook = console.api.fetch(Group::Hooks, id).await?.text;
    let hook = parse(&hook).ok();
    // Handlers refer to it by either id.
    let stable = hook.as_ref().and_then(|hook| hook.str("webhook_id"));
    let definitions = console.api.stored("/gateway/apis").await?.text;
    let ids = [id, stable.unwrap_or_default()];
    Ok(Users::of("API", apis_of_hook(&definitions, &ids)))
}

fn load(console: Console, used: Used, id: &str) -> Load<Found> {
    let id = id.to_owned();
    Load::new(move || {
        let id = id.clone();
        async move { Ok(find(console, used, id).await) }
    })
}

/// The users of one kind, by name.
fn part(users: Users) -> AnyView {
    let more = users.total > users.named.len();
    let count = users.count();
    let title = count.clone();
    let user = |user: User| view! { <li><a href=user.url>{user.name}</a></li> }.into_any();
    let all = users.all.filter(|_| more);
    view! {
        <h3>{title}</h3>
        <ul class="uses">
            {each(users.named, user)}
            {all.map(|href| view! { <li><a href=href>{format!("All {count}")}</a></li> })}
        </ul>
    }
    .into_any()
}

/// Everything that was found; `none` if there are no users.
fn parts(found: Found, none: &'static str) -> AnyView {
    let is_none = found.iter().flatten().all(|users| users.total == 0);
    let one = |users: Result<Users, String>| match users {
        Ok(users) => only(users.total > 0, || part(users)),
        Err(why) => view! { <p class="muted small">{why}</p> }.into_any(),
    };
    view! {
        {only(is_none, || view! { <p class="muted">{none}</p> }.into_any())}
        {each(found, one)}
    }
    .into_any()
}

/// The card of an API, a policy or a webhook, by its id.
#[component]
pub(super) fn UsedBy(
    /// The console.
    console: Console,
    /// The kind of document.
    used: Used,
    /// Its id.
    id: String,
    /// The text if nothing refers to it.
    none: &'static str,
) -> impl IntoView {
    let found = load(console, used, &id);
    let shown = move || match found.good() {
        None => view! { <Bones rows=2 label="Searching for its uses" /> }.into_any(),
        Some(found) => parts(found, none),
    };
    view! {
        <section class="card panel" aria-labelledby="users-title">
            <h2 id="users-title">"Used by"</h2>
            {live(shown)}
        </section>
    }
}

/// The card beside a document.
pub(super) fn beside(desk: Desk, used: Used, none: &'static str) -> Option<AnyView> {
    let console = desk.console;
    let id = desk.id()?;
    Some(view! { <UsedBy console=console used=used id=id none=none /> }.into_any())
}

/// The warning before it is deleted.
pub(super) fn warning(used: Used, id: &str) -> AnyView {
    let found = load(use_console(), used, id);
    live(move || match found.good() {
        None => view! { <p role="status">"Searching for its uses…"</p> }.into_any(),
        Some(found) => {
            let named = found.iter().flatten().any(|users| users.total > 0);
            let tint = if named { Tint::Red } else { Tint::Green };
            view! { <Notice tint=tint>{parts(found, "Nothing that you can see uses it.")}</Notice> }
                .into_any()
        }
    })
}
