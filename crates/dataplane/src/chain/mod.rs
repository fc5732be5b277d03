//! The chain of an API: the links that its definition requires, in the order of reference 3.1.
//!
//! The promise: everything that can be decided when a set is loaded is decided then; a link is pure and synchronous and
//! states what it needs; and single requests, batch items, debugged requests and loops all have the same capabilities,
//! because one driver runs them.

mod alternatives;
mod compile;
mod order;
pub mod trace;

pub use alternatives::Alternatives;
pub use compile::{Compiler, LinkOrigin, Row, Settings, counted};
pub use order::{ERRORS, Link, LinkInfo, ORDER};

use crate::caching::Reuse;
use crate::errors::ErrorRules;
use crate::exchange::Exchange;
use crate::extras::{ExtraCall, Extracted};
use crate::failure::{Failure, Reply};
use crate::proofs::ProofCall;
use crate::rules::PathTable;

/// A link's decision about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Continue with the next link.
    Next,
    /// Answer with this.
    Reply(Reply),
    /// Go to the upstream at once, skipping later links of the request phase. The response is handled as usual.
    Send,
    /// Run the link again when this is available.
    Need(Need),
    /// Answer with what was found in the cache.
    Reuse(Reuse),
    /// Move to the chain of another API, or to the head of its own.
    Loop(Loop),
}

/// What a link needs before it can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The body, if it is no longer than `max`.
    Body {
        /// The limit in bytes.
        max: usize,
    },
    /// The session stored under the first of these hashes that exists.
    Session {
        /// The hashes.
        hashes: Vec<String>,
    },
    /// The answers to all counters added so far, asked together.
    Counters,
    /// The reply to this message about the state of upstreams that the processes of a machine share
    /// ([`crate::upstreams`]).
    Upstreams(String),
    /// The cached answer ([`Exchange::caching`]).
    Cached,
    /// An extra's result for a body, which will be in [`Exchange::extracted`].
    Extra(Box<ExtraCall>),
    /// The verdict on a credential, which will be in [`Exchange::proof`].
    Proof(Box<ProofCall>),
}

/// The destination of a loop (reference 3.12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// `self`, an API's id, or its name.
    pub api: String,
    /// The encoded path with a leading slash; empty if the address has none.
    pub path: String,
    /// The query.
    pub query: String,
    /// The method, if it changes.
    pub method: Option<String>,
    /// How often a request may loop, if the address limits it ([`crate::loops::Depth`]).
    pub limit: Option<u32>,
    /// Whether the key's rates and quotas count again.
    pub counts: bool,
    /// Whether `target_url` names the API: for the inner chain, the request comes from where it came to this one.
    pub is_target: bool,
    /// The error if there is no such API.
    pub missing: Failure,
}

impl Default for Loop {
    /// The head of the request's own chain.
    fn default() -> Self {
        Self {
            api: "self".to_owned(),
            path: String::new(),
            query: String::new(),
            method: None,
            limit: None,
            counts: false,
            is_target: false,
            missing: Failure::LoopTarget,
        }
    }
}

impl Loop {
    /// The destination as an address, for display.
    #[must_use]
    pub fn address(&self) -> String {
        let mark = if self.query.is_empty() { "" } else { "?" };
        format!("gateway://{}{}{mark}{}", self.api, self.path, self.query)
    }
}

/// A link of the chain.
pub trait Middleware: Sized {
    /// Reads the link's part of a definition; `None` if that doesn't require the link.
    fn compile(from: &mut Compiler<'_>) -> Option<Self>;

    /// Decides about a request.
    fn request(&self, exchange: &mut Exchange) -> Step {
        let _ = exchange;
        Step::Next
    }

    /// Specifies changes to the upstream's answer. Called when the request is sent, because rules depend on what the
    /// client asked for.
    fn response(&self, exchange: &mut Exchange) {
        let _ = exchange;
    }

    /// Takes an extra's result for the answer's body, requested with [`Exchange::ask_of_answer`].
    ///
    /// # Errors
    /// Why the answer can't be passed on.
    fn answered(&self, exchange: &mut Exchange, extracted: Extracted) -> Result<(), Failure> {
        let _ = (exchange, extracted);
        Ok(())
    }

    /// Whether the link can skip every request: the fast path is open only to chains in which all links can. Defaults
    /// to false.
    fn is_plain(&self) -> bool {
        false
    }
}

/// The links of an API, or of one of its versions.
#[derive(Debug, Default)]
pub struct Chain {
    /// The links that the definition requires, in order.
    pub links: Vec<Link>,
    /// The authentication alternatives, if not all methods have to pass.
    pub alternatives: Alternatives,
    /// The rules for errors.
    pub errors: ErrorRules,
    /// The paths of all rules.
    pub paths: PathTable,
    /// Whether context variables have values (`enable_context_vars`).
    pub context_variables: bool,
    /// The gateway's settings.
    pub settings: Settings,
    /// Which members of the definition created each link.
    pub origins: Vec<LinkOrigin>,
}

impl Chain {
    /// Whether no link has to inspect requests, and no error rule responses.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.links.iter().all(Link::is_plain) && self.errors.is_plain()
    }
}
