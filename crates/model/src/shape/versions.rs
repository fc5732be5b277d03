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
    doc: super::doc("Where a request says which version it wants, and which API serves it"),
    switch: Switch::None,
    members: members! {
        "enabled": BOOL, Enforced => "Switches on the choice of a version by the request";
        "name": TEXT, Enforced => "The version name of this API itself";
        "default": TEXT, Enforced => "The version for requests that name none: a version name or self";
        "location": one_of!("header", "url-param", "url", ""), Enforced => "Where the version name stands: header, url-param or url";
        "key": TEXT, Enforced => "The name of the header or query parameter";
        "versions": Kind::Map(&Names::Any, &Kind::Format(Format::Reference)), Enforced => "Version names and the ids of the APIs that serve them";
        "fallback_to_default": BOOL, Enforced => "Serves the default version when an unknown one is asked for";
        "strip_path": BOOL, Enforced => "Older name of strip_versioning_data";
        "strip_versioning_data": BOOL, Enforced => "Removes the version from the request before it is forwarded";
        "url_versioning_pattern": PATTERN, Enforced => "A regular expression for path segments that are version names";
    },
};

/// `VersionData`
pub static VERSION_DATA: Type = Type {
    name: "VersionData",
    doc: super::doc("Rules per version"),
    switch: Switch::None,
    members: members! {
        "not_versioned": BOOL, Enforced => "Applies the rules of one version to every request";
        "default_version": TEXT, Enforced => "The version for requests that name none";
        "versions": Kind::Map(&Names::Any, &Kind::Object(&VERSION_INFO)), Enforced => "Version names and their rules";
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
        "expires": Kind::Format(Format::Date), Enforced, quiet(NEVER) => "When the version ends, as 2006-01-02 15:04; empty or -1 for never";
        "paths": Kind::Object(&PATHS), Enforced, unless("use_extended_paths") => "Simple lists of paths";
        "use_extended_paths": BOOL, Enforced => "Applies extended_paths";
        "extended_paths": Kind::Object(&EXTENDED_PATHS), Enforced, needs("use_extended_paths") => "Rules for single paths";
        "global_headers": HEADER_MAP, Enforced, unless("global_headers_disabled"), secret => "Headers added to every request";
        "global_headers_disabled": BOOL, Enforced => "Switches off global_headers and global_headers_remove";
        "global_headers_remove": HEADERS, Enforced, unless("global_headers_disabled") => "Headers removed from every request";
        "global_response_headers": HEADER_MAP, Enforced, unless("global_response_headers_disabled") => "Headers added to every response";
        "global_response_headers_disabled": BOOL, Enforced => "Switches off global_response_headers and global_response_headers_remove";
        "global_response_headers_remove": HEADERS, Enforced, unless("global_response_headers_disabled") => "Headers removed from every response";
        "global_size_limit": INTEGER, Enforced, unless("global_size_limit_disabled") => "The longest request body, in bytes";
        "global_size_limit_disabled": BOOL, Enforced => "Switches global_size_limit off";
        "global_enforce_timeout": DURATION, Enforced, unless("global_enforce_timeout_disabled") => "How long the upstream has, as a text such as 10s";
        "global_enforce_timeout_disabled": BOOL, Enforced => "Switches global_enforce_timeout off";
        "ignore_endpoint_case": BOOL, Enforced => "Compares paths without regard to case";
        "override_target": Kind::Format(Format::Target), Enforced => "The upstream of this version, instead of proxy.target_url";
    },
};

/// `VersionInfo.paths`
pub static PATHS: Type = Type {
    name: "VersionInfo.paths",
    doc: super::doc("Simple lists of paths"),
    switch: Switch::None,
    members: members! {
        "black_list": PATHS_LIST, Enforced => "Paths nobody may call";
        "ignored": PATHS_LIST, Enforced => "Paths that need no key";
        "white_list": PATHS_LIST, Enforced => "The only paths that may be called";
    },
};
