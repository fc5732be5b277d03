//! What the driver and its adapter tell each other.

use super::{Override, Sending, UpstreamAnswer};
use crate::caching::{Place, Reuse};
use crate::extras::{ExtraCall, Extracted};
use crate::failure::{Answer, Failure};
use crate::headers::AnswerEdit;
use crate::identity::Stored;
use crate::proofs::ProofCall;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Verdict};

/// What the adapter has to do next.
#[derive(Debug)]
pub enum Next {
    /// Get this and call again.
    Need(Wanted),
    /// Send the request.
    Send(Box<Sending>),
    /// Answer the client.
    Answer(Answer),
    /// Answer with what the cache has found.
    Reuse(Box<Reuse>),
    /// Pass the upstream's answer on, with these changes before those that were sent along.
    Pass(Vec<AnswerEdit>),
    /// Pass the upstream's answer on with these changes.
    Override(Box<Override>),
}

/// What a request needs before it can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Its body, if it has no more than so many bytes.
    Body {
        /// The most bytes.
        max: usize,
    },
    /// The answers of these Ledgers, asked at once.
    Counters(Vec<(String, Consume)>),
    /// The session that is stored under the first of these hashes that there is.
    Session {
        /// The hashes.
        hashes: Vec<String>,
    },
    /// The answer to a message about upstreams, from the process with the objects.
    Upstreams(String),
    /// What the cache has at this place.
    Cached(Place),
    /// That so many milliseconds pass.
    Time {
        /// Milliseconds.
        ms: u64,
    },
    /// What an extra makes of a body.
    Extra(Box<ExtraCall>),
    /// What is said about a credential.
    Proof(Box<ProofCall>),
    /// The beginning of the upstream's body, as a text.
    UpstreamBody {
        /// The most bytes.
        max: usize,
    },
}

/// What a Ledger has answered: its verdict, and the text of a newer session; nothing if it can't be asked.
pub type Counted = Option<(Verdict, String)>;

/// What has come of what was wanted.
#[derive(Debug)]
pub enum Given {
    /// The beginning.
    Start,
    /// The body; `None` if it is longer than was asked for.
    Body(Option<Vec<u8>>),
    /// The Ledgers' answers, in the order of the questions.
    Counters(Vec<Counted>),
    /// The session, if there is one.
    Session(Result<Option<Stored>, StoreError>),
    /// The answer about upstreams; `None` if nobody could be asked.
    Upstreams(Option<String>),
    /// What is noted about what the cache has; `None` for nothing.
    Cached(Option<String>),
    /// What came of calling an extra.
    Extra(Extracted),
    /// What is said about a credential; `None` if nobody could say it.
    Proof(Option<String>),
    /// The time has passed.
    Time,
    /// The upstream has answered.
    Upstream(UpstreamAnswer),
    /// The upstream could not be reached.
    Failed(Failure),
}

/// What the request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be served.
    Serve,
    /// To see how the limits of its key stand (reference 1.8); it counts nothing and is sent nowhere.
    Standing,
}
