//! One request through the chain (reference 1.8).

use super::body;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_protocol::http::{Request, Response};

/// `POST /gateway/debug`.
pub(super) async fn debug<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    platform.debug(body(request)?).await
}
