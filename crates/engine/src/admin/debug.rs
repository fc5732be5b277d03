//! One request through the chain (reference 1.8).

use super::body;
use crate::debug::Ask;
use crate::error::Error;
use crate::http::{Request, Response};
use crate::ports::Platform;
use crate::time::millis;

/// `POST /gateway/debug`.
pub(super) async fn debug<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let now = millis(&platform.now()).unwrap_or_default();
    match Ask::read(body(request)?, now)? {
        Ok(ask) => platform.debug(&ask).await,
        Err(unloadable) => Ok(unloadable),
    }
}
