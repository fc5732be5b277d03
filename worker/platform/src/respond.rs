//! From the crates' answers to the platform's responses.

use crate::glue;
use gatewright_protocol::http::Response;

/// Makes a response. A status that allows no body gets none (RFC 9110 section 6.4.1). All of it
/// crosses over in one call; a line break in a header, which none can have, would split it, so it
/// becomes a space.
///
/// # Errors
/// If the runtime refuses a header.
pub fn response(
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> worker::Result<web_sys::Response> {
    let lines = lines(headers);
    let body = (!matches!(status, 101 | 204 | 205 | 304)).then_some(body);
    Ok(glue::respond(status, &lines, body)?)
}

/// Headers as names and values in turn, each on a line.
#[must_use]
pub fn lines(headers: &[(&str, &str)]) -> String {
    let mut lines = String::with_capacity(512);
    for (name, value) in headers {
        lines.push_str(name);
        lines.push('\n');
        lines.extend(value.chars().map(|c| if c == '\n' { ' ' } else { c }));
        lines.push('\n');
    }
    lines
}

/// The headers of an answer.
#[must_use]
pub fn pairs(answer: &Response) -> Vec<(&str, &str)> {
    let headers = answer.headers.iter();
    headers
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

/// Makes a response of the administration's answer. A HEAD gets the headers of its GET.
///
/// # Errors
/// If the runtime refuses a header.
pub fn administration(answer: &Response) -> worker::Result<web_sys::Response> {
    response(answer.status, &pairs(answer), &answer.body)
}
