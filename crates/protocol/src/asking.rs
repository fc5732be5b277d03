//! What the data plane and Ledgers ask the Registry, and what they read of its replies.
//!
//! The promise: these are the messages of [`Command`](crate::registry::Command) and [`Reply`](crate::registry::Reply),
//! byte for byte, but written and read without the code for all the others, which would be a twentieth of the module
//! that serves requests.

use crate::error::StoreError;
use crate::sessions::SessionAsk;
use crate::signal::Signal;
use crate::wire::{self, WireError};
use serde::{Deserialize, Serialize};

/// The numbers of variants ([`wire`]): `Command::Session`, `Command::Raise`, `Reply::Refused`, `Reply::Session`,
/// `Refusal::Settled`, `Refusal::Kept`.
const SESSION: u32 = 14;
const RAISE: u32 = 15;
const REFUSED: u32 = 0;
const FOUND: u32 = 6;
const SETTLED: u32 = 15;
const KEPT: u32 = 16;

/// A session found by the Registry: the first fields of `Reply::Session`. Its text follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundSession {
    /// The hash or organisation it was found under.
    pub id: String,
    /// The number of writes so far.
    pub revision: u64,
    /// The number of writes that reset its counters.
    pub reset: u64,
    /// When the session stops existing, in Unix milliseconds; 0 means never.
    pub ends: u64,
}

/// The fields of `Refusal::Kept`.
#[derive(Deserialize)]
struct Kept {
    shards: String,
}

/// What the Registry replies to a Ledger that doesn't have a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing<'a> {
    /// The session, with its text.
    Found(FoundSession, &'a str),
    /// There is none.
    Unknown,
    /// There is none, and the Ledger need not ask about another one: every session is kept by its Ledger.
    Settled,
    /// It is kept by the Ledger of its name, in one of the objects for these values of `LEDGER_SHARDS`, separated by
    /// commas.
    Kept(String),
}

/// Encodes a command that reads or changes a session.
///
/// # Errors
/// Never for this type; the signature is that of the serializer.
pub fn session(ask: &SessionAsk) -> Result<String, StoreError> {
    command(SESSION, ask)
}

/// Returns the Ledger to ask for a session, and the message for it: the command, and the Ledgers that may have the
/// session, in the order in which they count, on a line each. The previous release sends the command alone.
///
/// # Errors
/// As [`session`].
pub fn lookup(ask: &SessionAsk) -> Result<[String; 2], StoreError> {
    let ledgers = ask.ids.iter().map(|id| ask.owner.ledger(id));
    let ledgers: Vec<String> = ledgers.collect();
    Ok([ask.ledger(), session(ask)? + &ledgers.join("\n")])
}

/// Encodes events for their handlers.
///
/// # Errors
/// As [`session`].
pub fn raise(signals: &[Signal]) -> Result<String, StoreError> {
    command(RAISE, &signals)
}

fn command<T: Serialize>(number: u32, value: &T) -> Result<String, StoreError> {
    let written = wire::write_variant(number, value);
    let mut message = written.map_err(WireError::of_encoding)?;
    message.push('\n');
    Ok(message)
}

/// Encodes the reply to a session query as [`found`] reads it, for a Ledger that knows the session.
///
/// # Errors
/// As [`session`].
pub fn answer(session: &FoundSession, text: &str) -> Result<String, StoreError> {
    Ok(command(FOUND, session)? + text)
}

/// Decodes the reply to a session query, with the session's text; `None` if there is no such session: the reply of a Ledger
/// is empty then.
///
/// # Errors
/// If the reply is to something else, or from another release.
pub fn found(answer: &str) -> Result<Option<(FoundSession, &str)>, StoreError> {
    if answer.is_empty() {
        return Ok(None);
    }
    let (number, rest) = wire::variant(answer).map_err(WireError::of_decoding)?;
    match number {
        REFUSED => Ok(None),
        FOUND => {
            let read = wire::value(rest).map_err(WireError::of_decoding)?;
            let (session, rest): (FoundSession, &str) = read;
            Ok(Some((session, rest.strip_prefix('\n').unwrap_or(rest))))
        }
        _ => Err(StoreError::new(
            "decode registry message",
            "the answer to something else",
        )),
    }
}

/// Decodes the reply to the question of a Ledger about a session that it doesn't have.
///
/// # Errors
/// As [`found`].
pub fn missing(answer: &str) -> Result<Missing<'_>, StoreError> {
    if let Some((session, text)) = found(answer)? {
        return Ok(Missing::Found(session, text));
    }
    let read = || {
        let (_, rest) = wire::variant(answer)?;
        let (number, rest): (u32, &str) = wire::value(rest)?;
        Ok(match number {
            SETTLED => Missing::Settled,
            KEPT => Missing::Kept(wire::value::<Kept>(rest)?.0.shards),
            _ => Missing::Unknown,
        })
    };
    read().map_err(WireError::of_decoding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Aside, Command, Refusal, Reply, encode};
    use crate::sessions::Owner;

    #[test]
    fn questions_are_the_same_as_commands() {
        let ask = SessionAsk::find(Owner::Key, vec!["a".to_owned(), "b".to_owned()]);
        let command = encode(&Command::Session(ask.clone()), "").unwrap();
        assert_eq!(session(&ask).unwrap(), command);
        let signals = vec![Signal::default()];
        let command = encode(&Command::Raise(signals.clone()), "").unwrap();
        assert_eq!(raise(&signals).unwrap(), command);
    }

    #[test]
    fn answers_are_read_as_replies_are() {
        let reply = Reply::Session {
            id: "a".to_owned(),
            revision: 3,
            reset: 1,
            ends: 9,
            aside: Aside::default(),
        };
        let expected = FoundSession {
            id: "a".to_owned(),
            revision: 3,
            reset: 1,
            ends: 9,
        };
        let message = encode(&reply, "{\"rate\": 1}\n").unwrap();
        let found = found(&message).unwrap();
        assert_eq!(found, Some((expected.clone(), "{\"rate\": 1}\n")));
        let message = answer(&expected, "{\"rate\": 1}\n").unwrap();
        let answered = super::found(&message).unwrap();
        assert_eq!(answered, Some((expected, "{\"rate\": 1}\n")));
        let refused = encode(&Reply::Refused(Refusal::NotFound), "").unwrap();
        assert_eq!(super::found(&refused), Ok(None));
        assert_eq!(super::found(""), Ok(None));
        assert!(super::missing("").is_err());
        for other in [encode(&Reply::Json, "").unwrap(), "gw4|0;".to_owned()] {
            assert!(super::found(&other).is_err(), "{other}");
            assert!(super::missing(&other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_lookup_names_the_ledgers_that_may_have_the_session() {
        for (ids, expected) in [
            (vec!["a"], ["key:a", "key:a"]),
            (vec!["a", "b", "c"], ["key:b", "key:a\nkey:b\nkey:c"]),
        ] {
            let ids = ids.into_iter().map(str::to_owned).collect();
            let ask = SessionAsk::meet(ids);
            let [ledger, message] = lookup(&ask).unwrap();
            let command = session(&ask).unwrap();
            assert_eq!([ledger.as_str(), &message[command.len()..]], expected);
            assert!(message.starts_with(&command) && command.ends_with('\n'));
        }
    }

    #[test]
    fn replies_to_ledgers_are_read_as_replies_are() {
        let session = FoundSession {
            id: "a".to_owned(),
            revision: 3,
            reset: 1,
            ends: 9,
        };
        let message = answer(&session, "{}").unwrap();
        assert_eq!(missing(&message), Ok(Missing::Found(session, "{}")));
        let kept = || Refusal::Kept {
            shards: "16,0".to_owned(),
        };
        for (refusal, expected) in [
            (Refusal::NotFound, Missing::Unknown),
            (Refusal::Settled, Missing::Settled),
            (kept(), Missing::Kept("16,0".to_owned())),
        ] {
            let message = encode(&Reply::Refused(refusal), "").unwrap();
            assert_eq!(missing(&message), Ok(expected));
            // Whoever only looks for a session reads that there is none.
            assert_eq!(found(&message), Ok(None));
        }
    }
}
