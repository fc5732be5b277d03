//! Policies (reference 1.7). A write is readable at once; the data plane applies it after the next reload.

use super::apis;
use super::complete;
use super::replies::{unexpected, written};
use super::{body, condition, expressions, sessions};
use crate::error::{Error, etag};
use crate::ports::{Platform, object_id};
use crate::query;
use gatewright_api::dashboard::Access;
use gatewright_api::message::{
    Action, INVALID_POLICY_ID, ModifySuccess, POLICY_ID_MISMATCH, POLICY_NOT_FOUND,
    POLICY_WITHOUT_ID,
};
use gatewright_model::id::check_id;
use gatewright_model::issue::Issue;
use gatewright_model::json;
use gatewright_model::shape::Root;
use gatewright_protocol::caller::{Caller, Need};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::records::{Answer, Ask, Kind, RecordCommand, RecordQuery, RecordRefusal};
use gatewright_protocol::registry::{Command, Reply};

const KIND: Kind = Kind::Policy;

async fn ask<P: Platform>(
    platform: &P,
    command: RecordCommand,
    text: &str,
) -> Result<(Answer, String), Error> {
    let ask = Ask {
        caller: Caller::Gateway,
        need: Need {
            group: None,
            access: Access::Write,
        },
        command,
    };
    match platform.call(&Command::Dashboard(ask), text).await? {
        (Reply::Dashboard(answer), text) => Ok((answer, text)),
        _ => Err(unexpected()),
    }
}

/// Returns the id from the path, unchanged: an escaped one is refused, not decoded (attack A8).
fn id(variables: &[&str]) -> Result<String, Error> {
    let id = variables.first().copied().unwrap_or_default();
    match check_id(id) {
        Ok(()) => Ok(id.to_owned()),
        Err(_) => Err(Error::refused(400, INVALID_POLICY_ID)),
    }
}

pub(super) async fn list<P: Platform>(platform: &P) -> Result<Response, Error> {
    let query = RecordQuery::default();
    match ask(platform, RecordCommand::List { kind: KIND, query }, "").await? {
        (Answer::List { .. }, array) => Ok(Response::text(200, array)),
        _ => Err(unexpected()),
    }
}

pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    // An id that can't be stored counts as unknown (reference 1.0).
    let id = id(variables).map_err(|_| Error::refused(404, POLICY_NOT_FOUND))?;
    let (answer, text) = ask(platform, RecordCommand::Read { kind: KIND, id }, "").await?;
    let Answer::Document { revision } = answer else {
        return Err(refused(answer));
    };
    let text = match request.parameter("complete") {
        Some("false") => text,
        _ => complete::policy(&text),
    };
    let response = Response::text(200, text);
    Ok(condition::tagged(request, response, etag(revision)))
}

/// Returns the text of a policy; `None` if there is none with this id.
pub(super) async fn text<P: Platform>(platform: &P, id: &str) -> Result<Option<String>, Error> {
    let id = id.to_owned();
    match ask(platform, RecordCommand::Read { kind: KIND, id }, "").await? {
        (Answer::Document { .. }, text) => Ok(Some(text)),
        (Answer::Refused(RecordRefusal::NotFound), _) => Ok(None),
        _ => Err(unexpected()),
    }
}

pub(super) async fn add<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let text = body(request)?;
    // An id that could escape its folder has a message of its own, which precedes all other errors.
    let named = ids(text)?;
    let mut issues = validated(platform, text)?;
    let Some((name, internal)) = named else {
        return Err(Error::refused(400, POLICY_WITHOUT_ID));
    };
    sessions::check(platform, text, &mut issues).await?;
    let written = put(platform, request, &name, internal, text).await?;
    stored(written, &name, Action::Added, issues, request)
}

/// Replaces the policy with this id, or creates it if there is none, under its `_id` if it has one.
async fn put<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
    internal: Option<String>,
    text: &str,
) -> Result<Answer, Error> {
    let guard = condition::guard(request);
    let replace = RecordCommand::Replace {
        kind: KIND,
        id: id.to_owned(),
        guard: guard.clone(),
    };
    let is_missing = |answer: &Answer| matches!(answer, Answer::Refused(RecordRefusal::NotFound));
    let (replaced, _) = ask(platform, replace.clone(), text).await?;
    if !is_missing(&replaced) {
        return Ok(replaced);
    }
    let create = RecordCommand::Create {
        kind: KIND,
        id: internal.unwrap_or_else(|| object_id(platform)),
        guard,
        secret: None,
    };
    let (created, _) = ask(platform, create, text).await?;
    if !matches!(
        created,
        Answer::Refused(RecordRefusal::StableIdTaken { .. })
    ) {
        return Ok(created);
    }
    // Somebody may have created it since.
    let (replaced, _) = ask(platform, replace, text).await?;
    Ok(match is_missing(&replaced) {
        true => created,
        false => replaced,
    })
}

pub(super) async fn update<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = id(variables)?;
    let text = body(request)?;
    let named = ids(text)?;
    let mut issues = validated(platform, text)?;
    let is_this =
        |(name, internal): &(String, Option<String>)| *name == id || internal.as_ref() == Some(&id);
    let Some((_, internal)) = named.filter(is_this) else {
        return Err(Error::refused(400, POLICY_ID_MISMATCH));
    };
    sessions::check(platform, text, &mut issues).await?;
    let answer = put(platform, request, &id, internal, text).await?;
    stored(answer, &id, Action::Modified, issues, request)
}

pub(super) async fn delete<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = id(variables)?;
    let command = RecordCommand::Delete {
        kind: KIND,
        id: id.clone(),
        guard: condition::guard(request),
    };
    let (answer, _) = ask(platform, command, "").await?;
    stored(answer, &id, Action::Deleted, Vec::new(), request)
}

pub(super) async fn revisions<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = id(variables)?;
    let (before, limit) = query::revisions(request)?;
    let command = RecordCommand::Revisions {
        kind: KIND,
        id,
        before,
        limit,
    };
    match ask(platform, command, "").await? {
        (Answer::Json, body) => Ok(Response::text(200, body)),
        (answer, _) => Err(refused(answer)),
    }
}

pub(super) async fn revision<P: Platform>(
    platform: &P,
    variables: &[&str],
) -> Result<Response, Error> {
    let (text, revision) = stored_at(platform, variables).await?;
    Ok(Response::text(200, text).with("etag", etag(revision)))
}

/// Returns a policy at a revision, with the revision's number.
async fn stored_at<P: Platform>(platform: &P, variables: &[&str]) -> Result<(String, u64), Error> {
    let command = RecordCommand::ReadRevision {
        kind: KIND,
        id: id(variables)?,
        revision: apis::revision(variables)?,
    };
    match ask(platform, command, "").await? {
        (Answer::Document { revision }, text) => Ok((text, revision)),
        (answer, _) => Err(refused(answer)),
    }
}

/// Restores a revision as a new one. Its rights have to fit the current state of their APIs.
pub(super) async fn restore<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = id(variables)?;
    let (text, revision) = stored_at(platform, variables).await?;
    let mut issues = validated(platform, &text)?;
    sessions::check(platform, &text, &mut issues).await?;
    let command = RecordCommand::Restore {
        kind: KIND,
        id: id.clone(),
        revision: Some(revision),
        guard: condition::guard(request),
    };
    let (answer, _) = ask(platform, command, "").await?;
    stored(answer, &id, Action::Restored, issues, request)
}

fn validated<P: Platform>(platform: &P, text: &str) -> Result<Vec<Issue>, Error> {
    expressions::validated(platform, Root::Policy, text).map_err(Error::Malformed)
}

/// Returns the id of a policy, its `id` or else its `_id`, and the `_id` on its own; `None` if the text is not JSON or
/// has neither.
fn ids(text: &str) -> Result<Option<(String, Option<String>)>, Error> {
    let Ok(value) = json::parse(text) else {
        return Ok(None);
    };
    let member = |name| value.str(name).filter(|text| !text.is_empty());
    let internal = member("_id").map(str::to_owned);
    let Some(name) = member("id").or_else(|| member("_id")) else {
        return Ok(None);
    };
    if check_id(name).is_err() {
        return Err(Error::refused(400, INVALID_POLICY_ID));
    }
    Ok(Some((name.to_owned(), internal)))
}

fn stored(
    answer: Answer,
    id: &str,
    action: Action,
    issues: Vec<Issue>,
    request: &Request,
) -> Result<Response, Error> {
    let Answer::Written { revision, .. } = answer else {
        return Err(refused(answer));
    };
    let body = ModifySuccess {
        issues,
        dry_run: request.flag("dry_run"),
        ..ModifySuccess::of(id, action)
    };
    Ok(written(&body, revision))
}

fn refused(answer: Answer) -> Error {
    match answer {
        Answer::Refused(RecordRefusal::NotFound) => Error::refused(404, POLICY_NOT_FOUND),
        Answer::Refused(RecordRefusal::Precondition { current }) => Error::Precondition(current),
        Answer::Refused(RecordRefusal::StableIdTaken { id }) => Error::Conflict(
            format!(
                "The id {id} belongs to another policy: give this one an id and an _id of its own"
            ),
            Vec::new(),
        ),
        Answer::Refused(RecordRefusal::TooLarge) => {
            Error::TooLarge(crate::config::DEFINITION_MAX_BYTES)
        }
        Answer::Refused(RecordRefusal::NoRevision) => {
            Error::refused(404, "The policy has no document at this revision")
        }
        _ => unexpected(),
    }
}
