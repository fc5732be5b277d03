//! The kinds of events.

use serde::{Deserialize, Serialize};

/// A key was created (reference 7.1).
pub const TOKEN_CREATED: &str = "TokenCreated";
/// A key was updated (reference 7.1).
pub const TOKEN_UPDATED: &str = "TokenUpdated";
/// A key was deleted (reference 7.1).
pub const TOKEN_DELETED: &str = "TokenDeleted";

/// The events that are raised, out of those in reference 7.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// A credential that is not known here, or not for this API's organisation.
    AuthFailure,
    /// A key that has expired or is inactive.
    KeyExpired,
    /// The rate limit of a key or an API was exceeded.
    RatelimitExceeded,
    /// The quota of a key was exceeded.
    QuotaExceeded,
    /// The quota of an organisation was exceeded.
    OrgQuotaExceeded,
    /// The rate limit of an organisation was exceeded.
    OrgRateLimitExceeded,
    /// A key that may not use the version.
    VersionFailure,
    /// A key has used a share of its quota that its `monitor` names.
    TriggerExceeded,
    /// A circuit breaker has opened or closed.
    BreakerTriggered,
    /// A circuit breaker has opened.
    BreakerTripped,
    /// A circuit breaker has closed.
    BreakerReset,
    /// A key was created.
    TokenCreated,
    /// A key was updated.
    TokenUpdated,
    /// A key was deleted.
    TokenDeleted,
    /// No token for the upstream could be obtained.
    UpstreamOAuthError,
    /// A host fails its uptime tests.
    HostDown,
    /// A host passes its uptime tests again.
    HostUp,
    /// A smoothed rate was raised by a step.
    RateLimitSmoothingUp,
    /// A smoothed rate was lowered by a step.
    RateLimitSmoothingDown,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Self::AuthFailure,
        Self::KeyExpired,
        Self::RatelimitExceeded,
        Self::QuotaExceeded,
        Self::OrgQuotaExceeded,
        Self::OrgRateLimitExceeded,
        Self::VersionFailure,
        Self::TriggerExceeded,
        Self::BreakerTriggered,
        Self::BreakerTripped,
        Self::BreakerReset,
        Self::TokenCreated,
        Self::TokenUpdated,
        Self::TokenDeleted,
        Self::UpstreamOAuthError,
        Self::HostDown,
        Self::HostUp,
        Self::RateLimitSmoothingUp,
        Self::RateLimitSmoothingDown,
    ];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AuthFailure => "AuthFailure",
            Self::KeyExpired => "KeyExpired",
            Self::RatelimitExceeded => "RatelimitExceeded",
            Self::QuotaExceeded => "QuotaExceeded",
            Self::OrgQuotaExceeded => "OrgQuotaExceeded",
            Self::OrgRateLimitExceeded => "OrgRateLimitExceeded",
            Self::VersionFailure => "VersionFailure",
            Self::TriggerExceeded => "TriggerExceeded",
            Self::BreakerTriggered => "BreakerTriggered",
            Self::BreakerTripped => "BreakerTripped",
            Self::BreakerReset => "BreakerReset",
            Self::TokenCreated => TOKEN_CREATED,
            Self::TokenUpdated => TOKEN_UPDATED,
            Self::TokenDeleted => TOKEN_DELETED,
            Self::UpstreamOAuthError => "UpstreamOAuthError",
            Self::HostDown => "HostDown",
            Self::HostUp => "HostUp",
            Self::RateLimitSmoothingUp => "RateLimitSmoothingUp",
            Self::RateLimitSmoothingDown => "RateLimitSmoothingDown",
        }
    }

    /// Returns the kind of this name, if it is one that is raised.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether operators are notified even if the API has no handler for it.
    #[must_use]
    pub const fn is_of_host(self) -> bool {
        matches!(self, Self::HostDown | Self::HostUp)
    }

    /// Whether it is raised by the administration of keys, not by requests.
    #[must_use]
    pub const fn is_of_token(self) -> bool {
        matches!(
            self,
            Self::TokenCreated | Self::TokenUpdated | Self::TokenDeleted
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_definitions_use() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::named(kind.name()), Some(kind));
        }
        assert_eq!(EventKind::named("CertificateExpired"), None);
        let names = EventKind::ALL.map(EventKind::name);
        assert_eq!(names, gatewright_model::shape::events::RAISED);
    }

    #[test]
    fn all_are_documented() {
        let page = include_str!("../../../../docs/events.md");
        for kind in EventKind::ALL {
            assert!(page.contains(&format!("`{}`", kind.name())), "{kind:?}");
        }
    }
}
