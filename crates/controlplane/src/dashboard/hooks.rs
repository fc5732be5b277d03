//! The parts specific to webhooks: which targets they may call, their secrets, and their deliveries.

use super::Call;
use super::error::{Error, unexpected};
use super::records::error_of;
use crate::egress::{self, Refusal};
use crate::ports::{Outgoing, Platform};
use crate::query;
use crate::registry::deliveries::outcome;
use gatewright_api::dashboard::delivery::Tested;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::{document, json};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::Response;
use gatewright_protocol::records::{Answer, HookAct, HookAsk, Kind, RecordCommand};
use gatewright_protocol::secret::Secret;
use gatewright_protocol::time::millis;

const KIND: Kind = Kind::Webhook;

/// Deliveries per page: the default, and the maximum.
const PER_PAGE: (u32, u32) = (100, 500);

/// Makes a new secret.
pub(super) fn secret<P: Platform>(platform: &P) -> Result<Secret, Error> {
    let made = Secret::new(&platform.random_token());
    made.ok_or_else(|| Error::Store(StoreError::new("make secret", "no base64url")))
}

/// Returns an issue if a target must not be called from here. Everything else about it has been checked before.
pub(super) fn private_target<P: Platform>(platform: &P, text: &str) -> Vec<Issue> {
    let webhook = json::parse(text).ok();
    let url = webhook.as_ref().and_then(|hook| hook.str("target_path"));
    let Err(refusal) = egress::destination(url.unwrap_or_default(), platform.allows_private())
    else {
        return Vec::new();
    };
    let message = match refusal {
        Refusal::Malformed(reason) => reason.to_owned(),
        refusal @ Refusal::Private(_) => refusal.to_string(),
    };
    let kind = (Severity::Error, IssueCode::Format);
    document::issue_at(text, "/target_path", kind, message)
}

pub(super) async fn deliveries<P: Platform>(
    call: &Call<'_, P>,
    id: String,
) -> Result<Response, Error> {
    let (usual, most) = PER_PAGE;
    let after = query::number::<u32>(call.request, "after")?.map(u64::from);
    let limit = query::number(call.request, "limit")?.unwrap_or(usual);
    let limit = limit.clamp(1, most);
    answer(call, id, HookAct::List(after, limit)).await
}

pub(super) async fn retry<P: Platform>(
    call: &Call<'_, P>,
    id: String,
    notice_id: String,
) -> Result<Response, Error> {
    answer(call, id, HookAct::Retry(notice_id)).await
}

pub(super) async fn rotate<P: Platform>(call: &Call<'_, P>, id: String) -> Result<Response, Error> {
    let secret = secret(call.platform)?;
    answer(call, id, HookAct::Rotate(secret)).await
}

/// Performs an action on a webhook; the Registry's reply becomes the body.
async fn answer<P: Platform>(
    call: &Call<'_, P>,
    id: String,
    act: HookAct,
) -> Result<Response, Error> {
    Ok(Response::text(200, ask(call, id, act, "").await?))
}

async fn ask<P: Platform>(
    call: &Call<'_, P>,
    id: String,
    act: HookAct,
    text: &str,
) -> Result<String, Error> {
    let command = RecordCommand::Hook(HookAsk { id, act });
    match call.ask(command, text).await? {
        (Answer::Json, text) => Ok(text),
        (answer, _) => Err(error_of(answer, KIND, call.endpoint.method)),
    }
}

/// Sends a sample at once and returns the outcome. The Registry signs it, so the secret never leaves it.
pub(super) async fn test<P: Platform>(call: &Call<'_, P>, id: String) -> Result<Response, Error> {
    let notice_id = format!("test_{}", call.platform.random_id());
    let signed = ask(call, id.clone(), HookAct::Sign(notice_id.clone()), "").await?;
    let signed: Result<Outgoing, String> =
        serde_json::from_str(&signed).map_err(|_| unexpected())?;
    let began = clock(call.platform)?;
    let answer = match signed {
        Ok(outgoing) => egress::send(call.platform, outgoing).await,
        Err(reason) => Err(reason),
    };
    let attempt = outcome::attempt(answer, began, clock(call.platform)?);
    let text = serde_json::to_string(&attempt).map_err(|_| unexpected())?;
    ask(call, id, HookAct::Note(notice_id), &text).await?;
    Ok(Response::json(
        200,
        &Tested {
            delivered: attempt.error.is_none(),
            status: attempt.status,
            duration_ms: attempt.duration_ms,
            error: attempt.error,
        },
    ))
}

/// Returns the current time in Unix milliseconds.
fn clock<P: Platform>(platform: &P) -> Result<u64, Error> {
    let now = platform.now();
    millis(&now).ok_or_else(|| Error::Store(StoreError::new("read time", now)))
}
