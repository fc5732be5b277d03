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
    doc: super::doc("Where a credential is read from"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored, detail => "The name of the method in the OpenAPI document";
        "auth_header_name": HEADER_NAME, Enforced, default("\"Authorization\"") => "The header that carries the credential";
        "disable_header": BOOL, Enforced => "Ignores the header";
        "use_param": BOOL, Enforced => "Accepts the credential in a query parameter";
        "param_name": TEXT, Enforced => "The query parameter; empty to use the name of the header";
        "use_cookie": BOOL, Enforced => "Accepts the credential in a cookie";
        "cookie_name": TEXT, Enforced => "The cookie; empty to use the name of the header";
        "use_certificate": BOOL, Enforced => "Accepts a client certificate instead of a token; authToken only";
        "validate_signature": BOOL, Enforced, protects("the check of the signature of credentials") => "Also checks a signature of the token; authToken only";
        "signature": Kind::Object(&SIGNATURE), Enforced, detail => "How that signature is computed";
    },
};

/// `SignatureConfig`
pub static SIGNATURE: Type = Type {
    name: "SignatureConfig",
    doc: super::doc("How the signature of a credential is computed"),
    switch: Switch::None,
    members: members! {
        "algorithm": TEXT, Enforced, detail => "MasheryMD5 or MasherySHA256: the hash of token, secret and current time in seconds";
        "header": HEADER_NAME, Enforced, detail => "The header that carries the signature";
        "use_param": BOOL, Enforced, detail => "Accepts the signature in a query parameter; \"param_name\" alone does so too";
        "param_name": TEXT, Enforced, detail => "The query parameter that carries the signature";
        "secret": TEXT, Enforced, detail, secret => "The shared secret; may contain variables such as $gateway_meta.secret";
        "allowed_clock_skew": INTEGER, Enforced, detail => "Tolerated clock skew in seconds, 3600 at most";
        "error_code": STATUS, Enforced, detail => "The response status for an invalid signature";
        "error_message": TEXT, Enforced, detail => "The response message for an invalid signature";
    },
};

/// `basic_auth`
pub static BASIC_AUTH: Type = Type {
    name: "basic_auth",
    doc: super::doc("How a user name and a password are read and cached"),
    switch: Switch::None,
    members: members! {
        "disable_caching": BOOL, Enforced, detail => "Verifies the password again for every request";
        "cache_ttl": INTEGER, Enforced, detail => "How many seconds a verified password is cached; 60 by default and at most";
        "extract_from_body": BOOL, Enforced, detail => "Reads both from the request body";
        "body_user_regexp": Kind::Format(Format::Pattern), Enforced, detail => "A regular expression that finds the user name in the body";
        "body_password_regexp": Kind::Format(Format::Pattern), Enforced, detail => "A regular expression that finds the password in the body";
    },
};

/// `oauth_meta`
pub static OAUTH_META: Type = Type {
    name: "oauth_meta",
    doc: super::doc("Allowed OAuth 2.0 flows"),
    switch: Switch::None,
    members: members! {
        "allowed_access_types": Kind::Array(&one_of!("authorization_code", "refresh_token", "password", "client_credentials")), Enforced => "Grant types";
        "allowed_authorize_types": Kind::Array(&one_of!("code", "token")), Enforced => "Response types";
        "auth_login_redirect": TEXT, Enforced => "The login page";
    },
};

/// `NotificationsManager`
pub static NOTIFICATIONS: Type = Type {
    name: "NotificationsManager",
    doc: super::doc("Where changes of OAuth 2.0 keys are reported"),
    switch: Switch::None,
    members: members! {
        "oauth_on_keychange_url": URL, Enforced => "The URL that is called";
        "shared_secret": TEXT, Enforced, secret => "A secret sent with the call";
    },
};

/// `AuthProviderMeta`
pub static AUTH_PROVIDER: Type = Type {
    name: "AuthProviderMeta",
    doc: super::doc("Where keys are stored"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative => "The provider";
        "storage_engine": TEXT, Informative => "Its storage engine";
        "meta": FREE, Informative => "Its settings";
    },
};

/// `SessionProviderMeta`
pub static SESSION_PROVIDER: Type = Type {
    name: "SessionProviderMeta",
    doc: super::doc("Where sessions are stored"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative => "The provider";
        "storage_engine": TEXT, Informative => "Its storage engine";
        "meta": FREE, Informative => "Its settings";
    },
};

/// `Scopes`
pub static SCOPES: Type = Type {
    name: "Scopes",
    doc: super::doc("Policies assigned by the scopes of a token"),
    switch: Switch::None,
    members: members! {
        "jwt": Kind::Object(&SCOPE_CLAIM), Enforced, detail => "For JSON Web Tokens";
        "oidc": Kind::Object(&SCOPE_CLAIM), Enforced, detail => "For OpenID Connect tokens";
    },
};

/// `ScopeClaim`
pub static SCOPE_CLAIM: Type = Type {
    name: "ScopeClaim",
    doc: super::doc("Policies assigned by the scopes of a token"),
    switch: Switch::None,
    members: members! {
        "scope_claim_name": TEXT, Enforced, detail, default("\"scope\"") => "The claim that lists scopes";
        "scope_to_policy": TEXT_MAP, Enforced, detail => "Policy ids by scope";
    },
};

/// `JWK`: an entry of `jwt_jwks_uris`
pub static JWK: Type = Type {
    name: "JWK",
    doc: super::doc("The URL of a key set"),
    switch: Switch::None,
    members: members! {
        "url": URL, Enforced, expected => "The URL";
        "cache_timeout": DURATION, Enforced => "How long the key set is cached, as a string such as 10m; 0 for the default";
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
    doc: super::doc("An OpenID Connect provider"),
    switch: Switch::None,
    members: members! {
        "issuer": TEXT, Enforced, expected => "The issuer of its tokens";
        "client_ids": Kind::Map(&Names::Format(Format::Base64), &Kind::Text), Enforced => "Policies for the users of each client, by client id in base64";
    },
};

/// `ExternalOAuth`
pub static EXTERNAL_OAUTH: Type = Type {
    name: "ExternalOAuth",
    doc: super::doc("OAuth 2.0 tokens issued by another provider"),
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
        "jwt": Kind::Object(&JWT_VALIDATION), Enforced => "How its tokens are validated if they are JSON Web Tokens";
        "introspection": Kind::Object(&INTROSPECTION), Enforced => "Token introspection by the provider (RFC 7662)";
    },
};

/// `JWTValidation`
pub static JWT_VALIDATION: Type = Type {
    name: "JWTValidation",
    doc: super::doc("How JSON Web Tokens of a provider are validated"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Enables the validation";
        "signing_method": SIGNING, Enforced => "The family of signing algorithms";
        "source": KEY_SOURCE, Enforced, secret => "The key in base64, or the URL of a key set";
        "identity_base_field": TEXT, Enforced => "The claim that identifies the user";
        "expires_at_validation_skew": COUNT, Enforced => "How many seconds after its expiry a token is still accepted";
        "issued_at_validation_skew": COUNT, Enforced => "How many seconds ahead the issue time of a token may be";
        "not_before_validation_skew": COUNT, Enforced => "How many seconds before it becomes valid a token is accepted";
    },
};

/// `Introspection`
pub static INTROSPECTION: Type = Type {
    name: "Introspection",
    doc: super::doc("Token introspection by a provider (RFC 7662)"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Enables introspection";
        "url": URL, Enforced => "The introspection endpoint";
        "client_id": TEXT, Enforced => "The client id of the gateway";
        "client_secret": TEXT, Enforced, secret => "The client secret of the gateway";
        "identity_base_field": TEXT, Enforced => "The response member that identifies the user";
        "cache": Kind::Object(&INTROSPECTION_CACHE), Enforced => "How long responses are cached";
    },
};

/// `IntrospectionCache`
pub static INTROSPECTION_CACHE: Type = Type {
    name: "IntrospectionCache",
    doc: super::doc("How long introspection responses are cached"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Enables caching";
        "timeout": INTEGER, Enforced => "How many seconds a response is cached; 0 for as long as the token is valid";
    },
};
