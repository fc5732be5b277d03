//! The answers of the dashboard API, as far as the console reads them.

use gatewright_model::Issue;

/// What the list shows of a client identity provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientIdp {
    /// The internal id, which never changes.
    pub id: String,
    /// The stable id.
    pub client_idp_id: String,
    /// Its name.
    pub name: String,
    /// The issuer that its tokens name.
    pub issuer: String,
    /// The APIs that it has mappings for.
    pub apis: Vec<String>,
    /// The policies that their scopes stand for, one for each scope.
    pub policies: Vec<String>,
    /// When it was changed last, RFC 3339.
    pub last_updated: String,
}

/// What the list shows of a ruleset.
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
    /// What it is for.
    pub resource_type: String,
    /// What a violation does.
    pub action: String,
    /// The categories of the APIs that it applies to.
    pub categories: Vec<String>,
    /// When it was changed last, RFC 3339.
    pub last_updated: String,
}

/// The categories of an organisation's APIs.
pub(super) struct Categories(pub(super) Vec<String>);

/// What a write would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// The revision that it would get.
    pub revision: u64,
    /// The text that would be stored, byte for byte.
    pub document: String,
    /// What its author should know.
    pub issues: Vec<Issue>,
}
