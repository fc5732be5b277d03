//! Why a request to debug was not sent.

use gatewright_model::issue::Issue;

/// Why nothing was sent; nothing has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The body, or the request in it, is malformed.
    Malformed(Vec<Issue>),
    /// A message of the reference, with its own status.
    Refused(u16, String),
}
