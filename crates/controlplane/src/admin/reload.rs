//! Reloading, and what it did (specification, *Hot reload*; reference 1.2).

use super::apis::relay;
use crate::error::Error;
use crate::ports::{Platform, Reloaded};
use gatewright_api::message::StatusMessage;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::Command;

pub(super) async fn reload<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    match platform.reload(request.flag("block")).await? {
        Reloaded::Started | Reloaded::Done => Ok(Response::json(200, &StatusMessage::ok(""))),
        Reloaded::Failed(reason) => Err(Error::Refused(
            503,
            format!("The reload failed, the last good set keeps serving: {reason}"),
        )),
    }
}

pub(super) async fn status<P: Platform>(platform: &P) -> Result<Response, Error> {
    relay(platform, &Command::Status).await
}
