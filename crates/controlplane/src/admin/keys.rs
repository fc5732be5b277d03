//! Keys (reference 1.6).

mod changes;
mod create;
mod names;

pub(super) use changes::{rotate, set_policies};
pub(super) use create::{add, create};
pub(super) use names::is_hash;

use super::condition;
use super::passwords::hashed;
use super::replies::{streamed, unexpected};
use super::sessions::{self, Found, document, find, refused, write};
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use gatewright_api::message::{
    Action, KEY_IS_NOT_FOUND, KEY_NOT_FOUND, MALFORMED, NO_SUCH_KEY, UNMARSHALLING_FAILED,
};
use gatewright_api::session::KeyWritten;
use gatewright_model::issue::Issue;
use gatewright_model::shape::Root;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk, SessionQuery};
use names::{hashes, key, named, org, org_of_api};

/// The status and message for a body that is not a session, where the reference has no other.
const PLAIN: (u16, &str) = (400, MALFORMED);

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

/// `POST /gateway/keys/preview`. Policies that can't be applied are not an error here (reference 1.6).
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
        Ok(applied) => {
            let body = sessions::previewed(platform, &applied.text)?;
            Ok(Response::text(200, body))
        }
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
    let generated = matches!(writes, Writes::New | Writes::Made);
    let command = SessionAsk {
        act: Act::Put,
        ids: vec![hash.to_owned()],
        update: writes == Writes::Existing,
        generated,
        // `/keys/create` has no `suppress_reset`.
        reset: matches!(writes, Writes::Absent | Writes::Made)
            || request.parameter("suppress_reset") != Some("1"),
        master: platform.keys().allow_master_keys,
        guard,
        checks: true,
        ..SessionAsk::default()
    };
    // A token that nobody knows has not been used, so its Ledger has nothing to drop.
    if generated {
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
