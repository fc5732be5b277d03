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

/// The type of the items of a list of rules.
macro_rules! rules {
    ($name:ident, $type:literal, $doc:literal, $switch:expr, { $($members:tt)* }) => {
        #[doc = concat!("`", $type, "`")]
        pub static $name: Type = Type {
            name: $type,
            doc: $doc,
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
    doc: super::doc("Rules for single paths"),
    switch: Switch::None,
    members: members! {
        "advance_cache_config": list(&Kind::Object(&CACHE_META)), Enforced, needs("/cache_options/enable_cache") => "Paths whose responses are cached, with their own settings";
        "black_list": list(&Kind::Object(&ENDPOINT_META)), Enforced => "Paths nobody may call";
        "cache": TEXTS, Enforced, needs("/cache_options/enable_cache") => "Paths whose responses are cached";
        "circuit_breakers": list(&Kind::Object(&CIRCUIT_BREAKER)), Enforced => "Paths that are given a rest when their upstream fails too often";
        "do_not_track_endpoints": list(&Kind::Object(&TRACK_ENDPOINT)), Informative => "Paths that are left out of the analytics";
        "go_plugin": list(&Kind::Object(&GO_PLUGIN)), Unsupported(GO) => "Paths that a Go plugin answers";
        "hard_timeouts": list(&Kind::Object(&HARD_TIMEOUT)), Enforced => "Paths whose upstream has to answer in time";
        "ignored": list(&Kind::Object(&ENDPOINT_META)), Enforced => "Paths that need no key";
        "internal": list(&Kind::Object(&INTERNAL)), Enforced => "Paths that only other APIs of the gateway may call";
        "method_transforms": list(&Kind::Object(&METHOD_TRANSFORM)), Enforced => "Paths that are forwarded with another method";
        "mock_response": list(&Kind::Object(&MOCK_RESPONSE)), Enforced => "Paths that the gateway answers itself";
        "persist_graphql": list(&Kind::Object(&PERSIST_GRAPHQL)), Stored => "Paths that stand for a stored GraphQL operation";
        "rate_limit": list(&Kind::Object(&RATE_LIMIT)), Enforced => "Paths with a rate limit of their own";
        "size_limits": list(&Kind::Object(&SIZE_LIMIT)), Enforced => "Paths with a limit for request bodies";
        "track_endpoints": list(&Kind::Object(&TRACK_ENDPOINT)), Informative => "Paths that are counted by themselves in the analytics";
        "transform": list(&Kind::Object(&TEMPLATE_META)), Enforced => "Paths whose request bodies a template rewrites";
        "transform_headers": list(&Kind::Object(&HEADER_INJECTION)), Enforced => "Paths whose request headers are changed";
        "transform_jq": list(&Kind::Object(&TRANSFORM_JQ)), Enforced => "Paths whose request bodies a jq filter rewrites";
        "transform_jq_response": list(&Kind::Object(&TRANSFORM_JQ)), Enforced => "Paths whose response bodies a jq filter rewrites";
        "transform_response": list(&Kind::Object(&TEMPLATE_META)), Enforced => "Paths whose response bodies a template rewrites";
        "transform_response_headers": list(&Kind::Object(&HEADER_INJECTION)), Enforced => "Paths whose response headers are changed";
        "url_rewrites": list(&Kind::Object(&URL_REWRITE)), Enforced => "Paths that are forwarded to another path or URL";
        "validate_json": list(&Kind::Object(&VALIDATE_JSON)), Enforced => "Paths whose request bodies have to fit a JSON Schema";
        "validate_request": list(&Kind::Object(&VALIDATE_REQUEST)), Stored, protects("the validation of requests") => "Paths whose requests have to fit the OpenAPI document";
        "virtual": list(&Kind::Object(&VIRTUAL)), Stored => "Paths that a JavaScript function answers";
        "white_list": list(&Kind::Object(&ENDPOINT_META)), Enforced => "The only paths that may be called";
    },
};

rules!(CACHE_META, "CacheMeta", "A path whose responses are cached, with its own settings", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method; only responses to it are cached";
    "disabled": BOOL, Enforced, detail => "Switches the rule off";
    "timeout": INTEGER, Enforced => "How many seconds a response is kept; 0 for the time of cache_options";
    "cache_key_regex": PATTERN, Enforced => "What of the request body becomes part of the cache key, as a regular expression";
    "cache_response_codes": STATUSES, Enforced => "Only responses of these statuses are cached; empty for those of the API";
});

rules!(ENDPOINT_META, "EndPointMeta", "A path and a method on a list", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method; empty for all";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "ignore_case": BOOL, Enforced => "Compares the path without regard to case";
    "method_actions": Kind::Map(&Names::Format(Format::Method), &Kind::Object(&ENDPOINT_METHOD)), Enforced => "Older form of method: methods and what is done with them";
});

rules!(ENDPOINT_METHOD, "EndpointMethodMeta", "What is done with a method of a path", Switch::None, {
    "action": one_of!("no_action", "reply"), Enforced => "no_action goes on, reply answers with code, data and headers";
    "code": STATUS, Enforced => "The status of the answer";
    "data": TEXT, Enforced => "The body of the answer";
    "headers": HEADER_MAP, Enforced => "Headers of the answer";
});

rules!(CIRCUIT_BREAKER, "CircuitBreakerMeta", "A path that is given a rest when its upstream fails too often", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "threshold_percent": NUMBER, Enforced => "The part of failed requests that opens the breaker, from 0 to 1";
    "samples": INTEGER, Enforced => "How many requests are looked at";
    "return_to_service_after": INTEGER, Enforced => "How many seconds the rest lasts";
    "disable_half_open_state": BOOL, Enforced => "Sends no single request to find out whether the upstream is back";
});

rules!(TRACK_ENDPOINT, "TrackEndpointMeta", "A path that the analytics count by itself, or leave out", Switch::Off("disabled"), {
    "path": PATH, Informative, expected => "The path";
    "method": METHOD, Informative => "The method";
    "disabled": BOOL, Informative => "Switches the rule off";
});

rules!(GO_PLUGIN, "GoPluginMeta", "A path that a Go plugin answers", Switch::Off("disabled"), {
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "disabled": BOOL, Stored, detail => "Switches the rule off";
    "plugin_path": TEXT, Stored => "The file that holds the function";
    "func_name": TEXT, Stored => "The function";
});

rules!(HARD_TIMEOUT, "HardTimeoutMeta", "A path whose upstream has to answer in time", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "timeout": INTEGER, Enforced => "How many seconds the upstream has; 0 or more";
    "duration": DURATION, Enforced => "The same as a text such as 1m30s or 250ms, for times below a second";
});

rules!(INTERNAL, "InternalMeta", "A path that only other APIs of the gateway may call", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
});

rules!(METHOD_TRANSFORM, "MethodTransformMeta", "A path that is forwarded with another method", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method of the request";
    "to_method": METHOD, Enforced, expected => "The method the upstream sees";
    "disabled": BOOL, Enforced => "Switches the rule off";
});

rules!(MOCK_RESPONSE, "MockResponseMeta", "A path that the gateway answers itself", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "ignore_case": BOOL, Enforced => "Compares the path without regard to case";
    "code": STATUS, Enforced => "The status of the answer";
    "body": TEXT, Enforced => "The body of the answer";
    "headers": HEADER_MAP, Enforced => "Headers of the answer";
});

rules!(PERSIST_GRAPHQL, "PersistGraphQLMeta", "A path that stands for a stored GraphQL operation", Switch::None, {
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "operation": TEXT, Stored => "The operation in GraphQL's own language";
    "variables": FREE, Stored => "Its variables; $path.<name> takes a part of the path";
});

rules!(RATE_LIMIT, "RateLimitMeta", "A path with a rate limit of its own", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "rate": NUMBER, Enforced => "How many requests are let through per period";
    "per": NUMBER, Enforced => "The period in seconds";
});

rules!(SIZE_LIMIT, "RequestSizeMeta", "A path with a limit for request bodies", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "size_limit": INTEGER, Enforced => "The longest request body, in bytes";
});

rules!(TEMPLATE_META, "TemplateMeta", "A path whose bodies a template rewrites", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "template_data": Kind::Object(&TEMPLATE_DATA), Enforced, expected => "The template";
});

rules!(TEMPLATE_DATA, "TemplateData", "A template", Switch::None, {
    "template_mode": SOURCE, Enforced => "Where the template is: blob for template_source itself, file for a file";
    "template_source": TEXT, Enforced => "The template in base64, or the path of its file";
    "input_type": one_of!("json", "xml"), Enforced => "How the body is read";
    "enable_session": BOOL, Enforced => "Offers the metadata of the key to the template";
});

rules!(HEADER_INJECTION, "HeaderInjectionMeta", "A path whose headers are changed", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "add_headers": HEADER_MAP, Enforced, secret => "Headers that are set";
    "delete_headers": HEADERS, Enforced => "Headers that are removed, before others are set";
    "act_on": BOOL, Informative => "Changes the response, in older documents";
});

rules!(TRANSFORM_JQ, "TransformJQMeta", "A path whose bodies a jq filter rewrites", Switch::None, {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "filter": FILTER, Enforced, expected => "The filter in jq's own language";
});

rules!(URL_REWRITE, "URLRewriteMeta", "A path that is forwarded to another path or URL", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced => "Switches the rule off";
    "match_pattern": PATTERN, Enforced => "A regular expression for the path and its query; its groups are $1, $2, …";
    "rewrite_to": TEXT, Enforced => "Where the request goes: a path, a URL or gateway://<api id>/<path>";
    "triggers": Kind::Array(&Kind::Object(&ROUTING_TRIGGER)), Enforced => "Conditions with a destination of their own; the first that holds wins";
});

rules!(ROUTING_TRIGGER, "RoutingTrigger", "A condition with a destination of its own", Switch::None, {
    "on": one_of!("all", "any"), Enforced => "Whether all of the options have to match or any of them";
    "options": Kind::Object(&ROUTING_OPTIONS), Enforced => "What has to match";
    "rewrite_to": TEXT, Enforced => "Where the request goes then";
});

const MATCHES: Kind = Kind::Map(&Names::Any, &Kind::Object(&STRING_REGEX));

rules!(ROUTING_OPTIONS, "RoutingTriggerOptions", "What of a request has to match", Switch::None, {
    "header_matches": MATCHES, Enforced => "Request headers";
    "query_val_matches": MATCHES, Enforced => "Query parameters";
    "path_part_matches": MATCHES, Enforced => "Parts of the path, by any name";
    "session_meta_matches": MATCHES, Enforced => "Metadata of the key";
    "request_context_matches": MATCHES, Enforced => "Context variables";
    "payload_matches": Kind::Object(&STRING_REGEX), Enforced => "The request body";
});

rules!(STRING_REGEX, "StringRegexMap", "A regular expression that a text matches or not", Switch::None, {
    "match_rx": PATTERN, Enforced => "The regular expression";
    "reverse": BOOL, Enforced => "Holds when it doesn't match";
});

rules!(VALIDATE_JSON, "ValidatePathMeta", "A path whose request bodies have to fit a JSON Schema", Switch::Off("disabled"), {
    "path": PATH, Enforced, expected => "The path";
    "method": METHOD, Enforced => "The method";
    "disabled": BOOL, Enforced, detail => "Switches the rule off";
    "schema": FREE, Enforced => "The JSON Schema";
    "schema_b64": Kind::Format(Format::Base64), Enforced => "The JSON Schema in base64, used when schema is empty";
    "error_response_code": STATUS, Enforced, default("422") => "The status of the answer to a body that doesn't fit";
});

rules!(VALIDATE_REQUEST, "ValidateRequestMeta", "A path whose requests have to fit the OpenAPI document", Switch::On("enabled"), {
    "enabled": BOOL, Stored => "Switches the rule on";
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "error_response_code": STATUS, Stored, default("422") => "The status of the answer to a request that doesn't fit";
});

rules!(VIRTUAL, "VirtualMeta", "A path that a JavaScript function answers", Switch::Off("disabled"), {
    "path": PATH, Stored, expected => "The path";
    "method": METHOD, Stored => "The method";
    "disabled": BOOL, Stored, detail => "Switches the rule off";
    "response_function_name": TEXT, Stored, expected => "The function";
    "function_source_type": SOURCE, Stored => "Where the function is: blob for function_source_uri itself, file for a file";
    "function_source_uri": TEXT, Stored => "The code in base64, or the path of its file";
    "use_session": BOOL, Stored => "Gives the function the session of the key";
    "proxy_on_error": BOOL, Stored => "Forwards the request when the function fails";
});
