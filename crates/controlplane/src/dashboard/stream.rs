//! Notifications as a live stream: where it starts, and who may open one.

use super::Call;
use super::error::{Error, refused, unexpected};
use crate::ports::Platform;
use crate::query;
use crate::registry::stream;
use gatewright_protocol::caller::{Caller, Need};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::records::{Answer, Ask, RecordCommand};

/// Opens a stream that starts after `Last-Event-ID`, which a browser sends when it reconnects, else after `after`, else
/// after the newest existing notification.
pub(super) async fn open<P: Platform>(call: &Call<'_, P>) -> Result<Response, Error> {
    let begin = match call.request.header("last-event-id").unwrap_or_default() {
        "" => query::number(call.request, "after")?,
        last => {
            let wrong = |_| refused(400, "Last-Event-ID takes a whole number");
            Some(last.parse().map_err(wrong)?)
        }
    };
    // Also authorises the caller before the stream is opened.
    let newest = match call.ask(RecordCommand::Watch(None), "").await? {
        (Answer::Watched(next), _) => next,
        _ => return Err(unexpected()),
    };
    // The stream ends with the sign-in that opened it, not only with that sign-in's token.
    let signed_in = call.request.signed_in.as_ref();
    let ask = Ask {
        caller: signed_in.map_or_else(|| call.caller.clone(), |by| Caller::SignIn(by.hash.clone())),
        need: Need {
            group: call.endpoint.group(),
            access: call.endpoint.access,
        },
        command: RecordCommand::Watch(None),
    };
    Ok(Response {
        status: 200,
        headers: vec![("content-type", "text/event-stream".to_owned())],
        stream: Some(stream::message(ask, begin.unwrap_or(newest))?),
        stream_of: credential(&call.caller).to_owned(),
        ..Response::default()
    })
}

/// Returns what distinguishes the credential of a caller; a sign-in counts towards the credential that it was made with.
fn credential(caller: &Caller) -> &str {
    match caller {
        Caller::Root => "root",
        Caller::Gateway => "gateway",
        Caller::Hash(hash) | Caller::SignIn(hash) => hash,
    }
}

/// The setting of how many streams one credential may have open (see `worker/src/stream.js`).
const PER_CREDENTIAL: &str = "NOTIFICATION_STREAMS_PER_CREDENTIAL";

/// Seconds after which a client may retry; a reader that has gone is noticed only when something is next sent to it.
const RETRY_SECONDS: u32 = 15;

/// Returns the response when as many streams are open as `limit` allows: to this credential (RFC 6585 section 4), or in
/// total.
pub(super) fn full(request: &Request, limit: &str) -> Response {
    let (status, whose) = match limit.starts_with(PER_CREDENTIAL) {
        true => (429, "with this credential"),
        false => (503, "at this gateway"),
    };
    let text = format!(
        "As many streams of notifications are open {whose} as {limit} allows; close one, try again later, or raise that setting"
    );
    let mut response = refused(status, text).into_response(request);
    let retry = ("retry-after", RETRY_SECONDS.to_string());
    response.headers.push(retry);
    response
}
