//! Bodies of the calls that compute and store nothing: checking, importing, comparing, merging.
//!
//! Documents that are compared or merged travel as texts inside JSON, so that every byte of them
//! arrives, numbers and layout included, and a text that is no JSON can be told where it is wrong.

use gatewright_model::diff::Change;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::{Note, Summary};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The answer of `POST /gateway/validate/{root}`: 200 also where there are errors, for the call did
/// what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    /// `error` if an issue is an error, else `ok`.
    pub status: String,
    /// Everything that is wrong or worth a word, in document order; empty for none.
    pub issues: Vec<Issue>,
}

/// The answer of `POST /gateway/openapi/import`, as its readers see it: it is passed on as text.
#[derive(Debug, Serialize, Deserialize)]
pub struct Imported {
    /// Always `ok`.
    pub status: String,
    /// The API definition, ready to be stored.
    pub definition: Box<RawValue>,
    /// What was imported and what not, in the order of the document.
    pub report: Vec<Note>,
    /// What the document holds.
    pub summary: Summary,
}

/// The answer of `POST /gateway/diff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Always `ok`.
    pub status: String,
    /// The text of the smallest merge patch that makes the new document of the old one (RFC 7386);
    /// missing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why there is none: this member, a JSON Pointer, is null in the new document only, and a merge
    /// patch can't set a null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_at: Option<String>,
    /// What differs, member by member.
    pub changes: Vec<Change>,
}

/// The answer of `POST /gateway/merge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// Always `ok`.
    pub status: String,
    /// The text of the target with the patch applied; what the patch does not name keeps its bytes.
    pub text: String,
}
