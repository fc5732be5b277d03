//! Rules for single paths: `VersionInfo.extended_paths` and the types of its items.

use super::Support::{Enforced, Informative, Stored, Unsupported};
use super::features::GO;
use super::{
    BOOL, DURATION, FREE, Format, HEADER_MAP, HEADERS, INTEGER, Kind, METHOD, NUMBER, Names,
    PATTERN, STATUS, STATUSES, Switch, TEXT, TEXTS, Type, members, one_of,
};

/// A path of a rule: a text with `{name}` and `*`, or a regular expression.
const PATH: Kind = Kind::Format(Format::PathRule);
const FILTER: Kind = TEXT;
const SOURCE: Kind = one_of!("blob", "file");

/// Why requests are not validated against operations. The family also acts on it in APIs with an OpenAPI document only.
const NO_DOCUMENT: &str = "a classic definition has no OpenAPI document; OpenAPI APIs have `validateRequest`, and bodies can be validated with `validate_json`";

/// The type of the items of a list of rules.
macro_rules! rules {
    ($name:ident, $type:literal, $doc:literal, $switch:expr, { $($members:tt)* }) => {
        #[doc = concat!("`", $type, "`")]
        pub static $name: Type = Type {
            name: $type,
            doc: super::doc($doc),
            switch: $switch,
            members: members! { $($members)* },
        };
    };
}

const fn list(of: &'static Kind) -> Kind {
    Kind::Array(of)
}

/// `ExtendedPathsSet`
pub static EXTENDED_PATHS: Type = Type {
    name: "ExtendedPathsSet",
    doc: super::doc("Rules for individual paths"),
    switch: Switch::None,
    members: members! {
        "advance_cache_config": list(&Kind::Object(&CACHE_META)), Enforced, needs("/cache_options/enable_cache") => "Paths whose responses are cached, with their own settings";
        "black_list": list(&Kind::Object(&ENDPOINT_META)), Enforced => "Blocked paths";
        "cache": TEXTS, Enforced, needs("/cache_options/enable_cache") => "Paths whose responses are cached";
        "circuit_breakers": list(&Kind::Object(&CIRCUIT_BREAKER)), Enforced => "Paths with a circuit breaker, which opens if the upstream fails too often";
        "do_not_track_endpoints": list(&Kind::Object(&TRACK_ENDPOINT)), Informative => "Paths excluded from analytics";
        "go_plugin": list(&Kind::Object(&GO_PLUGIN)), Unsupported(GO) => "Paths answered by a Go plugin";
        "hard_timeouts": list(&Kind::Object(&HARD_TIMEOUT)), Enforced => "Paths with a timeout for the upstream";
        "ignored": list(&Kind::Object(&ENDPOINT_META)), Enforced => "Paths that require no key";
        "internal": list(&Kind::Object(&INTERNAL)), Enforced => "Paths that only other APIs of the gateway may call";
        "method_transforms": list(&Kind::Object(&METHOD_TRANSFORM)), Enforced => "Paths forwarded with another method";
        "mock_response": list(&Kind::Object(&MOCK_RESPONSE)), Enforced => "Paths answered by the gateway itself";
        "persist_graphql": list(&Kind::Object(&PERSIST_GRAPHQL)), Stored => "Paths that run a stored GraphQL operation";
        "rate_limit": list(&Kind::Object(&RATE_LIMIT)), Enforced => "Paths with their own rate limit";
        "size_limits": list(&Kind::Object(&SIZE_LIMIT)), Enforced => "Paths with a size limit for request bodies";
        "track_endpoints": list(&Kind::Object(&TRACK_ENDPOINT)), Informative => "Paths tracked separately in analytics";
        "transform": list(&Kind::Object(&TEMPLATE_META)), Enforced => "Paths whose request bodies are transformed by a template";
        "transform_headers": list(&Kind::Object(&HEADER_INJECTION)), Enforced => "Paths whose request headers are changed";
        "transform_jq": list(&Kind::Object(&TRANSFORM_JQ)), Enforced => "Paths whose request bodies are transformed by a jq filter";
        "transform_jq_response": list(&Kind::Object(&TRANSFORM_JQ)), Enforced => "Paths whose response bodies are transformed by a jq filter";
        "transform_response": list(&Kind::Object(&TEMPLATE_META)), Enforced => "Paths whose response bodies are transformed by a template";
        "transform_response_headers": list(&Kind::Object(&HEADER_INJECTION)), Enforced => "Paths whose response headers are changed";
        "url_rewrites": list(&Kind::Object(&URL_REWRITE)), Enforced => "Paths forwarded to another path or URL";
        "validate_json": list(&Kind::Object(&VALIDATE_JSON)), Enforced => "Paths whose request bodies must conform to a JSON Schema";
        "validate_request": list(&Kind::Object(&VALIDATE_REQUEST)), Unsupported(NO_DOCUMENT), protects("the validation of requests") => "Paths whose requests must conform to the OpenAPI document";
        "virtual": list(&Kind::Object(&VIRTUAL)), Stored => "Paths answered by a JavaScript function";
        "white_list": list(&Kind::Object(&ENDPOINT_META)), Enforced => "The only allowed paths";
    },
};

rules!(CACHE_META, "CacheMeta", "A path whose responses are cached, with its own settings", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method whose responses are cached";
    "disabled": BOOL, Enforced, detail => "Disables the rule";
    "timeout": INTEGER, Enforced => "How many seconds a response is cached; 0 for the time of cache_options";
    "cache_key_regex": PATTERN, Enforced => "A regular expression for the part of the request body used in the cache key";
    "cache_response_codes": STATUSES, Enforced => "Response statuses that are cached; empty for those of the API";
});

rules!(ENDPOINT_META, "EndPointMeta", "A path and method on a list", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method; empty for all";
    "disabled": BOOL, Enforced => "Disables the rule";
    "ignore_case": BOOL, Enforced => "Ignores case when matching the path";
    "method_actions": Kind::Map(&Names::Format(Format::Method), &Kind::Object(&ENDPOINT_METHOD)), Enforced => "Older form of method: actions by method";
});

rules!(ENDPOINT_METHOD, "EndpointMethodMeta", "The action for a method of a path", Switch::None, {
    "action": one_of!("no_action", "reply"), Enforced => "no_action continues, reply responds with code, data and headers";
    "code": STATUS, Enforced => "The response status";
    "data": TEXT, Enforced => "The response body";
    "headers": HEADER_MAP, Enforced => "Response headers";
});

rules!(CIRCUIT_BREAKER, "CircuitBreakerMeta", "A path with a circuit breaker, which opens if the upstream fails too often", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "threshold_percent": NUMBER, Enforced => "The share of failed requests that opens the breaker, from 0 to 1";
    "samples": INTEGER, Enforced => "Minimum number of requests before the breaker can open";
    "return_to_service_after": INTEGER, Enforced => "How many seconds the breaker stays open";
    "disable_half_open_state": BOOL, Enforced => "Sends no trial requests while the breaker is open";
});

rules!(TRACK_ENDPOINT, "TrackEndpointMeta", "A path tracked separately in analytics, or excluded from them", Switch::Off("disabled"), {
    "path": PATH, Informative, expected => "The path";
    "method": METHOD, Informative => "The method";
    "disabled": BOOL, Informative => "Disables the rule";
});

rules!(GO_PLUGIN, "GoPluginMeta", "A path answered by a Go plugin", Switch::Off("disabled"), {
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "disabled": BOOL, Stored, detail => "Disables the rule";
    "plugin_path": TEXT, Stored => "The file that contains the function";
    "func_name": TEXT, Stored => "The function";
});

rules!(HARD_TIMEOUT, "HardTimeoutMeta", "A path with a timeout for the upstream", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "timeout": INTEGER, Enforced => "The upstream timeout in seconds, 0 or more";
    "duration": DURATION, Enforced => "The same as a string such as 1m30s or 250ms, for times below a second";
});

rules!(INTERNAL, "InternalMeta", "A path that only other APIs of the gateway may call", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
});

rules!(METHOD_TRANSFORM, "MethodTransformMeta", "A path forwarded with another method", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The request method";
    "to_method": METHOD, Enforced, expected => "The method sent to the upstream";
    "disabled": BOOL, Enforced => "Disables the rule";
});

rules!(MOCK_RESPONSE, "MockResponseMeta", "A path answered by the gateway itself", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "ignore_case": BOOL, Enforced => "Ignores case when matching the path";
    "code": STATUS, Enforced => "The response status";
    "body": TEXT, Enforced => "The response body";
    "headers": HEADER_MAP, Enforced => "Response headers";
});

rules!(PERSIST_GRAPHQL, "PersistGraphQLMeta", "A path that runs a stored GraphQL operation", Switch::None, {
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "operation": TEXT, Stored => "The operation in the GraphQL language";
    "variables": FREE, Stored => "Its variables; $path.<name> inserts a part of the path";
});

rules!(RATE_LIMIT, "RateLimitMeta", "A path with its own rate limit", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "rate": NUMBER, Enforced => "Requests allowed per period";
    "per": NUMBER, Enforced => "The period in seconds";
});

rules!(SIZE_LIMIT, "RequestSizeMeta", "A path with a size limit for request bodies", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "size_limit": INTEGER, Enforced => "Maximum size of request bodies in bytes";
});

rules!(TEMPLATE_META, "TemplateMeta", "A path whose bodies are transformed by a template", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "template_data": Kind::Object(&TEMPLATE_DATA), Enforced, expected => "The template";
});

rules!(TEMPLATE_DATA, "TemplateData", "A template", Switch::None, {
    "template_mode": SOURCE, Enforced => "The kind of template_source: blob for the template itself, file for a file";
    "template_source": TEXT, Enforced => "The template in base64, or the path of its file";
    "input_type": one_of!("json", "xml"), Enforced => "The format of the body";
    "enable_session": BOOL, Enforced => "Makes the metadata of the key available to the template";
});

rules!(HEADER_INJECTION, "HeaderInjectionMeta", "A path whose headers are changed", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "add_headers": HEADER_MAP, Enforced, secret => "Headers to set";
    "delete_headers": HEADERS, Enforced => "Headers to remove, before others are set";
    "act_on": BOOL, Informative => "Applies to the response, in older documents";
});

rules!(TRANSFORM_JQ, "TransformJQMeta", "A path whose bodies are transformed by a jq filter", Switch::None, {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "filter": FILTER, Enforced, expected => "The filter in the jq language";
});

rules!(URL_REWRITE, "URLRewriteMeta", "A path forwarded to another path or URL", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Disables the rule";
    "match_pattern": PATTERN, Enforced => "A regular expression for the path and query; its groups are $1, $2, …";
    "rewrite_to": TEXT, Enforced => "The destination: a path, a URL or gateway://<api id>/<path>";
    "triggers": Kind::Array(&Kind::Object(&ROUTING_TRIGGER)), Enforced => "Conditions with their own destinations; the first that holds wins";
});

rules!(ROUTING_TRIGGER, "RoutingTrigger", "A condition with its own destination", Switch::None, {
    "on": one_of!("all", "any"), Enforced => "Whether all or any of the options must match";
    "options": Kind::Object(&ROUTING_OPTIONS), Enforced => "What must match";
    "rewrite_to": TEXT, Enforced => "The destination if the condition holds";
});

const MATCHES: Kind = Kind::Map(&Names::Any, &Kind::Object(&STRING_REGEX));

rules!(ROUTING_OPTIONS, "RoutingTriggerOptions", "Parts of a request that must match", Switch::None, {
    "header_matches": MATCHES, Enforced => "Request headers";
    "query_val_matches": MATCHES, Enforced => "Query parameters";
    "path_part_matches": MATCHES, Enforced => "Parts of the path, by any name";
    "session_meta_matches": MATCHES, Enforced => "Metadata of the key";
    "request_context_matches": MATCHES, Enforced => "Context variables";
    "payload_matches": Kind::Object(&STRING_REGEX), Enforced => "The request body";
});

rules!(STRING_REGEX, "StringRegexMap", "A regular expression that a text must or must not match", Switch::None, {
    "match_rx": PATTERN, Enforced => "The regular expression";
    "reverse": BOOL, Enforced => "Holds if it doesn't match";
});

rules!(VALIDATE_JSON, "ValidatePathMeta", "A path whose request bodies must conform to a JSON Schema", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced, detail => "Disables the rule";
    "schema": FREE, Enforced => "The JSON Schema";
    "schema_b64": Kind::Format(Format::Base64), Enforced => "The JSON Schema in base64, used if schema is empty";
    "error_response_code": STATUS, Enforced, default("422") => "The response status for a body that doesn't conform";
});

rules!(VALIDATE_REQUEST, "ValidateRequestMeta", "A path whose requests must conform to the OpenAPI document", Switch::On("enabled"), {
    "enabled": BOOL, Unsupported(NO_DOCUMENT) => "Enables the rule";
    "path": PATH, Unsupported(NO_DOCUMENT), expected => "The path";
    "method": METHOD, Unsupported(NO_DOCUMENT) => "The method";
    "error_response_code": STATUS, Unsupported(NO_DOCUMENT), default("422") => "The response status for a request that doesn't conform";
});

rules!(VIRTUAL, "VirtualMeta", "A path answered by a JavaScript function", Switch::Off("disabled"), {
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "disabled": BOOL, Stored, detail => "Disables the rule";
    "response_function_name": TEXT, Stored, expected => "The function";
    "function_source_type": SOURCE, Stored => "The kind of function_source_uri: blob for the code itself, file for a file";
    "function_source_uri": TEXT, Stored => "The code in base64, or the path of its file";
    "use_session": BOOL, Stored => "Passes the session of the key to the function";
    "proxy_on_error": BOOL, Stored => "Forwards the request if the function fails";
});
