//! Dashboard credentials, issued and revoked by holders of the gateway secret.

use super::body;
use super::replies::{relay, unexpected};
use crate::error::Error;
use crate::ports::{Platform, object_id};
use crate::registry::credentials::{DASHBOARD_ACTOR, hash};
use crate::registry::journal::LIFETIME_ACTOR;
use gatewright_api::dashboard::shape::{Credential, Issued};
use gatewright_api::dashboard::{Parts, Permissions};
use gatewright_api::message::{Action, ModifySuccess};
use gatewright_protocol::caller::GATEWAY_ACTOR;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_protocol::time::instant;
use serde::Deserialize;

/// The prefix of every token, by which scanners find a leaked one.
const PREFIX: &str = "gwd_";

/// The body of a request for a new credential.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
    #[serde(default)]
    org_id: String,
    permissions: Permissions,
    #[serde(default)]
    expires_at: Option<String>,
}

pub(super) async fn list<P: Platform>(platform: &P) -> Result<Response, Error> {
    relay(platform, &Command::Credentials).await
}

pub(super) async fn issue<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let wanted: Wanted = serde_json::from_str(body(request)?)
        .map_err(|error| Error::Refused(400, format!("The credential is wrong: {error}")))?;
    let credential = checked(platform, wanted)?;
    let token = format!("{PREFIX}{}", platform.random_token());
    let command = Command::Issue {
        credential,
        hash: hash(&token),
    };
    match platform.call(&command, "").await? {
        (Reply::Credential(credential), _) => Ok(Response::json(
            200,
            &Issued {
                key: credential.id.clone(),
                status: "ok".to_owned(),
                action: "added".to_owned(),
                token,
                credential,
            },
        )),
        _ => Err(unexpected()),
    }
}

fn checked<P: Platform>(platform: &P, wanted: Wanted) -> Result<Credential, Error> {
    let refused = |text: &str| Err(Error::refused(400, text));
    let name = wanted.name.trim();
    if name.is_empty() || name.len() > 128 || name.chars().any(char::is_control) {
        return refused("name takes 1 to 128 bytes of text: the audit trail shows it");
    }
    if [GATEWAY_ACTOR, LIFETIME_ACTOR, DASHBOARD_ACTOR].contains(&name.to_lowercase().as_str()) {
        return refused("name is taken: the audit trail calls another credential so");
    }
    if wanted.org_id.len() > 128 || wanted.org_id.chars().any(char::is_control) {
        return refused("org_id takes at most 128 bytes of text");
    }
    if wanted.permissions == Permissions::default() {
        return refused(
            "permissions names at least one group, or one part of gateway, with read or write",
        );
    }
    // Granting a right that holds for every organisation to a credential of one organisation is an oversight.
    let is_confined = !wanted.org_id.is_empty() && wanted.org_id != platform.default_org();
    if is_confined && wanted.permissions.gateway != Parts::default() {
        return refused(
            "/permissions/gateway: rights at the administration API hold for every organisation; leave org_id out, or them",
        );
    }
    let expires_at = match wanted.expires_at {
        None => None,
        Some(text) => match instant(&text) {
            Some(at) if at > platform.now() => Some(at),
            Some(_) => return refused("expires_at is in the past"),
            None => return refused("expires_at is a time as RFC 3339 writes it, or null"),
        },
    };
    Ok(Credential {
        id: object_id(platform),
        name: name.to_owned(),
        org_id: wanted.org_id,
        permissions: wanted.permissions,
        expires_at,
        ..Credential::default()
    })
}

pub(super) async fn revoke<P: Platform>(platform: &P, id: &str) -> Result<Response, Error> {
    let command = Command::Revoke { id: id.to_owned() };
    match platform.call(&command, "").await? {
        (Reply::Credential(credential), _) => {
            let body = ModifySuccess::of(&credential.id, Action::Deleted);
            Ok(Response::json(200, &body))
        }
        (Reply::Refused(Refusal::NotFound), _) => {
            Err(Error::refused(404, "There is no such credential"))
        }
        _ => Err(unexpected()),
    }
}
