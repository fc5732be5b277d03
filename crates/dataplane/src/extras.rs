//! What links leave to *extra modules*: WebAssembly modules of pure functions, text in and text out, that are
//! instantiated when something first calls them (`extras/`, `worker/src/extras.js`).
//!
//! The promise: a body that an extra reads has a size limit, which comes first; nothing that happens in one
//! hurts a request but the one at hand, and what becomes of that is its link's to say ([`Extracted::Failed`]).

use std::rc::Rc;

/// A function of an extra that is called with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraCall {
    /// The module, by the name of its folder in `extras/`.
    pub module: &'static str,
    /// Its function.
    pub function: &'static str,
    /// What the definition says. It is the same for every request, so that the module can keep what it has
    /// made of it.
    pub settings: Rc<str>,
    /// What the function has to know of the request, as its module reads it.
    pub facts: String,
    /// Which body.
    pub subject: Subject,
    /// The longest body, bytes; 0 to read none.
    pub max: usize,
    /// Which rule of the link it is for: its index.
    pub rule: usize,
}

/// Which body an extra reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// That of the request, as the links before have left it.
    Request,
    /// That of the upstream's answer. Its head is told too: `{"status":200,"headers":{"name":["value"]}}`.
    Answer,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extracted {
    /// What the function reports.
    Report {
        /// Its words, as its link reads them.
        text: String,
        /// True if it has put another body in the place of the one it read, which stays with the adapter.
        replaced: bool,
    },
    /// The body is longer than it may be: it was not called.
    TooLarge,
    /// It has trapped, or could not be instantiated.
    Failed,
}

/// A call that waits for the answer of the upstream.
#[derive(Clone, Debug)]
pub(crate) struct AnswerCall {
    /// The index of its link in the chain.
    pub(crate) link: usize,
    pub(crate) call: ExtraCall,
}
