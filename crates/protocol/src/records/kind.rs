//! The kinds of documents that are stored alike, a table with one row each.

use gatewright_api::RESOURCES;
use gatewright_api::dashboard::Group;
use gatewright_api::dashboard::message::{CLIENT_IDP, HOOK, POLICY, RULESET, Texts};
use gatewright_api::resource::Subject;
use gatewright_model::shape::Root;
use serde::{Deserialize, Serialize};

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A ruleset.
    Ruleset,
    /// A client identity provider.
    ClientIdp,
    /// A webhook.
    Webhook,
    /// A policy, which belongs to the gateway and not to an organisation's dashboard.
    Policy,
}

/// The data that distinguishes a kind.
#[derive(Debug)]
pub struct Row {
    /// Its subject in the audit trail.
    pub subject: Subject,
    /// The shape of its documents.
    pub root: Root,
    /// The member with the internal id.
    pub id_member: &'static str,
    /// The member with the stable identifier.
    pub stable_member: &'static str,
    /// The member of a list response that holds the documents.
    pub list: &'static str,
    /// Its name in the plural.
    pub plural: &'static str,
    /// The messages of its endpoints.
    pub texts: Texts,
}

impl Kind {
    /// Every kind, in the order of an export, in which their sections follow the APIs.
    pub const ALL: [Self; 4] = [Self::Policy, Self::ClientIdp, Self::Ruleset, Self::Webhook];

    /// Returns its row.
    #[must_use]
    pub const fn row(self) -> &'static Row {
        match self {
            Self::Ruleset => &Row {
                subject: Subject::Ruleset,
                root: Root::Ruleset,
                id_member: "_id",
                stable_member: "ruleset_id",
                list: "rulesets",
                plural: "rulesets",
                texts: RULESET,
            },
            Self::ClientIdp => &Row {
                subject: Subject::ClientIdp,
                root: Root::ClientIdentityProvider,
                id_member: "_id",
                stable_member: "client_idp_id",
                list: "client_idps",
                plural: "client identity providers",
                texts: CLIENT_IDP,
            },
            Self::Webhook => &Row {
                subject: Subject::Webhook,
                root: Root::Webhook,
                id_member: "id",
                stable_member: "webhook_id",
                list: "hooks",
                plural: "webhooks",
                texts: HOOK,
            },
            Self::Policy => &Row {
                subject: Subject::Policy,
                root: Root::Policy,
                id_member: "_id",
                stable_member: "id",
                list: "policies",
                plural: "policies",
                texts: POLICY,
            },
        }
    }

    /// Returns the kind with this subject in the audit trail.
    #[must_use]
    pub fn of(subject: Subject) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| kind.row().subject == subject)
    }

    /// Returns the kind that a group of the dashboard API is about.
    #[must_use]
    pub fn of_group(group: Group) -> Option<Self> {
        let mut resources = RESOURCES.iter();
        Self::of(resources.find(|row| row.group == Some(group))?.subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_documents_of_every_kind_can_be_compared() {
        for kind in Kind::ALL {
            let row = kind.row();
            assert_eq!(row.subject.resource().compared, Some(row.root));
            assert_eq!(Kind::of(row.subject), Some(kind));
        }
    }
}
