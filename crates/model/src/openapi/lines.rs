//! Members of the vendor extension, and the equivalent members of a definition.
//!
//! The table follows the mapping of the reference (field tables of the extension, section 3). A member without a line
//! here that isn't a rule of an operation is listed in the report.

mod middleware;
mod schemes;
mod server;
mod upstream;

pub(super) use schemes::SCHEMES;

/// How a value is carried over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Carry {
    /// Unchanged.
    Same,
    /// Negated.
    Not,
    /// A duration, converted to seconds.
    Seconds,
    /// A list of objects, converted to a map from one of their members to another; lists as values are joined by
    /// commas.
    Pairs(&'static str, &'static str),
    /// Unchanged except for member names, which get this project's spelling: `statusCode` becomes `status_code`.
    Snake,
    /// A list of plugins.
    Plugins,
    /// An authentication plugin.
    Plugin,
    /// `[{url, weight}]`, converted to a list that has each URL as often as its weight.
    Targets,
    /// Uptime tests.
    Tests,
    /// A TLS version, converted to its number on the wire.
    TlsVersion,
    /// `{enabled, url}`, converted to the URL if enabled.
    SwitchedUrl,
    /// OpenID Connect providers.
    Providers,
    /// Event handlers.
    Events,
    /// The lifetime of keys.
    Lifetime,
    /// The header with the credential.
    Header,
    /// The query parameter with the credential.
    Query,
    /// The cookie with the credential.
    Cookie,
}

/// A member of the extension and the equivalent member of a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) carry: Carry,
}

const fn line(from: &'static str, to: &'static str, carry: Carry) -> Line {
    Line { from, to, carry }
}

const fn same(from: &'static str, to: &'static str) -> Line {
    line(from, to, Carry::Same)
}

const fn not(from: &'static str, to: &'static str) -> Line {
    line(from, to, Carry::Not)
}

/// Iterates over the members that are carried over.
pub(super) fn lines() -> impl Iterator<Item = &'static Line> {
    let tables = [
        INFO,
        upstream::UPSTREAM,
        server::SERVER,
        server::AUTHENTICATION,
        middleware::MIDDLEWARE,
        ERRORS,
    ];
    tables.into_iter().flatten()
}

/// General information about the API.
const INFO: &[Line] = &[
    same("info.id", "api_id"),
    same("info.dbId", "id"),
    same("info.orgId", "org_id"),
    same("info.name", "name"),
    same("info.expiration", "expiration"),
    same("info.state.active", "active"),
    same("info.state.internal", "internal"),
    same("info.versioning.enabled", "definition.enabled"),
    same("info.versioning.name", "definition.name"),
    same("info.versioning.default", "definition.default"),
    same("info.versioning.location", "definition.location"),
    same("info.versioning.key", "definition.key"),
    line(
        "info.versioning.versions",
        "definition.versions",
        Carry::Pairs("name", "id"),
    ),
    same(
        "info.versioning.fallbackToDefault",
        "definition.fallback_to_default",
    ),
    same(
        "info.versioning.stripVersioningData",
        "definition.strip_versioning_data",
    ),
    same(
        "info.versioning.urlVersioningPattern",
        "definition.url_versioning_pattern",
    ),
];

/// Error responses.
const ERRORS: &[Line] = &[
    not("errorOverrides.enabled", "error_overrides_disabled"),
    line("errorOverrides.value", "error_overrides", Carry::Snake),
];

/// Members of a signature required besides a token, and those of its `auth_configs` entry.
pub(super) const SIGNATURE_LINES: &[(&str, &str)] = &[
    ("enabled", "validate_signature"),
    ("algorithm", "signature.algorithm"),
    ("header", "signature.header"),
    ("query.enabled", "signature.use_param"),
    ("query.name", "signature.param_name"),
    ("secret", "signature.secret"),
    ("allowedClockSkew", "signature.allowed_clock_skew"),
    ("errorCode", "signature.error_code"),
    ("errorMessage", "signature.error_message"),
];

/// Members of a plugin, and those of an entry of `custom_middleware`.
pub(super) const PLUGIN_LINES: &[(&str, &str)] = &[
    ("functionName", "name"),
    ("path", "path"),
    ("code", "code"),
    ("rawBodyOnly", "raw_body_only"),
    ("requireSession", "require_session"),
];

/// Whether members below a dotted path have lines, or are rules.
pub(super) fn leads_to_lines(dotted: &str) -> bool {
    dotted == "middleware" || lines().any(|line| is_below(line, dotted))
}

/// Like [`leads_to_lines`], below a security scheme.
pub(super) fn leads_into_scheme(dotted: &str) -> bool {
    SCHEMES.iter().any(|line| is_below(line, dotted))
}

fn is_below(line: &Line, dotted: &str) -> bool {
    let rest = line.from.strip_prefix(dotted);
    rest.is_some_and(|rest| rest.starts_with('.'))
}
