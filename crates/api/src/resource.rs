//! The kinds of administered resources, a table with one row each: their name in the audit trail, the paths of their
//! endpoints, what access to them is given by, and whether their texts can be compared.
//!
//! The promise: a kind without a row can't appear in the trail, code that handles all of them iterates over
//! [`RESOURCES`], and an endpoint needs the access that its resource says, unless its own row says otherwise.

use crate::dashboard::{Group, Part};
use gatewright_model::shape::Root;
use serde::{Deserialize, Serialize};

/// The properties of a kind of administered resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The kind.
    pub subject: Subject,
    /// Its word in storage and in responses.
    pub word: &'static str,
    /// The paths that its endpoints are at or below.
    pub paths: &'static [&'static str],
    /// The group of the dashboard API that its endpoints there belong to, and for which read access is needed to read
    /// its entries in the trail; `None` if that needs write access to every group, because the entries show who else
    /// may do what.
    pub group: Option<Group>,
    /// The part of the administration API that its endpoints there belong to; `None` if only the gateway secret allows
    /// to call them, or if it has none.
    pub part: Option<Part>,
    /// The shape of its documents, if earlier ones are kept. A session may contain secrets, so no earlier text of it is
    /// kept.
    pub compared: Option<Root>,
}

impl Resource {
    /// Returns the resource of an endpoint, by its path.
    #[must_use]
    pub fn at(path: &str) -> Option<&'static Self> {
        let below = |root: &&str| {
            let rest = path.strip_prefix(*root);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut rows = RESOURCES.iter().copied();
        rows.find(|row| row.paths.iter().any(below))
    }
}

/// Rows as kind, word, paths, group, part, and shape.
macro_rules! resources {
    ($($(#[$doc:meta])* $subject:ident $word:literal $paths:expr, $group:expr, $part:expr, $compared:expr;)*) => {
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
                        paths: &$paths,
                        group: $group,
                        part: $part,
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
    Api "api" ["/gateway/apis", "/gateway/mcps", "/gateway/cache", "/api/apis"], Some(Group::Apis), Some(Part::Apis), Some(Root::ApiDefinition);
    /// A ruleset.
    Ruleset "ruleset" ["/api/rulesets"], Some(Group::Rulesets), None, Some(Root::Ruleset);
    /// A client identity provider.
    ClientIdp "client_idp" ["/api/clientidps"], Some(Group::ClientIdps), None, Some(Root::ClientIdentityProvider);
    /// A webhook.
    Webhook "webhook" ["/api/hooks"], Some(Group::Hooks), None, Some(Root::Webhook);
    /// A dashboard credential.
    Credential "credential" ["/gateway/dashboard/credentials"], None, None, None;
    /// A reload: what the data plane serves.
    Reload "reload" ["/gateway/reload"], Some(Group::Apis), Some(Part::Reload), None;
    /// A key.
    Key "key" ["/gateway/keys"], Some(Group::Apis), Some(Part::Keys), None;
    /// The session of an organisation.
    Organisation "organisation" ["/gateway/org/keys"], Some(Group::Apis), Some(Part::Organisations), None;
    /// A policy.
    Policy "policy" ["/gateway/policies"], Some(Group::Apis), Some(Part::Policies), Some(Root::Policy);
    /// An import of everything that another gateway has exported.
    Import "import" ["/gateway/import"], None, None, None;
    /// A certificate, or a public key.
    Certificate "certificate" ["/gateway/certs"], None, Some(Part::Certificates), None;
    /// A client of the OAuth 2.0 server.
    OauthClient "oauth_client" ["/gateway/oauth"], Some(Group::Apis), Some(Part::Oauth), None;
    /// A sign-in to the console: added by signing in, deleted by signing out.
    SignIn "sign_in" [], None, None, None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::endpoint::DASHBOARD;
    use crate::endpoint::ENDPOINTS;
    use serde_json::json;

    #[test]
    fn a_kind_is_stored_by_its_word() {
        for resource in RESOURCES {
            assert_eq!(json!(resource.subject), json!(resource.word));
        }
    }

    #[test]
    fn a_kind_has_endpoints_at_its_paths() {
        let admin = ENDPOINTS.iter().map(|row| row.path);
        let paths: Vec<&str> = admin.chain(DASHBOARD.iter().map(|row| row.path)).collect();
        for resource in RESOURCES {
            for path in resource.paths {
                assert_eq!(Resource::at(path), Some(*resource));
                assert!(paths.iter().any(|known| known.starts_with(path)), "{path}");
            }
            let none = resource.subject == Subject::SignIn;
            assert_eq!(resource.paths.is_empty(), none, "{}", resource.word);
        }
    }

    #[test]
    #[cfg(feature = "docs")]
    fn the_parameter_of_the_trail_lists_every_kind() {
        use crate::dashboard::endpoint::Operation;
        let trail = DASHBOARD
            .iter()
            .find(|row| row.operation == Operation::Audit);
        let mut parameters = trail.unwrap().parameters.iter();
        let doc = parameters.find(|row| row.name == "subject").unwrap().doc;
        let words: Vec<&str> = doc.split('`').skip(1).step_by(2).collect();
        let known: Vec<&str> = RESOURCES.iter().map(|row| row.word).collect();
        assert_eq!(words, known);
    }
}
