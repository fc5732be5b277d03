//! Protections a definition asks for that this runtime doesn't give.
//!
//! A gateway that ignores an allow list serves to everybody what was meant for a few. So an API
//! whose definition asks for such a protection is stored, but not loaded, until the protection is
//! enforced. Which members protect is part of the table; one leaves this list by becoming
//! `Enforced` there.

use crate::findings::Findings;
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::Value;
use crate::shape;

/// The protections that the definition asks for and this runtime doesn't enforce: errors, because
/// serving the API would leave it open. Empty lists and entries that are disabled ask for nothing.
///
/// An API with the standard token only isn't listed: without a known key every request is refused.
#[must_use]
pub fn protections_not_enforced(text: &str, definition: &Value<'_>) -> Vec<Issue> {
    let mut findings = Findings::only(IssueCode::NotProtected, Severity::Error);
    shape::check(shape::Root::ApiDefinition, definition, &mut findings);
    findings.into_issues(text)
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
        let switches = [
            "enable_ip_whitelisting",
            "enable_ip_blacklisting",
            "use_mutual_tls_auth",
            "enable_jwt",
            "use_oauth2",
            "use_openid",
            "use_basic_auth",
            "enable_signature_checking",
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
        assert_eq!(
            pointers(r#"{"external_oauth":{"enabled":true}}"#),
            ["/external_oauth/enabled"]
        );
        // The token alone would be enough.
        let signed = r#"{"auth":{"validate_signature":true},
            "auth_configs":{"authToken":{"validate_signature":true}}}"#;
        assert_eq!(
            pointers(signed),
            [
                "/auth/validate_signature",
                "/auth_configs/authToken/validate_signature"
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
        let text = r#"{"use_standard_auth":true,"enable_jwt":false,"enable_ip_blacklisting":null,"use_oauth2":false,
            "version_data":{"versions":{"v":{"paths":{"white_list":[]},"extended_paths":{
            "black_list":[{"disabled":true,"path":"/x"}],"validate_request":[{"enabled":false,"path":"/x"}]}}}}}"#;
        assert!(pointers(text).is_empty());
        assert!(pointers("[]").is_empty());
    }
}
