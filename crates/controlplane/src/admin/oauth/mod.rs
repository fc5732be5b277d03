//! The OAuth 2.0 server of APIs (reference 1.9; RFC 6749, 7009, 7636, 8414): the administration of clients and tokens,
//! and the endpoints below the listen path of an API with `use_oauth2`.
//!
//! The promise: an access token is a key, whose session says which client it was issued to and which APIs know that
//! client. So it counts, ends and is revoked as keys are: the next request sees it. A code and a refresh token can be
//! used once, however many requests compete for it. A secret sent by a client is compared in constant time, and an
//! address that sends wrong ones is throttled like one that sends unknown keys.

mod answer;
mod authorize;
pub(super) mod clients;
mod exchange;
mod issue;
mod notice;
mod parameters;
mod server;
pub(super) mod tokens;

pub use server::{Call, answer, failed};

use super::replies::unexpected;
use super::sessions::{self, find};
use crate::error::Error;
use crate::ports::Platform;
use futures_util::stream::{self, StreamExt};
use gatewright_model::json::{self, Value};
use gatewright_model::merge;
use gatewright_protocol::oauth::{OauthAsk, OauthClient, OauthToken, OauthTokens, TOKENS_PER_PAGE};
use gatewright_protocol::registry::{Command, Guard, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use serde::de::DeserializeOwned;

/// The maximum number of sessions written concurrently.
const AT_ONCE: usize = 16;

/// Asks the Registry and parses its reply; `None` if it found nothing.
async fn ask<P: Platform, T: DeserializeOwned>(
    platform: &P,
    ask: &OauthAsk,
) -> Result<Option<T>, Error> {
    match execute(platform, ask).await? {
        Some(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|_| unexpected()),
        None => Ok(None),
    }
}

/// Sends a command to the Registry and returns its reply; `None` if it found nothing.
async fn execute<P: Platform>(platform: &P, ask: &OauthAsk) -> Result<Option<String>, Error> {
    let command = Command::Oauth {
        writes: ask.writes(),
    };
    let text = serde_json::to_string(ask).map_err(|_| unexpected())?;
    match platform.call(&command, &text).await? {
        (Reply::Json, text) => Ok(Some(text)),
        (Reply::Refused(Refusal::NotFound), _) => Ok(None),
        _ => Err(unexpected()),
    }
}

/// The OAuth 2.0 settings of an API.
struct Api {
    id: String,
    /// The organisation in its definition, which may be empty.
    org: String,
    /// Whether it requires tokens of this server.
    is_on: bool,
    /// `oauth_meta.allowed_access_types`.
    access_types: Vec<String>,
    /// `oauth_meta.allowed_authorize_types`.
    authorize_types: Vec<String>,
    /// `oauth_meta.auth_login_redirect`.
    login: String,
    /// `notifications.oauth_on_keychange_url`.
    notify_url: String,
    /// `notifications.shared_secret`.
    notify_secret: String,
}

impl Api {
    fn read(text: &str) -> Option<Self> {
        let value = json::parse(text).ok()?;
        let list = |pointer| {
            let items = value.pointer(pointer).map(Value::items).unwrap_or_default();
            items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        };
        let text = |pointer| {
            let text = value.pointer(pointer).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        Some(Self {
            id: text("/api_id"),
            org: text("/org_id"),
            is_on: value.bool("use_oauth2") == Some(true),
            access_types: list("/oauth_meta/allowed_access_types"),
            authorize_types: list("/oauth_meta/allowed_authorize_types"),
            login: text("/oauth_meta/auth_login_redirect"),
            notify_url: text("/notifications/oauth_on_keychange_url"),
            notify_secret: text("/notifications/shared_secret"),
        })
    }

    /// Returns the organisation the API belongs to.
    fn org<'a, P: Platform>(&'a self, platform: &'a P) -> &'a str {
        match self.org.as_str() {
            "" => platform.default_org(),
            org => org,
        }
    }
}

/// Returns an API as it is stored; `None` if there is none.
async fn stored<P: Platform>(platform: &P, id: &str) -> Result<Option<Api>, Error> {
    let command = Command::Read { id: id.to_owned() };
    match platform.call(&command, "").await? {
        (Reply::Document { .. }, text) => Ok(Api::read(&text)),
        _ => Ok(None),
    }
}

/// Returns an API as it is served; `None` if it is not served, or not with OAuth 2.0.
async fn served<P: Platform>(platform: &P, id: &str) -> Result<Option<Api>, Error> {
    let command = Command::ReadPublished { id: id.to_owned() };
    match platform.call(&command, "").await? {
        (Reply::Document { .. }, text) => Ok(Api::read(&text).filter(|api| api.is_on)),
        _ => Ok(None),
    }
}

async fn client<P: Platform>(
    platform: &P,
    api: &str,
    id: &str,
) -> Result<Option<OauthClient>, Error> {
    let (api, id) = (api.to_owned(), id.to_owned());
    ask(platform, &OauthAsk::Client { api, id }).await
}

async fn clients_named<P: Platform>(
    platform: &P,
    id: &str,
    org: &str,
) -> Result<Vec<OauthClient>, Error> {
    let (id, org) = (id.to_owned(), org.to_owned());
    let found = ask(platform, &OauthAsk::ClientsNamed { id, org }).await?;
    Ok(found.unwrap_or_default())
}

/// Returns this client at all APIs it was created for.
async fn everywhere<P: Platform>(
    platform: &P,
    client: &OauthClient,
) -> Result<Vec<OauthClient>, Error> {
    let mut found = clients_named(platform, &client.id, &client.org).await?;
    found.retain(|other| other.made == client.made);
    Ok(found)
}

fn apis(clients: &[OauthClient]) -> Vec<String> {
    clients.iter().map(|client| client.api.clone()).collect()
}

/// Returns the hashes of a client's access tokens that have not ended.
async fn access_tokens<P: Platform>(
    platform: &P,
    client: &str,
    apis: &[String],
) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for page in 1.. {
        let listed = OauthAsk::Tokens {
            apis: apis.to_vec(),
            client: client.to_owned(),
            page,
        };
        let listed: Option<OauthTokens> = ask(platform, &listed).await?;
        let listed = listed.unwrap_or_default();
        found.extend(listed.tokens.into_iter().map(|token| token.access));
        if page.saturating_mul(TOKENS_PER_PAGE) >= listed.total {
            break;
        }
    }
    Ok(found)
}

/// Ends an access token, at once and everywhere. It may have ended already.
async fn end_access<P: Platform>(platform: &P, access: &str) -> Result<(), Error> {
    let ids = vec![access.to_owned()];
    let Some(found) = find(platform, Owner::Key, ids.clone()).await? else {
        return Ok(());
    };
    let command = SessionAsk {
        act: Act::Remove,
        ids,
        ..SessionAsk::default()
    };
    match sessions::write(platform, command, &found.text).await? {
        Ok(_) | Err(Refusal::NotFound) => Ok(()),
        Err(_) => Err(unexpected()),
    }
}

/// Ends what was issued for a code that is used a second time, which means that somebody else has it, too (RFC 6749
/// section 4.1.2): the access token and its refresh token.
async fn end_issued<P: Platform>(platform: &P, access: &str) -> Result<(), Error> {
    let asked = OauthAsk::Token {
        access: vec![access.to_owned()],
        refresh: String::new(),
    };
    let found: Option<OauthToken> = ask(platform, &asked).await?;
    if let Some(refresh) = found
        .map(|token| token.refresh)
        .filter(|text| !text.is_empty())
    {
        let ended = OauthAsk::EndRefresh { refresh };
        execute(platform, &ended).await?.ok_or_else(unexpected)?;
    }
    end_access(platform, access).await
}

/// Ends every access token of a client at these APIs.
async fn end_all<P: Platform>(platform: &P, client: &str, apis: &[String]) -> Result<(), Error> {
    let end = async |access: String| end_access(platform, &access).await;
    for_each_token(platform, client, apis, end).await
}

/// Carries out a step for every access token of a client at these APIs. All are carried out; the first error is
/// returned.
async fn for_each_token<P: Platform>(
    platform: &P,
    client: &str,
    apis: &[String],
    step: impl AsyncFn(String) -> Result<(), Error>,
) -> Result<(), Error> {
    let step = &step;
    let tokens = access_tokens(platform, client, apis).await?;
    stream::iter(tokens)
        .map(|access| async move { step(access).await })
        .buffer_unordered(AT_ONCE)
        .fold(Ok(()), |before, ended| async move { before.and(ended) })
        .await
}

/// Records in an access token that the API `gone` no longer knows its client.
async fn disown<P: Platform>(platform: &P, access: String, gone: &str) -> Result<(), Error> {
    while let Some(found) = find(platform, Owner::Key, vec![access.clone()]).await? {
        let session = json::parse(&found.text).map_err(|_| unexpected())?;
        let known = session.get("oauth_apis").map(Value::items);
        let known = known.unwrap_or_default().iter().filter_map(Value::as_str);
        let left: Vec<&str> = known.filter(|api| *api != gone).collect();
        let patch = serde_json::json!({ "oauth_apis": left }).to_string();
        let text = merge::merge(&found.text, &patch).map_err(|_| unexpected())?;
        let command = SessionAsk {
            act: Act::Put,
            ids: vec![access.clone()],
            update: true,
            master: true,
            guard: Guard {
                revisions: Some(vec![found.revision]),
                ..Guard::default()
            },
            ..SessionAsk::default()
        };
        match sessions::write(platform, command, &text).await? {
            Ok(_) | Err(Refusal::NotFound) => return Ok(()),
            // Somebody has changed the session since it was read.
            Err(Refusal::Precondition { .. }) => {}
            // Its policies can't be applied any more: it grants no access, and need not be retained.
            Err(_) => return end_access(platform, &found.id).await,
        }
    }
    Ok(())
}
