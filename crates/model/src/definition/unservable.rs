//! What can't be enforced is not served.
//!
//! A gateway that ignores an allow list serves to everybody what was meant for a few, and one that ignores a rewrite
//! sends requests where they must not go. So an API whose definition uses a member that protects or changes requests,
//! and that nothing here implements, is stored, but not loaded, unless the operator allows it by name. The table says
//! which members those are; one leaves this list by becoming `Enforced` there.

use super::route::NO_SLASH;
use crate::findings::Findings;
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::Value;
use crate::json::pointer::push_token;
use crate::shape::{self, Root, member_path, member_paths};

/// Members without effect here that the operator tolerates in served APIs (the variable `ALLOW_UNENFORCED`): their
/// names as the support table prints them, separated by commas, such as `custom_middleware.pre, pinned_public_keys`. A
/// name includes everything inside that member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(Vec<String>);

impl Allowed {
    /// Allows nothing.
    pub const NONE: Self = Self(Vec::new());

    /// Parses the variable. Whitespace around names and empty names are ignored.
    #[must_use]
    pub fn parse(list: &str) -> Self {
        let names = list.split(',').map(str::trim);
        Self(
            names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Whether a member, by its [`member_path`], or anything that contains it is listed.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        let named = |name: &String| {
            let rest = path.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.0.iter().any(named)
    }

    /// Returns the names that no member of an API definition has: probably misspelt.
    #[must_use]
    pub fn unknown(&self) -> Vec<&str> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let known = member_paths(Root::ApiDefinition);
        let unknown = |name: &&String| !known.iter().any(|named| named.path == **name);
        self.0.iter().filter(unknown).map(String::as_str).collect()
    }
}

/// Returns why an API can't be served as its definition says: errors, each with its pointer and the remedy. Members
/// that are off, empty or disabled don't count.
///
/// An API with only the standard token isn't listed: without a known key every request is refused.
#[must_use]
pub fn unservable(text: &str, definition: &Value<'_>, allowed: &Allowed) -> Vec<Issue> {
    const CODES: &[IssueCode] = &[IssueCode::NotProtected, IssueCode::NotServed];
    let mut findings = Findings::only(CODES, Severity::Error);
    shape::check(Root::ApiDefinition, definition, &mut findings);
    let mut issues = findings.into_issues(text);
    issues.retain(|issue| {
        let path = member_path(Root::ApiDefinition, definition, &issue.pointer);
        !allowed.covers(&path)
    });
    issues.extend(unreachable(text, definition));
    issues.extend(unknown_protocol(text, definition, allowed));
    issues.extend(of_document(text, definition, allowed));
    issues.extend(tools_of_api(text, definition));
    issues
}

/// Reports features that the OpenAPI document of an API uses and no member of its definition represents
/// (`openapi.unenforced`).
fn of_document(text: &str, definition: &Value<'_>, allowed: &Allowed) -> Vec<Issue> {
    const NAME: &str = "openapi.unenforced";
    const POINTER: &str = "/openapi/unenforced";
    let mut findings = Findings::default();
    let members = definition.pointer(POINTER).map(Value::items);
    let members = members.filter(|_| !allowed.covers(NAME));
    for (number, member) in members.unwrap_or_default().iter().enumerate() {
        let place = member.as_str().unwrap_or_default();
        let message = format!("{place} of the document has no effect here; remove it");
        findings.error(
            IssueCode::NotServed,
            member.span,
            format!("{POINTER}/{number}"),
            message,
        );
    }
    findings.into_issues(text)
}

/// Reports an MCP proxy whose tools are the operations of an API (`gateway://{id}/mcp`; reference 6.4) but whose list
/// of tools is missing: a reload adds it, from the document of that API.
fn tools_of_api(text: &str, definition: &Value<'_>) -> Vec<Issue> {
    const POINTER: &str = "/proxy/target_url";
    let mut findings = Findings::default();
    let is_mcp = definition.str("application_protocol") == Some("mcp");
    let target = definition.pointer(POINTER).filter(|_| is_mcp);
    let paired = target.and_then(|target| crate::mcp::paired(target.as_str()?));
    let catalogue = definition.pointer("/openapi/mcp/catalogue");
    if let (Some(target), Some(id), None) = (target, paired, catalogue) {
        let refused = definition.pointer("/openapi/mcp/refused");
        let message = match refused.and_then(Value::as_str) {
            Some(why) => format!("the operations of {id} can't be its tools: {why}"),
            None => format!("there is no OpenAPI API {id} whose operations could be its tools"),
        };
        findings.error(IssueCode::NotServed, target.span, POINTER, message);
    }
    if paired.is_some() {
        breakers_of_tools(definition, &mut findings);
    }
    findings.into_issues(text)
}

/// Reports circuit breakers of such a proxy: the API has the upstream, and only its own breakers see the failures.
fn breakers_of_tools(definition: &Value<'_>, findings: &mut Findings) {
    const LIST: &str = "extended_paths/circuit_breakers";
    let versions = definition.pointer("/version_data/versions");
    for version in versions.map(Value::members).unwrap_or_default() {
        let rows = version.value.pointer(&format!("/{LIST}"));
        let mut rows = rows.map(Value::items).unwrap_or_default().iter();
        if let Some(row) = rows.find(|row| row.bool("disabled") != Some(true)) {
            let mut pointer = "/version_data/versions".to_owned();
            push_token(&mut pointer, &version.name);
            let message = "tools that are operations of an API have no circuit breakers of their own; give its operations some";
            findings.error(
                IssueCode::NotServed,
                row.span,
                format!("{pointer}/{LIST}"),
                message,
            );
        }
    }
}

/// Reports a protocol that nothing here speaks: its rules would have no effect.
fn unknown_protocol(text: &str, definition: &Value<'_>, allowed: &Allowed) -> Vec<Issue> {
    const NAME: &str = "application_protocol";
    let mut findings = Findings::default();
    let protocol = definition.get(NAME).filter(|protocol| {
        let known = protocol.as_str().unwrap_or_default();
        !matches!(known, "" | "mcp")
    });
    if let Some(protocol) = protocol
        && !allowed.covers(NAME)
    {
        let message = "the gateway does not speak this protocol; write mcp, or leave it out";
        findings.error(
            IssueCode::NotServed,
            protocol.span,
            "/application_protocol",
            message,
        );
    }
    findings.into_issues(text)
}

/// Reports a listen path that matches no request (reference section 5.1). Internal APIs need none.
fn unreachable(text: &str, definition: &Value<'_>) -> Vec<Issue> {
    const POINTER: &str = "/proxy/listen_path";
    let mut findings = Findings::default();
    let path = definition.pointer(POINTER);
    let wrong = |path: &&Value<'_>| {
        let text = path.as_str().unwrap_or_default();
        !text.is_empty() && !text.starts_with('/')
    };
    if let Some(path) = path.filter(wrong)
        && definition.bool("internal") != Some(true)
    {
        findings.error(IssueCode::Format, path.span, POINTER, NO_SLASH);
    }
    findings.into_issues(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn pointers_with(text: &str, allowed: &str) -> Vec<String> {
        let issues = unservable(text, &parse(text).unwrap(), &Allowed::parse(allowed));
        assert!(issues.iter().all(Issue::is_error));
        issues.into_iter().map(|issue| issue.pointer).collect()
    }

    fn pointers(text: &str) -> Vec<String> {
        pointers_with(text, "")
    }

    #[test]
    fn every_protection_is_reported_at_its_pointer() {
        let switches = [
            "enable_coprocess_auth",
            "custom_plugin_auth_enabled",
            "use_go_plugin_auth",
        ];
        for name in switches {
            assert_eq!(
                pointers(&format!("{{\"use_keyless\":true,\"{name}\":true}}")),
                [format!("/{name}")]
            );
        }
        let lists = r#"{"version_data":{"versions":{"v/1":{"use_extended_paths":true,
            "extended_paths":{"validate_request":[{"enabled":true,"path":"/x"}]}}}}}"#;
        assert_eq!(
            pointers(lists),
            ["/version_data/versions/v~11/extended_paths/validate_request"]
        );
    }

    /// Fault H6: each of these was served with a warning only.
    #[test]
    fn request_changes_are_reported_too() {
        for (text, pointer) in [
            (
                r#"{"custom_middleware":{"pre":[{"name":"f","path":"f.js"}]}}"#,
                "/custom_middleware/pre",
            ),
            (
                r#"{"custom_middleware":{"post_key_auth":[{"name":"f"}]}}"#,
                "/custom_middleware/post_key_auth",
            ),
            (r#"{"pinned_public_keys":{"*":"x"}}"#, "/pinned_public_keys"),
            (
                r#"{"proxy":{"transport":{"proxy_url":"http://p"}}}"#,
                "/proxy/transport/proxy_url",
            ),
            (
                r#"{"application_protocol":"grpc"}"#,
                "/application_protocol",
            ),
            (
                r#"{"openapi":{"unenforced":["/x"]}}"#,
                "/openapi/unenforced/0",
            ),
            (
                r#"{"application_protocol":"mcp","proxy":{"target_url":"gateway://a/mcp"}}"#,
                "/proxy/target_url",
            ),
            (r#"{"protocol":"tcp"}"#, "/protocol"),
        ] {
            assert_eq!(pointers(text), [pointer], "{text}");
        }
        let introspected = r#"{"graphql":{"enabled":true,"introspection":{"disabled":true}}}"#;
        assert_eq!(
            pointers_with(introspected, "graphql.enabled"),
            ["/graphql/introspection/disabled"]
        );
    }

    #[test]
    fn disabled_or_empty_members_require_nothing() {
        let text = r#"{"use_standard_auth":true,"enable_jwt":false,"use_mutual_tls_auth":null,"use_oauth2":false,
            "protocol":"https","custom_middleware":{"pre":[],"post":[{"disabled":true,"name":"f"}]},
            "graphql":{"enabled":false,"introspection":{"disabled":true}},"upstream_auth":{"enabled":false,
            "basic_auth":{"enabled":true}},"cache_options":{"enable_cache":true,"cache_timeout":60},
            "upstream_certificates":{"*":"x"},"upstream_certificates_disabled":true,
            "version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"cache":["/x"],
            "validate_json":[{"disabled":true,"path":"/x"}],"validate_request":[{"enabled":false,"path":"/x"}]}},
            "w":{"extended_paths":{"transform":[{"path":"/x"}]}}}}}"#;
        assert!(pointers(text).is_empty());
        assert!(pointers("[]").is_empty());
    }

    #[test]
    fn members_without_effect_on_requests_are_no_reason() {
        let text = r#"{"do_not_track":true,"enable_detailed_recording":true,"tag_headers":["x"],"slug":"s",
            "analytics_plugin":{"enable":true},"uptime_tests":{"check_list":[{"url":"http://a"}]},
            "event_handlers":{"events":{"AuthFailure":[{"handler_name":"eh_dynamic_handler","handler_meta":
            {"name":"f","path":"f.js"}}]}}}"#;
        assert!(pointers(text).is_empty());
    }

    #[test]
    fn operator_may_allow_reasons_by_name() {
        let text = r#"{"pinned_public_keys":{"*":"x"},"custom_middleware":{"pre":[{"name":"f"}],"post":[{"name":"g"}]},
            "proxy":{"transport":{"proxy_url":"http://p"}}}"#;
        for (allowed, left) in [
            ("", 4),
            ("pinned_public_keys", 3),
            (" custom_middleware , ,pinned_public_keys", 1),
            ("custom_middleware.pre,custom_middleware.po", 3),
            ("proxy.transport", 3),
        ] {
            assert_eq!(pointers_with(text, allowed).len(), left, "{allowed}");
        }
        let allowed = Allowed::parse(
            "pinned_public_keys,listen_prot,custom_middleware.pre,auth_configs.authToken",
        );
        assert_eq!(allowed.unknown(), ["listen_prot", "auth_configs.authToken"]);
        assert!(Allowed::NONE.unknown().is_empty() && !Allowed::NONE.covers("name"));
    }

    #[test]
    fn a_listen_path_that_never_matches_is_a_reason() {
        assert_eq!(
            pointers(r#"{"proxy":{"listen_path":"a/"}}"#),
            ["/proxy/listen_path"]
        );
        assert!(pointers(r#"{"internal":true,"proxy":{"listen_path":"a/"}}"#).is_empty());
        assert!(pointers(r#"{"proxy":{"listen_path":""}}"#).is_empty());
    }

    #[test]
    fn the_issue_names_the_reason_and_the_remedy() {
        let text = r#"{"custom_middleware":{"pre":[{"name":"f"}]},"enable_coprocess_auth":true,
            "response_processors":[],"graphql":{"enabled":true}}"#;
        let issues = unservable(text, &parse(text).unwrap(), &Allowed::NONE);
        let messages: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "custom_middleware.pre has no effect yet; the API is kept, but not served with it: remove it, or name custom_middleware.pre in ALLOW_UNENFORCED",
                "authentication by a plugin isn't enforced (enable_coprocess_auth); the API is kept, but not served with it: remove it, or name enable_coprocess_auth in ALLOW_UNENFORCED",
                "graphql.enabled has no effect yet; the API is kept, but not served with it: remove it, or name graphql.enabled in ALLOW_UNENFORCED",
            ]
        );
    }
}
