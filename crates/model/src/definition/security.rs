//! Protections a definition asks for that this runtime doesn't give.
//!
//! A gateway that ignores an allow list serves to everybody what was meant for a few. So an API
//! whose definition asks for such a protection is stored, but not loaded, until the protection is
//! enforced. Each protection leaves this list in the change that enforces it.

use crate::issue::{Findings, Issue, IssueCode};
use crate::json::pointer::Path;
use crate::json::{Span, Value};

/// Top-level switches of access control that are not enforced, and what each of them asks for.
const SWITCHES: &[(&str, &str)] = &[
    ("enable_ip_whitelisting", "the list of allowed addresses"),
    ("enable_ip_blacklisting", "the list of blocked addresses"),
    ("use_mutual_tls_auth", "the check of client certificates"),
    ("enable_jwt", "the check of JSON Web Tokens"),
    ("use_oauth2", "OAuth 2.0"),
    ("use_openid", "OpenID Connect"),
    ("use_basic_auth", "basic authentication"),
    ("enable_signature_checking", "the check of HTTP signatures"),
    ("enable_coprocess_auth", "authentication by a plugin"),
    ("custom_plugin_auth_enabled", "authentication by a plugin"),
    ("use_go_plugin_auth", "authentication by a Go plugin"),
];

/// Lists of paths, simple and extended, that decide who may call what.
const PATH_LISTS: &[(&str, &str)] = &[
    ("white_list", "the list of allowed paths"),
    ("black_list", "the list of blocked paths"),
];

/// Lists of extended paths only.
const EXTENDED_LISTS: &[(&str, &str)] = &[
    ("internal", "the list of paths that are internal"),
    ("validate_json", "the validation of request bodies"),
    ("validate_request", "the validation of requests"),
];

/// The protections that the definition asks for and this runtime doesn't enforce: errors, because
/// serving the API would leave it open. Empty lists and entries that are disabled ask for nothing.
///
/// An API with the standard token only isn't listed: without a known key every request is refused.
#[must_use]
pub fn protections_not_enforced(text: &str, definition: &Value<'_>) -> Vec<Issue> {
    let mut findings = Findings::default();
    visit(definition, &mut |path, span, what| {
        let message = format!(
            "{what} isn't enforced yet, so the API isn't served; remove it to serve the API without"
        );
        findings.error(IssueCode::NotEnforced, span, path.pointer(), message);
    });
    findings.into_issues(text)
}

/// Calls `found` with the place of every protection asked for and what it is.
pub(super) fn visit(definition: &Value<'_>, found: &mut impl FnMut(&Path<'_>, Span, &str)) {
    for (name, what) in SWITCHES {
        if let Some(value) = definition
            .get(name)
            .filter(|value| value.as_bool() == Some(true))
        {
            found(&Path::Root.member(name), value.span, what);
        }
    }
    let external = Path::Root.member("external_oauth");
    if let Some(value) = definition
        .get("external_oauth")
        .and_then(|oauth| oauth.get("enabled"))
        && value.as_bool() == Some(true)
    {
        found(
            &external.member("enabled"),
            value.span,
            "OAuth 2.0 of another provider",
        );
    }
    let data = Path::Root.member("version_data");
    let versions = data.member("versions");
    let all = definition
        .get("version_data")
        .and_then(|data| data.get("versions"));
    for version in all.map(Value::members).unwrap_or_default() {
        let path = versions.member(&version.name);
        visit_lists(&version.value, "paths", &[PATH_LISTS], &path, found);
        visit_lists(
            &version.value,
            "extended_paths",
            &[PATH_LISTS, EXTENDED_LISTS],
            &path,
            found,
        );
    }
}

fn visit_lists(
    version: &Value<'_>,
    group: &str,
    tables: &[&[(&str, &str)]],
    path: &Path<'_>,
    found: &mut impl FnMut(&Path<'_>, Span, &str),
) {
    let Some(lists) = version.get(group) else {
        return;
    };
    let path = path.member(group);
    for (name, what) in tables.iter().copied().flatten() {
        if let Some(list) = lists
            .get(name)
            .filter(|list| list.items().iter().any(is_on))
        {
            found(&path.member(name), list.span, what);
        }
    }
}

/// An entry counts unless it is switched off; `validate_request` has `enabled` instead.
fn is_on(entry: &Value<'_>) -> bool {
    !entry.is_null() && entry.bool("disabled") != Some(true) && entry.bool("enabled") != Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn pointers(text: &str) -> Vec<String> {
        let issues = protections_not_enforced(text, &parse(text).unwrap());
        assert!(issues.iter().all(Issue::is_error));
        issues.into_iter().map(|issue| issue.pointer).collect()
    }

    #[test]
    fn every_protection_is_named_at_its_place() {
        assert_eq!(
            pointers(
                r#"{"use_keyless":true,"enable_ip_whitelisting":true,"external_oauth":{"enabled":true},"enable_jwt":true}"#
            ),
            [
                "/enable_ip_whitelisting",
                "/external_oauth/enabled",
                "/enable_jwt"
            ]
        );
        let lists = r#"{"version_data":{"versions":{"v/1":{"paths":{"black_list":["/a"]},
            "extended_paths":{"white_list":[{"path":"/x"}],"internal":[{"path":"/y"}]}}}}}"#;
        assert_eq!(
            pointers(lists),
            [
                "/version_data/versions/v~11/paths/black_list",
                "/version_data/versions/v~11/extended_paths/white_list",
                "/version_data/versions/v~11/extended_paths/internal"
            ]
        );
    }

    #[test]
    fn what_is_off_or_empty_asks_for_nothing() {
        let text = r#"{"use_standard_auth":true,"enable_jwt":false,"enable_ip_blacklisting":null,"use_oauth2":"true",
            "version_data":{"versions":{"v":{"paths":{"white_list":[]},"extended_paths":{
            "black_list":[{"disabled":true,"path":"/x"}],"validate_request":[{"enabled":false}]}}}}}"#;
        assert!(pointers(text).is_empty());
        assert!(pointers("[]").is_empty());
    }
}
