//! The table of capabilities in the README: what users of this API family configure, and its support here.

use std::fmt::Write as _;

use super::cell;
use crate::shape::{Named, Root, Support, member_paths};

/// The capability, the paths of the definition members that configure it, and its page.
const CAPABILITIES: &[(&str, &[&str], &str)] = &[
    (
        "Keys with policies and organisations; existing key hashes",
        &["use_standard_auth", "auth_configs"],
        "docs/keys.md",
    ),
    (
        "Rate limits, quotas, throttling and smoothing, by key, API, path and method",
        &[
            "global_rate_limit",
            "version_data.versions.extended_paths.rate_limit",
        ],
        "docs/keys.md",
    ),
    (
        "JSON Web Tokens, OpenID Connect, external OAuth, scopes mapped to policies",
        &["enable_jwt", "use_openid", "external_oauth"],
        "docs/authentication.md",
    ),
    ("OAuth 2.0 server", &["use_oauth2"], "docs/oauth.md"),
    (
        "Basic authentication, HMAC and HTTP signatures, client certificates (mTLS)",
        &[
            "use_basic_auth",
            "enable_signature_checking",
            "use_mutual_tls_auth",
        ],
        "docs/authentication.md",
    ),
    (
        "Versions; allow, block and ignore lists; mocks",
        &[
            "version_data",
            "version_data.versions.extended_paths.white_list",
            "version_data.versions.extended_paths.black_list",
            "version_data.versions.extended_paths.ignored",
            "version_data.versions.extended_paths.mock_response",
        ],
        "docs/fields.md",
    ),
    (
        "URL rewrites; header, method and body transforms; jq filters",
        &[
            "version_data.versions.extended_paths.url_rewrites",
            "version_data.versions.extended_paths.transform_headers",
            "version_data.versions.extended_paths.transform",
            "version_data.versions.extended_paths.transform_jq",
            "version_data.versions.extended_paths.method_transforms",
        ],
        "docs/traffic.md",
    ),
    (
        "Request bodies validated by JSON Schema",
        &["version_data.versions.extended_paths.validate_json"],
        "docs/traffic.md",
    ),
    (
        "Response cache",
        &[
            "cache_options",
            "version_data.versions.extended_paths.advance_cache_config",
        ],
        "docs/traffic.md",
    ),
    (
        "Load balancing, service discovery, circuit breakers, uptime tests",
        &[
            "proxy.enable_load_balancing",
            "proxy.service_discovery",
            "version_data.versions.extended_paths.circuit_breakers",
            "uptime_tests",
        ],
        "docs/traffic.md",
    ),
    (
        "CORS, IP allow and block lists",
        &["CORS", "enable_ip_whitelisting", "enable_ip_blacklisting"],
        "docs/fields.md",
    ),
    (
        "Events, log handlers, signed webhooks",
        &["event_handlers"],
        "docs/events.md",
    ),
    (
        "Batch requests",
        &["enable_batch_request_support"],
        "docs/batch.md",
    ),
    ("GraphQL", &["graphql.enabled"], "docs/support.md"),
    (
        "JavaScript functions and plugins",
        &[
            "version_data.versions.extended_paths.virtual",
            "custom_middleware.pre",
        ],
        "docs/support.md",
    ),
    (
        "Go plugins",
        &["version_data.versions.extended_paths.go_plugin"],
        "docs/support.md",
    ),
    (
        "Client certificates towards upstreams",
        &["upstream_certificates"],
        "docs/support.md",
    ),
    (
        "Pinned public keys of upstreams",
        &["pinned_public_keys"],
        "docs/support.md",
    ),
];

/// Returns the rows of the table, under a heading.
#[must_use]
pub fn capability_table() -> String {
    let known = member_paths(Root::ApiDefinition);
    let mut text = "| What you configure | Status |\n|---|---|\n".to_owned();
    // OpenAPI APIs and MCP proxies are kinds of documents, not members of one.
    text.push_str(
        "| OpenAPI documents as APIs: validation, mocks, security | [works](docs/openapi.md) |\n",
    );
    text.push_str(
        "| MCP proxies: access rights and rate limits for tools | [works](docs/openapi.md#mcp-proxies) |\n",
    );
    for (what, paths, page) in CAPABILITIES {
        let members = paths
            .iter()
            .filter_map(|path| known.iter().find(|named| named.path == *path));
        let members: Vec<&Named> = members.collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {what} | {} |", cell(&state(&members, page)));
    }
    text
}

/// Summarises the support for members in a few words.
fn state(members: &[&Named], page: &str) -> String {
    let acted = |named: &&&Named| *named.member.support == Support::Enforced;
    let reason = members
        .iter()
        .find_map(|named| match *named.member.support {
            Support::Unsupported(reason) => Some(reason),
            _ => None,
        });
    match (members.iter().filter(acted).count(), reason) {
        (count, _) if count == members.len() => format!("[works]({page})"),
        (0, Some(reason)) => format!("[never]({page}): {reason}"),
        (0, None) => {
            format!("[not yet]({page}): stored, but an API that uses it is not served")
        }
        _ => format!("[in part]({page})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_names_existing_members() {
        let known = member_paths(Root::ApiDefinition);
        for path in CAPABILITIES.iter().flat_map(|(_, paths, _)| *paths) {
            assert!(known.iter().any(|named| named.path == *path), "{path}");
        }
    }

    #[test]
    fn capability_state_combines_its_members() {
        let known = member_paths(Root::ApiDefinition);
        let named = |path: &str| known.iter().find(|named| named.path == path).unwrap();
        let works = named("use_keyless");
        let never = named("version_data.versions.extended_paths.go_plugin");
        let later = named("graphql.enabled");
        assert_eq!(state(&[works], "p"), "[works](p)");
        assert_eq!(state(&[works, later], "p"), "[in part](p)");
        assert!(state(&[never], "p").starts_with("[never](p): "));
        assert!(state(&[later], "p").starts_with("[not yet](p)"));
    }
}
