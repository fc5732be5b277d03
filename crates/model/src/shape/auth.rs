//! Authentication at an API: credentials, tokens, providers.

use super::Support::{Enforced, Informative, Stored};
use super::{
    BOOL, COUNT, DURATION, FREE, Format, INTEGER, Kind, Names, STATUS, Switch, TEXT, TEXT_MAP,
    Type, URL, members, one_of,
};

const HEADER_NAME: Kind = Kind::Format(Format::Header);
/// The key itself in Base64, or the URL of a key set, plain or in Base64.
const KEY_SOURCE: Kind = Kind::Format(Format::KeySource);
const SIGNING: Kind = one_of!("", "hmac", "rsa", "ecdsa", "rsapss");

/// Names of the methods in `auth_configs`.
pub(crate) const METHOD_NAMES: &[&str] = &[
    "authToken",
    "basic",
    "coprocess",
    "externalOAuth",
    "hmac",
    "jwt",
    "oauth",
    "oidc",
];

/// `AuthConfig`
pub static AUTH_CONFIG: Type = Type {
    name: "AuthConfig",
    doc: super::doc("Where a credential is looked for"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored, detail => "What the method is called in the OpenAPI document";
        "auth_header_name": HEADER_NAME, Enforced, default("\"Authorization\"") => "The header that carries the credential";
        "disable_header": BOOL, Enforced => "Ignores the header";
        "use_param": BOOL, Enforced => "Looks for the credential in a query parameter";
        "param_name": TEXT, Enforced => "The query parameter; empty for the name of the header";
        "use_cookie": BOOL, Enforced => "Looks for the credential in a cookie";
        "cookie_name": TEXT, Enforced => "The cookie; empty for the name of the header";
        "use_certificate": BOOL, Enforced => "Takes the client certificate for a token that isn't sent; of authToken";
        "validate_signature": BOOL, Enforced, protects("the check of the signature of credentials") => "Checks a signature of a token as well; of authToken";
        "signature": Kind::Object(&SIGNATURE), Enforced, detail => "How that signature is made";
    },
};

/// `SignatureConfig`
pub static SIGNATURE: Type = Type {
    name: "SignatureConfig",
    doc: super::doc("How the signature of a credential is made"),
    switch: Switch::None,
    members: members! {
        "algorithm": TEXT, Enforced, detail => "MasheryMD5 or MasherySHA256: the hash of token, secret and the present second";
        "header": HEADER_NAME, Enforced, detail => "The header that carries the signature";
        "use_param": BOOL, Enforced, detail => "Looks for the signature in a query parameter";
        "param_name": TEXT, Enforced, detail => "The query parameter that carries the signature";
        "secret": TEXT, Enforced, detail, secret => "The shared secret, which may have variables such as $gateway_meta.secret";
        "allowed_clock_skew": INTEGER, Enforced, detail => "How many seconds the clocks may differ, 3600 at most";
        "error_code": STATUS, Enforced, detail => "The status of the answer to a wrong signature";
        "error_message": TEXT, Enforced, detail => "The message of the answer to a wrong signature";
    },
};

/// `basic_auth`
pub static BASIC_AUTH: Type = Type {
    name: "basic_auth",
    doc: super::doc("How a user name and a password are looked for"),
    switch: Switch::None,
    members: members! {
        "disable_caching": BOOL, Enforced, detail => "Checks the password anew for every request";
        "cache_ttl": INTEGER, Enforced, detail => "How many seconds a checked password is remembered, 60 at most and without it";
        "extract_from_body": BOOL, Enforced, detail => "Looks for both in the request body";
        "body_user_regexp": Kind::Format(Format::Pattern), Enforced, detail => "A regular expression that finds the user name in the body";
        "body_password_regexp": Kind::Format(Format::Pattern), Enforced, detail => "A regular expression that finds the password in the body";
    },
};

/// `oauth_meta`
pub static OAUTH_META: Type = Type {
    name: "oauth_meta",
    doc: super::doc("Which flows of OAuth 2.0 are allowed"),
    switch: Switch::None,
    members: members! {
        "allowed_access_types": Kind::Array(&one_of!("authorization_code", "refresh_token", "password", "client_credentials")), Enforced => "Grant types";
        "allowed_authorize_types": Kind::Array(&one_of!("code", "token")), Enforced => "Response types";
        "auth_login_redirect": TEXT, Enforced => "Where users log in";
    },
};

/// `NotificationsManager`
pub static NOTIFICATIONS: Type = Type {
    name: "NotificationsManager",
    doc: super::doc("Who is told when an OAuth 2.0 key changes"),
    switch: Switch::None,
    members: members! {
        "oauth_on_keychange_url": URL, Enforced => "The URL that is called";
        "shared_secret": TEXT, Enforced, secret => "A secret that the call carries";
    },
};

/// `AuthProviderMeta`
pub static AUTH_PROVIDER: Type = Type {
    name: "AuthProviderMeta",
    doc: super::doc("Where keys are kept"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative => "The provider";
        "storage_engine": TEXT, Informative => "Its storage";
        "meta": FREE, Informative => "Its settings";
    },
};

/// `SessionProviderMeta`
pub static SESSION_PROVIDER: Type = Type {
    name: "SessionProviderMeta",
    doc: super::doc("Where sessions are kept"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative => "The provider";
        "storage_engine": TEXT, Informative => "Its storage";
        "meta": FREE, Informative => "Its settings";
    },
};

/// `Scopes`
pub static SCOPES: Type = Type {
    name: "Scopes",
    doc: super::doc("Which scope of a token gives which policy"),
    switch: Switch::None,
    members: members! {
        "jwt": Kind::Object(&SCOPE_CLAIM), Enforced, detail => "For JSON Web Tokens";
        "oidc": Kind::Object(&SCOPE_CLAIM), Enforced, detail => "For OpenID Connect tokens";
    },
};

/// `ScopeClaim`
pub static SCOPE_CLAIM: Type = Type {
    name: "ScopeClaim",
    doc: super::doc("Which scope of a token gives which policy"),
    switch: Switch::None,
    members: members! {
        "scope_claim_name": TEXT, Enforced, detail, default("\"scope\"") => "The claim that lists scopes";
        "scope_to_policy": TEXT_MAP, Enforced, detail => "Scopes and policy ids";
    },
};

/// `JWK`: an entry of `jwt_jwks_uris`
pub static JWK: Type = Type {
    name: "JWK",
    doc: super::doc("The URL of a key set"),
    switch: Switch::None,
    members: members! {
        "url": URL, Enforced, expected => "The URL";
        "cache_timeout": DURATION, Enforced => "How long the key set is kept, as a text such as 10m; 0 for the usual time";
    },
};

/// `OpenIDOptions`
pub static OPENID_OPTIONS: Type = Type {
    name: "OpenIDOptions",
    doc: super::doc("OpenID Connect providers whose tokens are accepted"),
    switch: Switch::None,
    members: members! {
        "providers": Kind::Array(&Kind::Object(&OIDC_PROVIDER)), Enforced, detail => "The providers";
        "segregate_by_client": BOOL, Enforced, detail => "Counts users of different clients separately";
    },
};

/// `OIDProviderConfig`
pub static OIDC_PROVIDER: Type = Type {
    name: "OIDProviderConfig",
    doc: super::doc("One OpenID Connect provider"),
    switch: Switch::None,
    members: members! {
        "issuer": TEXT, Enforced, expected => "The issuer its tokens name";
        "client_ids": Kind::Map(&Names::Format(Format::Base64), &Kind::Text), Enforced => "Client ids, base64, and the policies of their users";
    },
};

/// `ExternalOAuth`
pub static EXTERNAL_OAUTH: Type = Type {
    name: "ExternalOAuth",
    doc: super::doc("OAuth 2.0 tokens that another provider issued"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced, protects("OAuth 2.0 of another provider") => "Accepts tokens of these providers";
        "providers": Kind::Array(&Kind::Object(&OAUTH_PROVIDER)), Enforced => "The providers";
    },
};

/// `Provider`
pub static OAUTH_PROVIDER: Type = Type {
    name: "Provider",
    doc: super::doc("A provider of OAuth 2.0 tokens"),
    switch: Switch::None,
    members: members! {
        "jwt": Kind::Object(&JWT_VALIDATION), Enforced => "How its tokens are checked when they are JSON Web Tokens";
        "introspection": Kind::Object(&INTROSPECTION), Enforced => "How the provider is asked about a token (RFC 7662)";
    },
};

/// `JWTValidation`
pub static JWT_VALIDATION: Type = Type {
    name: "JWTValidation",
    doc: super::doc("How JSON Web Tokens of a provider are checked"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Switches the check on";
        "signing_method": SIGNING, Enforced => "The family of algorithms tokens are signed with";
        "source": KEY_SOURCE, Enforced => "The key in base64, or the URL of a key set";
        "identity_base_field": TEXT, Enforced => "The claim that says who the user is";
        "expires_at_validation_skew": COUNT, Enforced => "How many seconds a token may have expired";
        "issued_at_validation_skew": COUNT, Enforced => "How many seconds a token may be issued in the future";
        "not_before_validation_skew": COUNT, Enforced => "How many seconds a token may be used too early";
    },
};

/// `Introspection`
pub static INTROSPECTION: Type = Type {
    name: "Introspection",
    doc: super::doc("How a provider is asked about a token (RFC 7662)"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Switches asking on";
        "url": URL, Enforced => "The URL that is asked";
        "client_id": TEXT, Enforced => "The name the gateway asks with";
        "client_secret": TEXT, Enforced, secret => "The password the gateway asks with";
        "identity_base_field": TEXT, Enforced => "The member of the answer that says who the user is";
        "cache": Kind::Object(&INTROSPECTION_CACHE), Enforced => "How long answers are kept";
    },
};

/// `IntrospectionCache`
pub static INTROSPECTION_CACHE: Type = Type {
    name: "IntrospectionCache",
    doc: super::doc("How long answers about tokens are kept"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Keeps answers";
        "timeout": INTEGER, Enforced => "How many seconds an answer is kept; 0 as long as the token is valid";
    },
};
