//! Calls to other people's servers that an operator asks the gateway for.
//!
//! The promise: nobody can use the gateway to reach what only its own machine or network reaches
//! (server-side request forgery, <https://cwe.mitre.org/data/definitions/918.html>). An address is
//! checked here before anything is called; where the platform resolves names itself and has a
//! private network, its adapter also refuses names that lead there. A redirect is never followed,
//! for its target would be checked by nobody.

mod address;
mod destination;

pub use destination::{Refusal, destination};

use crate::error::Error;
use crate::ports::{Egress, Fetched, Outgoing, Unfetched};

/// The longest text that is fetched, in bytes after decoding.
pub const TEXT_MAX_BYTES: usize = 2 * 1024 * 1024;

/// The longest address of a redirect that a message repeats.
const LOCATION_MAX: usize = 500;

/// A text from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The address it was asked from.
    pub url: String,
    /// Its `Content-Type`, empty if the server sent none.
    pub content_type: String,
    /// The text itself, byte by byte.
    pub text: String,
}

/// Gets a text from an address that a person has typed.
///
/// # Errors
/// [`Error::Refused`] with a sentence for that person: 400 for an address that isn't called, 413
/// for an answer above [`TEXT_MAX_BYTES`], 504 if it takes too long, 502 for every other answer
/// that is no text.
pub async fn text<E: Egress>(egress: &E, url: &str) -> Result<Text, Error> {
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
        Ok(text) => Ok(Text {
            url,
            content_type: answer.content_type,
            text,
        }),
        Err(_) => Err(refused(502, "What the server sent is no text in UTF-8")),
    }
}

/// Sends a request, and answers the status.
///
/// # Errors
/// Why no status came, as a sentence for whoever reads the log of a webhook.
pub async fn send<E: Egress>(egress: &E, outgoing: Outgoing) -> Result<u16, String> {
    let url = destination(&outgoing.url, egress.allows_private());
    let url = url.map_err(|refusal| refusal.to_string())?;
    let answer = egress.send(&Outgoing { url, ..outgoing }).await;
    answer.map_err(|unfetched| match unfetched {
        Unfetched::TimedOut => "The server did not answer in time".to_owned(),
        Unfetched::Unreachable | Unfetched::TooLarge => UNREACHABLE.to_owned(),
    })
}

const UNREACHABLE: &str = "The server can't be reached: check the address, that the server runs, and that it is not in a private network";

fn refused(status: u16, text: &str) -> Error {
    Error::Refused(status, text.to_owned())
}

fn failed(unfetched: Unfetched) -> Error {
    match unfetched {
        Unfetched::TooLarge => Error::Refused(
            413,
            format!("The answer is larger than the {TEXT_MAX_BYTES} bytes that are fetched"),
        ),
        Unfetched::TimedOut => refused(504, "The server did not answer in time"),
        Unfetched::Unreachable => refused(502, UNREACHABLE),
    }
}

/// Why an answer is not what was asked for, if it isn't.
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

/// A server's text as part of a sentence.
fn shown(text: &str) -> String {
    let plain = text.chars().filter(|character| !character.is_control());
    plain.take(LOCATION_MAX).collect()
}
