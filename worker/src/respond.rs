//! From the crates' answers to the platform's responses.

use crate::{glue, request_id};
use gatewright_api::message::REQUEST_ID_HEADER;
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::Refusal;
use gatewright_protocol::http::Response;
use wasm_bindgen::JsCast;
use worker::Env;

/// What the gateway calls itself where it answers instead of an upstream (reference 3.2).
const GENERATOR: &str = "Gatewright";

/// Makes a response. A status that allows no body gets none (RFC 9110 section 6.4.1). All of it
/// crosses over in one call; a line break in a header, which none can have, would split it, so it
/// becomes a space.
pub(crate) fn response(
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> worker::Result<web_sys::Response> {
    let lines = lines(headers);
    let body = (!matches!(status, 101 | 204 | 205 | 304)).then_some(body);
    Ok(glue::respond(status, &lines, body)?)
}

pub(crate) fn lines(headers: &[(&str, &str)]) -> String {
    let mut lines = String::with_capacity(512);
    for (name, value) in headers {
        lines.push_str(name);
        lines.push('\n');
        lines.extend(value.chars().map(|c| if c == '\n' { ' ' } else { c }));
        lines.push('\n');
    }
    lines
}

/// The answer whose body is a stream of the Registry.
pub(crate) async fn stream(
    env: &Env,
    answer: &Response,
    message: &str,
) -> worker::Result<web_sys::Response> {
    let opened = glue::open_stream(env, &lines(&pairs(answer)), message).await?;
    Ok(opened.unchecked_into())
}

fn pairs(answer: &Response) -> Vec<(&str, &str)> {
    let headers = answer.headers.iter();
    headers
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

/// Makes a response of the administration's answer. A HEAD gets the headers of its GET.
pub(crate) fn administration(answer: &Response) -> worker::Result<web_sys::Response> {
    response(answer.status, &pairs(answer), &answer.body)
}

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
