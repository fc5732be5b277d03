//! Drops the cached responses of an API (reference 1.8 and 3.13), and the key sets its tokens are checked with.

use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{CACHE_INVALIDATED, CACHE_NOT_INVALIDATED, StatusMessage};
use gatewright_protocol::http::Response;
use gatewright_protocol::registry::Command;

/// Clears the cached responses. An unknown API has none, which is not an error.
pub(super) async fn forget<P: Platform>(platform: &P, api_id: &str) -> Result<Response, Error> {
    match platform.forget_cache(api_id).await {
        Ok(()) => Ok(Response::json(200, &StatusMessage::ok(CACHE_INVALIDATED))),
        Err(error) => {
            platform.log(&format!("cache: {error}"));
            Err(Error::refused(500, CACHE_NOT_INVALIDATED))
        }
    }
}

/// Drops the key sets of an API, or of all APIs if the id is empty, in every process of this machine; other isolates
/// learn it from the next list they read.
pub(super) async fn forget_keys<P: Platform>(platform: &P, id: &str) -> Result<Response, Error> {
    let command = Command::ForgetKeys { id: id.to_owned() };
    if let Err(error) = platform.call(&command, "").await {
        platform.log(&format!("cache: {error}"));
        return Err(Error::refused(500, CACHE_NOT_INVALIDATED));
    }
    platform.orgs_changed().await;
    Ok(Response::json(200, &StatusMessage::ok(CACHE_INVALIDATED)))
}
