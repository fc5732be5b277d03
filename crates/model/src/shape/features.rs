//! Types of single features: caching, CORS, rate limit, plugins, errors.

use super::Support::{Enforced, Informative, Stored, Unsupported};
use super::{
    BOOL, Format, HEADER_MAP, HEADERS, INTEGER, Kind, METHODS, NUMBER, Names, PATTERN, STATUS,
    STATUSES, Switch, TEXT, TEXTS, Tagged, Type, members, one_of,
};

pub(super) const PLUGINS: &str = "bundles of plugins and their servers are for gateways that run Python, Lua or Go, which the platform never does";
pub(super) const GO: &str = "the platform never loads Go plugins";

/// Why a template has no effect.
const NO_FILES: &str = "there are no files to take a template from";

/// `CacheOptions`
pub static CACHE_OPTIONS: Type = Type {
    name: "CacheOptions",
    doc: super::doc("Which responses are cached, and for how long"),
    switch: Switch::On("enable_cache"),
    members: members! {
        "enable_cache": BOOL, Enforced, detail => "Enables caching; false disables all caching";
        "cache_timeout": INTEGER, Enforced, default("60") => "How many seconds a response is cached";
        "cache_all_safe_requests": BOOL, Enforced, needs("enable_cache") => "Caches all GET, HEAD and OPTIONS requests";
        "cache_response_codes": STATUSES, Enforced => "Response statuses that are cached; empty for all";
        "cache_by_headers": HEADERS, Enforced => "Headers whose values are part of the cache key";
        "enable_upstream_cache_control": BOOL, Enforced => "Lets the upstream decide whether and how long a response is cached";
        "cache_control_ttl_header": Kind::Format(Format::Header), Enforced => "The response header in which the upstream sets the cache time";
    },
};

/// `CORSConfig`
pub static CORS: Type = Type {
    name: "CORSConfig",
    doc: super::doc("Which web pages of other origins may call the API (CORS)"),
    switch: Switch::On("enable"),
    members: members! {
        "enable": BOOL, Enforced => "Enables CORS";
        "allowed_origins": TEXTS, Enforced => "Allowed origins; * for all";
        "allowed_methods": METHODS, Enforced => "Allowed methods";
        "allowed_headers": HEADERS, Enforced => "Allowed request headers";
        "exposed_headers": HEADERS, Enforced => "Response headers web pages may read";
        "allow_credentials": BOOL, Enforced => "Lets browsers send cookies and credentials";
        "max_age": INTEGER, Enforced => "How many seconds a preflight response is valid";
        "options_passthrough": BOOL, Enforced => "Leaves OPTIONS requests to the upstream";
        "debug": BOOL, Informative => "Logs CORS decisions";
    },
};

/// `GlobalRateLimit`
pub static GLOBAL_RATE_LIMIT: Type = Type {
    name: "GlobalRateLimit",
    doc: super::doc("A rate limit shared by all requests to the API"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced => "Disables the limit";
        "rate": NUMBER, Enforced => "Requests allowed per period; 0 for no limit";
        "per": NUMBER, Enforced => "The period in seconds";
    },
};

/// `MiddlewareSection`
pub static MIDDLEWARE: Type = Type {
    name: "MiddlewareSection",
    doc: super::doc("Plugins that run before, between and after the steps of a request"),
    switch: Switch::None,
    members: members! {
        "driver": one_of!("", "otto", "python", "lua", "grpc", "goplugin"), Stored, detail => "The engine that runs the plugins";
        "pre": Kind::Array(&MIDDLEWARE_ENTRY), Stored => "Plugins that run before authentication";
        "auth_check": MIDDLEWARE_ENTRY, Stored, detail => "The plugin that authenticates requests";
        "post_key_auth": Kind::Array(&MIDDLEWARE_ENTRY), Stored => "Plugins that run after authentication";
        "post": Kind::Array(&MIDDLEWARE_ENTRY), Stored => "Plugins that run just before the request is forwarded";
        "response": Kind::Array(&MIDDLEWARE_ENTRY), Stored => "Plugins that process the response";
        "id_extractor": Kind::Object(&ID_EXTRACTOR), Stored, detail => "How a plugin's verdict is cached per credential";
    },
};

const MIDDLEWARE_ENTRY: Kind = Kind::Object(&MIDDLEWARE_DEFINITION);

/// `MiddlewareDefinition`
pub static MIDDLEWARE_DEFINITION: Type = Type {
    name: "MiddlewareDefinition",
    doc: super::doc("A plugin"),
    switch: Switch::None,
    members: members! {
        "disabled": BOOL, Stored, detail => "Disables the plugin";
        "name": TEXT, Stored, detail => "The function it calls";
        "path": TEXT, Stored, detail => "The file that contains it";
        "raw_body_only": BOOL, Stored, detail => "Passes the request body to the plugin as raw bytes only";
        "require_session": BOOL, Stored, detail => "Passes the session of the key to the plugin";
        "code": TEXT, Stored, detail => "The code, in base64";
    },
};

/// `MiddlewareIdExtractor`
pub static ID_EXTRACTOR: Type = Type {
    name: "MiddlewareIdExtractor",
    doc: super::doc("How a plugin's verdict is cached per credential"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored, detail => "Disables it";
        "extract_from": one_of!("", "header", "form", "body", "querystring"), Stored, detail => "Where the credential is: header, form or body";
        "extract_with": one_of!("", "value", "regex", "xpath"), Stored, detail => "How it is extracted: value, regex or xpath";
        "extractor_config": Kind::Object(&ID_EXTRACTOR_CONFIG), Stored, detail => "The settings of the extraction";
    },
};

/// `MiddlewareIdExtractor.extractor_config`
pub static ID_EXTRACTOR_CONFIG: Type = Type {
    name: "MiddlewareIdExtractor.extractor_config",
    doc: super::doc("How a credential is extracted from a request"),
    switch: Switch::None,
    members: members! {
        "header_name": Kind::Format(Format::Header), Stored => "The header that contains it";
        "param_name": TEXT, Stored => "The form parameter that contains it";
        "form_param_name": TEXT, Stored => "Another name for param_name";
        "regex_expression": PATTERN, Stored => "A regular expression that matches it";
        "regex_match_index": INTEGER, Stored => "The index of the match; the first is 0";
        "xpath_expression": TEXT, Stored => "An XPath expression that selects it";
    },
};

/// `AnalyticsPluginConfig`
pub static ANALYTICS_PLUGIN: Type = Type {
    name: "AnalyticsPluginConfig",
    doc: super::doc("A Go plugin that modifies analytics records"),
    switch: Switch::On("enable"),
    members: members! {
        "enable": BOOL, Informative => "Enables the plugin";
        "func_name": TEXT, Informative => "The function it calls";
        "plugin_path": TEXT, Informative => "The file that contains it";
    },
};

/// `RequestSigningMeta`
pub static REQUEST_SIGNING: Type = Type {
    name: "RequestSigningMeta",
    doc: super::doc("The signature of requests to the upstream"),
    switch: Switch::On("is_enabled"),
    members: members! {
        "is_enabled": BOOL, Enforced => "Signs requests to the upstream";
        "algorithm": TEXT, Enforced => "The signature algorithm";
        "certificate_id": TEXT, Enforced => "The id of the stored certificate with the signing key, for rsa-sha256";
        "header_list": HEADERS, Enforced => "Headers to sign";
        "key_id": TEXT, Enforced => "The key id stated in the signature";
        "secret": TEXT, Enforced, secret => "The shared secret for signing";
        "signature_header": Kind::Format(Format::Header), Enforced => "The header that carries the signature";
    },
};

/// Statuses, exact or by class, that `error_overrides` may name (reference section 3.3).
pub(super) const OVERRIDES: Kind = Kind::Map(
    &Names::Format(Format::StatusOrClass),
    &Kind::Array(&Kind::Object(&ERROR_OVERRIDE)),
);

/// Flags of errors (reference section 3.3).
const FLAGS: Kind = one_of!(
    "TLE", "TLI", "TLM", "TLN", "TLH", "TLP", "TLA", "TLC", "UCF", "UCT", "URR", "URT", "EPI",
    "CAB", "NRS", "DNS", "NRH", "NHU", "CBO", "CDC", "URS", "UPE", "RLT", "QEX", "AMF", "AKI",
    "TKE", "TKI", "TCV", "EAD", "IHD", "CRQ", "CMM", "BTL", "CLM", "BIV", "",
);

/// `ErrorOverride`
pub static ERROR_OVERRIDE: Type = Type {
    name: "ErrorOverride",
    doc: super::doc("A custom response instead of the gateway's error"),
    switch: Switch::None,
    members: members! {
        "match": Kind::Object(&ERROR_MATCHER), Enforced => "Which errors of the status it replaces; absent for all";
        "response": Kind::Object(&ERROR_RESPONSE), Enforced, expected => "The response";
    },
};

/// `ErrorMatcher`
pub static ERROR_MATCHER: Type = Type {
    name: "ErrorMatcher",
    doc: super::doc("Which errors of a status are replaced"),
    switch: Switch::None,
    members: members! {
        "flag": FLAGS, Enforced => "The flag of the error; if it differs, the other members can still match";
        "message_pattern": PATTERN, Enforced => "A regular expression for the message";
        "body_field": TEXT, Enforced => "The path to a member of the upstream's response";
        "body_value": PATTERN, Enforced => "The text or pattern that member must equal or match";
    },
};

/// `ErrorResponse`
pub static ERROR_RESPONSE: Type = Type {
    name: "ErrorResponse",
    doc: super::doc("A custom response"),
    switch: Switch::None,
    members: members! {
        "status_code": STATUS, Enforced => "The status; 0 for that of the error";
        "headers": HEADER_MAP, Enforced => "The headers";
        "body": Kind::Format(Format::Template), Enforced => "The body; may contain {{.StatusCode}}, {{.Message}} and {{.InvalidParams}}";
        "message": TEXT, Enforced => "A message for the default error template";
        "template": TEXT, Unsupported(NO_FILES), quiet(&["error"]) => "The name of a template file; error for the default template";
    },
};

/// `ResponseProcessor`
pub static RESPONSE_PROCESSOR: Type = Type {
    name: "ResponseProcessor",
    doc: super::doc("A processing step for responses"),
    switch: Switch::None,
    members: members! {
        "name": one_of!("header_injector", "response_body_transform", "response_body_transform_jq", "header_transform", "custom_mw_res_hook", "goplugin_res_hook"), Enforced, expected => "The step: header_injector, response_body_transform, …";
        "options": Kind::Tagged(&OPTIONS), Enforced => "Its settings; add_headers and remove_headers for header_injector";
    },
};

const OPTIONS: Tagged = Tagged {
    by: "name",
    types: &[
        ("header_injector", &HEADER_INJECTOR),
        ("header_transform", &HEADER_TRANSFORM),
    ],
};

/// `ResponseProcessor.options` of `header_transform`
pub static HEADER_TRANSFORM: Type = Type {
    name: "ResponseProcessor.options (header_transform)",
    doc: super::doc("Headers whose URLs are rewritten"),
    switch: Switch::None,
    members: members! {
        "rev_proxy_header_cleanup": Kind::Object(&HEADER_CLEANUP), Enforced => "Headers that name the upstream";
    },
};

/// `rev_proxy_header_cleanup` of `header_transform`
pub static HEADER_CLEANUP: Type = Type {
    name: "rev_proxy_header_cleanup (header_transform)",
    doc: super::doc("Response headers in which the host of the upstream is replaced"),
    switch: Switch::None,
    members: members! {
        "headers": HEADERS, Enforced => "The headers";
        "target_host": TEXT, Enforced => "The URL whose scheme and host replace the upstream's";
    },
};

/// `ResponseProcessor.options` of `header_injector`
pub static HEADER_INJECTOR: Type = Type {
    name: "ResponseProcessor.options (header_injector)",
    doc: super::doc("Headers set on or removed from every response"),
    switch: Switch::None,
    members: members! {
        "add_headers": HEADER_MAP, Enforced => "Headers to set";
        "remove_headers": HEADERS, Enforced => "Headers to remove";
    },
};
