//! What a reload would make of a definition, found out from what the checks say about it.

use super::ApiDefinition;
use crate::issue::{Issue, IssueCode};

/// What becomes of a definition when it is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serving {
    /// It is served to everybody who may.
    Public,
    /// It is loaded, but has no public route.
    Internal,
    /// It isn't loaded, because it is switched off.
    Inactive,
    /// It can't be stored: the first error.
    Refused(String),
    /// It is stored, but not loaded: why.
    Skipped(String),
}

/// What becomes of a definition, given the issues that [`super::validate`] found in it.
#[must_use]
pub fn serving(definition: &ApiDefinition, issues: &[Issue]) -> Serving {
    if let Some(error) = issues.iter().find(|issue| issue.is_error()) {
        return Serving::Refused(error.message.clone());
    }
    if !definition.active {
        return Serving::Inactive;
    }
    if let Some(issue) = issues.iter().find(|issue| keeps_out(issue)) {
        return Serving::Skipped(issue.message.clone());
    }
    if definition.proxy.target_url.is_empty() {
        return Serving::Skipped("it has no target_url".to_owned());
    }
    if definition.internal {
        Serving::Internal
    } else {
        Serving::Public
    }
}

/// Whether an API with this issue is kept, but not loaded: it would stand open, or has no upstream that
/// can be reached.
fn keeps_out(issue: &Issue) -> bool {
    issue.code == IssueCode::NotProtected
        || issue.code == IssueCode::Unsupported && issue.pointer == "/proxy/target_url"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::validate;
    use crate::json::parse;

    fn of(members: &str, target: &str) -> Serving {
        let text = format!(
            r#"{{"name":"a","use_keyless":true,{members}"proxy":{{"listen_path":"/a/","target_url":"{target}"}}}}"#
        );
        let definition = ApiDefinition::read(&parse(&text).unwrap());
        serving(&definition, &validate(&text))
    }

    #[test]
    fn what_is_found_says_what_becomes_of_it() {
        let up = "http://a.example";
        assert_eq!(of("", up), Serving::Public);
        assert_eq!(of(r#""internal":true,"#, up), Serving::Internal);
        let plugin = r#""use_go_plugin_auth":true,"#;
        assert_eq!(
            of(&format!(r#"{plugin}"active":false,"#), up),
            Serving::Inactive
        );
        for (members, target) in [(plugin, up), ("", "tcp://a.example:1")] {
            let found = of(members, target);
            assert!(
                matches!(found, Serving::Skipped(_)),
                "{members} {target} {found:?}"
            );
        }
        let wrong = of(r#""tags":1,"#, up);
        assert!(matches!(wrong, Serving::Refused(_)), "{wrong:?}");
    }
}
