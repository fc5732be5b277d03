//! A proxy's rules for tools, resources and prompts: the member `openapi.mcp` of its definition.

use super::rights::permits;
use super::{Category, Readings};
use crate::json::Value;

/// A proxy's rules for one tool, resource or prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Primitive {
    /// Its name; for a resource its URI, or a prefix of several followed by `/*`.
    pub name: String,
    /// Whether it is on the allow list.
    pub is_allowed: bool,
    /// Whether it is blocked for everybody.
    pub is_blocked: bool,
    /// Whether it can be used without a key.
    pub is_open: bool,
}

/// All rules of a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    primitives: [Vec<Primitive>; 3],
    /// The paths of its operations: JSON-RPC methods that have rules (`/tools/call`).
    pub methods: Vec<String>,
}

/// A proxy's decision about the use of a primitive (reference 6.4, *Allow lists*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may be used.
    Passes,
    /// It is blocked.
    Blocked,
    /// It is not on the allow list.
    NotAllowed,
}

impl Lists {
    /// Creates the rules from those of primitives, in the order of [`Category::ALL`], and of methods.
    #[must_use]
    pub const fn new(primitives: [Vec<Primitive>; 3], methods: Vec<String>) -> Self {
        Self {
            primitives,
            methods,
        }
    }

    /// Reads `openapi.mcp` of a definition.
    #[must_use]
    pub fn read(definition: &Value<'_>) -> Self {
        let Some(mcp) = definition.pointer("/openapi/mcp") else {
            return Self::default();
        };
        let items = |name| mcp.get(name).map(Value::items).unwrap_or_default();
        let primitive = |value: &Value<'_>| {
            let is_on = |name| value.bool(name).unwrap_or_default();
            Some(Primitive {
                name: value.str("name")?.to_owned(),
                is_allowed: is_on("allow"),
                is_blocked: is_on("block"),
                is_open: is_on("open"),
            })
        };
        Self {
            primitives: Category::ALL.map(|category| {
                let items = items(category.plural()).iter();
                items.filter_map(primitive).collect()
            }),
            methods: items("methods")
                .iter()
                .filter_map(|path| Some(path.as_str()?.to_owned()))
                .collect(),
        }
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.primitives.iter().all(Vec::is_empty)
    }

    /// Returns the rules for a category.
    #[must_use]
    pub fn of(&self, category: Category) -> &[Primitive] {
        category.of::<Vec<Primitive>>(&self.primitives)
    }

    /// Whether any primitive of a category is restricted.
    #[must_use]
    pub fn restricts(&self, category: Category) -> bool {
        let restricts = |primitive: &Primitive| primitive.is_allowed || primitive.is_blocked;
        self.of(category).iter().any(restricts)
    }

    /// Finds the rules for a name: those for exactly that name or, for a resource, those with the longest matching
    /// prefix.
    #[must_use]
    pub fn find(&self, category: Category, name: &str) -> Option<&Primitive> {
        let primitives = self.of(category).iter();
        if let Some(exact) = primitives.clone().find(|known| known.name == name) {
            return Some(exact);
        }
        let is_beginning = |known: &&Primitive| is_below(category, &known.name, name);
        primitives
            .filter(is_beginning)
            .max_by_key(|known| known.name.len())
    }

    /// Whether everybody may use a name: in every reading, it is one that is open.
    #[must_use]
    pub fn opens(&self, category: Category, name: &str) -> bool {
        let is_open = |name: &str| self.find(category, name).is_some_and(|known| known.is_open);
        Readings::of(category, name).all().all(is_open)
    }

    /// Whether a primitive may be used.
    #[must_use]
    pub fn decide(&self, category: Category, name: &str) -> Decision {
        let readings = Readings::of(category, name);
        let found = |name: &str| self.find(category, name);
        if readings
            .all()
            .any(|name| found(name).is_some_and(|known| known.is_blocked))
        {
            return Decision::Blocked;
        }
        let has_list = self.of(category).iter().any(|known| known.is_allowed);
        let is_allowed = |name: &str| found(name).is_some_and(|known| known.is_allowed);
        let climbs = readings.climbs;
        let lets = is_allowed(name) && (!climbs || readings.all().all(is_allowed));
        if has_list && !lets {
            return Decision::NotAllowed;
        }
        Decision::Passes
    }
}

/// Whether a resource is below one whose name ends in `/*`.
#[must_use]
pub(super) fn is_below(category: Category, rule: &str, name: &str) -> bool {
    let beginning = rule.strip_suffix('*').filter(|rule| rule.ends_with('/'));
    category == Category::Resource && beginning.is_some_and(|beginning| name.starts_with(beginning))
}

/// Whether rules with expressions permit a name in all its readings.
pub(super) fn permits_all<P>(
    (allowed, blocked): (&[P], &[P]),
    readings: &Readings<'_>,
    fits: impl Fn(&P, &str) -> bool,
) -> bool {
    let passes = |name: &str| permits(allowed, blocked, |rule| fits(rule, name));
    let is_blocked = |name: &str| blocked.iter().any(|rule| fits(rule, name));
    passes(readings.name)
        && readings.other.as_deref().is_none_or(|other| {
            if readings.climbs {
                passes(other)
            } else {
                !is_blocked(other)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn lists() -> Lists {
        let text = r#"{"openapi":{"mcp":{
            "tools":[{"name":"get_weather","allow":true},{"name":"get_forecast"},{"name":"drop","allow":true,"block":true}],
            "resources":[{"name":"file:///repo/*","allow":true},{"name":"file:///repo/docs/*","allow":true,"open":true},
                {"name":"file:///repo/docs/secret.md","block":true},{"name":"file:///repo/off/*"}],
            "prompts":[{"name":"delete","block":true}],"methods":["/tools/call"]}}}"#;
        Lists::read(&parse(text).unwrap())
    }

    #[test]
    fn allowing_one_primitive_closes_its_category() {
        use Decision::{Blocked, NotAllowed, Passes};
        let lists = lists();
        for (category, name, expected) in [
            (Category::Tool, "get_weather", Passes),
            (Category::Tool, "GET_WEATHER", NotAllowed),
            (Category::Tool, "get_weather ", NotAllowed),
            (Category::Tool, "get_forecast", NotAllowed),
            (Category::Tool, "other", NotAllowed),
            (Category::Tool, "drop", Blocked),
            (Category::Resource, "file:///repo/README.md", Passes),
            (Category::Resource, "file:///repo/docs/a.md", Passes),
            (Category::Resource, "file:///repo/docs/secret.md", Blocked),
            (Category::Resource, "file:///repo/docs/%73ecret.md", Blocked),
            (
                Category::Resource,
                "file:///repo/x/../docs/secret.md",
                Blocked,
            ),
            (Category::Resource, "file:///repo/../etc/passwd", NotAllowed),
            (Category::Resource, "file:///repo/off/a", NotAllowed),
            (Category::Resource, "file:///repo", NotAllowed),
            (Category::Resource, "file:///other/a", NotAllowed),
            (Category::Resource, "file:///repo/a%20b", Passes),
            (Category::Prompt, "delete", Blocked),
            (Category::Prompt, "review", Passes),
        ] {
            assert_eq!(lists.decide(category, name), expected, "{name}");
        }
        assert!(lists.restricts(Category::Prompt));
        assert!(!Lists::default().restricts(Category::Tool) && Lists::default().is_empty());
    }

    #[test]
    fn a_name_is_open_in_every_reading_or_not_at_all() {
        let lists = lists();
        for (name, is_open) in [
            ("file:///repo/docs/a.md", true),
            ("file:///repo/docs/%61.md", true),
            ("file:///repo/docs/x/../a.md", true),
            ("file:///repo/docs/../a.md", false),
            ("file:///repo/docs/%2e%2e/a.md", false),
            ("file:///repo/docs/..%5ca.md", false),
            ("file:///repo/docs/secret.md", false),
            ("file:///repo/docs/%73ecret.md", false),
            ("file:///repo/a.md", false),
            ("file:///other", false),
        ] {
            assert_eq!(lists.opens(Category::Resource, name), is_open, "{name}");
        }
        assert!(!lists.opens(Category::Tool, "get_weather"));
    }

    #[test]
    fn exact_name_precedes_longest_prefix() {
        let lists = lists();
        let found = |name| {
            lists
                .find(Category::Resource, name)
                .map(|known| known.name.as_str())
        };
        assert_eq!(
            found("file:///repo/docs/secret.md"),
            Some("file:///repo/docs/secret.md")
        );
        assert_eq!(found("file:///repo/docs/x"), Some("file:///repo/docs/*"));
        assert_eq!(found("file:///repo/x"), Some("file:///repo/*"));
        assert_eq!(found("file:///repo"), None);
        assert_eq!(lists.find(Category::Tool, "get_"), None);
    }
}
