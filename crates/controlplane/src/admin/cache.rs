//! The kept answers of an API (reference 1.8 and 3.13).

use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{CACHE_INVALIDATED, CACHE_NOT_INVALIDATED, StatusMessage};
use gatewright_protocol::http::Response;

/// Forgets them. An API that nobody knows has none, and that is no error.
pub(super) async fn forget<P: Platform>(platform: &P, api_id: &str) -> Result<Response, Error> {
    match platform.forget_cache(api_id).await {
        Ok(()) => Ok(Response::json(200, &StatusMessage::ok(CACHE_INVALIDATED))),
        Err(error) => {
            platform.log(&format!("cache: {error}"));
            Err(Error::Refused(500, CACHE_NOT_INVALIDATED.to_owned()))
        }
    }
}
