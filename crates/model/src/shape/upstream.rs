//! Credentials that the gateway sends to the upstream.

use super::Support::Enforced;
use super::{BOOL, Format, Kind, Switch, TEXT, TEXTS, Type, URL, members};

const HEADER_NAME: Kind = Kind::Format(Format::Header);

/// `UpstreamAuth`
pub static UPSTREAM_AUTH: Type = Type {
    name: "UpstreamAuth",
    doc: super::doc("Credentials the gateway sends to the upstream"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Enables it";
        "basic_auth": Kind::Object(&UPSTREAM_BASIC_AUTH), Enforced => "A user name and a password";
        "oauth": Kind::Object(&UPSTREAM_OAUTH), Enforced, needs("enabled") => "An OAuth 2.0 token";
    },
};

/// `UpstreamBasicAuth`
pub static UPSTREAM_BASIC_AUTH: Type = Type {
    name: "UpstreamBasicAuth",
    doc: super::doc("A user name and a password for the upstream"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Sends them";
        "username": TEXT, Enforced => "The user name";
        "password": TEXT, Enforced, secret => "The password";
        "header": Kind::Object(&AUTH_SOURCE), Enforced => "The header that carries them";
    },
};

/// `AuthSource`
pub static AUTH_SOURCE: Type = Type {
    name: "AuthSource",
    doc: super::doc("The header that carries a credential"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Uses a header with another name";
        "name": HEADER_NAME, Enforced, default("\"Authorization\"") => "The name of the header";
    },
};

/// `UpstreamOAuth`
pub static UPSTREAM_OAUTH: Type = Type {
    name: "UpstreamOAuth",
    doc: super::doc("An OAuth 2.0 token for the upstream"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Requests a token and sends it";
        "allowed_authorize_types": TEXTS, Enforced => "The one flow to use: clientCredentials or password";
        "client_credentials": Kind::Object(&CLIENT_CREDENTIALS), Enforced => "How a token is requested with clientCredentials";
        "password": Kind::Object(&PASSWORD_FLOW), Enforced => "How a token is requested with password";
    },
};

/// `ClientCredentials`
pub static CLIENT_CREDENTIALS: Type = Type {
    name: "ClientCredentials",
    doc: super::doc("How a token is requested with the client's own credentials"),
    switch: Switch::None,
    members: members! {
        "client_id": TEXT, Enforced => "The client id";
        "client_secret": TEXT, Enforced, secret => "The client secret";
        "method": TEXT, Enforced => "How the client sends its secret: client_secret_basic or client_secret_post";
        "token_url": URL, Enforced => "The token endpoint";
        "scopes": TEXTS, Enforced => "Scopes to request";
        "extra_metadata": TEXTS, Enforced => "Response members that become context variables";
        "header": Kind::Object(&AUTH_SOURCE), Enforced => "The header that carries the token";
    },
};

/// `PasswordAuthentication`
pub static PASSWORD_FLOW: Type = Type {
    name: "PasswordAuthentication",
    doc: super::doc("How a token is requested with a user name and a password"),
    switch: Switch::None,
    members: members! {
        "client_id": TEXT, Enforced => "The client id";
        "client_secret": TEXT, Enforced, secret => "The client secret";
        "method": TEXT, Enforced => "How the client sends its secret: client_secret_basic or client_secret_post";
        "username": TEXT, Enforced => "The user name";
        "password": TEXT, Enforced, secret => "The password";
        "token_url": URL, Enforced => "The token endpoint";
        "scopes": TEXTS, Enforced => "Scopes to request";
        "extra_metadata": TEXTS, Enforced => "Response members that become context variables";
        "header": Kind::Object(&AUTH_SOURCE), Enforced => "The header that carries the token";
    },
};
