//! How the data plane answers `POST /gateway/debug` for the administration of its isolate.

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// The member of a request's body by which the administration says that its sender must not see the values that rules
/// set. It is set over whatever was sent.
pub const HIDES_VALUES: &str = "hides_values";

/// The answer; a body follows as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DebugReply {
    /// A status with a JSON body.
    Answered(u16),
    /// The request's body is not JSON, or not of the expected shape.
    Malformed(Vec<Issue>),
    /// A status and a message.
    Refused(u16, String),
}
