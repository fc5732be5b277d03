//! What isolates report to the Meter about the requests they have served, and what the Meter replies.

mod failures;
mod lines;
mod statements;
mod tally;

pub use failures::{Failing, FailureLine, read_failures};
pub use lines::{Found, Span, api, close, read};
pub use statements::{Statements, Versions};
pub use tally::{BOUNDS_MS, Tally};

/// The state of a key's quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Close {
    /// The quota, in requests.
    pub quota: u64,
    /// The requests left.
    pub remaining: u64,
    /// When the quota renews, in Unix milliseconds; 0 means never.
    pub renews_ms: u64,
}
