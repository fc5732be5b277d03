//! Calls to third-party servers that an operator requests from the gateway.
//!
//! The promise: nobody can use the gateway to reach what only its own machine or network can reach (server-side request
//! forgery, <https://cwe.mitre.org/data/definitions/918.html>). A URL is checked here before anything is called; where
//! the platform resolves names itself and has a private network, its adapter also refuses names that resolve into it.
//! Redirects are never followed, because their targets would be unchecked.

mod address;
mod destination;
mod excerpt;

pub use destination::{Refusal, destination};

use crate::error::Error;
use crate::ports::{Egress, Fetched, Outgoing, Unfetched};
use gatewright_api::dashboard::delivery::Received;
use gatewright_api::shape::FetchedDocument;

/// The largest text that is fetched, in bytes after decoding.
pub const TEXT_MAX_BYTES: usize = 2 * 1024 * 1024;

/// The most characters of a redirect's target that a message repeats.
const LOCATION_MAX: usize = 500;

/// Fetches a text from a URL that a person typed.
///
/// # Errors
/// [`Error::Refused`] with a message for that person: 400 for a URL that may not be called, 413 for a body larger than
/// [`TEXT_MAX_BYTES`], 504 if it takes too long, 502 for every other response that is not a text.
pub async fn text<E: Egress>(egress: &E, url: &str) -> Result<FetchedDocument, Error> {
    let url = destination(url, egress.allows_private())
        .map_err(|refusal| Error::Refused(400, refusal.to_string()))?;
    let answer = match egress.get(&url, TEXT_MAX_BYTES).await {
        Ok(answer) => answer,
        Err(unfetched) => return Err(failed(unfetched)),
    };
    if let Some(trouble) = unusable(&answer) {
        return Err(Error::Refused(502, trouble));
    }
    match String::from_utf8(answer.body) {
        Ok(text) => Ok(FetchedDocument {
            status: "success".to_owned(),
            url,
            content_type: answer.content_type,
            text,
        }),
        Err(_) => Err(Error::refused(
            502,
            "What the server sent is no text in UTF-8",
        )),
    }
}

/// Sends a request and returns the status, with what is kept of the response. That has nothing secret of the request,
/// even if the server repeats it.
///
/// # Errors
/// A message for readers of a webhook's log if there was no status.
pub async fn send<E: Egress>(egress: &E, outgoing: Outgoing) -> Result<(u16, Received), String> {
    let url = destination(&outgoing.url, egress.allows_private());
    let url = url.map_err(|refusal| refusal.to_string())?;
    let outgoing = Outgoing { url, ..outgoing };
    match egress.send(&outgoing, excerpt::READ_MAX_BYTES).await {
        Ok(replied) => Ok((replied.status, excerpt::received(replied, &outgoing))),
        Err(Unfetched::TimedOut) => Err("The server did not answer in time".to_owned()),
        Err(Unfetched::Unreachable | Unfetched::TooLarge) => Err(UNREACHABLE.to_owned()),
    }
}

const UNREACHABLE: &str = "The server can't be reached: check the address, that the server runs, and that it is not in a private network";

fn failed(unfetched: Unfetched) -> Error {
    match unfetched {
        Unfetched::TooLarge => Error::Refused(
            413,
            format!("The answer is larger than the {TEXT_MAX_BYTES} bytes that are fetched"),
        ),
        Unfetched::TimedOut => Error::refused(504, "The server did not answer in time"),
        Unfetched::Unreachable => Error::refused(502, UNREACHABLE),
    }
}

/// Returns why a response can't be used, or `None` if it can.
fn unusable(answer: &Fetched) -> Option<String> {
    let status = answer.status;
    match status {
        200..=299 => None,
        _ => Some(match &answer.location {
            Some(location) if (300..=399).contains(&status) => format!(
                "The server answered {status} and sends on to {}; fetch that address instead",
                shown(location)
            ),
            _ => format!("The server answered with status {status}"),
        }),
    }
}

/// Makes a text from a server safe to show in a message.
fn shown(text: &str) -> String {
    let plain = text.chars().filter(|character| !character.is_control());
    plain.take(LOCATION_MAX).collect()
}
