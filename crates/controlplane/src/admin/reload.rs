//! Reloading, and what it did (specification, *Hot reload*; reference 1.2).

use super::apis::{call, relay};
use super::strict;
use crate::error::Error;
use crate::ports::{Platform, Reloaded};
use gatewright_api::shape::{ReloadMessage, ReloadStatus};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Reply};

pub(super) async fn reload<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    if request.flag("strict") {
        strict::check_reload(platform).await?;
    }
    match platform.reload(request.flag("block")).await? {
        Reloaded::Started => Ok(Response::json(200, &message(None))),
        Reloaded::Done => Ok(Response::json(
            200,
            &message(report(platform).await.as_ref()),
        )),
        Reloaded::Failed(reason) => Err(Error::Refused(
            503,
            format!("The reload failed, the last good set keeps serving: {reason}"),
        )),
    }
}

/// The answer, with what came of the reload where the Registry has said it: the reload is done all the same.
fn message(status: Option<&ReloadStatus>) -> ReloadMessage {
    ReloadMessage {
        status: "ok".to_owned(),
        message: String::new(),
        loaded: status.map(|status| status.loaded_total),
        skipped: status.map(|status| status.skipped_total),
        pending: status.map(|status| status.pending_total),
    }
}

async fn report<P: Platform>(platform: &P) -> Option<ReloadStatus> {
    let (reply, body) = call(platform, &Command::Status, "").await.ok()?;
    match reply {
        Reply::Json => serde_json::from_str(&body).ok(),
        _ => None,
    }
}

/// The error about an API that is not loaded. Where the last reload skipped it, the details say why.
pub(super) async fn not_loaded<P: Platform>(platform: &P, message: &str, api_id: &str) -> Error {
    match why_skipped(platform, api_id).await {
        Some(reason) => {
            let details = format!("The last reload skipped it: {reason}");
            Error::Explained(404, message.to_owned(), details)
        }
        None => Error::Refused(404, message.to_owned()),
    }
}

async fn why_skipped<P: Platform>(platform: &P, api_id: &str) -> Option<String> {
    let mut skipped = report(platform).await?.skipped.into_iter();
    Some(skipped.find(|skipped| skipped.api_id == api_id)?.reason)
}

pub(super) async fn status<P: Platform>(platform: &P) -> Result<Response, Error> {
    relay(platform, &Command::Status).await
}
