//! The rights of a key at an MCP proxy, and its rates there (reference 2.2).

use super::Readings;
use super::lists::{closest, permits_all};
use crate::json::Value;
use crate::session::Rate;

/// A kind of primitive that a server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Tools.
    Tool,
    /// Resources.
    Resource,
    /// Prompts.
    Prompt,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 3] = [Self::Tool, Self::Resource, Self::Prompt];

    /// Returns its singular name, as in messages and `mcp_primitives`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        }
    }

    /// Returns its plural name.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Resource => "resources",
            Self::Prompt => "prompts",
        }
    }

    /// Selects its value from three in the order of [`Self::ALL`].
    #[must_use]
    pub(super) const fn of<T>(self, each: &[T; 3]) -> &T {
        let [tools, resources, prompts] = each;
        match self {
            Self::Tool => tools,
            Self::Resource => resources,
            Self::Prompt => prompts,
        }
    }

    /// Returns the method that uses a primitive of this category.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::Tool => "tools/call",
            Self::Resource => "resources/read",
            Self::Prompt => "prompts/get",
        }
    }
}

/// Allowed and blocked names: regular expressions for complete names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameRules {
    /// Allowed names; empty allows all.
    pub allowed: Vec<String>,
    /// Blocked names, which take precedence.
    pub blocked: Vec<String>,
}

impl NameRules {
    /// Reads `{allowed, blocked}`.
    #[must_use]
    pub fn read(value: Option<&Value<'_>>) -> Self {
        let texts = |name| {
            let items = value.and_then(|value| value.get(name)).map(Value::items);
            let items = items.unwrap_or_default().iter();
            items
                .filter_map(|item| Some(item.as_str()?.to_owned()))
                .collect()
        };
        Self {
            allowed: texts("allowed"),
            blocked: texts("blocked"),
        }
    }

    /// Whether every name is allowed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.allowed.is_empty() && self.blocked.is_empty()
    }
}

/// Whether rules permit something; `fits` says which of them match it.
pub fn permits<P>(allowed: &[P], blocked: &[P], fits: impl Fn(&P) -> bool) -> bool {
    !blocked.iter().any(&fits) && (allowed.is_empty() || allowed.iter().any(fits))
}

/// The rights of a key at an MCP proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpRights {
    /// JSON-RPC methods (`json_rpc_methods_access_rights`).
    pub methods: NameRules,
    /// Tools, resources and prompts (`mcp_access_rights`), in the order of [`Category::ALL`].
    primitives: [NameRules; 3],
    method_rates: Vec<(String, Rate)>,
    primitive_rates: [Vec<PrimitiveRate>; 3],
}

/// The rate of a tool, a resource or a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PrimitiveRate {
    name: String,
    /// The name normalised ([`Readings`]).
    normal: String,
    rate: Rate,
}

impl McpRights {
    /// Reads an access definition.
    #[must_use]
    pub fn read(access: &Value<'_>) -> Self {
        let items = |name| {
            access
                .get(name)
                .map(Value::items)
                .unwrap_or_default()
                .iter()
        };
        let rate = |value: &Value<'_>| value.get("limit").map(Rate::read);
        let rights = access.get("mcp_access_rights");
        Self {
            methods: NameRules::read(access.get("json_rpc_methods_access_rights")),
            primitives: Category::ALL
                .map(|category| NameRules::read(rights.and_then(|all| all.get(category.plural())))),
            method_rates: items("json_rpc_methods")
                .filter_map(|value| Some((value.str("name")?.to_owned(), rate(value)?)))
                .collect(),
            primitive_rates: Category::ALL.map(|category| {
                let of_category = items("mcp_primitives")
                    .filter(|value| value.str("type") == Some(category.name()));
                of_category
                    .filter_map(|value| {
                        let name = value.str("name")?;
                        Some(PrimitiveRate {
                            name: name.to_owned(),
                            normal: Readings::of(category, name).normal().to_owned(),
                            rate: rate(value)?,
                        })
                    })
                    .collect()
            }),
        }
    }

    /// Returns the rules for a category.
    #[must_use]
    pub const fn of(&self, category: Category) -> &NameRules {
        category.of(&self.primitives)
    }

    /// Whether a message has to be read to decide whether it may pass.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the rates of a method and of the primitive it names, with names for their counters.
    #[must_use]
    pub fn rates(&self, method: &str, primitive: Option<(Category, &str)>) -> Vec<(String, Rate)> {
        let mut of_methods = self.method_rates.iter();
        let of_method = of_methods.find(|(name, _)| name == method);
        let of_method = of_method.map(|(name, rate)| (format!("json-rpc-method:{name}"), *rate));
        let of_primitive =
            primitive.and_then(|(category, name)| self.primitive_rate(category, name));
        of_method.into_iter().chain(of_primitive).collect()
    }

    /// The rate of a primitive: the one for exactly its name or another spelling of it, else for the longest prefix.
    fn primitive_rate(&self, category: Category, name: &str) -> Option<(String, Rate)> {
        let rates = category.of::<Vec<PrimitiveRate>>(&self.primitive_rates);
        let readings = Readings::of(category, name);
        let exact = rates.iter().find(|known| known.name == name);
        let normal = || closest(category, readings.normal(), rates, |known| &known.normal);
        let sent = || closest(category, name, rates, |known| &known.name);
        let found = exact.or_else(normal).or_else(sent)?;
        Some((
            format!("mcp-{}:{}", category.name(), found.name),
            found.rate,
        ))
    }
}

impl Readings<'_> {
    /// Whether rules permit a name in every reading a server may give it.
    pub fn permitted<P>(
        &self,
        allowed: &[P],
        blocked: &[P],
        fits: impl Fn(&P, &str) -> bool,
    ) -> bool {
        permits_all((allowed, blocked), self, fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn rights() -> McpRights {
        let text = r#"{"json_rpc_methods_access_rights":{"blocked":["prompts/.*"]},
            "mcp_access_rights":{"tools":{"allowed":["get_.*"],"blocked":["get_secret"]}},
            "json_rpc_methods":[{"name":"tools/call","limit":{"rate":2,"per":60}}],
            "mcp_primitives":[{"type":"tool","name":"t","limit":{"rate":1,"per":60}},
                {"type":"resource","name":"file:///a/*","limit":{"rate":3,"per":60}},
                {"type":"resource","name":"file:///a/b","limit":{"rate":4,"per":60}},{"type":"else","name":"t"}]}"#;
        McpRights::read(&parse(text).unwrap())
    }

    #[test]
    fn rights_are_read_by_category() {
        let rights = rights();
        assert_eq!(rights.methods.blocked, ["prompts/.*"]);
        assert_eq!(rights.of(Category::Tool).allowed, ["get_.*"]);
        assert!(rights.of(Category::Prompt).is_empty());
        assert!(rights.has_rules() && !McpRights::default().has_rules());
    }

    #[test]
    fn rates_of_method_and_primitive_both_apply() {
        let rights = rights();
        let names = |method, primitive| {
            let rates = rights.rates(method, primitive);
            rates.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let tool = |name| Some((Category::Tool, name));
        let resource = |name| Some((Category::Resource, name));
        assert_eq!(
            names("tools/call", tool("t")),
            ["json-rpc-method:tools/call", "mcp-tool:t"]
        );
        assert_eq!(
            names("tools/call", tool("T")),
            ["json-rpc-method:tools/call"]
        );
        assert_eq!(
            names("resources/read", resource("file:///a/b")),
            ["mcp-resource:file:///a/b"]
        );
        assert_eq!(
            names("resources/read", resource("file:///a/c")),
            ["mcp-resource:file:///a/*"]
        );
        for other in ["file:///a/%62", "FILE:/a/x/../b", "file:///a/b#c"] {
            assert_eq!(
                names("resources/read", resource(other)),
                ["mcp-resource:file:///a/b"],
                "{other}"
            );
        }
        assert!(names("prompts/get", Some((Category::Prompt, "t"))).is_empty());
        assert!(names("ping", None).is_empty());
    }
}
