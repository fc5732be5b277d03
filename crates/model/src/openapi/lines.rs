//! Members of the vendor extension, and the members of a definition they stand for.
//!
//! The table follows the mapping of the reference (field tables of the extension, section 3). What
//! has no line here, and isn't a rule of an operation, is named in the report.

mod middleware;
mod schemes;
mod server;
mod upstream;

pub(super) use schemes::SCHEMES;

/// How a value is carried over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Carry {
    /// As it is.
    Same,
    /// `true` as `false`, and the other way round.
    Not,
    /// A duration as seconds.
    Seconds,
    /// A list of objects as a map from one of their members to another; lists in it joined by commas.
    Pairs(&'static str, &'static str),
    /// As it is, with the names of members in this project's spelling: `statusCode` as `status_code`.
    Snake,
    /// A list of plugins.
    Plugins,
    /// A plugin that authenticates.
    Plugin,
    /// `[{url, weight}]` as a list that has each address as often as it weighs.
    Targets,
    /// Requests that find out whether upstreams are up.
    Tests,
    /// A version of TLS as its number on the wire.
    TlsVersion,
    /// `{enabled, url}` as the address, if it is on.
    SwitchedUrl,
    /// Providers of OpenID Connect.
    Providers,
    /// Handlers of events.
    Events,
    /// How long keys are kept.
    Lifetime,
    /// The header that a credential is looked for in.
    Header,
    /// The query parameter that a credential is looked for in.
    Query,
    /// The cookie that a credential is looked for in.
    Cookie,
}

/// A member of the extension and the member of a definition it stands for.
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

/// The members that are carried over.
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

/// What the API is.
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

/// How errors look.
const ERRORS: &[Line] = &[
    not("errorOverrides.enabled", "error_overrides_disabled"),
    line("errorOverrides.value", "error_overrides", Carry::Snake),
];

/// Members of a signature beside a token, and those of its `auth_configs` entry.
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

/// Whether members below a dotted path have lines, or rules.
pub(super) fn leads_to_lines(dotted: &str) -> bool {
    dotted == "middleware" || lines().any(|line| is_below(line, dotted))
}

/// The same below a security scheme.
pub(super) fn leads_into_scheme(dotted: &str) -> bool {
    SCHEMES.iter().any(|line| is_below(line, dotted))
}

fn is_below(line: &Line, dotted: &str) -> bool {
    let rest = line.from.strip_prefix(dotted);
    rest.is_some_and(|rest| rest.starts_with('.'))
}
