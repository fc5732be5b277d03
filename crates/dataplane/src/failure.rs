//! Answers that the gateway itself gives on the data plane (reference 3.2).

use gatewright_protocol::trouble::Trouble;

/// Why a request did not reach its upstream, or got nothing from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The path can be read in more than one way, or not at all.
    AmbiguousPath,
    /// No API listens here.
    NoRoute,
    /// The API needs a credential and none was sent.
    CredentialMissing,
    /// The API needs a credential and this is none of its.
    CredentialUnknown,
    /// The key has no right to the API.
    ApiDisallowed,
    /// The key may not use the API's version.
    VersionDisallowed,
    /// The key may be used with a client certificate only, which this gateway can't check.
    CertificateRequired,
    /// The key is switched off.
    KeyInactive,
    /// The key has ended.
    KeyExpired,
    /// The key may not use this path or method.
    ResourceDisallowed,
    /// The key's rate.
    RateLimit,
    /// The key's quota.
    Quota,
    /// The API's rate.
    ApiRate,
    /// The organisation is switched off.
    OrgInactive,
    /// The organisation's quota.
    OrgQuota,
    /// The organisation's rate.
    OrgRate,
    /// Whether a limit is reached can't be found out.
    LimitsUnavailable,
    /// A batch was sent with another method than POST.
    BatchMethod,
    /// This isolate could not load the set of APIs yet.
    NotLoaded,
    /// The upstream's name could not be resolved.
    UpstreamLookup,
    /// The upstream did not answer in time.
    UpstreamTimeout,
    /// Any other trouble on the way to the upstream.
    Upstream,
}

impl Failure {
    /// The status code.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::AmbiguousPath => 400,
            Self::CredentialMissing | Self::KeyExpired | Self::CertificateRequired => 401,
            Self::CredentialUnknown
            | Self::ApiDisallowed
            | Self::VersionDisallowed
            | Self::KeyInactive
            | Self::ResourceDisallowed
            | Self::Quota
            | Self::OrgInactive
            | Self::OrgQuota
            | Self::OrgRate => 403,
            Self::RateLimit | Self::ApiRate => 429,
            Self::NoRoute => 404,
            Self::BatchMethod => 405,
            Self::UpstreamLookup | Self::Upstream => 500,
            Self::NotLoaded | Self::LimitsUnavailable => 503,
            Self::UpstreamTimeout => 504,
        }
    }

    /// The message, those of the reference word by word.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::AmbiguousPath => {
                "The path is ambiguous: dot segments, separators or control characters must not be encoded"
            }
            Self::CredentialMissing => "Authorization field missing",
            Self::CredentialUnknown | Self::ApiDisallowed | Self::VersionDisallowed => {
                "Access to this API has been disallowed"
            }
            Self::CertificateRequired => "Client certificate required",
            Self::KeyInactive => "Key is inactive, please renew",
            Self::KeyExpired => "Key has expired, please renew",
            Self::ResourceDisallowed => "Access to this resource has been disallowed",
            Self::RateLimit => "Rate Limit Exceeded",
            Self::Quota => "Quota exceeded",
            Self::ApiRate => "API Rate Limit Exceeded",
            Self::OrgInactive => {
                "this organisation access has been disabled, please contact your API administrator"
            }
            Self::OrgQuota => {
                "This organisation quota has been exceeded, please contact your API administrator"
            }
            Self::OrgRate => {
                "This organisation rate limit has been exceeded, please contact your API administrator"
            }
            Self::LimitsUnavailable => "The limits can't be checked, so nothing was let through",
            Self::NoRoute => "Not Found",
            Self::BatchMethod => "A batch is sent with POST",
            Self::UpstreamLookup => "Upstream host lookup failed",
            Self::Upstream => "There was a problem proxying the request",
            Self::NotLoaded => message_not_loaded(),
            Self::UpstreamTimeout => "Upstream service reached hard timeout.",
        }
    }

    /// Content type and body: XML where the request was XML, else JSON over three lines, both as
    /// the reference's templates write them.
    #[must_use]
    pub fn body(self, request_content_type: &str) -> (&'static str, String) {
        // None of the messages needs escaping in either format; a test sees to it.
        let message = self.message();
        let media = request_content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        if media.eq_ignore_ascii_case("application/xml") || media.eq_ignore_ascii_case("text/xml") {
            let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
            (
                "application/xml",
                format!("{declaration}\n<error>{message}</error>"),
            )
        } else {
            (
                "application/json",
                format!("{{\n    \"error\": \"{message}\"\n}}"),
            )
        }
    }

    /// Sorts what a platform says about a failed upstream call. The texts are workerd's.
    #[must_use]
    pub fn from_upstream(error: &str) -> Self {
        match Trouble::of(error) {
            Trouble::Lookup => Self::UpstreamLookup,
            Trouble::Timeout => Self::UpstreamTimeout,
            Trouble::Connection => Self::Upstream,
        }
    }
}

fn message_not_loaded() -> &'static str {
    gatewright_api::message::NOT_LOADED
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Failure; 22] = [
        Failure::ApiDisallowed,
        Failure::VersionDisallowed,
        Failure::CertificateRequired,
        Failure::KeyInactive,
        Failure::KeyExpired,
        Failure::ResourceDisallowed,
        Failure::RateLimit,
        Failure::Quota,
        Failure::ApiRate,
        Failure::OrgInactive,
        Failure::OrgQuota,
        Failure::OrgRate,
        Failure::LimitsUnavailable,
        Failure::AmbiguousPath,
        Failure::NoRoute,
        Failure::CredentialMissing,
        Failure::CredentialUnknown,
        Failure::BatchMethod,
        Failure::NotLoaded,
        Failure::UpstreamLookup,
        Failure::UpstreamTimeout,
        Failure::Upstream,
    ];

    #[test]
    fn every_body_is_well_formed() {
        for failure in ALL {
            let (_, body) = failure.body("");
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            assert_eq!(value["error"], failure.message());
            assert!(!failure.message().contains(['<', '>', '&']), "{failure:?}");
        }
    }

    #[test]
    fn an_xml_request_gets_an_xml_answer() {
        let (media, body) = Failure::NoRoute.body("text/xml; charset=utf-8");
        assert_eq!(media, "application/xml");
        assert!(body.ends_with("<error>Not Found</error>"));
    }

    #[test]
    fn the_json_body_stands_over_three_lines() {
        assert_eq!(
            Failure::NoRoute.body("").1,
            "{\n    \"error\": \"Not Found\"\n}"
        );
    }
}
