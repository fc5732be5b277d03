//! Versions: which API serves a version (`definition`), and per-version rules (`version_data`).

use super::Support::Enforced;
use super::paths::EXTENDED_PATHS;
use super::{
    BOOL, DURATION, Format, HEADER_MAP, HEADERS, INTEGER, Kind, Names, PATTERN, Switch, TEXT, Type,
    members, one_of,
};

/// A path of a simple list: a text with `{name}` and `*`, or a regular expression.
const PATHS_LIST: Kind = Kind::Array(&Kind::Format(Format::PathRule));

/// `VersionDefinition`
pub static VERSION_DEFINITION: Type = Type {
    name: "VersionDefinition",
    doc: super::doc("How a request selects a version, and which API serves it"),
    switch: Switch::None,
    members: members! {
        "enabled": BOOL, Enforced => "Enables the selection of a version by the request";
        "name": TEXT, Enforced => "The version name of this API itself";
        "default": TEXT, Enforced => "The version for requests that name none: a version name or self";
        "location": one_of!("header", "url-param", "url", ""), Enforced => "Where the version name is: header, url-param or url";
        "key": TEXT, Enforced => "The name of the header or query parameter";
        "versions": Kind::Map(&Names::Any, &Kind::Format(Format::Reference)), Enforced => "Ids of the APIs that serve the versions, by version name";
        "fallback_to_default": BOOL, Enforced => "Serves the default version if an unknown one is requested";
        "strip_path": BOOL, Enforced => "Older name of strip_versioning_data";
        "strip_versioning_data": BOOL, Enforced => "Removes the version from the request before it is forwarded";
        "url_versioning_pattern": PATTERN, Enforced => "A regular expression for path segments that are version names";
    },
};

/// `VersionData`
pub static VERSION_DATA: Type = Type {
    name: "VersionData",
    doc: super::doc("Rules for each version"),
    switch: Switch::None,
    members: members! {
        "not_versioned": BOOL, Enforced => "Applies the rules of one version to every request";
        "default_version": TEXT, Enforced => "The version for requests that name none";
        "versions": Kind::Map(&Names::Any, &Kind::Object(&VERSION_INFO)), Enforced => "Rules by version name";
    },
};

/// Expiries that mean never: documents of this family write it as a day of the year 3000.
pub(super) const NEVER: &[&str] = &["-1", "3000-01-02 15:04"];

/// `VersionInfo`
pub static VERSION_INFO: Type = Type {
    name: "VersionInfo",
    doc: super::doc("The rules of one version"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Enforced => "The version name";
        "expires": Kind::Format(Format::Date), Enforced, quiet(NEVER) => "When the version expires, as 2006-01-02 15:04; empty or -1 for never";
        "paths": Kind::Object(&PATHS), Enforced, unless("use_extended_paths") => "Simple lists of paths";
        "use_extended_paths": BOOL, Enforced => "Applies extended_paths";
        "extended_paths": Kind::Object(&EXTENDED_PATHS), Enforced, needs("use_extended_paths") => "Rules for individual paths";
        "global_headers": HEADER_MAP, Enforced, unless("global_headers_disabled"), secret => "Headers added to every request";
        "global_headers_disabled": BOOL, Enforced => "Disables global_headers and global_headers_remove";
        "global_headers_remove": HEADERS, Enforced, unless("global_headers_disabled") => "Headers removed from every request";
        "global_response_headers": HEADER_MAP, Enforced, unless("global_response_headers_disabled") => "Headers added to every response";
        "global_response_headers_disabled": BOOL, Enforced => "Disables global_response_headers and global_response_headers_remove";
        "global_response_headers_remove": HEADERS, Enforced, unless("global_response_headers_disabled") => "Headers removed from every response";
        "global_size_limit": INTEGER, Enforced, unless("global_size_limit_disabled") => "Maximum size of request bodies in bytes";
        "global_size_limit_disabled": BOOL, Enforced => "Disables global_size_limit";
        "global_enforce_timeout": DURATION, Enforced, unless("global_enforce_timeout_disabled") => "The upstream timeout, as a string such as 10s";
        "global_enforce_timeout_disabled": BOOL, Enforced => "Disables global_enforce_timeout";
        "ignore_endpoint_case": BOOL, Enforced => "Ignores case when matching paths";
        "override_target": Kind::Format(Format::Target), Enforced => "The upstream of this version, instead of proxy.target_url";
    },
};

/// `VersionInfo.paths`
pub static PATHS: Type = Type {
    name: "VersionInfo.paths",
    doc: super::doc("Simple lists of paths"),
    switch: Switch::None,
    members: members! {
        "black_list": PATHS_LIST, Enforced => "Blocked paths";
        "ignored": PATHS_LIST, Enforced => "Paths that require no key";
        "white_list": PATHS_LIST, Enforced => "The only allowed paths";
    },
};
