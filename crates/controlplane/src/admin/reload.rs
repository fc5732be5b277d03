//! Reloads and their outcome (specification, *Hot reload*; reference 1.2).

mod selection;

use super::replies::{error_of, relay, unexpected};
use super::{body, strict};
use crate::error::Error;
use crate::ports::{Platform, Reloaded};
use gatewright_api::shape::{ReloadMessage, ReloadStatus};
use gatewright_model::issue::{Issue, IssueCode, Position, Severity};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Reply};

pub(super) async fn reload<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    // The content of a GET request has no meaning (RFC 9110 section 9.3.1).
    let selection = match request.method.as_str() {
        "POST" => selection::read(body(request)?)?,
        _ => None,
    };
    let strict = request.flag("strict");
    if strict || selection.is_some() {
        strict::check_reload(platform, selection.as_ref(), strict).await?;
    }
    let wait = request.flag("block");
    match platform.reload(wait, selection.as_ref()).await? {
        Reloaded::Started => Ok(Response::json(200, &message(None))),
        Reloaded::Done => Ok(Response::json(
            200,
            &message(report(platform).await.ok().as_ref()),
        )),
        Reloaded::Failed(reason) => Err(Error::Refused(
            503,
            format!("The reload failed, the last good set keeps serving: {reason}"),
        )),
    }
}

/// Builds the response body, with the outcome if the Registry reported it; without that report the reload has succeeded
/// all the same.
fn message(status: Option<&ReloadStatus>) -> ReloadMessage {
    ReloadMessage {
        status: "ok".to_owned(),
        message: String::new(),
        loaded: status.map(|status| status.loaded_total),
        skipped: status.map(|status| status.skipped_total),
        pending: status.map(|status| status.pending_total),
    }
}

async fn report<P: Platform>(platform: &P) -> Result<ReloadStatus, Error> {
    match platform.call(&Command::Status, "").await? {
        (Reply::Json, body) => serde_json::from_str(&body).map_err(|_| unexpected()),
        (reply, _) => Err(error_of(reply)),
    }
}

/// Builds the error for an API that is not loaded. If the last reload skipped it, the details say why.
pub(super) async fn not_loaded<P: Platform>(platform: &P, message: &str, api_id: &str) -> Error {
    match why_skipped(platform, api_id).await {
        Ok(Some(reason)) => {
            let details = format!("The last reload skipped it: {reason}");
            Error::Explained(404, message.to_owned(), details)
        }
        _ => Error::refused(404, message),
    }
}

/// Returns why the last reload skipped an API, if it did.
pub(super) async fn why_skipped<P: Platform>(
    platform: &P,
    api_id: &str,
) -> Result<Option<String>, Error> {
    let mut skipped = report(platform).await?.skipped.into_iter();
    let found = skipped.find(|skipped| skipped.api_id == api_id);
    Ok(found.map(|skipped| skipped.reason))
}

/// Builds the error for a selection that can't be published; nothing was.
pub(super) fn refused(status: u16, pointer: String, reason: String) -> Error {
    let text = format!("Nothing was published. {reason}");
    let begin = Position { line: 1, column: 1 };
    let issue = Issue {
        pointer,
        code: IssueCode::Conflict,
        severity: Severity::Error,
        message: reason,
        start: begin,
        end: begin,
    };
    Error::Unreadable(status, text, vec![issue])
}

/// Lists the generations that can be published again.
pub(super) async fn generations<P: Platform>(platform: &P) -> Result<Response, Error> {
    relay(platform, &Command::Generations).await
}

/// Returns what publishing a generation again would change.
pub(super) async fn generation<P: Platform>(
    platform: &P,
    variables: &[&str],
) -> Result<Response, Error> {
    let number = variables.first().and_then(|text| text.parse().ok());
    let Some(generation) = number else {
        return Err(Error::refused(400, "A generation is a number from 1"));
    };
    relay(platform, &Command::PlanGeneration { generation }).await
}

pub(super) async fn status<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let command = match request.parameter("loaded") {
        Some("false") => Command::ShortStatus,
        _ => Command::Status,
    };
    relay(platform, &command).await
}
