//! Rules about plugins (`custom_middleware`).

use super::Rules;
use crate::issue::IssueCode;

impl Rules<'_, '_> {
    /// Reports plugins that can never run here. JavaScript plugins, which don't run yet, are reported with the shape.
    pub(super) fn plugins(&mut self) {
        const DRIVER: &str = "/custom_middleware/driver";
        let language = match self.text(DRIVER) {
            Some("python") => "in Python",
            Some("lua") => "in Lua",
            Some("goplugin") => "in Go",
            Some("grpc") => "over gRPC",
            _ => return,
        };
        let section = self.definition.get("custom_middleware");
        let member = |name: &str| section.and_then(|section| section.get(name));
        let lists = ["pre", "post_key_auth", "post", "response"];
        let is_listed = |name: &str| member(name).is_some_and(|list| !list.items().is_empty());
        let name = member("auth_check").and_then(|entry| entry.str("name"));
        if lists.into_iter().any(is_listed) || name.is_some_and(|name| !name.is_empty()) {
            let message = format!(
                "plugins {language} can never run here, now or later: the platform runs JavaScript and WebAssembly only; remove them"
            );
            self.warning(IssueCode::Unsupported, DRIVER, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::definition::validate;

    /// Returns the messages of the issues at the driver.
    fn messages(section: &str) -> Vec<String> {
        let text = format!(r#"{{"custom_middleware":{section}}}"#);
        let issues = validate(&text).into_iter();
        let issues = issues.filter(|issue| issue.pointer == "/custom_middleware/driver");
        issues.map(|issue| issue.message).collect()
    }

    #[test]
    fn unsupported_plugin_language_is_reported() {
        for (section, language) in [
            (r#"{"driver":"python","pre":[{"name":"f"}]}"#, "in Python"),
            (r#"{"driver":"lua","response":[{"name":"f"}]}"#, "in Lua"),
            (r#"{"driver":"goplugin","post":[{"name":"f"}]}"#, "in Go"),
            (
                r#"{"driver":"grpc","auth_check":{"name":"f"}}"#,
                "over gRPC",
            ),
        ] {
            let messages = messages(section);
            assert_eq!(messages.len(), 1, "{section}");
            assert!(messages[0].starts_with(&format!("plugins {language} can never run")));
        }
        for quiet in [
            r#"{"driver":"otto","pre":[{"name":"f"}]}"#,
            r#"{"driver":"","pre":[{"name":"f"}]}"#,
            r#"{"driver":"python","pre":[],"auth_check":{"name":""}}"#,
            r#"{"driver":"python"}"#,
            "null",
        ] {
            assert!(messages(quiet).is_empty(), "{quiet}");
        }
    }
}
