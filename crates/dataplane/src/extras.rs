//! Calls that links make to *extra modules*: WebAssembly modules of pure functions, text in and text out, that are
//! instantiated by their first call (`extras/`, `worker/src/extras.js`).
//!
//! The promise: the size limit of a body is checked before an extra reads it; a crash in one affects only the current
//! request, and its link decides how ([`Extracted::Failed`]).

use std::rc::Rc;

/// A call of an extra's function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraCall {
    /// The module, named like its folder in `extras/`.
    pub module: &'static str,
    /// The function.
    pub function: &'static str,
    /// Settings from the definition. They are the same for every request, so that the module can cache what it derives
    /// from them.
    pub settings: Rc<str>,
    /// What the function needs to know about the request, in its module's format.
    pub facts: String,
    /// The body to read.
    pub subject: Subject,
    /// The maximum length of the body in bytes; 0 to read none.
    pub max: usize,
    /// The index of the link's rule that makes the call.
    pub rule: usize,
}

/// Which body an extra reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The request's, as the preceding links have left it.
    Request,
    /// The upstream answer's. The call also gets its head: `{"status":200,"headers":{"name":["value"]}}`.
    Answer,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extracted {
    /// The function's report.
    Report {
        /// The text, in a format that the link reads.
        text: String,
        /// Whether it has replaced the body it read; the new one stays with the adapter.
        replaced: bool,
    },
    /// The body exceeds the limit, and the function was not called.
    TooLarge,
    /// The module has trapped or could not be instantiated.
    Failed,
}

/// A call to be made when the upstream has answered.
#[derive(Clone, Debug)]
pub(crate) struct AnswerCall {
    /// The index of the link in the chain.
    pub(crate) link: usize,
    pub(crate) call: ExtraCall,
}
