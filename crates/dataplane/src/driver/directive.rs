//! The directive: what the driver wants, as a single text for JavaScript (`worker/src/run.js`).
//!
//! The promise: one format, written here and interpreted there, for every kind of request. The most frequent directive,
//! to send the request, is lines instead of JSON ([`mod@lines`]), which take a third of the time to write and to read, and so
//! is the one to check a credential. An empty text passes on the upstream's answer as it was asked for.
//! Settings of extras, which can be long, are in none: JavaScript asks for them ([`Next::settings`]).

mod lines;

pub use lines::plain;

use super::{Failed, Next, Override, Sending, Wanted};
use crate::caching::{Keep, Range, Then};
use crate::extras::{ExtraCall, Subject};
use crate::failure::Answer;
use crate::headers::{AnswerEdit, HeaderEdits};
use crate::links::request_signing::Sign;
use gatewright_protocol::asking;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::encode;
use gatewright_protocol::sessions::SessionAsk;
use serde::Serialize;
use std::borrow::Cow;

/// The request a directive is about.
#[derive(Clone, Debug, Default, Serialize)]
pub struct About<'a> {
    /// The run to continue.
    pub run: u32,
    /// The slot the request is counted in.
    pub figures: u32,
    /// Whether leases have to be asked for after the response is sent ([`crate::leases::Leases::questions`]).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leases_due: bool,
    /// Why the request failed, if the answer is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Todo<'a> {
    /// Ask these Ledgers: pairs of name and message.
    Counters(Vec<(String, String)>),
    /// Look up a session at this Ledger, which asks the Registry with this message if it doesn't know it.
    Session([String; 2]),
    /// Read the body, up to this many bytes.
    Body(usize),
    /// Send a message about upstreams to the process with the objects.
    Upstreams(&'a str),
    /// Call an extra.
    Extra(Calling<'a>),
    /// Wait for this many milliseconds.
    Time(u64),
    /// Read up to this many bytes of the upstream's body.
    UpstreamBody(usize),
    /// Send the request.
    Send(Send<'a>),
    /// Answer the client.
    Answer(&'a Answer),
    /// Look up the cache: API, address and key.
    Lookup([&'a str; 3]),
    /// Answer with the cached answer.
    Reuse(Reusing<'a>),
    /// Pass on the upstream's answer with these header changes.
    Pass(Edits<'a>),
    /// Pass on the upstream's answer with status, headers or body changed.
    Override(Overriding<'a>),
}

#[derive(Serialize)]
struct Directive<'a> {
    #[serde(flatten)]
    about: About<'a>,
    #[serde(flatten)]
    todo: Todo<'a>,
}

#[derive(Serialize)]
struct Send<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    /// Changes to the request's headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Edits<'a>,
    /// Whether the id of a new session is replaced by the gateway's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pins_session: bool,
    /// The call for each event of the answer, if that is a stream of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_call: Option<Calling<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sign: Option<&'a Sign>,
    /// Whether a stream of events ends when the key's session changes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    watches_session: bool,
    /// Whether failures of the upstream and of the client have to be distinguished.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    watches_body: bool,
    #[serde(skip_serializing_if = "is_zero")]
    timeout: u64,
    /// Header changes for the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Edits<'a>,
    /// The cache address of the answer, as API and address, and the key of the GET whose cached answer it updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<(&'a str, &'a str, Option<&'a str>)>,
    /// Header changes for the answer that are not cached with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uncached_edits: Edits<'a>,
    /// The lowest status that the driver has to inspect.
    #[serde(skip_serializing_if = "Option::is_none")]
    inspect_from: Option<u16>,
}

#[derive(Serialize)]
struct Reusing<'a> {
    status: u16,
    /// Whether to answer without a body, because the client has it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_modified: bool,
    /// The requested byte range.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    edits: Edits<'a>,
    /// What to do in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<&'static str>,
}

/// How an answer is cached; returned to JavaScript when it asks.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Keeping<'a> {
    /// The answer invalidates what is cached for its address.
    Forget(bool),
    /// The answer is stored.
    Store {
        /// When it expires, in Unix milliseconds.
        until: u64,
        /// Keys and the notes stored under each; the first one holds the answer.
        entries: Vec<&'a (String, String)>,
        /// Whether it may replace a stored answer.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        replaces: bool,
    },
}

#[derive(Serialize)]
struct Calling<'a> {
    module: &'a str,
    function: &'a str,
    facts: &'a str,
    /// Whether the call is about the answer's body rather than the request's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    of_answer: bool,
    max: usize,
}

#[derive(Serialize)]
struct Overriding<'a> {
    status: u16,
    headers: &'a [(String, String)],
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first_edits: Edits<'a>,
    edits: Edits<'a>,
}

/// Changes of headers: the operation, the name and the value of each.
type Edits<'a> = Vec<Cow<'a, str>>;

// With pointers smaller than a `u64`, as in WebAssembly, the lint does not fire.
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn edits(edits: &[AnswerEdit]) -> Edits<'_> {
    let mut list = Vec::with_capacity(edits.len().saturating_mul(3));
    for edit in edits {
        let (verb, text) = match edit {
            AnswerEdit::Remove(_) => ("remove", ""),
            AnswerEdit::Set(_, value) => ("set", value.as_str()),
            AnswerEdit::Prepend(_, value) => ("prepend", value.as_str()),
            AnswerEdit::Move(name, moves) => {
                list.extend(["move".into(), name.as_str().into(), moves.text().into()]);
                continue;
            }
        };
        list.extend([verb, edit.name(), text].map(Cow::Borrowed));
    }
    list
}

fn request_edits(edits: &HeaderEdits) -> Edits<'_> {
    let edits = edits.iter().flat_map(|(name, value)| match value {
        Some(value) => ["set", name, value],
        None => ["remove", name, ""],
    });
    edits.map(Cow::Borrowed).collect()
}

impl<'a> Todo<'a> {
    fn of(next: &'a Next) -> Result<Self, StoreError> {
        Ok(match next {
            Next::Need(Wanted::Counters(asks)) => {
                let message = |(ledger, ask): &(String, _)| Ok((ledger.clone(), encode(ask, "")?));
                let messages: Result<_, StoreError> = asks.iter().map(message).collect();
                Self::Counters(messages?)
            }
            Next::Need(Wanted::Session { hashes }) => Self::Session(asked(hashes.clone())?),
            Next::Need(Wanted::Body { max }) => Self::Body(*max),
            Next::Need(Wanted::Upstreams(message)) => Self::Upstreams(message),
            Next::Need(Wanted::Extra(call)) => Self::Extra(Calling::of(call)),
            Next::Need(Wanted::Proof(_)) => {
                let detail = "one to check a credential is lines".to_owned();
                return Err(StoreError::new("write directive", detail));
            }
            Next::Need(Wanted::Time { ms }) => Self::Time(*ms),
            Next::Need(Wanted::UpstreamBody { max }) => Self::UpstreamBody(*max),
            Next::Need(Wanted::Cached(place)) => Self::Lookup([&place.api, &place.url, &place.key]),
            Next::Reuse(reuse) => Self::Reuse(Reusing {
                status: reuse.status,
                not_modified: reuse.is_known,
                range: reuse.range,
                edits: edits(&reuse.answer),
                then: reuse.then.map(|then| match then {
                    Then::Renew => "renew",
                    Then::Refresh => "refresh",
                }),
            }),
            Next::Send(sending) => Self::Send(Send::of(sending)),
            Next::Answer(answer) => Self::Answer(answer),
            Next::Pass(first) => Self::Pass(edits(first)),
            Next::Override(changed) => Self::Override(Overriding::of(changed)),
        })
    }
}

/// The question about a key's session, with the Ledger that it is for.
pub(super) fn asked(hashes: Vec<String>) -> Result<[String; 2], StoreError> {
    asking::lookup(&SessionAsk::meet(hashes))
}

impl<'a> Send<'a> {
    fn of(sending: &'a Sending) -> Self {
        Self {
            url: &sending.url,
            method: sending.method.as_deref(),
            headers: request_edits(&sending.headers),
            pins_session: sending.pins,
            event_call: sending.event_call.as_ref().map(Calling::of),
            sign: sending.sign.as_ref(),
            watches_body: sending.watches,
            watches_session: sending.watches_session,
            timeout: sending.timeout_ms,
            edits: edits(&sending.answer),
            cache: sending
                .cache
                .as_ref()
                .map(|(place, get)| (place.api.as_str(), place.url.as_str(), get.as_deref())),
            uncached_edits: edits(&sending.after),
            inspect_from: sending.inspect.from_status(),
        }
    }
}

impl<'a> Calling<'a> {
    fn of(call: &'a ExtraCall) -> Self {
        Self {
            module: call.module,
            function: call.function,
            facts: &call.facts,
            of_answer: call.subject == Subject::Answer,
            max: call.max,
        }
    }
}

impl<'a> Overriding<'a> {
    fn of(changed: &'a Override) -> Self {
        Self {
            status: changed.status,
            headers: &changed.headers,
            body: changed.body.as_deref(),
            first_edits: edits(&changed.first),
            edits: edits(&changed.answer),
        }
    }
}

/// Serialises the directive: as lines or as an empty text if it can be written so, or else as JSON.
///
/// # Errors
/// If a message can't be serialised, which never happens for those the driver makes.
pub fn write(next: &Next, about: About<'_>) -> Result<String, StoreError> {
    let lines = match next {
        Next::Send(sending) => lines::sending(sending, &about),
        Next::Need(Wanted::Proof(call)) => Some(lines::proof(call, &about)),
        _ => None,
    };
    if let Some(lines) = lines {
        return Ok(lines);
    }
    if let Next::Pass(first) = next
        && first.is_empty()
        && !about.leases_due
    {
        return Ok(String::new());
    }
    let todo = Todo::of(next)?;
    let directive = Directive { about, todo };
    serde_json::to_string(&directive)
        .map_err(|error| StoreError::new("write directive", error.to_string()))
}

/// Serialises why a request failed as JSON.
///
/// # Errors
/// As [`write()`].
pub fn failing(failed: &Failed<'_>) -> Result<String, StoreError> {
    serde_json::to_string(failed)
        .map_err(|error| StoreError::new("write directive", error.to_string()))
}

/// Serialises how an answer is cached as JSON.
///
/// # Errors
/// If it can't be serialised, which never happens for decisions the driver makes.
pub fn keeping(keep: &Keep) -> Result<String, StoreError> {
    let keeping = match keep {
        Keep::Forget => Keeping::Forget(true),
        Keep::Kept(kept) => Keeping::Store {
            until: kept.until_ms,
            entries: [&kept.answer].into_iter().chain(&kept.choice).collect(),
            replaces: kept.replaces,
        },
    };
    serde_json::to_string(&keeping)
        .map_err(|error| StoreError::new("write directive", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Inspect;
    use crate::headers::Moves;
    use crate::proofs::ProofCall;

    #[test]
    fn directive_contains_only_pending_work() {
        let about = || About {
            run: 3,
            figures: 7,
            ..About::default()
        };
        let sending = Sending {
            url: "http://up/x".to_owned(),
            ..Sending::default()
        };
        let plain = write(&Next::Send(Box::new(sending)), about()).unwrap();
        assert_eq!(plain, "7\n0\nhttp://up/x\n3\n\n0");
        let mut sending = Sending {
            url: "http://up/".to_owned(),
            method: Some("PUT".to_owned()),
            timeout_ms: 5,
            answer: vec![
                AnswerEdit::Remove("a".to_owned()),
                AnswerEdit::Set("b".to_owned(), "1".to_owned()),
                AnswerEdit::Move(
                    "c".to_owned(),
                    Moves::new(("http://up", ""), ("https://x", "/b")),
                ),
            ],
            inspect: Inspect::Errors,
            ..Sending::default()
        };
        sending.headers.set("X-A", "1".to_owned());
        sending.headers.remove("x-b");
        let ruled = Sending {
            method: None,
            ..sending.clone()
        };
        let lines = write(&Next::Send(Box::new(ruled.clone())), about()).unwrap();
        assert_eq!(
            lines,
            "7\n5\nhttp://up/\n3\n400\n6\nset\nx-a\n1\nremove\nx-b\n\nremove\na\n\nset\nb\n1\nmove\nc\nhttp://up https://x/b http://up https://x  /b"
        );
        let full = write(&Next::Send(Box::new(sending)), about()).unwrap();
        assert_eq!(
            full,
            r#"{"run":3,"figures":7,"send":{"url":"http://up/","method":"PUT","headers":["set","x-a","1","remove","x-b",""],"timeout":5,"edits":["remove","a","","set","b","1","move","c","http://up https://x/b http://up https://x  /b"],"inspect_from":400}}"#
        );
        let mut broken = ruled;
        broken.headers.set("x-c", "1\n2".to_owned());
        let json = write(&Next::Send(Box::new(broken)), about()).unwrap();
        assert!(
            json.starts_with('{'),
            "a text of several lines is no line: {json}"
        );
        let due = About {
            leases_due: true,
            ..about()
        };
        let sending = Sending::default();
        let json = write(&Next::Send(Box::new(sending)), due).unwrap();
        assert_eq!(
            json,
            r#"{"run":3,"figures":7,"leases_due":true,"send":{"url":""}}"#
        );
        let passed = |first, about| write(&Next::Pass(first), about).unwrap();
        assert_eq!(passed(Vec::new(), about()), "");
        let due = About {
            leases_due: true,
            ..about()
        };
        assert_eq!(
            passed(Vec::new(), due),
            r#"{"run":3,"figures":7,"leases_due":true,"pass":[]}"#
        );
        assert_eq!(
            passed(vec![AnswerEdit::Remove("a".to_owned())], about()),
            r#"{"run":3,"figures":7,"pass":["remove","a",""]}"#
        );
        let wait = write(&Next::Need(Wanted::Time { ms: 250 }), about()).unwrap();
        assert_eq!(wait, r#"{"run":3,"figures":7,"time":250}"#);
        let call = ProofCall {
            function: "jwt",
            settings: "{}".into(),
            facts: "{\"now\":1}\n".to_owned(),
        };
        let proof = write(&Next::Need(Wanted::Proof(Box::new(call))), about()).unwrap();
        assert_eq!(proof, "proof\n3\n7\njwt\n{\"now\":1}\n");
        let failed = About {
            failed: Some(Failed {
                api: "a",
                version: "",
                reason: "Rate Limit Exceeded",
                link: "key_limits",
                key: None,
            }),
            ..about()
        };
        let wait = write(&Next::Need(Wanted::Time { ms: 1 }), failed).unwrap();
        assert_eq!(
            wait,
            r#"{"run":3,"figures":7,"failed":{"api":"a","reason":"Rate Limit Exceeded","link":"key_limits"},"time":1}"#
        );
    }
}
