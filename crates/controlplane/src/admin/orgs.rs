//! The sessions of organisations: limits across all keys of an organisation, and whether it is active (specification,
//! *Gateway capabilities*; reference 1.8).

use super::replies::relay;
use super::sessions::{self, document, find, refused, write};
use super::{condition, decoded};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{Action, MALFORMED, ORG_NOT_FOUND, ORG_NOT_REMOVED};
use gatewright_api::session::KeyWritten;
use gatewright_model::shape::Root;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk, SessionQuery};

fn org(variables: &[&str]) -> Result<String, Error> {
    let org = decoded(variables, 0);
    if org.is_empty() || org.len() > 128 || org.chars().any(char::is_control) {
        return Err(missing());
    }
    Ok(org)
}

fn missing() -> Error {
    Error::refused(404, ORG_NOT_FOUND)
}

pub(super) async fn list<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let filter = request.parameter("filter").unwrap_or_default();
    let ask = SessionAsk {
        owner: Owner::Organisation,
        act: Act::List,
        query: SessionQuery {
            filter: filter.to_owned(),
            ..SessionQuery::default()
        },
        ..SessionAsk::default()
    };
    relay(platform, &Command::Session(ask)).await
}

pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let ids = vec![org(variables)?];
    match find(platform, Owner::Organisation, ids).await? {
        Some(found) => sessions::shown(platform, request, Owner::Organisation, &found).await,
        None => Err(missing()),
    }
}

pub(super) async fn store<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
    update: bool,
) -> Result<Response, Error> {
    let org = org(variables)?;
    let (text, issues) = document(platform, Root::Organisation, request, (400, MALFORMED))?;
    let command = SessionAsk {
        owner: Owner::Organisation,
        act: Act::Put,
        ids: vec![org.clone()],
        // A missing session is created, whatever the method (reference 1.8).
        update,
        reset: request.parameter("reset_quota") == Some("1"),
        guard: condition::guard(request),
        ..SessionAsk::default()
    };
    let written = write(platform, command, text).await?;
    let written = written.map_err(refused)?;
    changed(platform, request).await;
    let action = if update {
        Action::Modified
    } else {
        Action::Added
    };
    let body = KeyWritten {
        issues,
        ..KeyWritten::of(&org, action)
    };
    Ok(sessions::written(request, body, written))
}

pub(super) async fn delete<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let org = org(variables)?;
    let command = SessionAsk {
        owner: Owner::Organisation,
        act: Act::Remove,
        ids: vec![org.clone()],
        guard: condition::guard(request),
        ..SessionAsk::default()
    };
    let gone = write(platform, command, "").await?;
    gone.map_err(|refusal| match refusal {
        Refusal::NotFound => Error::refused(400, ORG_NOT_REMOVED),
        refusal => refused(refusal),
    })?;
    changed(platform, request).await;
    let body = KeyWritten {
        dry_run: request.flag("dry_run"),
        ..KeyWritten::of(&org, Action::Deleted)
    };
    Ok(Response::json(200, &body))
}

/// Notifies the data plane, except in a dry run.
async fn changed<P: Platform>(platform: &P, request: &Request) {
    if !request.flag("dry_run") {
        platform.orgs_changed().await;
    }
}
