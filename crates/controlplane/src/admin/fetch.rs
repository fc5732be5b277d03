//! Documents from other servers.

use crate::egress;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_model::json;
use gatewright_protocol::http::{Request, Response};

/// Fetches the text at `{"url": …}`. The console can't do that itself: its content security policy allows no other
/// origin, and few servers let foreign pages read their responses.
pub(super) async fn openapi<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let text = super::body(request)?;
    let body = json::parse(text).map_err(Error::Malformed)?;
    let Some(url) = body.str("url") else {
        let message = "The body names an address: {\"url\": \"https://…\"}";
        return Err(Error::refused(400, message));
    };
    let fetched = egress::text(platform, url).await?;
    Ok(Response::json(200, &fetched))
}
