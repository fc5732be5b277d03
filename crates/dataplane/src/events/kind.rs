//! Which event a refusal raises.

use crate::failure::Failure;
use gatewright_protocol::events::EventKind;

/// The event that a refusal raises, with its message; `None` if it raises none, such as a missing credential or a key
/// without rights to the API.
#[must_use]
pub const fn of_failure(failure: Failure) -> Option<(EventKind, &'static str)> {
    Some(match failure {
        Failure::CredentialUnknown | Failure::OauthUnknown | Failure::OauthClientUnknown => {
            (EventKind::AuthFailure, "Auth Failure")
        }
        Failure::KeyExpired => (EventKind::KeyExpired, "Attempted access from expired key."),
        Failure::KeyInactive => (EventKind::KeyExpired, "Attempted access from inactive key."),
        Failure::RateLimit => (EventKind::RatelimitExceeded, "Key Rate Limit Exceeded"),
        Failure::ApiRate => (EventKind::RatelimitExceeded, "API Rate Limit Exceeded"),
        Failure::Quota => (EventKind::QuotaExceeded, "Key Quota Limit Exceeded"),
        Failure::OrgQuota => (
            EventKind::OrgQuotaExceeded,
            "Organisation quota has been exceeded",
        ),
        Failure::OrgRate => (
            EventKind::OrgRateLimitExceeded,
            "Organisation rate limit has been exceeded",
        ),
        Failure::VersionDisallowed => (
            EventKind::VersionFailure,
            "Attempted access to disallowed version.",
        ),
        Failure::UpstreamToken => (
            EventKind::UpstreamOAuthError,
            Failure::UpstreamToken.message(),
        ),
        _ => return None,
    })
}
