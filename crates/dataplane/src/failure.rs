//! Errors that the data plane answers with itself (reference 3.2).

use serde::Serialize;
use std::borrow::Cow;

/// Declares the errors: variant, status, flag of `error_overrides`, message.
macro_rules! failures {
    ($( $(#[$doc:meta])* $name:ident $status:literal $flag:literal $message:expr; )*) => {
        /// Why a request did not reach its upstream, or got nothing from it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Failure { $( $(#[$doc])* $name, )* }

        impl Failure {
            /// All errors.
            pub const ALL: &[Self] = &[ $( Self::$name, )* ];

            /// The status code.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $( Self::$name => $status, )* }
            }

            /// The message; those of the reference are copied verbatim.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $( Self::$name => $message, )* }
            }

            /// The flag that `error_overrides` of a definition can name (reference 3.3); empty if it has none.
            #[must_use]
            pub const fn flag(self) -> &'static str {
                match self { $( Self::$name => $flag, )* }
            }
        }
    };
}

failures! {
    /// The path has a broken percent escape.
    BrokenPath 400 "" "400 Bad Request";
    /// No API listens on this path.
    NoRoute 404 "NRH" "Not Found";
    /// No version was asked for and there is no default.
    VersionMissing 403 "" "Version information not found";
    /// The base of several APIs doesn't know the version.
    VersionUnknown 404 "" "This API version does not seem to exist";
    /// The API itself doesn't know the version.
    VersionUnknownHere 403 "" "This API version does not seem to exist";
    /// The version to fall back to doesn't exist.
    FallbackBroken 500 "" "Internal Server Error";
    /// The version has expired.
    VersionExpired 403 "" "Api Version has expired, please check documentation or contact administrator";
    /// The API has expired.
    ApiExpired 403 "" "API has expired, please check documentation or contact administrator";
    /// The API is not versioned and none of its several versions is the default.
    NoDefaultVersion 403 "" "No default API version for this non-versioned API found";
    /// The API is not versioned and more than one of its versions could be the default.
    AmbiguousDefaultVersion 403 "" "Ambiguous default API version for this non-versioned API";
    /// The path lists don't allow the request.
    EndpointForbidden 403 "" "Requested endpoint is forbidden";
    /// The address lists don't allow the client.
    AddressDisallowed 403 "" "access from this IP has been disallowed";
    /// The organisation is disabled.
    OrgInactive 403 "" "this organisation access has been disabled, please contact your API administrator";
    /// The organisation's quota is used up.
    OrgQuota 403 "" "This organisation quota has been exceeded, please contact your API administrator";
    /// The organisation's rate limit is exceeded.
    OrgRate 403 "" "This organisation rate limit has been exceeded, please contact your API administrator";
    /// The body exceeds the definition's size limit.
    BodyTooLarge 400 "BTL" "Request is too large";
    /// The body's length isn't known in advance but is required.
    LengthRequired 411 "CLM" "Content length is required for this request";
    /// The body exceeds the gateway's own limit.
    BodyOverLimit 413 "BTL" "request entity too large";
    /// The API needs a credential and none was sent.
    CredentialMissing 401 "AMF" "Authorization field missing";
    /// A credential was sent, but whether it is valid can't be determined.
    CredentialUnavailable 503 "" "The credential can't be checked, so nothing was let through";
    /// No auth method has provided a session.
    SessionMissing 400 "" "Session state is missing or unset! Please make sure that auth headers are properly applied";
    /// The API doesn't know the credential that was sent.
    CredentialUnknown 403 "AKI" "Access to this API has been disallowed";
    /// The credential is malformed.
    CredentialMalformed 400 "IHD" "Attempted access with malformed header";
    /// The scheme and token that an OAuth token requires are missing.
    OauthMissing 400 "AMF" "Authorization field missing";
    /// The token's scheme is not `Bearer`.
    OauthMalformed 400 "IHD" "Bearer token malformed";
    /// The OAuth token doesn't exist or is no longer valid.
    OauthUnknown 403 "AKI" "Key not authorised";
    /// The OAuth token belongs to no client known to this API.
    OauthClientUnknown 403 "EAD" "Key not authorised. OAuth client access was revoked";
    /// The key requires a client certificate, and none was presented.
    CertificateRequired 401 "CRQ" "Client certificate required";
    /// The key is disabled.
    KeyInactive 403 "TKI" "Key is inactive, please renew";
    /// The key has expired.
    KeyExpired 401 "TKE" "Key has expired, please renew";
    /// The key has no access to the API.
    ApiDisallowed 403 "" "Access to this API has been disallowed";
    /// The key has no access to the API's version.
    VersionDisallowed 403 "" "Access to this API has been disallowed";
    /// The key has no access to this path or method.
    ResourceDisallowed 403 "" "Access to this resource has been disallowed";
    /// The key's rate limit is exceeded.
    RateLimit 429 "RLT" "Rate Limit Exceeded";
    /// The key's quota is used up.
    Quota 403 "QEX" "Quota exceeded";
    /// The rate limit of the API or of one of its endpoints is exceeded.
    ApiRate 429 "RLT" "API Rate Limit Exceeded";
    /// The body should be a JSON-RPC message but isn't a JSON object.
    RpcParse 400 "BIV" "parse error";
    /// The body is JSON but not a JSON-RPC message.
    RpcInvalid 400 "BIV" "invalid request";
    /// The message's parameters don't identify what it asks for.
    RpcParams 400 "BIV" "invalid params";
    /// The headers contradict the message.
    RpcHeaders 400 "BIV" "Header mismatch";
    /// None of the targets has issued the message's session.
    SessionUnknown 404 "" "Session not found";
    /// The body does not fit the JSON Schema of its path.
    BodyInvalid 422 "BIV" "The body does not fit the JSON Schema of this path";
    /// The body should be JSON but isn't.
    BodyUnreadable 400 "BIV" "JSON parsing error";
    /// Bodies of the path should be validated, but its JSON Schema is missing or unreadable.
    SchemaMissing 500 "" "no schemas to validate against";
    /// The OpenAPI document has no such example to answer with.
    MockMissing 500 "" "failed to mock response";
    /// Whether a limit is reached can't be determined.
    LimitsUnavailable 503 "" "The limits can't be checked, so nothing was let through";
    /// The request accepts only a cached answer, and there is none (RFC 9111 section 5.2.1.7).
    NotCached 504 "" "There is no cached answer, and the request asks for no other";
    /// A rewrite's regular expression can't be compiled.
    RewriteExpression 500 "" "URLRewrite regexp error";
    /// A rule changes the method to one that can't be sent.
    MethodNotAllowed 405 "" "Method not allowed";
    /// The request loops too often.
    LoopTooDeep 500 "" "Loop level too deep. Found more than 5 loops in single request";
    /// A rewrite names an API that doesn't exist.
    LoopTarget 500 "" "Can't detect loop target";
    /// `target_url` names an API that doesn't exist.
    Target 500 "" "Couldn't detect target";
    /// A batch was sent with a method other than POST.
    BatchMethod 405 "" "A batch is sent with POST";
    /// This isolate has not been able to load the set of APIs yet.
    NotLoaded 503 "" gatewright_api::message::NOT_LOADED;
    /// The client stopped sending its body.
    ClientSlow 408 "" "The request did not arrive in time";
    /// The client disconnected, or its body broke off.
    ClientClosed 499 "CDC" "Client closed request";
    /// The settings for signing requests are incomplete.
    SigningFields 500 "" "Fields required for signing the request are missing";
    /// The signing algorithm is unknown or not permitted.
    SigningAlgorithm 500 "" "Request signing algorithm is not supported";
    /// The signing certificate doesn't exist.
    SigningCertificate 500 "" "Certificate not found";
    /// The signing certificate has no private key.
    SigningKey 500 "" "Certificate does not contain RSA private key";
    /// No access token for the upstream could be obtained.
    UpstreamToken 500 "" "failed to get OAuth token";
    /// All targets fail their uptime tests.
    AllDown 503 "NHU" "all hosts are down";
    /// The circuit breaker of the path is open.
    BreakerOpen 503 "CBO" "Service temporarily unavailable.";
    /// The upstream's name could not be resolved.
    UpstreamLookup 500 "DNS" "Upstream host lookup failed";
    /// The upstream refused the connection.
    UpstreamRefused 500 "UCF" "There was a problem proxying the request";
    /// No TLS connection to the upstream could be established.
    UpstreamTls 500 "TLE" "There was a problem proxying the request";
    /// The upstream did not answer in time.
    UpstreamTimeout 504 "URT" "Upstream service reached hard timeout.";
    /// Any other failure to reach the upstream or get its answer.
    Upstream 500 "URR" "There was a problem proxying the request";
}

impl Failure {
    /// Classifies a platform's message about a failed upstream call. The texts are workerd's, except those of
    /// `certificates.js` about a failed signature and of `bodies.js` about a failing client.
    #[must_use]
    pub fn from_upstream(error: &str) -> Self {
        let error = error.to_ascii_lowercase();
        let says = |texts: &[&str]| texts.iter().any(|text| error.contains(text));
        if says(&["client: gone"]) {
            Self::ClientClosed
        } else if says(&["client: slow"]) {
            Self::ClientSlow
        } else if says(&["signing: no certificate"]) {
            Self::SigningCertificate
        } else if says(&["signing: no rsa key"]) {
            Self::SigningKey
        } else if says(&["dns", "lookup", "getaddrinfo"]) {
            Self::UpstreamLookup
        } else if says(&["tls", "ssl", "certificate", "handshake"]) {
            Self::UpstreamTls
        } else if says(&["timeout", "timed out", "abort"]) {
            Self::UpstreamTimeout
        } else if says(&["network connection lost", "refused", "connect("]) {
            // All that the runtime reports about a refused connection.
            Self::UpstreamRefused
        } else {
            Self::Upstream
        }
    }

    /// Whether the error is sent as plain text, which no definition can customise.
    #[must_use]
    pub const fn is_plain_text(self) -> bool {
        matches!(self, Self::BrokenPath | Self::NoRoute)
    }

    /// Whether the upstream, or the connection to it, failed.
    #[must_use]
    pub const fn is_of_upstream(self) -> bool {
        matches!(
            self,
            Self::UpstreamLookup
                | Self::UpstreamRefused
                | Self::UpstreamTls
                | Self::UpstreamTimeout
                | Self::Upstream
        )
    }

    /// What went wrong with the upstream, for logs and traces; empty for other errors.
    #[must_use]
    pub const fn cause(self) -> &'static str {
        match self {
            Self::UpstreamLookup => "its host name could not be resolved",
            Self::UpstreamRefused => "it took no connection, or ended it",
            Self::UpstreamTls => "no secure connection could be made",
            Self::UpstreamTimeout => "it did not answer in time",
            Self::Upstream => "it could not be reached",
            _ => "",
        }
    }

    /// The id under which `override_messages` of a definition replaces the message (reference 3.2).
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::CredentialMissing => "auth.auth_field_missing",
            Self::CredentialUnknown => "auth.key_not_found",
            Self::CertificateRequired => "auth.cert_required",
            Self::OauthMissing => "oauth.auth_field_missing",
            Self::OauthMalformed => "oauth.auth_field_malformed",
            Self::OauthUnknown => "oauth.key_not_found",
            Self::OauthClientUnknown => "oauth.client_deleted",
            _ => "",
        }
    }
}

/// An answer from the gateway itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An error, formatted by the rules for errors.
    Failure(FailureReply),
    /// An answer that a definition specifies: a mock, a redirect, a preflight.
    Answer(Answer),
}

/// An error with the details of this occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureReply {
    /// The kind of error.
    pub failure: Failure,
    /// Its message.
    pub message: Cow<'static, str>,
    /// Additional headers.
    pub headers: Vec<(String, String)>,
    /// The status to use instead of the error's own, set by a definition.
    pub status: Option<u16>,
    /// The flag to use instead of the error's own, for errors with finer distinctions.
    pub flag: Option<String>,
}

impl FailureReply {
    /// The status, before the rules for errors apply.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.unwrap_or_else(|| self.failure.status())
    }
}

/// A complete response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Answer {
    /// A body of this media type.
    #[must_use]
    pub fn of_type(status: u16, media: &str, body: String) -> Self {
        Self {
            body,
            ..Self::of_status(status).with("content-type", media)
        }
    }

    /// An answer without headers and body.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// The answer with one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// A status that a definition sets, if it can be sent.
#[must_use]
pub fn sendable(status: i64) -> Option<u16> {
    let status = u16::try_from(status).ok();
    status.filter(|status| (200..600).contains(status))
}

impl From<Failure> for Reply {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure.into())
    }
}

impl From<Failure> for FailureReply {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            message: Cow::Borrowed(failure.message()),
            headers: Vec::new(),
            status: None,
            flag: None,
        }
    }
}

impl Reply {
    /// An error with a custom message.
    #[must_use]
    pub fn saying(failure: Failure, message: String) -> Self {
        Self::Failure(FailureReply {
            message: Cow::Owned(message),
            ..failure.into()
        })
    }
}
