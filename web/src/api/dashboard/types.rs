//! The responses of the dashboard API, as far as the console reads them.

use gatewright_model::Issue;

/// A client identity provider as the list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientIdp {
    /// The internal id, which never changes.
    pub id: String,
    /// The stable id.
    pub client_idp_id: String,
    /// Its name.
    pub name: String,
    /// The issuer of its tokens.
    pub issuer: String,
    /// The ids of the APIs it has mappings for.
    pub apis: Vec<String>,
    /// The policies that its scopes map to, one per scope.
    pub policies: Vec<String>,
    /// When it was last changed, RFC 3339.
    pub last_updated: String,
}

/// A ruleset as the list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruleset {
    /// The internal id, which never changes.
    pub id: String,
    /// The stable id.
    pub ruleset_id: String,
    /// Its name.
    pub name: String,
    /// Whether it is in use.
    pub active: bool,
    /// The kind of resource it applies to.
    pub resource_type: String,
    /// The consequence of a violation.
    pub action: String,
    /// The categories of the APIs it applies to.
    pub categories: Vec<String>,
    /// When it was last changed, RFC 3339.
    pub last_updated: String,
}

/// The categories of an organisation's APIs.
pub(super) struct Categories(pub(super) Vec<String>);

/// The outcome of a dry run of a write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// The revision that the document would get.
    pub revision: u64,
    /// The text that would be stored, byte for byte.
    pub document: String,
    /// Warnings about the document.
    pub issues: Vec<Issue>,
}
