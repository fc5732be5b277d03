//! The compiled rights of a key at an MCP proxy. The data plane uses them for calls, the extra `mcp` for the entries of
//! lists, and the console to predict both.

use super::{Category, McpRights, NameRules, Readings, permits};
use crate::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};

/// The maximum size of a compiled expression, in bytes.
const MAX_COMPILED: usize = 32 * 1024;

/// The rights of a key at one proxy.
#[derive(Clone, Debug, Default)]
pub struct Rights {
    methods: Names,
    primitives: [Names; 3],
    /// The uncompiled rights.
    pub written: Option<Box<McpRights>>,
}

/// Allowed and blocked names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    allowed: Vec<Expression>,
    blocked: Vec<Expression>,
}

/// An expression for a complete name; `None` if it can't be compiled: in an allow list it then matches nothing, in a
/// block list everything.
type Expression = Option<Regex>;

impl Names {
    /// Compiles the rules.
    #[must_use]
    pub fn new(rules: &NameRules) -> Self {
        Self {
            allowed: rules
                .allowed
                .iter()
                .map(|text| anchored(text, false))
                .collect(),
            // A line break in a name must not bypass a rule.
            blocked: rules
                .blocked
                .iter()
                .map(|text| anchored(text, true))
                .collect(),
        }
    }

    /// Whether the rules permit a name in every reading a server may give it.
    #[must_use]
    pub fn permit(&self, category: Category, name: &str) -> bool {
        let Self { allowed, blocked } = self;
        let readings = Readings::of(category, name);
        let mut broken = blocked.iter().filter(|rule| rule.is_none());
        broken.next().is_none()
            && readings.permitted(allowed, blocked, |rule, name| fits(rule, name, false))
    }
}

/// Why something may not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The method is blocked.
    MethodBlocked,
    /// The method is not on the allow list.
    MethodNotAllowed,
    /// An expression of the block list can't be compiled, so it matches everything.
    Unreadable,
    /// It is blocked.
    Blocked,
    /// It is not on the allow list.
    NotAllowed,
}

fn anchored(text: &str, over_lines: bool) -> Expression {
    let text = format!("^(?:{})$", portable(text));
    let mut builder = RegexBuilder::new(&text);
    let builder = builder.size_limit(MAX_COMPILED);
    builder.dot_matches_new_line(over_lines).build().ok()
}

impl Rights {
    /// Compiles the rights.
    #[must_use]
    pub fn new(rights: &McpRights) -> Self {
        Self {
            methods: Names::new(&rights.methods),
            primitives: Category::ALL.map(|category| Names::new(rights.of(category))),
            written: Some(Box::new(rights.clone())),
        }
    }

    /// Whether a method may be used.
    #[must_use]
    pub fn allows_method(&self, method: &str) -> bool {
        let Names { allowed, blocked } = &self.methods;
        let is_blocked = blocked.iter().any(|rule| fits(rule, method, true));
        !is_blocked && permits(allowed, &[], |rule| fits(rule, method, false))
    }

    /// Whether a primitive may be used.
    #[must_use]
    pub fn allows(&self, category: Category, name: &str) -> bool {
        self.of(category).permit(category, name)
    }

    const fn of(&self, category: Category) -> &Names {
        category.of(&self.primitives)
    }

    /// Returns why a primitive may not be used with a method; `None` if it may. For display; decisions use
    /// [`Self::allows`] and [`Self::allows_method`].
    #[must_use]
    pub fn why_not(&self, category: Category, method: &str, name: &str) -> Option<Reason> {
        if !self.allows_method(method) {
            let mut blocked = self.methods.blocked.iter();
            return Some(match blocked.any(|rule| fits(rule, method, true)) {
                true => Reason::MethodBlocked,
                false => Reason::MethodNotAllowed,
            });
        }
        if self.allows(category, name) {
            return None;
        }
        let blocked = &self.of(category).blocked;
        if blocked.iter().any(Option::is_none) {
            return Some(Reason::Unreadable);
        }
        let is_blocked = |name: &str| blocked.iter().any(|rule| fits(rule, name, false));
        let readings = Readings::of(category, name);
        Some(match readings.all().iter().any(|name| is_blocked(name)) {
            true => Reason::Blocked,
            false => Reason::NotAllowed,
        })
    }
}

fn fits(rule: &Expression, name: &str, broken: bool) -> bool {
    rule.as_ref().map_or(broken, |rule| rule.is_match(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn rights(text: &str) -> Rights {
        Rights::new(&McpRights::read(&parse(text).unwrap()))
    }

    #[test]
    fn block_list_precedes_allow_list() {
        let rights = rights(
            r#"{"json_rpc_methods_access_rights":{"allowed":["initialize","tools/.*"],"blocked":["tools/call"]},
                "mcp_access_rights":{"tools":{"allowed":["get_.*","set"],"blocked":["get_secret.*"]},
                "resources":{"allowed":["file:///public/.*"],"blocked":["file:///public/x","file:///public/my%20notes"]}}}"#,
        );
        for (method, allowed) in [
            ("initialize", true),
            ("tools/list", true),
            ("tools/call", false),
            ("xinitialize", false),
            ("initialize2", false),
            ("ping", false),
        ] {
            assert_eq!(rights.allows_method(method), allowed, "{method}");
        }
        for (category, name, allowed) in [
            (Category::Tool, "get_weather", true),
            (Category::Tool, "GET_weather", false),
            (Category::Tool, "set", true),
            (Category::Tool, "reset", false),
            (Category::Tool, "get_secret", false),
            (Category::Tool, "get_secret\nx", false),
            (Category::Tool, "get_a\nx", false),
            (Category::Resource, "file:///public/a", true),
            (Category::Resource, "file:///public/%78", false),
            (Category::Resource, "file:///public/../etc", false),
            (Category::Resource, "file:///public/a%20b", true),
            (Category::Resource, "file:///public/my notes", false),
            (Category::Resource, "file:///public/%6dy notes", false),
            (Category::Resource, "file:///public/x?a#b", false),
            (Category::Prompt, "anything", true),
        ] {
            assert_eq!(rights.allows(category, name), allowed, "{name}");
        }
    }

    #[test]
    fn uncompilable_expression_allows_nothing() {
        let broken = rights(
            r#"{"mcp_access_rights":{"tools":{"allowed":["("]},"prompts":{"blocked":["("]}},
            "json_rpc_methods_access_rights":{"blocked":["("]}}"#,
        );
        assert!(!broken.allows(Category::Tool, "("));
        assert!(!broken.allows(Category::Prompt, "x"));
        assert!(!broken.allows_method("ping"));
        assert!(broken.allows(Category::Resource, "x"));
        assert!(Rights::default().allows_method("ping"));
    }

    #[test]
    fn refusals_have_a_reason() {
        let rights = rights(
            r#"{"json_rpc_methods_access_rights":{"allowed":["tools/.*","resources/read"],"blocked":["tools/list"]},
                "mcp_access_rights":{"tools":{"allowed":["get_.*"],"blocked":["get_secret"]},
                "resources":{"blocked":["file:///x","("]},"prompts":{"blocked":["("]}}}"#,
        );
        for (category, method, name, reason) in [
            (Category::Tool, "tools/call", "get_a", None),
            (
                Category::Tool,
                "tools/list",
                "get_a",
                Some(Reason::MethodBlocked),
            ),
            (
                Category::Prompt,
                "prompts/get",
                "a",
                Some(Reason::MethodNotAllowed),
            ),
            (
                Category::Tool,
                "tools/call",
                "get_secret",
                Some(Reason::Blocked),
            ),
            (
                Category::Tool,
                "tools/call",
                "set",
                Some(Reason::NotAllowed),
            ),
            (
                Category::Resource,
                "resources/read",
                "file:///y",
                Some(Reason::Unreadable),
            ),
        ] {
            assert_eq!(rights.why_not(category, method, name), reason, "{name}");
            let allows = rights.allows_method(method) && rights.allows(category, name);
            assert_eq!(allows, reason.is_none(), "{name}");
        }
    }

    #[test]
    fn oversized_expression_counts_as_uncompilable() {
        let large = rights(
            r#"{"mcp_access_rights":{"tools":{"allowed":["[a-z]{9}{9}{9}{9}{9}"]},"prompts":{"blocked":["(a{99}){99}"]}}}"#,
        );
        assert!(!large.allows(Category::Tool, "a"));
        let reason = large.why_not(Category::Prompt, "prompts/get", "b");
        assert_eq!(reason, Some(Reason::Unreadable));
    }
}
