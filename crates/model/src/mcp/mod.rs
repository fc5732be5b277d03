//! The Model Context Protocol, as far as a gateway looks at it (revisions 2025-11-25 and 2026-07-28; reference
//! 6.4): which methods name a tool, a resource or a prompt, what a proxy says of them, and what a key may.
//!
//! The promise: a name is decided about in one place, for a call that is let through and for a list that is
//! filtered alike.

#[cfg(feature = "expressions")]
mod compiled;
mod lists;
mod names;
mod rights;

#[cfg(feature = "expressions")]
pub use compiled::{Names, Reason, Rights};
pub use lists::{Decision, Lists, Primitive};
pub use names::{Readings, path};
pub use rights::{Category, McpRights, NameRules, permits};

/// The API whose operations are the tools of a proxy with this target: `gateway://{id}/mcp` (reference 6.4), in the
/// older spelling of the scheme too. The id and `__mcp-server` alone mean the same, for an API that has a path `/mcp`
/// of its own.
#[must_use]
pub fn paired(target: &str) -> Option<&str> {
    let inner = ["gateway://", "tyk://"];
    let rest = inner
        .iter()
        .find_map(|scheme| target.strip_prefix(scheme))?;
    let rest = rest.trim_end_matches('/');
    let id = rest.strip_suffix("/mcp");
    let id = id.or_else(|| rest.strip_suffix("__mcp-server"))?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// A primitive that a request names: what it is, and the parameter with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// What it is.
    pub category: Category,
    /// The member of `params`.
    pub parameter: &'static str,
    /// Whether a request without it is refused (reference 6.4, *Errors*).
    pub is_required: bool,
}

/// What a request with this method names.
#[must_use]
pub fn named(method: &str) -> Option<Named> {
    let (category, parameter, is_required) = match method {
        "tools/call" => (Category::Tool, "name", true),
        "resources/read" => (Category::Resource, "uri", true),
        "prompts/get" => (Category::Prompt, "name", true),
        // Whoever may not read a resource hears nothing of its changes either.
        "resources/subscribe" | "resources/unsubscribe" => (Category::Resource, "uri", false),
        _ => return None,
    };
    Some(Named {
        category,
        parameter,
        is_required,
    })
}

/// A list of primitives that a method is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What is listed.
    pub category: Category,
    /// The member of `result` with the list.
    pub member: &'static str,
    /// The member of an entry that names it.
    pub name: &'static str,
}

/// The list that a method is answered with.
#[must_use]
pub fn listed(method: &str) -> Option<Listed> {
    let (category, member, name) = match method {
        "tools/list" => (Category::Tool, "tools", "name"),
        "prompts/list" => (Category::Prompt, "prompts", "name"),
        "resources/list" => (Category::Resource, "resources", "uri"),
        "resources/templates/list" => (Category::Resource, "resourceTemplates", "uriTemplate"),
        _ => return None,
    };
    Some(Listed {
        category,
        member,
        name,
    })
}

/// Methods whose answers say what a server can do (`initialize`; `server/discover` of revision 2026-07-28).
#[must_use]
pub fn tells_capabilities(method: &str) -> bool {
    matches!(method, "initialize" | "server/discover")
}

/// The methods behind a capability: where one of them is refused, the capability is not told (reference 6.4, *List
/// filtering*).
#[must_use]
pub const fn behind_capability(category: Category) -> &'static [&'static str] {
    match category {
        Category::Tool => &["tools/list", "tools/call"],
        Category::Resource => &[
            "resources/list",
            "resources/read",
            "resources/templates/list",
        ],
        Category::Prompt => &["prompts/list", "prompts/get"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_knows_the_method_that_uses_it() {
        for category in Category::ALL {
            let named = named(category.method()).unwrap();
            assert!(named.category == category && named.is_required);
        }
    }

    #[test]
    fn a_target_says_whose_operations_are_tools() {
        for (target, id) in [
            ("gateway://orders/mcp", Some("orders")),
            ("gateway://orders/mcp/", Some("orders")),
            ("tyk://a-1/mcp", Some("a-1")),
            ("tyk://a-1__mcp-server", Some("a-1")),
            ("gateway://orders", None),
            ("gateway://orders/x/mcp", None),
            ("gateway:///mcp", None),
            ("http://orders/mcp", None),
        ] {
            assert_eq!(paired(target), id, "{target}");
        }
    }
}
