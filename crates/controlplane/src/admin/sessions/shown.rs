//! A session as clients read it (reference 1.6).

use super::{Found, ask};
use crate::admin::replies::unexpected;
use crate::admin::{condition, may};
use crate::error::Error;
use crate::ports::{LedgerCall, Platform};
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::message::PENDING_POLICIES_HEADER;
use gatewright_model::json::{self, Value};
use gatewright_model::mask;
use gatewright_model::merge;
use gatewright_model::policy;
use gatewright_model::session::Session;
use gatewright_model::shape::Root;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::ledger::{Consume, Standing, Verdict};
use gatewright_protocol::limits;
use gatewright_protocol::registry::Aside;
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_protocol::time::millis;
use gatewright_protocol::token::HashFunction;
use serde_json::json;

/// Responds with a session as clients read it: with its policies applied, the remaining quotas, and without the
/// password of basic authentication (reference 1.6).
pub(in crate::admin) async fn shown<P: Platform>(
    platform: &P,
    request: &Request,
    owner: Owner,
    found: &Found,
) -> Result<Response, Error> {
    let preview = SessionAsk {
        owner,
        act: Act::Apply,
        ..SessionAsk::default()
    };
    let applied = ask(platform, preview, &found.text).await?;
    let (applied, aside) = applied.map_or_else(
        |_| (policy::shown(&found.text, &[]), Aside::default()),
        |applied| (applied.text, applied.aside),
    );
    let counted = with_counters(platform, owner, found, &applied).await?;
    let counted = match owner {
        Owner::Key => counted,
        // The family does not record it for organisations.
        Owner::Organisation => patched(&counted, &json!({ "date_created": null }))?,
    };
    let response = tagged(request, owner, found.revision, &counted)?;
    Ok(with_pending(response, &aside))
}

/// Responds with a session at this revision, without its password, and with its secrets masked for callers who may only
/// read.
pub(in crate::admin) fn tagged(
    request: &Request,
    owner: Owner,
    revision: u64,
    text: &str,
) -> Result<Response, Error> {
    let mut body = without_password(text)?;
    let (part, root) = match owner {
        Owner::Key => (Part::Keys, Root::Session),
        Owner::Organisation => (Part::Organisations, Root::Organisation),
    };
    if !may(request, part, Access::Write) {
        body = mask::masked(root, &body).map_err(Error::Malformed)?;
    }
    let tag = shown_etag(revision, &body);
    let response = Response::text(200, body);
    Ok(condition::tagged(request, response, tag))
}

/// Names the policies whose revision in use differs from the one shown.
pub(super) fn with_pending(response: Response, aside: &Aside) -> Response {
    match aside.pending.as_slice() {
        [] => response,
        pending => response.with(PENDING_POLICIES_HEADER, pending.join(", ")),
    }
}

/// Returns the tag of a session as it is shown: policies and counters change it without a write. A write with this tag
/// is compared by the revision only.
fn shown_etag(revision: u64, body: &str) -> String {
    let content = HashFunction::Murmur64.hash(body);
    format!("\"{revision}-{content}\"")
}

fn patched(text: &str, patch: &serde_json::Value) -> Result<String, Error> {
    merge::merge(text, &patch.to_string()).map_err(|_| unexpected())
}

/// Returns a session with its policies applied as it would be shown if a key was created from it now: with the times that
/// the client leaves to the gateway, and without its password.
pub(in crate::admin) fn previewed<P: Platform>(platform: &P, text: &str) -> Result<String, Error> {
    let session = json::parse(text).map_err(|_| unexpected())?;
    let now = platform.now();
    let seconds = (millis(&now).unwrap_or_default() / 1000).to_string();
    let times = [("date_created", now), ("last_updated", seconds)];
    let missing: serde_json::Map<_, _> = times
        .into_iter()
        .filter(|(name, _)| session.str(name).is_none_or(str::is_empty))
        .map(|(name, at)| (name.to_owned(), at.into()))
        .collect();
    without_password(&patched(text, &missing.into())?)
}

/// Returns a session without its password.
fn without_password(text: &str) -> Result<String, Error> {
    let has = json::parse(text).is_ok_and(|value| has_password(&value));
    if !has {
        return Ok(text.to_owned());
    }
    patched(text, &json!({ "basic_auth_data": { "password": null } }))
}

/// Whether a session has a password.
pub(in crate::admin) fn has_password(session: &Value<'_>) -> bool {
    let data = session.get("basic_auth_data");
    data.and_then(|data| data.str("password"))
        .is_some_and(|password| !password.is_empty())
}

/// Adds the current state of the quotas.
async fn with_counters<P: Platform>(
    platform: &P,
    owner: Owner,
    found: &Found,
    text: &str,
) -> Result<String, Error> {
    let session = Session::parse(text).map_err(Error::Malformed)?;
    let quotas = limits::quotas(&session);
    if quotas.is_empty() {
        return Ok(text.to_owned());
    }
    let ask = Consume {
        revision: Some(found.revision),
        counts: quotas.iter().map(|(_, count)| count.clone()).collect(),
        show: (0..).take(quotas.len()).collect(),
        peek: true,
        ..Consume::default()
    };
    let name = owner.ledger(&found.id);
    let Some(Verdict::Admitted(standings)) = platform.ledger(&name, LedgerCall::Ask(ask)).await?
    else {
        // A write is in progress: the document shows the values it was stored with.
        return Ok(text.to_owned());
    };
    let mut patch = json!({});
    for ((api, _), standing) in quotas.iter().zip(standings) {
        let limit = match api {
            None => Some(&session.limit),
            Some(api) => session.access(api).and_then(|access| access.limit.as_ref()),
        };
        let max = limit.map_or(0, |limit| {
            u64::try_from(limit.quota_max).unwrap_or_default()
        });
        let is_used = standing.remaining < max;
        let counters = counters(&session, *api, is_used.then_some(standing));
        let at = match api {
            None => counters,
            Some(api) => json!({ "access_rights": { *api: { "limit": counters } } }),
        };
        patch = merged(patch, at);
    }
    patched(text, &patch)
}

/// Returns the quota members to add to a session, or to one of its APIs (reference 1.6, item 12): the state of its
/// counter, if it is in use. Until then an API shows its full quota. Zeros are left out.
fn counters(session: &Session, api: Option<&str>, standing: Option<Standing>) -> serde_json::Value {
    let some = |number: u64| (number > 0).then_some(number);
    let Some(standing) = standing.filter(|_| api.is_some() || shares(session)) else {
        return match api {
            Some(api) => {
                let limit = session.access(api).and_then(|access| access.limit.as_ref());
                json!({ "quota_remaining": limit.map(|limit| limit.quota_max) })
            }
            None => json!({}),
        };
    };
    if standing.at == u64::MAX {
        // Nothing else would show that such a quota is used up.
        return json!({ "quota_remaining": standing.remaining });
    }
    json!({ "quota_remaining": some(standing.remaining), "quota_renews": some(standing.at / 1000) })
}

/// Whether requests count under the key itself: those to an API without a counter of its own.
fn shares(session: &Session) -> bool {
    let mut rights = session.access_rights.iter();
    session.access_rights.is_empty()
        || rights.any(|(_, access)| access.limit.is_none() || access.allowance_scope.is_empty())
}

fn merged(mut into: serde_json::Value, from: serde_json::Value) -> serde_json::Value {
    match (into.as_object_mut(), from) {
        (Some(object), serde_json::Value::Object(members)) => {
            for (name, value) in members {
                let old = object.remove(&name).unwrap_or(json!({}));
                object.insert(name, merged(old, value));
            }
            into
        }
        (_, from) => from,
    }
}
