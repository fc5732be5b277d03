//! Streams: the lists of all definitions and of all keys, page by page, and notifications as server-sent events
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
//!
//! The promise: the reader is authorised again for each part, so a stream ends with its credential; and each part
//! starts after a number that the message itself carries, so a slow reader costs no memory and misses nothing.

use crate::registry::Registry;
use crate::registry::encoding::to_json;
use gatewright_api::dashboard::shape::Notice;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Answer, Ask, RecordCommand};
use gatewright_protocol::registry::{Command, Listed, Reply, decode, encode};

/// Builds the message that asks for the notifications after a number.
///
/// # Errors
/// If it can't be encoded.
pub fn message(ask: Ask, after: u64) -> Result<String, StoreError> {
    let command = RecordCommand::Watch(Some(after));
    encode(&Command::Dashboard(Ask { command, ..ask }), "")
}

/// Looks for notifications, or for a page of a list. Returns a line with the message for the next call, empty after the
/// last part, followed by what is to be sent now; or nothing at all once the caller is no longer authorised.
///
/// # Errors
/// If the rows can't be read, or the message is malformed.
pub fn look(registry: &mut Registry, text: &str, now: &str) -> Result<String, StoreError> {
    let (command, _) = decode::<Command>(text)?;
    let (reply, events) = registry.handle(&command, "", now)?;
    if let Reply::Json = &reply {
        let (next, page) = events.split_once('\n').unwrap_or_default();
        return match (next, next_page(&command, next)) {
            ("", Some(_)) => Ok(format!("\n{page}")),
            (_, Some(command)) => Ok(encode(&command, "")? + page),
            (_, None) => Err(no_stream()),
        };
    }
    let (Command::Dashboard(ask), Reply::Dashboard(answer)) = (command, reply) else {
        return Err(no_stream());
    };
    match answer {
        Answer::Watched(next) => Ok(message(ask, next)? + &events),
        _ => Ok(String::new()),
    }
}

fn no_stream() -> StoreError {
    StoreError::new("stream", "no message of a stream")
}

/// Returns the command for the next page of a command's list; `None` if it has no pages.
fn next_page(command: &Command, next: &str) -> Option<Command> {
    let from = next.to_owned();
    match command {
        Command::ListFrom(_) => {
            let (listed, masked) = (Listed::Classic, false);
            Some(Command::ListDocuments {
                listed,
                from,
                masked,
            })
        }
        Command::ListDocuments { listed, masked, .. } => {
            let (listed, masked) = (*listed, *masked);
            Some(Command::ListDocuments {
                listed,
                from,
                masked,
            })
        }
        Command::Session(ask) if ask.query.behind.is_some() => {
            let mut ask = ask.clone();
            ask.query.behind = Some(from);
            Some(Command::Session(ask))
        }
        _ => None,
    }
}

/// Formats one event. Serialised JSON contains no line breaks.
pub(super) fn event(notice: &Notice) -> Result<String, StoreError> {
    let data = to_json("encode notice", notice)?;
    Ok(format!(
        "id: {}\nevent: {}\ndata: {data}\n\n",
        notice.seq, notice.kind
    ))
}
