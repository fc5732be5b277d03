//! Versions: which API serves a version (`definition`), and per-version rules (`version_data`).

use super::Support::{Enforced, Stored, Unsupported};
use super::features::PLUGINS;
use super::{ANY, BOOL, INTEGER, Kind, Switch, TEXT, TEXT_MAP, TEXTS, Type, members};

/// A list of path rules whose entries the next revision of the table describes.
const RULES: Kind = Kind::Array(&ANY);

/// `VersionDefinition`
pub static VERSION_DEFINITION: Type = Type {
    name: "VersionDefinition",
    doc: "Where a request says which version it wants, and which API serves it",
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Stored => "Switches on the choice of a version by the request";
        "name": TEXT, Stored => "The version name of this API itself";
        "default": TEXT, Stored => "The version for requests that name none: a version name or self";
        "location": TEXT, Stored => "Where the version name stands: header, url-param or url";
        "key": TEXT, Stored => "The name of the header or query parameter";
        "versions": TEXT_MAP, Enforced => "Version names and the ids of the APIs that serve them";
        "fallback_to_default": BOOL, Stored => "Serves the default version when an unknown one is asked for";
        "strip_path": BOOL, Stored => "Older name of strip_versioning_data";
        "strip_versioning_data": BOOL, Stored => "Removes the version from the request before it is forwarded";
        "url_versioning_pattern": TEXT, Stored => "A regular expression for path segments that are version names";
    },
};

/// `VersionData`
pub static VERSION_DATA: Type = Type {
    name: "VersionData",
    doc: "Rules per version",
    switch: Switch::None,
    members: members! {
        "not_versioned": BOOL, Stored, detail => "Applies the rules of one version to every request";
        "default_version": TEXT, Stored, detail => "The version for requests that name none";
        "versions": Kind::Map(&Kind::Object(&VERSION_INFO)), Stored => "Version names and their rules";
    },
};

/// `VersionInfo`
pub static VERSION_INFO: Type = Type {
    name: "VersionInfo",
    doc: "The rules of one version",
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored, detail => "The version name";
        "expires": TEXT, Stored, quiet(&["-1"]) => "When the version ends, as 2006-01-02 15:04; empty or -1 for never";
        "paths": Kind::Object(&PATHS), Stored => "Simple lists of paths";
        "use_extended_paths": BOOL, Stored, detail => "Applies extended_paths";
        "extended_paths": Kind::Object(&EXTENDED_PATHS), Stored => "Rules for single paths";
        "global_headers": TEXT_MAP, Stored => "Headers added to every request";
        "global_headers_disabled": BOOL, Stored, detail => "Switches off global_headers and global_headers_remove";
        "global_headers_remove": TEXTS, Stored => "Headers removed from every request";
        "global_response_headers": TEXT_MAP, Stored => "Headers added to every response";
        "global_response_headers_disabled": BOOL, Stored, detail => "Switches off global_response_headers and global_response_headers_remove";
        "global_response_headers_remove": TEXTS, Stored => "Headers removed from every response";
        "global_size_limit": INTEGER, Stored => "The longest request body, in bytes";
        "ignore_endpoint_case": BOOL, Stored, detail => "Compares paths without regard to case";
        "override_target": TEXT, Stored => "The upstream of this version, instead of proxy.target_url";
    },
};

/// `VersionInfo.paths`
pub static PATHS: Type = Type {
    name: "VersionInfo.paths",
    doc: "Simple lists of paths",
    switch: Switch::None,
    members: members! {
        "black_list": TEXTS, Stored, protects("the list of blocked paths") => "Paths nobody may call";
        "ignored": TEXTS, Stored => "Paths that need no key";
        "white_list": TEXTS, Stored, protects("the list of allowed paths") => "The only paths that may be called";
    },
};

/// `ExtendedPathsSet`
pub static EXTENDED_PATHS: Type = Type {
    name: "ExtendedPathsSet",
    doc: "Rules for single paths",
    switch: Switch::None,
    members: members! {
        "advance_cache_config": RULES, Stored => "Paths whose responses are cached, with their own settings";
        "black_list": RULES, Stored, protects("the list of blocked paths") => "Paths nobody may call";
        "cache": TEXTS, Stored => "Paths whose responses are cached";
        "circuit_breakers": RULES, Stored => "Paths that are given a rest when their upstream fails too often";
        "do_not_track_endpoints": RULES, Stored, detail => "Paths that are left out of the analytics";
        "go_plugin": RULES, Unsupported(PLUGINS) => "Paths that a Go plugin answers";
        "hard_timeouts": RULES, Stored => "Paths whose upstream has to answer in time";
        "ignored": RULES, Stored => "Paths that need no key";
        "internal": RULES, Stored, protects("the list of internal paths") => "Paths that only other APIs of the gateway may call";
        "method_transforms": RULES, Stored => "Paths that are forwarded with another method";
        "mock_response": RULES, Stored => "Paths that the gateway answers itself";
        "persist_graphql": RULES, Stored => "Paths that stand for a stored GraphQL operation";
        "rate_limit": RULES, Stored => "Paths with a rate limit of their own";
        "size_limits": RULES, Stored => "Paths with a limit for request bodies";
        "track_endpoints": RULES, Stored => "Paths that are counted by themselves in the analytics";
        "transform": RULES, Stored => "Paths whose request bodies a template rewrites";
        "transform_headers": RULES, Stored => "Paths whose request headers are changed";
        "transform_jq": RULES, Stored => "Paths whose request bodies a jq filter rewrites";
        "transform_jq_response": RULES, Stored => "Paths whose response bodies a jq filter rewrites";
        "transform_response": RULES, Stored => "Paths whose response bodies a template rewrites";
        "transform_response_headers": RULES, Stored => "Paths whose response headers are changed";
        "url_rewrites": RULES, Stored => "Paths that are forwarded to another path or URL";
        "validate_json": RULES, Stored, protects("the validation of request bodies") => "Paths whose request bodies have to fit a JSON Schema";
        "validate_request": RULES, Stored, protects("the validation of requests") => "Paths whose requests have to fit the OpenAPI document";
        "virtual": RULES, Unsupported(PLUGINS) => "Paths that a JavaScript function answers";
        "white_list": RULES, Stored, protects("the list of allowed paths") => "The only paths that may be called";
    },
};
