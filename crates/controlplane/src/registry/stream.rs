//! Streams: the list of all definitions, page by page, and notifications as server-sent events
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
//!
//! The promise: whoever reads it is let in anew at each look, so it ends with its credential; and
//! what is sent is read behind a number that the message itself carries, so a slow reader costs no
//! memory and nothing is left out.

use crate::registry::Registry;
use gatewright_api::dashboard::shape::Notice;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Answer, Ask, RecordCommand};
use gatewright_protocol::registry::{Command, Listed, Reply, decode, encode};

/// The message that looks for the notifications behind a number.
///
/// # Errors
/// If it can't be written.
pub fn message(ask: Ask, after: u64) -> Result<String, StoreError> {
    let command = RecordCommand::Watch(Some(after));
    encode(&Command::Dashboard(Ask { command, ..ask }), "")
}

/// Looks for notifications, or for a page of the list of definitions: a line with the message of the next
/// look, empty behind the last one, then what is to be sent now. Nothing at all once the caller is not let in
/// any more.
///
/// # Errors
/// If the rows can't be read, or the message is malformed.
pub fn look(registry: &mut Registry, text: &str, now: &str) -> Result<String, StoreError> {
    let (command, _) = decode::<Command>(text)?;
    let (reply, events) = registry.handle(&command, "", now)?;
    if let (Some(listed), Reply::Json) = (listed(&command), &reply) {
        let (next, page) = events.split_once('\n').unwrap_or_default();
        let from = next.to_owned();
        return match next {
            "" => Ok(format!("\n{page}")),
            _ => Ok(encode(&Command::ListDocuments { listed, from }, "")? + page),
        };
    }
    let (Command::Dashboard(ask), Reply::Dashboard(answer)) = (command, reply) else {
        return Err(StoreError::new("stream", "no message of a stream"));
    };
    match answer {
        Answer::Watched(next) => Ok(message(ask, next)? + &events),
        _ => Ok(String::new()),
    }
}

/// What a command lists.
const fn listed(command: &Command) -> Option<Listed> {
    match command {
        Command::ListFrom(_) => Some(Listed::Classic),
        Command::ListDocuments { listed, .. } => Some(*listed),
        _ => None,
    }
}

/// One event. JSON has no line break outside of a text, and none inside of one.
pub(super) fn event(notice: &Notice) -> Result<String, StoreError> {
    let data = serde_json::to_string(notice)
        .map_err(|error| StoreError::new("encode notice", error.to_string()))?;
    Ok(format!(
        "id: {}\nevent: {}\ndata: {data}\n\n",
        notice.seq, notice.kind
    ))
}
