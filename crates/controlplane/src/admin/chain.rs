//! The chain of a loaded API (beyond the specification).

use super::{apis, reload};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_model::definition::ApiDefinition;
use gatewright_model::json;
use gatewright_protocol::http::Response;
use gatewright_protocol::served::ServedAsk;

/// `GET /gateway/apis/{apiID}/chain`. For an API that is stored but not loaded, the response says why.
pub(super) async fn chain<P: Platform>(platform: &P, id: &str) -> Result<Response, Error> {
    let ask = ServedAsk {
        chains: vec![id.to_owned()],
        ..ServedAsk::default()
    };
    let served = platform.served(&ask).await;
    if let Some(chain) = served.and_then(|set| set.chains.into_iter().next()) {
        return Ok(Response::json(200, &chain));
    }
    let text = apis::stored_text(platform, id).await?;
    let why = match json::parse(&text) {
        Ok(value) if !ApiDefinition::read(&value).active => "it is inactive".to_owned(),
        _ => skipped(platform, id).await?,
    };
    let text = format!("The API is not served: {why}");
    Err(Error::Refused(404, text))
}

/// Returns why an active API is not loaded.
async fn skipped<P: Platform>(platform: &P, id: &str) -> Result<String, Error> {
    Ok(match reload::why_skipped(platform, id).await? {
        Some(reason) => {
            let bare = reason.strip_prefix("Not served: ").unwrap_or(&reason);
            format!("the last reload skipped it: {bare}")
        }
        None => "it waits for a reload".to_owned(),
    })
}
