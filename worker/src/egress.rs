//! The way to servers of somebody else.
//!
//! On workerd the binding `EGRESS` is a network without private addresses, so that a name which
//! resolves to one is not called either; its error is the same as that of a server which does not
//! run. At the edge there is no private network, and no binding.

use crate::glue;
use gatewright_engine::config::EgressConfig;
use gatewright_engine::plane::failure::Failure;
use gatewright_engine::ports::{Fetched, Unfetched};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, console_error};

/// Gets a URL that the engine let pass.
pub(crate) async fn get(
    env: &Env,
    config: EgressConfig,
    url: &str,
    max: usize,
) -> Result<Fetched, Unfetched> {
    let ms = config.timeout_seconds.saturating_mul(1000);
    #[expect(clippy::cast_precision_loss, reason = "the limit is far below 2^53")]
    let max = max as f64;
    let answer = glue::get_text(env, url, config.allow_private, max, ms).await;
    let answer: glue::TextAnswer = answer.map_err(|error| failed(&error))?.unchecked_into();
    Ok(Fetched {
        status: answer.text_status(),
        location: answer.location(),
        content_type: answer.content_type(),
        body: answer.text_body().ok_or(Unfetched::TooLarge)?.to_vec(),
    })
}

/// The URL could hold a credential in its query, so the log has no more than the platform's text.
fn failed(error: &JsValue) -> Unfetched {
    let text = glue::text(error);
    console_error!("egress: {text}");
    match Failure::from_upstream(&text) {
        Failure::UpstreamTimeout => Unfetched::TimedOut,
        _ => Unfetched::Unreachable,
    }
}
