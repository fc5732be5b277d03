//! Errors that the gateway answers itself on the data plane (reference 3.2).

use serde::Serialize;
use std::borrow::Cow;

/// Declares the errors: variant, status, flag of `error_overrides`, message.
macro_rules! failures {
    ($( $(#[$doc:meta])* $name:ident $status:literal $flag:literal $message:expr; )*) => {
        /// Why a request did not reach its upstream, or got nothing from it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Failure { $( $(#[$doc])* $name, )* }

        impl Failure {
            /// All of them.
            pub const ALL: &[Self] = &[ $( Self::$name, )* ];

            /// The status code.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $( Self::$name => $status, )* }
            }

            /// The message, those of the reference word by word.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $( Self::$name => $message, )* }
            }

            /// The flag that `error_overrides` of a definition can name (reference 3.3); "" for none.
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
    /// No API listens here.
    NoRoute 404 "NRH" "Not Found";
    /// No version was asked for and there is no default.
    VersionMissing 403 "" "Version information not found";
    /// A version that the base of several APIs doesn't know.
    VersionUnknown 404 "" "This API version does not seem to exist";
    /// A version that the API itself doesn't know.
    VersionUnknownHere 403 "" "This API version does not seem to exist";
    /// The version that is fallen back to doesn't exist.
    FallbackBroken 500 "" "Internal Server Error";
    /// The version has ended.
    VersionExpired 403 "" "Api Version has expired, please check documentation or contact administrator";
    /// The API has ended.
    ApiExpired 403 "" "API has expired, please check documentation or contact administrator";
    /// No version of several is the one of an API without versions.
    NoDefaultVersion 403 "" "No default API version for this non-versioned API found";
    /// More than one version could be the one of an API without versions.
    AmbiguousDefaultVersion 403 "" "Ambiguous default API version for this non-versioned API";
    /// The lists of paths don't let it pass.
    EndpointForbidden 403 "" "Requested endpoint is forbidden";
    /// The lists of addresses don't let the client pass.
    AddressDisallowed 403 "" "access from this IP has been disallowed";
    /// The organisation is switched off.
    OrgInactive 403 "" "this organisation access has been disabled, please contact your API administrator";
    /// The organisation's quota.
    OrgQuota 403 "" "This organisation quota has been exceeded, please contact your API administrator";
    /// The organisation's rate.
    OrgRate 403 "" "This organisation rate limit has been exceeded, please contact your API administrator";
    /// The body is longer than the definition allows.
    BodyTooLarge 400 "BTL" "Request is too large";
    /// The body's length isn't known in advance and has to be.
    LengthRequired 411 "CLM" "Content length is required for this request";
    /// The body is longer than the gateway takes.
    BodyOverLimit 413 "BTL" "request entity too large";
    /// The API needs a credential and none was sent.
    CredentialMissing 401 "AMF" "Authorization field missing";
    /// A credential was sent and nobody can say whether it is good.
    CredentialUnavailable 503 "" "The credential can't be checked, so nothing was let through";
    /// No method has said whose session it is.
    SessionMissing 400 "" "Session state is missing or unset! Please make sure that auth headers are properly applied";
    /// The API needs a credential and doesn't know this one.
    CredentialUnknown 403 "AKI" "Access to this API has been disallowed";
    /// It does not have the form of one.
    CredentialMalformed 400 "IHD" "Attempted access with malformed header";
    /// No scheme and token where an OAuth token has to be.
    OauthMissing 400 "AMF" "Authorization field missing";
    /// Another scheme than `Bearer` before it.
    OauthMalformed 400 "IHD" "Bearer token malformed";
    /// No such OAuth token, or none any more.
    OauthUnknown 403 "AKI" "Key not authorised";
    /// It is none of a client that this API knows.
    OauthClientUnknown 403 "EAD" "Key not authorised. OAuth client access was revoked";
    /// The key may be used with a client certificate only, and none was shown.
    CertificateRequired 401 "CRQ" "Client certificate required";
    /// The key is switched off.
    KeyInactive 403 "TKI" "Key is inactive, please renew";
    /// The key has ended.
    KeyExpired 401 "TKE" "Key has expired, please renew";
    /// The key has no right to the API.
    ApiDisallowed 403 "" "Access to this API has been disallowed";
    /// The key may not use the API's version.
    VersionDisallowed 403 "" "Access to this API has been disallowed";
    /// The key may not use this path or method.
    ResourceDisallowed 403 "" "Access to this resource has been disallowed";
    /// The key's rate.
    RateLimit 429 "RLT" "Rate Limit Exceeded";
    /// The key's quota.
    Quota 403 "QEX" "Quota exceeded";
    /// The rate of the API or of one of its endpoints.
    ApiRate 429 "RLT" "API Rate Limit Exceeded";
    /// The body had to be a message of JSON-RPC and isn't JSON, or no object.
    RpcParse 400 "BIV" "parse error";
    /// The body is JSON and no message.
    RpcInvalid 400 "BIV" "invalid request";
    /// A message whose parameters don't say what it asks for.
    RpcParams 400 "BIV" "invalid params";
    /// A message of which headers say something else.
    RpcHeaders 400 "BIV" "Header mismatch";
    /// None of several targets has issued the session of a message.
    SessionUnknown 404 "" "Session not found";
    /// The body does not fit the JSON Schema of its path.
    BodyInvalid 422 "BIV" "The body does not fit the JSON Schema of this path";
    /// The body had to be JSON and isn't.
    BodyUnreadable 400 "BIV" "JSON parsing error";
    /// A path whose bodies are to be validated has no JSON Schema that could be read.
    SchemaMissing 500 "" "no schemas to validate against";
    /// The document has no such example to answer with.
    MockMissing 500 "" "failed to mock response";
    /// Whether a limit is reached can't be found out.
    LimitsUnavailable 503 "" "The limits can't be checked, so nothing was let through";
    /// Only the cache was to answer, and it has nothing (RFC 9111 section 5.2.1.7).
    NotCached 504 "" "There is no cached answer, and the request asks for no other";
    /// The expression of a rewrite can't be compiled.
    RewriteExpression 500 "" "URLRewrite regexp error";
    /// A method that a request can't be given.
    MethodNotAllowed 405 "" "Method not allowed";
    /// A request has been sent in a circle.
    LoopTooDeep 500 "" "Loop level too deep. Found more than 5 loops in single request";
    /// A rewrite names an API that there isn't.
    LoopTarget 500 "" "Can't detect loop target";
    /// `target_url` names an API that there isn't.
    Target 500 "" "Couldn't detect target";
    /// A batch was sent with another method than POST.
    BatchMethod 405 "" "A batch is sent with POST";
    /// This isolate could not load the set of APIs yet.
    NotLoaded 503 "" gatewright_api::message::NOT_LOADED;
    /// The client does not send the rest of its body.
    ClientSlow 408 "" "The request did not arrive in time";
    /// The client has gone away, or its body broke off.
    ClientClosed 499 "CDC" "Client closed request";
    /// What signs requests to the upstream is missing.
    SigningFields 500 "" "Fields required for signing the request are missing";
    /// No such algorithm signs requests, or none that may be used.
    SigningAlgorithm 500 "" "Request signing algorithm is not supported";
    /// There is no certificate to sign with.
    SigningCertificate 500 "" "Certificate not found";
    /// The certificate has no key to sign with.
    SigningKey 500 "" "Certificate does not contain RSA private key";
    /// No token for the upstream can be had.
    UpstreamToken 500 "" "failed to get OAuth token";
    /// No target answers its uptime tests.
    AllDown 503 "NHU" "all hosts are down";
    /// The circuit breaker of the path is open.
    BreakerOpen 503 "CBO" "Service temporarily unavailable.";
    /// The upstream's name could not be resolved.
    UpstreamLookup 500 "DNS" "Upstream host lookup failed";
    /// The upstream took no connection.
    UpstreamRefused 500 "UCF" "There was a problem proxying the request";
    /// No secure connection to the upstream could be made.
    UpstreamTls 500 "TLE" "There was a problem proxying the request";
    /// The upstream did not answer in time.
    UpstreamTimeout 504 "URT" "Upstream service reached hard timeout.";
    /// Any other trouble on the way to the upstream.
    Upstream 500 "URR" "There was a problem proxying the request";
}

impl Failure {
    /// Sorts what a platform says about a failed upstream call. The texts are workerd's, but for those of `serve.js`
    /// about a signature that could not be made, and about a client that is at fault itself.
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
            // All that the runtime tells of a connection that is not taken.
            Self::UpstreamRefused
        } else {
            Self::Upstream
        }
    }

    /// True for those that come as plain text: nobody's definition has a say in them.
    #[must_use]
    pub const fn is_plain_text(self) -> bool {
        matches!(self, Self::BrokenPath | Self::NoRoute)
    }

    /// True where it is the upstream, or the way to it, that failed.
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

    /// What has gone wrong on the way to the upstream, for logs and traces; "" elsewhere.
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

/// An answer that the gateway gives itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An error; how it looks is up to the rules for errors.
    Failure(FailureReply),
    /// What a definition says itself: a mock, a redirect, a preflight.
    Answer(Answer),
}

/// An error with what is special about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureReply {
    /// Which error.
    pub failure: Failure,
    /// Its message.
    pub message: Cow<'static, str>,
    /// Headers that come with it.
    pub headers: Vec<(String, String)>,
    /// A status of its own, which a definition sets.
    pub status: Option<u16>,
    /// A flag of its own, where there is one for a part of such errors.
    pub flag: Option<String>,
}

impl FailureReply {
    /// The status, before the rules for errors.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.unwrap_or_else(|| self.failure.status())
    }
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
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
    /// An error with a message of its own.
    #[must_use]
    pub fn saying(failure: Failure, message: String) -> Self {
        Self::Failure(FailureReply {
            message: Cow::Owned(message),
            ..failure.into()
        })
    }
}
