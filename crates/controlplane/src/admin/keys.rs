//! Keys (reference 1.6).

mod changes;

pub(super) use changes::{rotate, set_policies};

use super::passwords::hashed;
use super::replies::{streamed, unexpected};
use super::sessions::{
    self, Found, document, find, has_password, refused, without_password, write,
};
use super::{condition, decoded};
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_api::message::{
    Action, KEY_IS_NOT_FOUND, KEY_NOT_FOUND, KEY_WITHOUT_RIGHTS, MALFORMED, NO_SUCH_KEY,
    UNMARSHALLING_FAILED,
};
use gatewright_api::session::KeyWritten;
use gatewright_model::id::check_id;
use gatewright_model::issue::Issue;
use gatewright_model::json;
use gatewright_model::merge;
use gatewright_model::policy;
use gatewright_model::shape::Root;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk, SessionQuery};
use gatewright_protocol::token::{self, TOKEN_MAX_BYTES, custom_id, hash, stored_under};
use serde_json::json;
use std::borrow::Cow;

/// The status and message for a body that is not a session, where the reference has no other.
const PLAIN: (u16, &str) = (400, MALFORMED);

/// Returns the key from the path, decoded once: tokens contain characters that a path must escape.
fn key(variables: &[&str]) -> Result<String, Error> {
    let key = decoded(variables, 0);
    if key.is_empty() || key.len() > TOKEN_MAX_BYTES || key.chars().any(char::is_control) {
        return Err(Error::refused(404, KEY_NOT_FOUND));
    }
    Ok(key)
}

/// Whether the path has a hash (reference 1.6: `?hashed` with any non-empty value).
fn is_hashed(request: &Request) -> bool {
    query::given(request, "hashed").is_some()
}

/// Returns the hashes that the key in a path may be stored under. A bare custom id is found if its organisation is
/// given, in `?org_id=` or as `org`, or if the key has none (reference 1.6, item 11).
fn hashes<P: Platform>(platform: &P, request: &Request, key: &str, org: &str) -> Vec<String> {
    if is_hashed(request) {
        return vec![key.to_owned()];
    }
    let org = query::given(request, "org_id").unwrap_or(org);
    let default = if org.is_empty() {
        ""
    } else {
        platform.default_org()
    };
    let mut hashes = stored_under(key, (org, default), platform.keys().hash);
    // A hash is found without `?hashed` too.
    hashes.push(key.to_owned());
    hashes
}

/// Returns how a response names the key in a path, given the hash it is stored under: its full token, even if the path
/// has its custom id, or the hash if the path has that (reference 1.6, item 11).
fn named<P: Platform>(
    platform: &P,
    request: &Request,
    (key, org): (&str, &str),
    stored: &str,
) -> String {
    if key == stored {
        return key.to_owned();
    }
    let org = query::given(request, "org_id").unwrap_or(org);
    let orgs = (org, platform.default_org());
    let whole = token::full_token(key, orgs, platform.keys().hash, stored);
    whole.unwrap_or_else(|| key.to_owned())
}

pub(super) async fn list<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let summary = request.parameter("view") == Some("summary");
    let query = session_query(request, summary)?;
    let is_whole = query.behind.is_some();
    let command = Command::Session(SessionAsk {
        act: Act::List,
        query,
        ..SessionAsk::default()
    });
    match platform.call(&command, "").await? {
        // A Registry of the previous release returns the complete list at once.
        (Reply::Json, text) if is_whole && !text.starts_with('{') => streamed(&command, &text),
        (Reply::Json, body) => Ok(Response::text(200, body)),
        _ => Err(unexpected()),
    }
}

fn session_query(request: &Request, summary: bool) -> Result<SessionQuery, Error> {
    let text = |name| request.parameter(name).unwrap_or_default();
    let given = |name| query::given(request, name).map(str::to_owned);
    let (sort, descending) = query::order(text("sort"));
    // Scripts read the plain list in one piece; a list in another order than that of the hashes is always paged.
    let is_paged = summary || !text("sort").is_empty();
    let page = query::number(request, "p")?.or(is_paged.then_some(1));
    Ok(SessionQuery {
        filter: text("filter").to_owned(),
        search: text("q").to_owned(),
        api: given("api_id"),
        policy: given("policy"),
        tag: given("tag"),
        certificate: given("certificate"),
        state: query::word("state", text("state"))?,
        sort: query::word("sort", sort)?.unwrap_or_default(),
        descending,
        behind: page.is_none().then(String::new),
        page,
        per_page: query::number(request, "per_page")?
            .unwrap_or(50)
            .clamp(1, 500),
        summary,
        ..SessionQuery::default()
    })
}

/// `POST /gateway/keys` and `POST /gateway/keys/{customId}`.
pub(super) async fn add<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let (text, issues) = document(platform, Root::Session, request, PLAIN)?;
    let text = &*hashed(platform, text, None)?;
    let custom = match variables {
        [] => None,
        _ => Some(key(variables)?),
    };
    if let Some(hash) = custom.as_ref().filter(|_| is_hashed(request)) {
        check_hash(hash)?;
        let written = put(platform, request, hash, Writes::Any, text)
            .await?
            .map_err(refused)?;
        let made = Made {
            named: hash,
            token: hash,
            hash,
        };
        return Ok(made.answer(request, written, issues));
    }
    let org = org(text);
    let config = platform.keys();
    let id = match &custom {
        None => platform.random_id(),
        Some(sent) => {
            let id = custom_id(&org, sent);
            long_enough(id, config.min_token_length)?;
            id.to_owned()
        }
    };
    let token = token::token(&org, &id, config.hash);
    let hash = hash(&token);
    let writes = if custom.is_some() {
        Writes::Any
    } else {
        Writes::New
    };
    let written = put(platform, request, &hash, writes, text)
        .await?
        .map_err(refused)?;
    // Users log in with their names, so their session must not have a token as well.
    let is_user = json::parse(text).is_ok_and(|session| has_password(&session));
    let made = Made {
        named: custom.as_deref().unwrap_or_default(),
        token: if is_user { "" } else { &token },
        hash: &hash,
    };
    Ok(made.answer(request, written, issues))
}

/// `POST /gateway/keys/create`: as [`add`], but with a random id, or that of the certificate the key is bound to, with
/// a new secret for signatures, and with messages of its own.
pub(super) async fn create<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let malformed = (500, UNMARSHALLING_FAILED);
    let (text, issues) = document(platform, Root::Session, request, malformed)?;
    let text = hashed(platform, text, None)?;
    let text = &*with_secret(platform, &text)?;
    let org = org(text);
    let session = json::parse(text).map_err(|_| unexpected())?;
    let certificate = session.str("certificate").filter(|id| !id.is_empty());
    let id = match certificate {
        Some(certificate) => {
            let id = custom_id(&org, certificate);
            let default = if org.is_empty() {
                platform.default_org()
            } else {
                ""
            };
            custom_id(default, id).to_owned()
        }
        None => platform.random_id(),
    };
    let token = token::token(&org, &id, platform.keys().hash);
    let hash = hash(&token);
    let writes = match certificate {
        Some(_) => Writes::Absent,
        None => Writes::Made,
    };
    let written = put(platform, request, &hash, writes, text).await?;
    let written = written.map_err(|refusal| match refusal {
        Refusal::Precondition { current: Some(_) } if certificate.is_some() => Error::Refused(
            500,
            format!("Failed to create key - Key with given certificate already found:{hash}"),
        ),
        Refusal::NoRights => Error::refused(400, KEY_WITHOUT_RIGHTS),
        Refusal::Policies { reason } => {
            Error::Refused(500, format!("Failed to create key - {reason}"))
        }
        refusal => refused(refusal),
    })?;
    let made = Made {
        named: "",
        token: &token,
        hash: &hash,
    };
    Ok(made.answer(request, written, issues))
}

/// Gives a session that signs requests a generated secret (reference 1.6, item 7).
fn with_secret<'t, P: Platform>(platform: &P, text: &'t str) -> Result<Cow<'t, str>, Error> {
    let session = json::parse(text).map_err(|_| unexpected())?;
    if session.bool("hmac_enabled") != Some(true) {
        return Ok(Cow::Borrowed(text));
    }
    let secret = BASE64_STANDARD.encode(platform.random_token());
    let patch = json!({ "hmac_string": secret }).to_string();
    let merged = merge::merge(text, &patch).map_err(|_| unexpected())?;
    Ok(Cow::Owned(merged))
}

/// `POST /gateway/keys/preview`. Policies that can't be applied change nothing, which is not an error here (reference
/// 1.6).
pub(super) async fn preview<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let malformed = (500, UNMARSHALLING_FAILED);
    let (text, _) = document(platform, Root::Session, request, malformed)?;
    let ask = SessionAsk {
        act: Act::Apply,
        ..SessionAsk::default()
    };
    match sessions::ask(platform, ask, text).await? {
        Ok(applied) => Ok(Response::text(200, without_password(&applied.text)?)),
        Err(Refusal::Policies { .. }) => Ok(Response::text(
            200,
            without_password(&policy::shown(text, &[]))?,
        )),
        Err(refusal) => Err(refused(refusal)),
    }
}

const NO_APPLIED: &str = "The query parameter applied is true or false; applied=false answers the \
                          session as it was written, without its policies and counters";

pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let key = key(variables)?;
    let org = org_of_api(platform, request).await?;
    let hashes = hashes(platform, request, &key, org.as_deref().unwrap_or_default());
    let applied = match request.parameter("applied") {
        None | Some("" | "true") => true,
        Some("false") => false,
        Some(_) => return Err(Error::refused(400, NO_APPLIED)),
    };
    match find(platform, Owner::Key, hashes).await? {
        Some(found) if !applied => {
            sessions::tagged(request, Owner::Key, found.revision, &found.text)
        }
        Some(found) => sessions::shown(platform, request, Owner::Key, &found).await,
        None => Err(Error::refused(404, KEY_NOT_FOUND)),
    }
}

/// Returns the organisation of the API that `?api_id=` names, for a custom id (reference 1.6, item 11).
async fn org_of_api<P: Platform>(platform: &P, request: &Request) -> Result<Option<String>, Error> {
    let named = request
        .parameter("api_id")
        .filter(|id| check_id(id).is_ok());
    let (Some(id), false) = (named, is_hashed(request)) else {
        return Ok(None);
    };
    let command = Command::Read { id: id.to_owned() };
    match platform.call(&command, "").await? {
        (Reply::Document { .. }, text) => Ok(Some(org(&text)).filter(|org| !org.is_empty())),
        _ => Ok(None),
    }
}

pub(super) async fn update<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let key = key(variables)?;
    let (text, issues) = document(platform, Root::Session, request, PLAIN)?;
    let missing = || Error::refused(404, KEY_IS_NOT_FOUND);
    let hashes = hashes(platform, request, &key, &org(text));
    let found = find(platform, Owner::Key, hashes)
        .await?
        .ok_or_else(missing)?;
    let text = &*hashed(platform, text, Some(&found.text))?;
    let written = put(platform, request, &found.id, Writes::Existing, text).await?;
    let written = written.map_err(|refusal| match refusal {
        Refusal::NotFound => missing(),
        refusal => refused(refusal),
    })?;
    let key = named(platform, request, (&key, &org(text)), &found.id);
    let body = KeyWritten {
        issues,
        ..KeyWritten::of(&key, Action::Modified)
    };
    Ok(sessions::written(request, body, written))
}

pub(super) async fn delete<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let missing = || Error::refused(404, NO_SUCH_KEY);
    let key = key(variables).map_err(|_| missing())?;
    let hashes = hashes(platform, request, &key, "");
    let found = find(platform, Owner::Key, hashes)
        .await?
        .ok_or_else(missing)?;
    let key = named(platform, request, (&key, platform.default_org()), &found.id);
    let command = SessionAsk {
        act: Act::Remove,
        ids: vec![found.id],
        guard: condition::guard(request),
        ..SessionAsk::default()
    };
    let gone = write(platform, command, &found.text).await?;
    gone.map_err(|refusal| match refusal {
        Refusal::NotFound => missing(),
        refusal => refused(refusal),
    })?;
    let body = KeyWritten {
        dry_run: request.flag("dry_run"),
        ..KeyWritten::of(&key, Action::Deleted)
    };
    Ok(Response::json(200, &body))
}

/// What a write of a session may replace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// Nothing: the token has just been generated.
    New,
    /// Nothing: the token has just been generated by `/keys/create`.
    Made,
    /// Nothing, but clients may have tried the token already.
    Absent,
    /// Whatever exists.
    Any,
    /// A session that must exist.
    Existing,
}

async fn put<P: Platform>(
    platform: &P,
    request: &Request,
    hash: &str,
    writes: Writes,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let mut guard = condition::guard(request);
    guard.absent |= writes == Writes::Absent;
    let command = SessionAsk {
        act: Act::Put,
        ids: vec![hash.to_owned()],
        update: writes == Writes::Existing,
        // `/keys/create` has no `suppress_reset`.
        reset: matches!(writes, Writes::Absent | Writes::Made)
            || request.parameter("suppress_reset") != Some("1"),
        master: platform.keys().allow_master_keys,
        guard,
        checks: true,
        ..SessionAsk::default()
    };
    // A token that nobody knows has not been used, so its Ledger has nothing to drop.
    if matches!(writes, Writes::New | Writes::Made) {
        return sessions::ask(platform, command, text).await;
    }
    let written = write(platform, command, text).await;
    if let Ok(Ok(found)) = &written
        && found.aside.wait_ms > 0
        && !request.flag("dry_run")
    {
        // A client has tried the token already and is told for this long that there is no such key.
        platform.wait(found.aside.wait_ms).await;
    }
    written
}

/// A key that was created, or would have been in a dry run.
struct Made<'a> {
    /// What the path named; empty if nothing.
    named: &'a str,
    token: &'a str,
    hash: &'a str,
}

impl Made<'_> {
    /// Builds the response with token and hash; a dry run has neither.
    fn answer(&self, request: &Request, found: Found, issues: Vec<Issue>) -> Response {
        let (key, hash) = if request.flag("dry_run") {
            (self.named, "")
        } else {
            (self.token, self.hash)
        };
        let body = KeyWritten {
            key_hash: hash.to_owned(),
            issues,
            ..KeyWritten::of(key, Action::Added)
        };
        sessions::written(request, body, found)
    }
}

/// Returns the organisation that a session or a definition names.
fn org(text: &str) -> String {
    let value = json::parse(text);
    let org = value.as_ref().ok().and_then(|value| value.str("org_id"));
    org.unwrap_or_default().to_owned()
}

/// Whether a text is a hash that a token can have.
pub(super) fn is_hash(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    [8, 16, 32, 64].contains(&text.len()) && text.bytes().all(is_digit)
}

/// Checks a hash supplied by the client.
fn check_hash(hash: &str) -> Result<(), Error> {
    if is_hash(hash) {
        return Ok(());
    }
    let text = "a hash has 8, 16, 32 or 64 hexadecimal digits in lower case (murmur32, murmur64, \
                murmur128, sha256); without ?hashed the path takes a custom id";
    Err(Error::refused(400, text))
}

fn long_enough(id: &str, min: usize) -> Result<(), Error> {
    let length = id.chars().count();
    if length >= min {
        return Ok(());
    }
    let text = format!(
        "custom key ID length {length} is less than min_token_length ({min}); \
         choose a longer one, or lower MIN_TOKEN_LENGTH"
    );
    Err(Error::Refused(400, text))
}
