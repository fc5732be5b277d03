//! Predicts what a reload would do with a definition, from the issues the checks found.

use super::ApiDefinition;
use super::route::NO_SLASH;
use crate::issue::{Issue, IssueCode};

/// The fate of a definition at a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serving {
    /// It is served to every authorised client.
    Public,
    /// It is loaded, but has no public route.
    Internal,
    /// It isn't loaded, because it is switched off.
    Inactive,
    /// It can't be stored, because of this first error.
    Refused(String),
    /// It is stored, but not loaded, for this reason.
    Skipped(String),
    /// It uses members that have no effect here, so it is loaded only if the operator allows it by name
    /// (`ALLOW_UNENFORCED`). The text is the first finding, with the remedy.
    Unenforced(String),
}

/// Determines the fate of a definition from the issues that [`super::validate`] found in it.
#[must_use]
pub fn serving(definition: &ApiDefinition, issues: &[Issue]) -> Serving {
    if let Some(error) = issues.iter().find(|issue| issue.is_error()) {
        return Serving::Refused(error.message.clone());
    }
    if !definition.active {
        return Serving::Inactive;
    }
    let unreachable = |issue: &&Issue| is_unreachable(definition, issue);
    if let Some(issue) = issues.iter().find(unreachable) {
        return Serving::Skipped(issue.message.clone());
    }
    if definition.proxy.target_url.is_empty() {
        return Serving::Skipped("it has no target_url".to_owned());
    }
    if let Some(issue) = issues.iter().find(|issue| is_unenforced(issue)) {
        return Serving::Unenforced(issue.message.clone());
    }
    if definition.internal {
        Serving::Internal
    } else {
        Serving::Public
    }
}

/// Whether an API with this issue could be reached by no request, or could reach no upstream.
fn is_unreachable(definition: &ApiDefinition, issue: &Issue) -> bool {
    match issue.pointer.as_str() {
        "/proxy/target_url" => issue.code == IssueCode::Unsupported,
        "/proxy/listen_path" => issue.message == NO_SLASH && !definition.internal,
        _ => false,
    }
}

/// Whether an API with this issue would be unprotected, or would not do what its definition says.
fn is_unenforced(issue: &Issue) -> bool {
    matches!(issue.code, IssueCode::NotProtected | IssueCode::NotServed)
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
    fn findings_state_their_consequence() {
        let up = "http://a.example";
        assert_eq!(of("", up), Serving::Public);
        assert_eq!(of(r#""internal":true,"#, up), Serving::Internal);
        let plugin = r#""use_go_plugin_auth":true,"#;
        assert_eq!(
            of(&format!(r#"{plugin}"active":false,"#), up),
            Serving::Inactive
        );
        let found = of("", "tcp://a.example:1");
        assert!(matches!(found, Serving::Skipped(_)), "{found:?}");
        for members in [plugin, r#""pinned_public_keys":{"*":"x"},"#] {
            let found = of(members, up);
            assert!(
                matches!(&found, Serving::Unenforced(why) if why.contains("ALLOW_UNENFORCED")),
                "{members} {found:?}"
            );
        }
        let slashless = r#"{"name":"a","use_keyless":true,"proxy":{"listen_path":"a/","target_url":"http://a.example"}}"#;
        for (text, public) in [
            (slashless.to_owned(), false),
            (slashless.replacen('{', r#"{"internal":true,"#, 1), true),
        ] {
            let definition = ApiDefinition::read(&parse(&text).unwrap());
            let found = serving(&definition, &validate(&text));
            assert_eq!(!matches!(found, Serving::Skipped(_)), public, "{found:?}");
        }
        let wrong = of(r#""tags":1,"#, up);
        assert!(matches!(wrong, Serving::Refused(_)), "{wrong:?}");
    }
}
