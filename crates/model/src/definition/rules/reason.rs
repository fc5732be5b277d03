//! Which of several violated rules a response names (reference section 6.1).

use crate::issue::Issue;

/// The prefixes of the rules' messages, in the order in which the reference applies the rules.
const ORDER: [&str; 11] = [
    "duplicate data source names",
    "all auth sources are disabled for ",
    "invalid IP/CIDR ",
    "invalid timeout value",
    "invalid global timeout value",
    "multiple upstream authentication modes",
    "upstream OAuth authorization type is required",
    "multiple upstream OAuth authorization type",
    "invalid OAuth authorization type",
    "invalid upstream OAuth client authentication method",
    "all load balancing targets have weight 0",
];

/// Returns the error named in the response to a refused definition. Errors without a rule in the reference come first,
/// because its parser refuses those, then its rules in their order. `None` if there are no errors.
#[must_use]
pub fn first_reason(issues: &[Issue]) -> Option<&Issue> {
    let errors = issues.iter().filter(|issue| issue.is_error());
    errors.min_by_key(|issue| {
        let rule = ORDER
            .iter()
            .position(|text| issue.message.starts_with(text));
        // Authentication methods are ordered by name, and the list of allowed addresses precedes the other.
        let list = match rule {
            Some(1) => issue.pointer.as_str(),
            Some(2) => issue.pointer.split('/').nth(1).unwrap_or_default(),
            _ => "",
        };
        (rule, list)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::validate;

    fn reason(members: &str) -> String {
        let text = format!(
            r#"{{"name":"a",{members},"proxy":{{"listen_path":"/a/","target_url":"http://u"}}}}"#
        );
        let issues = validate(&text);
        first_reason(&issues)
            .map(|issue| issue.message.clone())
            .unwrap_or_default()
    }

    #[test]
    fn the_first_broken_rule_of_the_table_is_named() {
        let off = r#"{"disable_header":true}"#;
        for (members, expected) in [
            (
                r#""version_data":{"not_versioned":true,"versions":{"Default":{"name":"Default","global_enforce_timeout":-1,
                "extended_paths":{"hard_timeouts":[{"path":"/a","timeout":-1}]}}}},"blacklisted_ips":["b"],"allowed_ips":["10.0.0.0/8","a"]"#,
                r#"invalid IP/CIDR "a""#,
            ),
            (
                r#""version_data":{"not_versioned":true,"versions":{"Default":{"name":"Default","global_enforce_timeout":-1,
                "extended_paths":{"hard_timeouts":[{"path":"/a","timeout":-1}]}}}}"#,
                "invalid timeout value",
            ),
            (r#""allowed_ips":["10.0.0.1",""]"#, r#"invalid IP/CIDR """#),
            (
                &format!(
                    r#""blacklisted_ips":["x"],"use_oauth2":true,"enable_jwt":true,"auth_configs":{{"oauth":{off},"jwt":{off}}}"#
                ),
                "all auth sources are disabled for jwt, at least one of header/cookie/query must be enabled",
            ),
            (
                &format!(r#""use_basic_auth":true,"auth_configs":{{"basic":{off}}}"#),
                "",
            ),
            (
                r#""allowed_ips":["x"],"active":1"#,
                "expected a boolean, found a number",
            ),
            (
                r#""version_data":{"not_versioned":true,"versions":{"Default":{"name":"Default","global_enforce_timeout":"soon"}}}"#,
                "",
            ),
        ] {
            assert_eq!(reason(members), expected, "{members}");
        }
    }
}
