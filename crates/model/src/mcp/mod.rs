//! The Model Context Protocol, as far as a gateway looks at it (revisions 2025-11-25 and 2026-07-28; reference
//! 6.4): which methods name a tool, a resource or a prompt, what a proxy says of them, and what a key may.
//!
//! The promise: a name is decided about in one place, for a call that is let through and for a list that is
//! filtered alike.

mod lists;
mod names;
mod rights;

pub use lists::{Decision, Lists, Primitive};
pub use names::{Readings, path};
pub use rights::{Category, McpRights, NameRules, permits};

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
