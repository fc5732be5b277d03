//! The documents of the data model: the roots for checks, schemas and forms.

use super::{Kind, Type, api, batch, dashboard, policy, session};

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// An API definition.
    ApiDefinition,
    /// A session: the rights and limits of a key.
    Session,
    /// The session of an organisation: limits over all its keys.
    Organisation,
    /// The rights of a key at one API.
    AccessDefinition,
    /// A policy.
    Policy,
    /// A ruleset of the dashboard.
    Ruleset,
    /// A client identity provider of the dashboard.
    ClientIdentityProvider,
    /// The mapping of the scopes for one API of a client identity provider.
    ScopeMapping,
    /// A webhook of the dashboard.
    Webhook,
    /// The body of a batch request.
    BatchRequest,
}

impl Root {
    /// Every kind of document.
    pub const ALL: [Self; 10] = [
        Self::ApiDefinition,
        Self::Session,
        Self::Organisation,
        Self::AccessDefinition,
        Self::Policy,
        Self::Ruleset,
        Self::ClientIdentityProvider,
        Self::ScopeMapping,
        Self::Webhook,
        Self::BatchRequest,
    ];

    /// Returns its name in URLs and case files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ApiDefinition => "api_definition",
            Self::Session => "session",
            Self::Organisation => "organisation",
            Self::AccessDefinition => "access_definition",
            Self::Policy => "policy",
            Self::Ruleset => "ruleset",
            Self::ClientIdentityProvider => "client_idp",
            Self::ScopeMapping => "scope_mapping",
            Self::Webhook => "webhook",
            Self::BatchRequest => "batch_request",
        }
    }

    /// Returns the kind of document with this name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|root| root.word() == word)
    }

    /// Returns its name in sentences, with its article.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ApiDefinition => "an API definition",
            Self::Session => "a session",
            Self::Organisation => "the session of an organisation",
            Self::AccessDefinition => "an access definition",
            Self::Policy => "a policy",
            Self::Ruleset => "a ruleset",
            Self::ClientIdentityProvider => "a client identity provider",
            Self::ScopeMapping => "a scope mapping",
            Self::Webhook => "a webhook",
            Self::BatchRequest => "a batch request",
        }
    }

    /// Returns its type.
    #[must_use]
    pub const fn shape(self) -> &'static Type {
        match self {
            Self::ApiDefinition => &api::API_DEFINITION,
            Self::Session | Self::Organisation => &session::SESSION,
            Self::AccessDefinition => &session::ACCESS_DEFINITION,
            Self::Policy => &policy::POLICY,
            Self::Ruleset => &dashboard::RULESET,
            Self::ClientIdentityProvider => &dashboard::CLIENT_IDENTITY_PROVIDER,
            Self::ScopeMapping => &dashboard::SCOPE_MAPPING,
            Self::Webhook => &dashboard::WEBHOOK,
            Self::BatchRequest => &batch::BATCH_REQUEST,
        }
    }

    /// Whether documents of this kind are acted on, so that a member without effect deserves a warning. The others are
    /// only stored and returned.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(
            self,
            Self::ApiDefinition
                | Self::Session
                | Self::Organisation
                | Self::AccessDefinition
                | Self::Policy
                | Self::BatchRequest
        )
    }
}

/// Returns every type of every document, without duplicates, in the order of the table.
#[must_use]
pub fn all_types() -> Vec<&'static Type> {
    let mut types = Vec::new();
    for root in Root::ALL {
        collect(root.shape(), &mut types);
    }
    types
}

/// Returns the types of one document, without duplicates, its own first.
#[must_use]
pub fn types_of(root: Root) -> Vec<&'static Type> {
    let mut types = Vec::new();
    collect(root.shape(), &mut types);
    types
}

fn collect(of: &'static Type, types: &mut Vec<&'static Type>) {
    if types.iter().any(|known| known.name == of.name) {
        return;
    }
    types.push(of);
    for member in of.members {
        if let Kind::Tagged(tagged) = *member.kind {
            for (_, of) in tagged.types {
                collect(of, types);
            }
        }
        if let Some(of) = member.kind.object() {
            collect(of, types);
        }
    }
}
