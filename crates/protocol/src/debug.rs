//! How the data plane answers `POST /gateway/debug` to the administration of its isolate.

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// The answer; a body is the text behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DebugReply {
    /// A status with a JSON body.
    Answered(u16),
    /// The request's body is no JSON, or not what is asked for.
    Malformed(Vec<Issue>),
    /// A status and a sentence.
    Refused(u16, String),
}
