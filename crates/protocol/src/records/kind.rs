//! The kinds of documents that are stored in one way, each a row.

use gatewright_api::dashboard::Group;
use gatewright_api::dashboard::message::{CLIENT_IDP, HOOK, POLICY, RULESET, Texts};
use gatewright_api::resource::Subject;
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

/// What is particular to a kind, as far as it is data.
#[derive(Debug)]
pub struct Row {
    /// What the audit trail calls it.
    pub subject: Subject,
    /// The shape of its documents.
    pub root: Root,
    /// The group of the dashboard API that has its endpoints; policies have theirs in the administration API.
    pub group: Option<Group>,
    /// The member with the internal id.
    pub id_member: &'static str,
    /// The member with the stable identifier.
    pub stable_member: &'static str,
    /// The member of a list that holds the documents.
    pub list: &'static str,
    /// What several are called.
    pub plural: &'static str,
    /// What its endpoints say.
    pub texts: Texts,
}

impl Kind {
    /// Every kind, in the order of an export, which is the order of its sections behind the APIs.
    pub const ALL: [Self; 4] = [Self::Policy, Self::ClientIdp, Self::Ruleset, Self::Webhook];

    /// Its row.
    #[must_use]
    pub const fn row(self) -> &'static Row {
        match self {
            Self::Ruleset => &Row {
                subject: Subject::Ruleset,
                root: Root::Ruleset,
                group: Some(Group::Rulesets),
                id_member: "_id",
                stable_member: "ruleset_id",
                list: "rulesets",
                plural: "rulesets",
                texts: RULESET,
            },
            Self::ClientIdp => &Row {
                subject: Subject::ClientIdp,
                root: Root::ClientIdentityProvider,
                group: Some(Group::ClientIdps),
                id_member: "_id",
                stable_member: "client_idp_id",
                list: "client_idps",
                plural: "client identity providers",
                texts: CLIENT_IDP,
            },
            Self::Webhook => &Row {
                subject: Subject::Webhook,
                root: Root::Webhook,
                group: Some(Group::Hooks),
                id_member: "id",
                stable_member: "webhook_id",
                list: "hooks",
                plural: "webhooks",
                texts: HOOK,
            },
            Self::Policy => &Row {
                subject: Subject::Policy,
                root: Root::Policy,
                group: None,
                id_member: "_id",
                stable_member: "id",
                list: "policies",
                plural: "policies",
                texts: POLICY,
            },
        }
    }

    /// The kind of documents that the audit trail calls so.
    #[must_use]
    pub fn of(subject: Subject) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| kind.row().subject == subject)
    }

    /// The kind of documents whose endpoints a group of the dashboard API has.
    #[must_use]
    pub fn of_group(group: Group) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| kind.row().group == Some(group))
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
