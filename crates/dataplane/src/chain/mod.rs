//! The chain of an API: the links that its definition asks for, in the order of reference 3.1.
//!
//! The promise: everything that can be decided when a set is loaded is decided then; a link is pure and
//! synchronous and says what it needs; and what one way to the chain can (a single request, an item of a
//! batch, a debugged request, a loop) all can, because one driver runs them.

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

/// What a link decides about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It goes on.
    Next,
    /// It is answered with this.
    Reply(Reply),
    /// It goes to the upstream at once: no later link is asked about it. What becomes of the answer is as
    /// always.
    Send,
    /// The link has to be asked again when this is there.
    Need(Need),
    /// It is answered with what the cache has found.
    Reuse(Reuse),
    /// It goes to the chain of another API, or to the beginning of its own.
    Loop(Loop),
}

/// What a link needs before it can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The body, if it has no more than so many bytes.
    Body {
        /// The most bytes.
        max: usize,
    },
    /// The session that is stored under the first of these hashes that there is.
    Session {
        /// The hashes.
        hashes: Vec<String>,
    },
    /// The counters that have been added so far, asked together.
    Counters,
    /// What the processes of this machine share about upstreams: the answer to this message
    /// ([`crate::upstreams`]).
    Upstreams(String),
    /// What the cache has for it ([`Exchange::caching`]).
    Cached,
    /// What an extra makes of a body; it is in [`Exchange::extracted`] then.
    Extra(Box<ExtraCall>),
    /// What is said about a credential; it is in [`Exchange::proof`] then.
    Proof(Box<ProofCall>),
}

/// Where a request loops to (reference 3.12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// `self`, an API's id, or its name.
    pub api: String,
    /// The path there, encoded, with a slash at its beginning; empty if the address has none.
    pub path: String,
    /// The query there.
    pub query: String,
    /// The method there, if another.
    pub method: Option<String>,
    /// How often a request may loop, if the address says so ([`crate::loops::Depth`]).
    pub limit: Option<u32>,
    /// Whether rates and quotas of the key count again.
    pub counts: bool,
    /// What to answer if there is no such API.
    pub missing: Failure,
}

impl Default for Loop {
    /// To the beginning of its own chain.
    fn default() -> Self {
        Self {
            api: "self".to_owned(),
            path: String::new(),
            query: String::new(),
            method: None,
            limit: None,
            counts: false,
            missing: Failure::LoopTarget,
        }
    }
}

impl Loop {
    /// The same as an address, for people.
    #[must_use]
    pub fn address(&self) -> String {
        let mark = if self.query.is_empty() { "" } else { "?" };
        format!("gateway://{}{}{mark}{}", self.api, self.path, self.query)
    }
}

/// A link of the chain.
pub trait Middleware: Sized {
    /// Reads its part of a definition; `None` if that asks for nothing of it.
    fn compile(from: &mut Compiler<'_>) -> Option<Self>;

    /// Decides about a request.
    fn request(&self, exchange: &mut Exchange) -> Step {
        let _ = exchange;
        Step::Next
    }

    /// Says what is to be changed about the answer of the upstream. It is asked when the request is sent,
    /// because rules go by what the client asked for.
    fn response(&self, exchange: &mut Exchange) {
        let _ = exchange;
    }

    /// Takes what an extra has made of the answer's body, which the link has asked for with
    /// [`Exchange::ask_of_answer`].
    ///
    /// # Errors
    /// Why the answer can't be passed on.
    fn answered(&self, exchange: &mut Exchange, extracted: Extracted) -> Result<(), Failure> {
        let _ = (exchange, extracted);
        Ok(())
    }

    /// True if it needs to see no request: the fastest way is open to a chain of such links only. A link
    /// is not plain until it says so.
    fn is_plain(&self) -> bool {
        false
    }
}

/// The links of an API, or of one version of it.
#[derive(Debug, Default)]
pub struct Chain {
    /// The links that its definition asks for, in their order.
    pub links: Vec<Link>,
    /// Which of its methods are enough, where not all have to pass.
    pub alternatives: Alternatives,
    /// How errors are answered.
    pub errors: ErrorRules,
    /// The paths of its rules.
    pub paths: PathTable,
    /// `enable_context_vars`.
    pub context_variables: bool,
    /// How the gateway is set up.
    pub settings: Settings,
    /// Which members made which link.
    pub origins: Vec<LinkOrigin>,
}

impl Chain {
    /// True if no link has to look at a request, and no rule for errors at an answer.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.links.iter().all(Link::is_plain) && self.errors.is_plain()
    }
}
