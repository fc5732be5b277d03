//! Bodies of the calls that compute and store nothing: validating, importing, comparing, merging.
//!
//! Documents to compare or merge are sent as text inside JSON, so that every byte of them is preserved, numbers and
//! layout included, and errors in text that is not JSON can be located.

use gatewright_model::diff::Change;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::{Note, Summary};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The response of `POST /gateway/validate/{root}`: 200 even if there are errors, because the call succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    /// `error` if an issue is an error, else `ok`.
    pub status: String,
    /// Every error and warning, in document order.
    pub issues: Vec<Issue>,
}

/// The response of `POST /gateway/openapi/import`, as read by clients: the gateway passes it on as text.
#[derive(Debug, Serialize, Deserialize)]
pub struct Imported {
    /// Always `ok`.
    pub status: String,
    /// The API definition, ready to be stored.
    pub definition: Box<RawValue>,
    /// What was imported and what wasn't, in document order.
    pub report: Vec<Note>,
    /// What the document contains.
    pub summary: Summary,
}

/// The answer of `POST /gateway/diff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Always `ok`.
    pub status: String,
    /// The text of the smallest merge patch (RFC 7386) that turns the old document into the new one; missing if there
    /// is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why there is no patch: this member, a JSON Pointer, is null in the new document only, and a merge patch can't
    /// set a null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_at: Option<String>,
    /// The differences, member by member.
    pub changes: Vec<Change>,
}

/// The answer of `POST /gateway/merge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// Always `ok`.
    pub status: String,
    /// The text of the target with the patch applied; members that the patch doesn't name keep their bytes.
    pub text: String,
}
