//! The kinds of administered resources, a table with one row each: their name in the audit trail, who may read their
//! entries there, and whether their texts can be compared.
//!
//! The promise: a kind without a row can't appear in the trail, and code that handles all of them iterates over
//! [`RESOURCES`].

use crate::dashboard::Group;
use gatewright_model::shape::Root;
use serde::{Deserialize, Serialize};

/// The properties of a kind of administered resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The kind.
    pub subject: Subject,
    /// Its word in storage and in responses.
    pub word: &'static str,
    /// The group of the dashboard API for which read access is needed to read its entries in the trail; `None` if that
    /// needs write access to every group, because the entries show who else may do what.
    pub group: Option<Group>,
    /// The shape of its documents, if earlier ones are kept. A session may contain secrets, so no earlier text of it is
    /// kept.
    pub compared: Option<Root>,
}

/// Rows as kind, word, group, and shape.
macro_rules! resources {
    ($($(#[$doc:meta])* $subject:ident $word:literal $group:expr, $compared:expr;)*) => {
        /// The kind of resource that an administrative write was about.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum Subject {
            $($(#[$doc])* $subject,)*
        }

        impl Subject {
            /// Returns its row.
            #[must_use]
            pub const fn resource(self) -> &'static Resource {
                match self {
                    $(Self::$subject => &Resource {
                        subject: Self::$subject,
                        word: $word,
                        group: $group,
                        compared: $compared,
                    },)*
                }
            }
        }

        /// Every kind. They are sent and stored by their words, so a new one comes last.
        pub const RESOURCES: &[&Resource] = &[$(Subject::$subject.resource()),*];
    };
}

resources! {
    /// An API definition.
    Api "api" Some(Group::Apis), Some(Root::ApiDefinition);
    /// A ruleset.
    Ruleset "ruleset" Some(Group::Rulesets), Some(Root::Ruleset);
    /// A client identity provider.
    ClientIdp "client_idp" Some(Group::ClientIdps), Some(Root::ClientIdentityProvider);
    /// A webhook.
    Webhook "webhook" Some(Group::Hooks), Some(Root::Webhook);
    /// A dashboard credential.
    Credential "credential" None, None;
    /// A reload: what the data plane serves.
    Reload "reload" Some(Group::Apis), None;
    /// A key.
    Key "key" Some(Group::Apis), None;
    /// The session of an organisation.
    Organisation "organisation" Some(Group::Apis), None;
    /// A policy.
    Policy "policy" Some(Group::Apis), Some(Root::Policy);
    /// An import of everything that another gateway has exported.
    Import "import" None, None;
    /// A certificate, or a public key.
    Certificate "certificate" None, None;
    /// A client of the OAuth 2.0 server.
    OauthClient "oauth_client" Some(Group::Apis), None;
    /// A sign-in to the console: added by signing in, deleted by signing out.
    SignIn "sign_in" None, None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_kind_is_stored_by_its_word() {
        for resource in RESOURCES {
            assert_eq!(json!(resource.subject), json!(resource.word));
        }
    }

    #[test]
    #[cfg(feature = "docs")]
    fn the_parameter_and_the_schema_of_the_trail_list_every_kind() {
        use crate::dashboard::endpoint::{DASHBOARD, Operation};
        let trail = DASHBOARD
            .iter()
            .find(|row| row.operation == Operation::Audit);
        let mut parameters = trail.unwrap().parameters.iter();
        let doc = parameters.find(|row| row.name == "subject").unwrap().doc;
        let words: Vec<&str> = doc.split('`').skip(1).step_by(2).collect();
        let known: Vec<&str> = RESOURCES.iter().map(|row| row.word).collect();
        assert_eq!(words, known);
        let schemas = include_str!("openapi/dashboard.schemas.json");
        let schemas: serde_json::Value = serde_json::from_str(schemas).unwrap();
        let entry = &schemas["AuditEntry"]["properties"]["subject"]["enum"];
        assert_eq!(entry, &json!(known));
    }
}
