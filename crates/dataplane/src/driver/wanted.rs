//! The messages between the driver and its adapter.

use super::{Override, Sending, UpstreamAnswer};
use crate::caching::{Place, Reuse};
use crate::extras::{ExtraCall, Extracted};
use crate::failure::{Answer, Failure};
use crate::headers::AnswerEdit;
use crate::identity::Stored;
use crate::proofs::ProofCall;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::rc::Rc;

/// What the adapter does next.
#[derive(Debug)]
pub enum Next {
    /// Obtain this and call again.
    Need(Wanted),
    /// Send the request.
    Send(Box<Sending>),
    /// Answer the client.
    Answer(Answer),
    /// Answer with what was found in the cache.
    Reuse(Box<Reuse>),
    /// Pass on the upstream's answer, with these changes before those that were sent along.
    Pass(Vec<AnswerEdit>),
    /// Pass on the upstream's answer with these changes.
    Override(Box<Override>),
}

impl Next {
    /// Returns the settings of the extra that it calls, now or for the events of the answer.
    #[must_use]
    pub fn settings(&self) -> Option<&Rc<str>> {
        match self {
            Self::Need(Wanted::Extra(call)) => Some(&call.settings),
            Self::Need(Wanted::Proof(call)) => Some(&call.settings),
            Self::Send(sending) => sending.event_call.as_ref().map(|call| &call.settings),
            _ => None,
        }
    }
}

/// What a request needs before it can continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Its body, if it is no longer than `max`.
    Body {
        /// The limit in bytes.
        max: usize,
    },
    /// The answers of these Ledgers, asked in parallel.
    Counters(Vec<(String, Consume)>),
    /// The session stored under the first of these hashes that exists.
    Session {
        /// The hashes.
        hashes: Vec<String>,
    },
    /// The reply to a message about upstreams, from the process with the objects.
    Upstreams(String),
    /// The cached answer at this address.
    Cached(Place),
    /// A pause.
    Time {
        /// Its length in milliseconds.
        ms: u64,
    },
    /// An extra's result for a body.
    Extra(Box<ExtraCall>),
    /// The verdict on a credential.
    Proof(Box<ProofCall>),
    /// The start of the upstream's body, as text.
    UpstreamBody {
        /// The limit in bytes.
        max: usize,
    },
}

/// A Ledger's answer: its verdict and the text of a newer session; `None` if it couldn't be asked.
pub type Counted = Option<(Verdict, String)>;

/// The result of what was wanted.
#[derive(Debug)]
pub enum Given {
    /// The start of the run.
    Start,
    /// The body; `None` if it exceeds the limit.
    Body(Option<Vec<u8>>),
    /// The Ledgers' answers, in the order of the asks.
    Counters(Vec<Counted>),
    /// The session, if it exists.
    Session(Result<Option<Stored>, StoreError>),
    /// The reply about upstreams; `None` if nobody could be asked.
    Upstreams(Option<String>),
    /// The note on the cached answer; `None` if there is none.
    Cached(Option<String>),
    /// The result of calling an extra.
    Extra(Extracted),
    /// The verdict on a credential; `None` if none could be obtained.
    Proof(Option<String>),
    /// The pause is over.
    Time,
    /// The upstream has answered.
    Upstream(UpstreamAnswer),
    /// The upstream could not be reached.
    Failed(Failure),
}

/// Why a request runs through the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be served.
    Serve,
    /// To report the standing of its key's limits (reference 1.8); nothing is counted or sent.
    Standing,
    /// To be refused: no version serves it.
    Refuse(Failure),
}
