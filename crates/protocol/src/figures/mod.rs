//! What isolates report to the Meter about the requests that they have served, and what it answers.

mod failures;
mod lines;
mod statements;
mod tally;

pub use failures::{Failing, FailureLine, read_failures};
pub use lines::{Found, Span, api, close, read};
pub use statements::{Statements, Versions};
pub use tally::{BOUNDS_MS, Tally};

/// How the quota of a key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Close {
    /// The quota.
    pub quota: u64,
    /// What is left of it.
    pub remaining: u64,
    /// When it begins anew, Unix milliseconds; 0 for never.
    pub renews_ms: u64,
}
