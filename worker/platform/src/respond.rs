//! Conversions of the crates' responses into the platform's.

use crate::glue;
use gatewright_protocol::http::Response;
use wasm_bindgen::JsValue;

/// Builds a response. A status that allows no body gets none (RFC 9110 section 6.4.1). Everything crosses over in one
/// call; a line break in a header, which no valid one contains, would split it and is replaced by a space.
///
/// # Errors
/// If the runtime rejects a header.
pub fn response(
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<web_sys::Response, JsValue> {
    let lines = lines(headers);
    let body = (!matches!(status, 101 | 204 | 205 | 304)).then_some(body);
    glue::respond(status, &lines, body)
}

/// Serialises headers as alternating names and values, one per line.
#[must_use]
pub fn lines(headers: &[(&str, &str)]) -> String {
    let mut lines = String::with_capacity(512);
    for (name, value) in headers {
        lines.push_str(name);
        lines.push('\n');
        lines.push_str(&value.replace('\n', " "));
        lines.push('\n');
    }
    lines
}

/// Returns the headers of a response as pairs.
#[must_use]
pub fn pairs(answer: &Response) -> Vec<(&str, &str)> {
    let headers = answer.headers.iter();
    headers
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

/// Converts a response of the administration. A HEAD gets the headers of its GET.
///
/// # Errors
/// If the runtime rejects a header.
pub fn administration(answer: &Response) -> Result<web_sys::Response, JsValue> {
    response(answer.status, &pairs(answer), &answer.body)
}
