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

/// What access is given to, as name and member of the struct with the access to each, and that struct with any further
/// members.
macro_rules! accesses {
    (
        $(#[$about:meta])*
        $of:ident { $($(#[$doc:meta])* $name:ident $member:ident,)* }
        $(#[$whole:meta])*
        $all:ident { $($more:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $of {
            $($(#[$doc])* $name,)*
        }

        impl $of {
            #[doc = concat!("All of them, in the order of [`", stringify!($all), "`].")]
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];

            #[doc = concat!("Returns the member of [`", stringify!($all), "`].")]
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($member),)*
                }
            }
        }

        $(#[$whole])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $all {
            $($(#[$doc])* pub $member: Access,)*
            $(#[expect(missing_docs, reason = "its type says it")] pub $more: $type,)*
        }

        impl $all {
            /// Returns the same access to each of them, and to nothing else.
            #[must_use]
            pub fn all(access: Access) -> Self {
                Self {
                    $($member: access,)*
                    $($more: <$type>::default(),)*
                }
            }

            /// Returns the access to one of them.
            #[must_use]
            pub const fn of(&self, one: $of) -> Access {
                match one {
                    $($of::$name => self.$member,)*
                }
            }
        }
    };
}

accesses! {
    /// A group of the dashboard API that a credential may be given access to.
    Group {
        /// Rulesets.
        Rulesets rulesets,
        /// Client identity providers and their mappings.
        ClientIdps clientidps,
        /// Webhooks and their deliveries, which carry the organisation's notifications.
        Hooks hooks,
        /// The parts of the dashboard API about API definitions.
        Apis apis,
    }
    /// The access to each group of the dashboard API, and to the parts of the administration API.
    Permissions { gateway: Parts, }
}

accesses! {
    /// A part of the administration API that a credential may be given access to, in every organisation.
    Part {
        /// API definitions, OpenAPI APIs and MCP proxies, and their cached data.
        Apis apis,
        /// Keys.
        Keys keys,
        /// Policies.
        Policies policies,
        /// Sessions of organisations.
        Organisations organisations,
        /// Clients and tokens of the OAuth 2.0 server.
        Oauth oauth,
        /// Certificates and public keys.
        Certificates certificates,
        /// What the data plane serves: reloads.
        Reload reload,
        /// Figures about requests, failures and storage.
        Figures figures,
        /// Requests that the gateway makes on demand: tried requests, batches, documents to import.
        Tools tools,
    }
    /// The access to each part of the administration API.
    Parts {}
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
