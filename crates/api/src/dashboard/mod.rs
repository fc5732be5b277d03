//! The dashboard API: its envelope, its permissions and its response bodies.
//!
//! Paths are in [`endpoint::DASHBOARD`]. Texts and statuses are those of the specification; where it says "not
//! shown", those of reference 1.11.

pub mod delivery;
pub mod endpoint;
pub mod message;
pub mod shape;

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// A group of the dashboard API that a credential may be given access to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Rulesets.
    Rulesets,
    /// Client identity providers and their mappings.
    ClientIdps,
    /// Webhooks and their deliveries, which carry the organisation's notifications.
    Hooks,
    /// The parts of the dashboard API about API definitions.
    Apis,
}

impl Group {
    /// Every group, in the order of [`Permissions`].
    pub const ALL: [Self; 4] = [Self::Rulesets, Self::ClientIdps, Self::Hooks, Self::Apis];
}

/// A part of the administration API that a credential may be given access to, in every organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// API definitions, OpenAPI APIs and MCP proxies, and their cached data.
    Apis,
    /// Keys.
    Keys,
    /// Policies.
    Policies,
    /// Sessions of organisations.
    Organisations,
    /// Clients and tokens of the OAuth 2.0 server.
    Oauth,
    /// Certificates and public keys.
    Certificates,
    /// What the data plane serves: reloads.
    Reload,
    /// Figures about requests, failures and storage.
    Figures,
    /// Requests that the gateway makes on demand: tried requests, batches, documents to import.
    Tools,
}

impl Part {
    /// Every part, in the order of [`Parts`].
    pub const ALL: [Self; 9] = [
        Self::Apis,
        Self::Keys,
        Self::Policies,
        Self::Organisations,
        Self::Oauth,
        Self::Certificates,
        Self::Reload,
        Self::Figures,
        Self::Tools,
    ];

    /// Returns the member of [`Parts`].
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Apis => "apis",
            Self::Keys => "keys",
            Self::Policies => "policies",
            Self::Organisations => "organisations",
            Self::Oauth => "oauth",
            Self::Certificates => "certificates",
            Self::Reload => "reload",
            Self::Figures => "figures",
            Self::Tools => "tools",
        }
    }
}

/// The access to each part of the administration API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the members are the parts")]
pub struct Parts {
    pub apis: Access,
    pub keys: Access,
    pub policies: Access,
    pub organisations: Access,
    pub oauth: Access,
    pub certificates: Access,
    pub reload: Access,
    pub figures: Access,
    pub tools: Access,
}

impl Parts {
    /// Returns the same access to every part.
    #[must_use]
    pub const fn all(access: Access) -> Self {
        Self {
            apis: access,
            keys: access,
            policies: access,
            organisations: access,
            oauth: access,
            certificates: access,
            reload: access,
            figures: access,
            tools: access,
        }
    }

    /// Returns the access to one part.
    #[must_use]
    pub const fn of(&self, part: Part) -> Access {
        match part {
            Part::Apis => self.apis,
            Part::Keys => self.keys,
            Part::Policies => self.policies,
            Part::Organisations => self.organisations,
            Part::Oauth => self.oauth,
            Part::Certificates => self.certificates,
            Part::Reload => self.reload,
            Part::Figures => self.figures,
            Part::Tools => self.tools,
        }
    }
}

/// The access of a credential to a group; each level includes the one before it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// No access; the default for groups that are not listed.
    #[default]
    Deny,
    /// Reading.
    Read,
    /// Reading and changing.
    Write,
}

/// The access to each group of the dashboard API, and to the parts of the administration API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the members are the groups")]
pub struct Permissions {
    pub rulesets: Access,
    pub clientidps: Access,
    pub hooks: Access,
    pub apis: Access,
    pub gateway: Parts,
}

impl Permissions {
    /// Returns the same access to every group of the dashboard API, and none to the administration API.
    #[must_use]
    pub fn all(access: Access) -> Self {
        Self {
            rulesets: access,
            clientidps: access,
            hooks: access,
            apis: access,
            gateway: Parts::default(),
        }
    }

    /// Returns the access to one group.
    #[must_use]
    pub const fn of(&self, group: Group) -> Access {
        match group {
            Group::Rulesets => self.rulesets,
            Group::ClientIdps => self.clientidps,
            Group::Hooks => self.hooks,
            Group::Apis => self.apis,
        }
    }
}

/// The envelope of the dashboard API (specification, *Dashboard response envelope*), with further members after the
/// specified ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Envelope {
    /// The id of this request in the log; only in errors.
    #[serde(rename = "ID", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The text that clients read.
    pub message: String,
    /// The id of the created document, else null.
    pub meta: Option<String>,
    /// `success`, `OK` or `Error`.
    pub status: String,
    /// The details behind a less specific message.
    #[serde(rename = "details", default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// Errors in the document that was sent, or warnings for its author.
    #[serde(rename = "issues", default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The secret that signs a new webhook's calls; only in the response that creates it.
    #[serde(
        rename = "signing_secret",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub signing_secret: Option<String>,
    /// Present and true if nothing was stored because of `?dry_run=true`.
    #[serde(
        rename = "dry_run",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub dry_run: bool,
}

impl Envelope {
    /// Creates an error; `id` is the request's.
    pub fn error(id: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            id: Some(id.into()),
            message: message.into(),
            status: "Error".to_owned(),
            ..Self::default()
        }
    }

    /// Creates a success; `status` is `success`, or `OK` for webhooks.
    pub fn success(message: &str, meta: Option<String>, status: &str) -> Self {
        Self {
            message: message.to_owned(),
            meta,
            status: status.to_owned(),
            ..Self::default()
        }
    }
}
