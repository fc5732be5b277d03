//! The top level of an API definition.

use super::Support::{Enforced, Informative, Stored, Unsupported};
use super::auth::{
    AUTH_CONFIG, AUTH_PROVIDER, BASIC_AUTH, EXTERNAL_OAUTH, JWK, METHOD_NAMES, NOTIFICATIONS,
    OAUTH_META, OPENID_OPTIONS, SCOPES, SESSION_PROVIDER,
};
use super::events::EVENT_HANDLERS;
use super::features::{
    ANALYTICS_PLUGIN, CACHE_OPTIONS, CORS, GLOBAL_RATE_LIMIT, GO, MIDDLEWARE, OVERRIDES, PLUGINS,
    REQUEST_SIGNING, RESPONSE_PROCESSOR,
};
use super::graphql::GRAPHQL;
use super::proxy::PROXY;
use super::upstream::UPSTREAM_AUTH;
use super::uptime::UPTIME_TESTS;
use super::versions::{NEVER, VERSION_DATA, VERSION_DEFINITION};
use super::{
    BOOL, COUNT, FREE, Format, HEADERS, INTEGER, Kind, NUMBER, Names, PORT, Switch, TEXT, TEXT_MAP,
    TEXTS, Type, members, one_of,
};

const PORTS: &str = "a worker has no ports of its own; the API is served where the gateway is";
const PLAIN: &str = "the platform serves HTTP only, no plain connections";
const FRONT_TLS: &str = "the platform ends TLS with the certificates of its zone";
const PINNING: &str = "the platform doesn't show the keys of upstream certificates";
const NO_BALANCER_HEADER: &str =
    "connections reach a worker through the platform, which tells the client's address itself";

/// The protocols of this API family; the rules warn of those that are not HTTP.
const PROTOCOLS: Kind = one_of!("http", "https", "h2c", "tcp", "tls", "");

/// `ApiDefinition`
pub static API_DEFINITION: Type = Type {
    name: "ApiDefinition",
    doc: super::doc("An API: where it is served, who may call it, what happens to its requests"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Enforced, required, section("What it is") => "What people call the API";
        "api_id": Kind::Format(Format::Id), Enforced => "The identifier: a-z, A-Z, 0-9, ., _, -, ~; the gateway chooses one when it is empty";
        "id": TEXT, Informative => "The identifier of the record in a dashboard's database";
        "org_id": TEXT, Enforced => "The organisation the API belongs to";
        "slug": TEXT, Informative => "A short name for addresses; no route depends on it";
        "active": BOOL, Enforced, default("true") => "Whether the API is served; only false switches it off";
        "internal": BOOL, Enforced => "Not served publicly, reachable from other APIs only";
        "is_oas": BOOL, Informative => "The definition was made from an OpenAPI document";
        "openapi": FREE, Informative, aside => "What an OpenAPI document says that no other member can; the gateway writes it";
        "tags": TEXTS, Enforced, unless("tags_disabled") => "Labels";
        "tags_disabled": BOOL, Informative => "Ignores the labels when gateways are segmented";
        "expiration": Kind::Format(Format::Date), Enforced, quiet(NEVER) => "When the API ends, as 2006-01-02 15:04";
        "domain": Kind::Format(Format::Domain), Enforced, unless("domain_disabled"), section("Where it is served") => "The host name the API is served on; empty for every host; {name} and {name:expression} stand for a label or a part of one";
        "domain_disabled": BOOL, Enforced => "Ignores domain";
        "listen_port": PORT, Unsupported(PORTS), aside => "A port of its own";
        "protocol": PROTOCOLS, Unsupported(PLAIN), quiet(&["http", "https", "h2c"]) => "The protocol of its own port: http, https, h2c, tcp or tls";
        "enable_proxy_protocol": BOOL, Unsupported(NO_BALANCER_HEADER), aside => "Reads the client's address from a PROXY protocol header";
        "certificates": TEXTS, Unsupported(FRONT_TLS), aside => "Server certificates for domain";
        "proxy": Kind::Object(&PROXY), Enforced, required => "Where requests come in and where they go";
        "enable_batch_request_support": BOOL, Enforced => "Enables the batch endpoint";
        "definition": Kind::Object(&VERSION_DEFINITION), Enforced, section("Versions") => "Where a request says which version it wants, and which API serves it";
        "version_data": Kind::Object(&VERSION_DATA), Enforced => "Rules per version";
        "version_name": TEXT, Informative => "The version name of an API that is a version of another one";
        "use_keyless": BOOL, Enforced, section("Who may call it") => "Lets every request through without a key";
        "use_standard_auth": BOOL, Enforced, detail => "Asks for a key, as an API does that is not keyless";
        "auth": Kind::Object(&AUTH_CONFIG), Enforced => "Where the key is looked for; older form of auth_configs.authToken";
        "auth_configs": Kind::Map(&Names::Known(METHOD_NAMES), &Kind::Object(&AUTH_CONFIG)), Enforced => "Where each method looks for its credential: authToken, basic, coprocess, externalOAuth, hmac, jwt, oauth, oidc";
        "base_identity_provided_by": one_of!("", "auth_token", "basic_auth_user", "custom_auth", "hmac_key", "jwt_claim", "oauth_key", "oidc_user"), Enforced, detail => "Whose session is used when several methods are on";
        "security_requirements": Kind::Array(&TEXTS), Stored, detail => "Which combinations of methods are enough";
        "strip_auth_data": BOOL, Enforced => "Removes the credential before the request is forwarded";
        "use_basic_auth": BOOL, Enforced, protects("basic authentication") => "Asks for a user name and a password";
        "basic_auth": Kind::Object(&BASIC_AUTH), Enforced, detail => "How they are looked for";
        "use_mutual_tls_auth": BOOL, Enforced, protects("the check of client certificates") => "Asks for a client certificate";
        "client_certificates": TEXTS, Enforced, detail => "Client certificates that are accepted";
        "enable_signature_checking": BOOL, Enforced, protects("the check of HTTP signatures") => "Asks for an HTTP signature";
        "hmac_allowed_algorithms": Kind::Array(&one_of!("hmac-sha1", "hmac-sha256", "hmac-sha384", "hmac-sha512", "rsa-sha256")), Enforced, detail => "Algorithms a signature may use";
        "hmac_allowed_clock_skew": NUMBER, Enforced, detail => "How many milliseconds the clocks may differ";
        "use_oauth2": BOOL, Enforced => "Asks for an OAuth 2.0 token of this gateway";
        "oauth_meta": Kind::Object(&OAUTH_META), Enforced => "Which flows of OAuth 2.0 are allowed";
        "notifications": Kind::Object(&NOTIFICATIONS), Enforced => "Who is told when an OAuth 2.0 key changes";
        "external_oauth": Kind::Object(&EXTERNAL_OAUTH), Enforced => "OAuth 2.0 tokens that another provider issued";
        "use_openid": BOOL, Enforced, protects("OpenID Connect") => "Asks for an OpenID Connect token";
        "openid_options": Kind::Object(&OPENID_OPTIONS), Enforced => "OpenID Connect providers whose tokens are accepted";
        "scopes": Kind::Object(&SCOPES), Enforced, detail => "Which scope of a token gives which policy";
        "enable_coprocess_auth": BOOL, Unsupported(PLUGINS), protects("authentication by a plugin") => "Older name of custom_plugin_auth_enabled";
        "custom_plugin_auth_enabled": BOOL, Unsupported(PLUGINS), protects("authentication by a plugin") => "Leaves authentication to a plugin";
        "use_go_plugin_auth": BOOL, Unsupported(GO), protects("authentication by a Go plugin") => "Leaves authentication to a Go plugin";
        "enable_jwt": BOOL, Enforced, protects("the check of JSON Web Tokens") => "Asks for a JSON Web Token";
        "jwt_signing_method": one_of!("", "hmac", "rsa", "ecdsa", "rsapss"), Enforced, detail => "The family of algorithms tokens are signed with: hmac, rsa, rsapss or ecdsa";
        "jwt_source": Kind::Format(Format::KeySource), Enforced, detail, secret => "The key in base64, or the URL of a key set";
        "jwt_jwks_uris": Kind::Array(&Kind::Object(&JWK)), Enforced, detail => "URLs of key sets";
        "jwt_identity_base_field": TEXT, Enforced, detail => "The claim that says who the user is";
        "jwt_client_base_field": TEXT, Enforced, detail => "The claim that says which client it is";
        "jwt_policy_field_name": TEXT, Enforced, detail => "The claim that names the policy";
        "jwt_default_policies": TEXTS, Enforced, detail => "Policies of tokens that name none";
        "jwt_scope_claim_name": TEXT, Enforced, detail => "Older form of scopes.jwt.scope_claim_name";
        "jwt_scope_to_policy_mapping": TEXT_MAP, Enforced, detail => "Older form of scopes.jwt.scope_to_policy";
        "jwt_skip_kid": BOOL, Enforced, detail => "Doesn't take the key id as identity";
        "jwt_expires_at_validation_skew": COUNT, Enforced, detail => "How many seconds a token may have expired";
        "jwt_issued_at_validation_skew": COUNT, Enforced, detail => "How many seconds a token may be issued in the future";
        "jwt_not_before_validation_skew": COUNT, Enforced, detail => "How many seconds a token may be used too early";
        "idp_client_id_mapping_disabled": BOOL, Stored, detail => "Doesn't keep which client of a provider a key belongs to";
        "enable_ip_whitelisting": BOOL, Enforced => "Says that allowed_ips is in force, as it is anyway while it isn't empty";
        "allowed_ips": Kind::Array(&Kind::Format(Format::Address)), Enforced => "The only addresses and CIDR ranges that are let through; empty for all";
        "enable_ip_blacklisting": BOOL, Enforced => "Says that blacklisted_ips is in force, as it is anyway while it isn't empty";
        "blacklisted_ips": Kind::Array(&Kind::Format(Format::Address)), Enforced => "Addresses and CIDR ranges that are refused";
        "ip_access_control_disabled": BOOL, Enforced => "Switches off the lists of addresses whose own switch isn't true";
        "auth_provider": Kind::Object(&AUTH_PROVIDER), Informative, section("Sessions and limits") => "Where keys are kept";
        "session_provider": Kind::Object(&SESSION_PROVIDER), Informative => "Where sessions are kept";
        "session_lifetime": INTEGER, Enforced, detail => "How many seconds a key is kept from its last change, unless it says so itself; 0 or less for ever";
        "session_lifetime_respects_key_expiration": BOOL, Enforced, detail => "Keeps a key until its own end if that is later, and one without an end for ever";
        "dont_set_quota_on_create": BOOL, Enforced, default("false") => "Keeps the quota counter when a key is created or changed";
        "disable_quota": BOOL, Enforced => "Ignores the quotas of keys";
        "disable_rate_limit": BOOL, Enforced => "Ignores rate limits";
        "global_rate_limit": Kind::Object(&GLOBAL_RATE_LIMIT), Enforced, unless("disable_rate_limit") => "A rate limit for all requests of the API together";
        "CORS": Kind::Object(&CORS), Enforced, section("What happens to requests and responses") => "Which foreign web pages may call the API (CORS)";
        "cache_options": Kind::Object(&CACHE_OPTIONS), Enforced => "Which responses are cached, and for how long";
        "response_processors": Kind::Array(&Kind::Object(&RESPONSE_PROCESSOR)), Enforced => "Steps that responses pass, in order";
        "enable_context_vars": BOOL, Enforced => "Offers values of the request to rewriting rules";
        "config_data": FREE, Stored, detail => "Data for plugins";
        "config_data_disabled": BOOL, Stored, detail => "Keeps config_data from plugins";
        "custom_middleware": Kind::Object(&MIDDLEWARE), Stored => "Plugins that run before, between and after the steps of a request";
        "custom_middleware_bundle": TEXT, Unsupported(PLUGINS), unless("custom_middleware_bundle_disabled") => "A bundle of plugins to download";
        "custom_middleware_bundle_disabled": BOOL, Stored, detail => "Switches the bundle off";
        "graphql": Kind::Object(&GRAPHQL), Stored => "GraphQL: checked, proxied or composed by the gateway";
        "request_signing": Kind::Object(&REQUEST_SIGNING), Enforced => "A signature that requests to the upstream carry";
        "upstream_auth": Kind::Object(&UPSTREAM_AUTH), Enforced => "Credentials the gateway shows the upstream";
        "upstream_certificates": TEXT_MAP, Stored, unless("upstream_certificates_disabled") => "Client certificates for upstreams, by host";
        "upstream_certificates_disabled": BOOL, Stored, detail => "Switches upstream_certificates off";
        "pinned_public_keys": TEXT_MAP, Unsupported(PINNING), unless("certificate_pinning_disabled") => "Public keys upstreams have to have, by host";
        "certificate_pinning_disabled": BOOL, Stored, detail => "Switches pinned_public_keys off";
        "uptime_tests": Kind::Object(&UPTIME_TESTS), Enforced => "Requests that find out whether upstreams are up";
        "check_host_against_uptime_tests": BOOL, Enforced => "Older place of proxy.check_host_against_uptime_tests";
        "event_handlers": Kind::Object(&EVENT_HANDLERS), Enforced => "What happens on events";
        "error_overrides": OVERRIDES, Enforced, unless("error_overrides_disabled") => "Answers of your own instead of the gateway's errors, by status";
        "error_overrides_disabled": BOOL, Enforced => "Switches error_overrides off";
        "application_protocol": one_of!("", "mcp"), Enforced => "What the API speaks, if it isn't plain HTTP: mcp";
        "json_rpc_version": one_of!("", "2.0"), Stored, detail => "The version of JSON-RPC it speaks";
        "do_not_track": BOOL, Informative, section("What is recorded") => "Records no analytics";
        "enable_detailed_recording": BOOL, Informative => "Records whole requests and responses";
        "detailed_tracing": BOOL, Informative => "Traces every step of a request";
        "tag_headers": HEADERS, Informative => "Request headers whose values become analytics tags";
        "expire_analytics_after": INTEGER, Informative => "After how many seconds analytics records end";
        "analytics_plugin": Kind::Object(&ANALYTICS_PLUGIN), Informative => "A Go plugin that changes analytics records";
    },
};
