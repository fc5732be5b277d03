//! The parts of the Model Context Protocol that concern a gateway (revisions 2025-11-25 and 2026-07-28; reference 6.4):
//! which methods name a tool, a resource or a prompt, a proxy's rules for them, and the rights of a key.
//!
//! Access to a name is decided here alone, both for calls and for filtered lists.

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

/// Returns the API whose operations are the tools of a proxy with this target: `gateway://{id}/mcp` (reference 6.4),
/// also in the older spelling of the scheme. The id followed by `__mcp-server` alone means the same, for an API that
/// has its own path `/mcp`.
#[must_use]
pub fn paired(target: &str) -> Option<&str> {
    let inner = ["gateway://", "tyk://"];
    let rest = inner
        .iter()
        .find_map(|scheme| target.strip_prefix(scheme))?;
    let rest = rest.strip_prefix("id:").unwrap_or(rest);
    let rest = rest.trim_end_matches('/');
    let id = rest.strip_suffix("/mcp");
    let id = id.or_else(|| rest.strip_suffix("__mcp-server"))?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// How a request names a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The kind of primitive.
    pub category: Category,
    /// The member of `params` with the name.
    pub parameter: &'static str,
    /// Whether a request without it is refused (reference 6.4, *Errors*).
    pub is_required: bool,
}

/// Returns how requests with this method name a primitive, if they do.
#[must_use]
pub fn named(method: &str) -> Option<Named> {
    let (category, parameter, is_required) = match method {
        "tools/call" => (Category::Tool, "name", true),
        "resources/read" => (Category::Resource, "uri", true),
        "prompts/get" => (Category::Prompt, "name", true),
        // A client that may not read a resource is not notified of its changes either.
        "resources/subscribe" | "resources/unsubscribe" => (Category::Resource, "uri", false),
        _ => return None,
    };
    Some(Named {
        category,
        parameter,
        is_required,
    })
}

/// A list of primitives in the result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The kind of primitives listed.
    pub category: Category,
    /// The member of `result` with the list.
    pub member: &'static str,
    /// The member of an entry that names it.
    pub name: &'static str,
}

/// Returns the list in the result of a method, if it has one.
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

/// Whether the result of a method lists the capabilities of a server (`initialize`; `server/discover` of revision
/// 2026-07-28).
#[must_use]
pub fn lists_capabilities(method: &str) -> bool {
    matches!(method, "initialize" | "server/discover")
}

/// Capabilities of a server with their methods: if one of these is refused, the capability is hidden (reference 6.4, *List
/// filtering*).
pub const CAPABILITIES: [(&str, &[&str]); 4] = [
    ("tools", &["tools/list", "tools/call"]),
    (
        "resources",
        &[
            "resources/list",
            "resources/read",
            "resources/templates/list",
        ],
    ),
    ("prompts", &["prompts/list", "prompts/get"]),
    ("sampling", &["sampling/createMessage"]),
];

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
    fn target_names_the_source_of_tools() {
        for (target, id) in [
            ("gateway://orders/mcp", Some("orders")),
            ("gateway://orders/mcp/", Some("orders")),
            ("gateway://id:orders/mcp", Some("orders")),
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
