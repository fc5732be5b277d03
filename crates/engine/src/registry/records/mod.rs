//! The documents of the dashboard: rulesets, client identity providers and webhooks.
//!
//! The promise: one set of rules for storing, finding, conditions, revisions, audit and
//! notifications serves all three; what is particular to a kind is in [`compose`] and [`Kind`].

pub mod compose;
mod index;
pub mod protocol;
mod read;
mod write;

pub use index::{Found, RecordFacts, Records};
pub use protocol::{Answer, Ask, RecordCommand, RecordRefusal};
pub(super) use {read::read, write::write};

use gatewright_api::dashboard::Group;
use gatewright_api::dashboard::shape::Subject;
use gatewright_model::shape::Root;
use serde::{Deserialize, Serialize};

/// The kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A ruleset.
    Ruleset,
    /// A client identity provider.
    ClientIdp,
    /// A webhook.
    Webhook,
    /// A policy, which belongs to no organisation's dashboard but to the gateway.
    Policy,
}

impl Kind {
    /// The group whose permission it takes.
    #[must_use]
    pub const fn group(self) -> Group {
        match self {
            Self::Ruleset => Group::Rulesets,
            Self::ClientIdp => Group::ClientIdps,
            Self::Webhook => Group::Hooks,
            Self::Policy => Group::Apis,
        }
    }

    /// The shape of its documents.
    #[must_use]
    pub const fn root(self) -> Root {
        match self {
            Self::Ruleset => Root::Ruleset,
            Self::ClientIdp => Root::ClientIdentityProvider,
            Self::Webhook => Root::Webhook,
            Self::Policy => Root::Policy,
        }
    }

    /// The organisation that its documents are found under, for a caller of this one. Policies are
    /// the gateway's: their ids are its own, whatever organisation they name.
    #[must_use]
    pub const fn org(self, caller: &str) -> &str {
        match self {
            Self::Policy => "",
            Self::Ruleset | Self::ClientIdp | Self::Webhook => caller,
        }
    }

    /// What the audit trail calls it.
    #[must_use]
    pub const fn subject(self) -> Subject {
        match self {
            Self::Ruleset => Subject::Ruleset,
            Self::ClientIdp => Subject::ClientIdp,
            Self::Webhook => Subject::Webhook,
            Self::Policy => Subject::Policy,
        }
    }

    /// The member with the internal id.
    #[must_use]
    pub const fn id_member(self) -> &'static str {
        match self {
            Self::Ruleset | Self::ClientIdp | Self::Policy => "_id",
            Self::Webhook => "id",
        }
    }

    /// The member with the stable identifier.
    #[must_use]
    pub const fn stable_member(self) -> &'static str {
        match self {
            Self::Ruleset => "ruleset_id",
            Self::ClientIdp => "client_idp_id",
            Self::Webhook => "webhook_id",
            Self::Policy => "id",
        }
    }
}
