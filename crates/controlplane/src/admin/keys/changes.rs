//! Changes that leave a key its session: setting its policies, and replacing its token.

use super::Made;
use super::names::{hashes, key, org};
use crate::admin::replies::unexpected;
use crate::admin::sessions::{self, find, has_password, refused, write};
use crate::admin::{body, condition};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{Action, KEY_NOT_FOUND, KEY_NOT_WRITTEN, NO_INSTRUCTION};
use gatewright_api::session::KeyWritten;
use gatewright_model::json::{self, Kind, Value};
use gatewright_model::merge;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::Refusal;
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_protocol::token::{self, hash};
use serde_json::json;

/// `POST /gateway/keys/policy/{hash}`.
pub(in crate::admin) async fn set_policies<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let hash = key(variables)?;
    let unclear = || Error::refused(400, NO_INSTRUCTION);
    let policies = instruction(body(request)?).ok_or_else(unclear)?;
    let missing = || Error::refused(404, KEY_NOT_FOUND);
    let found = find(platform, Owner::Key, vec![hash.clone()])
        .await?
        .ok_or_else(missing)?;
    if policies.is_empty() {
        return Err(unclear());
    }
    let patch = json!({ "apply_policies": policies, "apply_policy_id": null });
    let text = merge::merge(&found.text, &patch.to_string()).map_err(|_| unexpected())?;
    let command = SessionAsk {
        act: Act::Put,
        ids: vec![found.id],
        update: true,
        master: platform.keys().allow_master_keys,
        guard: condition::guard_of(request, found.revision),
        ..SessionAsk::default()
    };
    let written = write(platform, command, &text).await?;
    let written = written.map_err(|refusal| match refusal {
        Refusal::NotFound => missing(),
        Refusal::Policies { reason } => Error::Explained(500, KEY_NOT_WRITTEN.to_owned(), reason),
        refusal => refused(refusal),
    })?;
    let body = KeyWritten {
        action: "updated".to_owned(),
        ..KeyWritten::of(&hash, Action::Modified)
    };
    Ok(sessions::written(request, body, written))
}

/// Returns the policies that a body names: those of the list, then the single one. `None` if a value has a wrong type.
fn instruction(text: &str) -> Option<Vec<String>> {
    let value = json::parse(text).ok()?;
    if !matches!(value.kind, Kind::Object(_)) {
        return None;
    }
    let given = |name| value.get(name).filter(|value| value.kind != Kind::Null);
    let mut policies = Vec::new();
    if let Some(list) = given("apply_policies") {
        let Kind::Array(ids) = &list.kind else {
            return None;
        };
        policies.extend(ids.iter().map(Value::as_str));
    }
    policies.extend(given("policy").map(Value::as_str));
    let policies: Option<Vec<&str>> = policies.into_iter().collect();
    let policies = policies?.into_iter().filter(|id| !id.is_empty());
    Some(policies.map(str::to_owned).collect())
}

/// `POST /gateway/keys/{keyID}/rotate`: a new token for the session of the old token, which becomes invalid.
pub(in crate::admin) async fn rotate<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let missing = || Error::refused(404, KEY_NOT_FOUND);
    let key = key(variables)?;
    let hashes = hashes(platform, request, &key, "");
    let found = find(platform, Owner::Key, hashes)
        .await?
        .ok_or_else(missing)?;
    if json::parse(&found.text).is_ok_and(|session| has_password(&session)) {
        return Err(Error::refused(400, NO_NEW_USER));
    }
    let token = token::token(
        &org(&found.text),
        &platform.random_id(),
        platform.keys().hash,
    );
    let hash = hash(&token);
    let command = SessionAsk {
        act: Act::Rotate,
        ids: vec![found.id, hash.clone()],
        guard: condition::guard(request),
        ..SessionAsk::default()
    };
    let moved = sessions::rotate(platform, command, &found.text).await?;
    let moved = moved.map_err(|refusal| match refusal {
        Refusal::NotFound => missing(),
        refusal => refused(refusal),
    })?;
    let made = Made {
        named: &key,
        token: &token,
        hash: &hash,
    };
    Ok(made.answer(request, moved, Vec::new()))
}

const NO_NEW_USER: &str = "This key is a user of basic authentication, whose name is part of it and \
                           would change: change its password (/basic_auth_data) instead";
