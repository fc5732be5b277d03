//! One request through the chain (reference 1.8).

use super::{body, reload};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_model::json;
use gatewright_protocol::http::{Request, Response};

/// `POST /gateway/debug`.
pub(super) async fn debug<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let body = body(request)?;
    let answer = platform.debug(body).await;
    let Err(Error::Refused(404, message)) = answer else {
        return answer;
    };
    let asked = json::parse(body).ok();
    let api_id = asked.as_ref().and_then(|ask| ask.str("api_id"));
    Err(reload::not_loaded(platform, &message, api_id.unwrap_or_default()).await)
}
