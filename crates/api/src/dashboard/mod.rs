//! The dashboard API: its envelope, its permissions and the bodies of its answers.
//!
//! Paths are in [`crate::endpoint::DASHBOARD`]. Texts and statuses are those of the specification;
//! where it says "not shown", those of reference 1.11.

pub mod delivery;
pub mod endpoint;
pub mod message;
pub mod shape;

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// What a dashboard credential may be allowed to see and change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Rulesets.
    Rulesets,
    /// Client identity providers and their mappings.
    ClientIdps,
    /// Webhooks and their deliveries, which carry the organisation's notifications.
    Hooks,
    /// What the dashboard API tells about API definitions.
    Apis,
}

impl Group {
    /// Every group, in the order of [`Permissions`].
    pub const ALL: [Self; 4] = [Self::Rulesets, Self::ClientIdps, Self::Hooks, Self::Apis];
}

/// A part of the administration API that a credential may be allowed to see and change, in every organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// API definitions, OpenAPI APIs and MCP proxies, with what is kept for them.
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
    /// What the data plane serves.
    Reload,
    /// What was served, failed and stored.
    Figures,
    /// Requests that the gateway is asked to make: tried ones, batches, documents to import.
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

    /// The member of [`Parts`].
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
    /// The same access to every part.
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

    /// The access to one part.
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

/// How much a credential may do in a group; each includes the one before it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Nothing; what is not named has this.
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
    /// The same access to every group of the dashboard API, and none to the administration API.
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

    /// The access to one group.
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

/// The envelope of the dashboard API (specification, *Dashboard response envelope*), with members
/// added behind the specified ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Envelope {
    /// The id under which the log speaks of this request; only in errors.
    #[serde(rename = "ID", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The text that clients read.
    pub message: String,
    /// The id of what was made, else null.
    pub meta: Option<String>,
    /// `success`, `OK` or `Error`.
    pub status: String,
    /// What is behind a message that says less.
    #[serde(rename = "details", default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// What is wrong with the document that was sent, or what its author should know of it.
    #[serde(rename = "issues", default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The secret that signs a new webhook's calls; only in the answer that makes it.
    #[serde(
        rename = "signing_secret",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub signing_secret: Option<String>,
    /// Present and true where nothing was stored because `?dry_run=true` asked so.
    #[serde(
        rename = "dry_run",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub dry_run: bool,
}

impl Envelope {
    /// An error; `id` is the request's.
    pub fn error(id: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            id: Some(id.into()),
            message: message.into(),
            status: "Error".to_owned(),
            ..Self::default()
        }
    }

    /// A success; `status` is `success`, or `OK` for webhooks.
    pub fn success(message: &str, meta: Option<String>, status: &str) -> Self {
        Self {
            message: message.to_owned(),
            meta,
            status: status.to_owned(),
            ..Self::default()
        }
    }
}
