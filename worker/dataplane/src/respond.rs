//! The gateway's own answers on the data plane.

use gatewright_api::message::REQUEST_ID_HEADER;
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::Refusal;
use gatewright_worker_platform::request_id;
pub(crate) use gatewright_worker_platform::respond::{administration, lines, response};

/// What the gateway calls itself where it answers instead of an upstream (reference 3.2).
const GENERATOR: &str = "Gatewright";

/// The gateway's own answer on the data plane.
pub(crate) fn failure(
    request: &web_sys::Request,
    failure: Failure,
) -> worker::Result<web_sys::Response> {
    refusal(request, &failure.into())
}

/// The same with the headers that come with it.
pub(crate) fn refusal(
    request: &web_sys::Request,
    refusal: &Refusal,
) -> worker::Result<web_sys::Response> {
    let failure = refusal.failure;
    let content_type = request.headers().get("content-type")?.unwrap_or_default();
    let (media, body) = failure.body(&content_type);
    let sent = request.headers().get(REQUEST_ID_HEADER)?;
    let id = request_id(sent.as_deref());
    let mut headers = vec![
        ("content-type", media),
        ("x-generator", GENERATOR),
        (REQUEST_ID_HEADER, id.as_str()),
        ("x-content-type-options", "nosniff"),
    ];
    if failure == Failure::BatchMethod {
        headers.push(("allow", "POST"));
    }
    headers.extend(
        refusal
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str())),
    );
    response(failure.status(), &headers, &body)
}
