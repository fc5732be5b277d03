//! Types of single features: authentication, caching, CORS, rate limit, plugins, events.

use super::Support::{Stored, Unsupported};
use super::{ANY, BOOL, FREE, INTEGER, Kind, NUMBER, Switch, TEXT, TEXT_MAP, TEXTS, Type, members};

pub(super) const PLUGINS: &str = "the platform runs no code that isn't part of the deployed worker";

/// `AuthConfig`
pub static AUTH_CONFIG: Type = Type {
    name: "AuthConfig",
    doc: "Where a credential is looked for",
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored, detail => "What the method is called in the OpenAPI document";
        "auth_header_name": TEXT, Stored, detail, default("\"Authorization\"") => "The header that carries the credential";
        "disable_header": BOOL, Stored, detail => "Ignores the header";
        "use_param": BOOL, Stored, detail => "Looks for the credential in a query parameter";
        "param_name": TEXT, Stored, detail => "The query parameter; empty for the name of the header";
        "use_cookie": BOOL, Stored, detail => "Looks for the credential in a cookie";
        "cookie_name": TEXT, Stored, detail => "The cookie; empty for the name of the header";
        "use_certificate": BOOL, Stored => "Takes the client certificate as credential";
        "validate_signature": BOOL, Stored => "Checks a signature of the credential as well";
        "signature": Kind::Object(&SIGNATURE), Stored, detail => "How that signature is made";
    },
};

/// `SignatureConfig`
pub static SIGNATURE: Type = Type {
    name: "SignatureConfig",
    doc: "How the signature of a credential is made",
    switch: Switch::None,
    members: members! {
        "algorithm": TEXT, Stored, detail => "The algorithm of the signature";
        "header": TEXT, Stored, detail => "The header that carries the signature";
        "use_param": BOOL, Stored, detail => "Looks for the signature in a query parameter";
        "param_name": TEXT, Stored, detail => "The query parameter that carries the signature";
        "secret": TEXT, Stored, detail => "The shared secret";
        "allowed_clock_skew": INTEGER, Stored, detail => "How many seconds the clocks may differ";
        "error_code": INTEGER, Stored, detail => "The status of the answer to a wrong signature";
        "error_message": TEXT, Stored, detail => "The message of the answer to a wrong signature";
    },
};

/// `CacheOptions`
pub static CACHE_OPTIONS: Type = Type {
    name: "CacheOptions",
    doc: "Which responses are cached, and for how long",
    switch: Switch::On("enable_cache"),
    members: members! {
        "enable_cache": BOOL, Stored => "Switches caching on; false stops all caching";
        "cache_timeout": INTEGER, Stored, default("60") => "How many seconds a response is kept";
        "cache_all_safe_requests": BOOL, Stored => "Caches all GET, HEAD and OPTIONS requests";
        "cache_response_codes": Kind::Array(&INTEGER), Stored => "Only responses of these statuses are cached; empty for all";
        "cache_by_headers": TEXTS, Stored => "Headers whose values are part of the cache key";
        "enable_upstream_cache_control": BOOL, Stored => "Lets the upstream say whether and how long a response is cached";
        "cache_control_ttl_header": TEXT, Stored => "The response header in which the upstream says how long";
    },
};

/// `CORSConfig`
pub static CORS: Type = Type {
    name: "CORSConfig",
    doc: "Which foreign web pages may call the API (CORS)",
    switch: Switch::On("enable"),
    members: members! {
        "enable": BOOL, Stored => "Switches CORS on";
        "allowed_origins": TEXTS, Stored => "Origins that may call the API; * for all";
        "allowed_methods": TEXTS, Stored => "Methods they may use";
        "allowed_headers": TEXTS, Stored => "Request headers they may send";
        "exposed_headers": TEXTS, Stored => "Response headers they may read";
        "allow_credentials": BOOL, Stored => "Lets browsers send cookies and credentials";
        "max_age": INTEGER, Stored => "How many seconds a preflight answer is valid";
        "options_passthrough": BOOL, Stored => "Leaves OPTIONS requests to the upstream";
        "debug": BOOL, Stored => "Logs what CORS decides";
    },
};

/// `GlobalRateLimit`
pub static GLOBAL_RATE_LIMIT: Type = Type {
    name: "GlobalRateLimit",
    doc: "A rate limit for all requests of the API together",
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored, detail => "Switches the limit off";
        "rate": NUMBER, Stored => "How many requests are let through per period; 0 for no limit";
        "per": NUMBER, Stored, detail => "The period in seconds";
    },
};

/// `MiddlewareSection`
pub static MIDDLEWARE: Type = Type {
    name: "MiddlewareSection",
    doc: "Plugins that run before, between and after the steps of a request",
    switch: Switch::None,
    members: members! {
        "driver": TEXT, Unsupported(PLUGINS), detail => "What runs the plugins";
        "pre": Kind::Array(&MIDDLEWARE_ENTRY), Unsupported(PLUGINS) => "Plugins that run before authentication";
        "auth_check": MIDDLEWARE_ENTRY, Unsupported(PLUGINS), detail => "The plugin that authenticates";
        "post_key_auth": Kind::Array(&MIDDLEWARE_ENTRY), Unsupported(PLUGINS) => "Plugins that run after authentication";
        "post": Kind::Array(&MIDDLEWARE_ENTRY), Unsupported(PLUGINS) => "Plugins that run last before the request is forwarded";
        "response": Kind::Array(&MIDDLEWARE_ENTRY), Unsupported(PLUGINS) => "Plugins that see the response";
        "id_extractor": Kind::Object(&ID_EXTRACTOR), Unsupported(PLUGINS), detail => "How a plugin's verdict is kept per credential";
    },
};

const MIDDLEWARE_ENTRY: Kind = Kind::Object(&MIDDLEWARE_DEFINITION);

/// `MiddlewareDefinition`
pub static MIDDLEWARE_DEFINITION: Type = Type {
    name: "MiddlewareDefinition",
    doc: "One plugin",
    switch: Switch::None,
    members: members! {
        "disabled": BOOL, Stored, detail => "Switches the plugin off";
        "name": TEXT, Stored, detail => "The function it calls";
        "path": TEXT, Stored, detail => "The file that holds it";
        "raw_body_only": BOOL, Stored, detail => "Gives the plugin the request body as bytes only";
        "require_session": BOOL, Stored, detail => "Gives the plugin the session of the key";
    },
};

/// `MiddlewareIdExtractor`
pub static ID_EXTRACTOR: Type = Type {
    name: "MiddlewareIdExtractor",
    doc: "How a plugin's verdict is kept per credential",
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored, detail => "Switches it off";
        "extract_from": TEXT, Stored, detail => "Where the credential stands: header, form or body";
        "extract_with": TEXT, Stored, detail => "How it is taken out: value, regex or xpath";
        "extractor_config": FREE, Stored, detail => "The settings of that way";
    },
};

/// `AnalyticsPluginConfig`
pub static ANALYTICS_PLUGIN: Type = Type {
    name: "AnalyticsPluginConfig",
    doc: "A Go plugin that changes analytics records",
    switch: Switch::On("enable"),
    members: members! {
        "enable": BOOL, Unsupported(PLUGINS) => "Switches the plugin on";
        "func_name": TEXT, Stored => "The function it calls";
        "plugin_path": TEXT, Stored => "The file that holds it";
    },
};

/// `EventHandlerMetaConfig`
pub static EVENT_HANDLERS: Type = Type {
    name: "EventHandlerMetaConfig",
    doc: "What happens on events",
    switch: Switch::None,
    members: members! {
        "events": Kind::Map(&Kind::Array(&EVENT_HANDLER)), Stored => "Event names and the handlers they are given to";
    },
};

const EVENT_HANDLER: Kind = Kind::Object(&Type {
    name: "EventHandlerTriggerConfig",
    doc: "One handler of an event",
    switch: Switch::None,
    members: members! {
        "handler_name": TEXT, Stored, detail => "Which kind of handler";
        "handler_meta": FREE, Stored, detail => "Its settings";
    },
});

/// `ExternalOAuth`
pub static EXTERNAL_OAUTH: Type = Type {
    name: "ExternalOAuth",
    doc: "OAuth 2.0 tokens that another provider issued",
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Stored, protects("OAuth 2.0 of another provider") => "Accepts tokens of these providers";
        "providers": Kind::Array(&FREE), Stored => "The providers";
    },
};

/// `GraphQLConfig`; its inner types are free objects until the gateway speaks GraphQL.
pub static GRAPHQL: Type = Type {
    name: "GraphQLConfig",
    doc: "GraphQL: checked, proxied or composed by the gateway",
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Stored => "Treats the API as GraphQL";
        "execution_mode": Kind::Enum(&["proxyOnly", "executionEngine", "subgraph", "supergraph", ""]), Stored => "Who answers the queries";
        "version": Kind::Enum(&["1", "2", ""]), Stored => "The version of the configuration";
        "schema": TEXT, Stored => "The schema in GraphQL's own language";
        "last_schema_update": TEXT, Stored => "When the schema was changed last, RFC 3339";
        "type_field_configurations": Kind::Array(&FREE), Stored => "Data sources of version 1";
        "engine": FREE, Stored => "Data sources of version 2";
        "proxy": FREE, Stored => "Headers and subscriptions of the upstream";
        "introspection": FREE, Stored => "Whether the schema may be asked for";
        "playground": FREE, Stored => "A page for trying queries";
        "subgraph": FREE, Stored => "The schema of this subgraph";
        "supergraph": FREE, Stored => "The subgraphs of this supergraph";
    },
};

/// `RequestSigningMeta`
pub static REQUEST_SIGNING: Type = Type {
    name: "RequestSigningMeta",
    doc: "A signature that requests to the upstream carry",
    switch: Switch::On("is_enabled"),
    members: members! {
        "is_enabled": BOOL, Stored => "Signs requests to the upstream";
        "algorithm": TEXT, Stored => "The algorithm of the signature";
        "certificate_id": TEXT, Stored => "The certificate whose key signs";
        "header_list": TEXTS, Stored => "The headers that are signed";
        "key_id": TEXT, Stored => "What the key is called in the signature";
        "secret": TEXT, Stored => "The shared secret that signs";
        "signature_header": TEXT, Stored => "The header that carries the signature";
    },
};

/// `UptimeTests`
pub static UPTIME_TESTS: Type = Type {
    name: "UptimeTests",
    doc: "Requests that find out whether upstreams are up",
    switch: Switch::None,
    members: members! {
        "disabled": BOOL, Stored, detail => "Switches the tests off";
        "check_list": Kind::Array(&FREE), Stored => "The requests";
        "config": FREE, Stored, detail => "How often, and where upstreams are found";
    },
};

/// `ErrorOverride`
pub static ERROR_OVERRIDE: Type = Type {
    name: "ErrorOverride",
    doc: "An answer of your own instead of the gateway's error",
    switch: Switch::None,
    members: members! {
        "match": FREE, Stored, detail => "Which errors of the status it replaces";
        "response": FREE, Stored, detail => "The answer";
    },
};

/// `ResponseProcessor`
pub static RESPONSE_PROCESSOR: Type = Type {
    name: "ResponseProcessor",
    doc: "A step that responses pass",
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored, detail => "Which step: header_injector, response_body_transform, …";
        "options": ANY, Stored, detail => "Its settings";
    },
};

/// `OpenIDOptions`
pub static OPENID_OPTIONS: Type = Type {
    name: "OpenIDOptions",
    doc: "OpenID Connect providers whose tokens are accepted",
    switch: Switch::None,
    members: members! {
        "providers": Kind::Array(&OIDC_PROVIDER), Stored, detail => "The providers";
        "segregate_by_client": BOOL, Stored, detail => "Counts users of different clients separately";
    },
};

const OIDC_PROVIDER: Kind = Kind::Object(&Type {
    name: "OIDProviderConfig",
    doc: "One OpenID Connect provider",
    switch: Switch::None,
    members: members! {
        "issuer": TEXT, Stored, detail => "The issuer its tokens name";
        "client_ids": TEXT_MAP, Stored, detail => "Client ids, base64, and the policies of their users";
    },
});
