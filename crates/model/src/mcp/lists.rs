//! A proxy's rules for tools, resources and prompts: the member `openapi.mcp` of its definition.

use super::rights::permits;
use super::{Category, Readings};
use crate::json::Value;

/// A proxy's rules for one tool, resource or prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Primitive {
    /// Its name; for a resource its URI, or a prefix of several followed by `/*`.
    pub name: String,
    /// The name normalised ([`Readings`]), in which other spellings are recognised.
    pub normal: String,
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

impl Primitive {
    /// Returns a primitive without rules.
    #[must_use]
    pub fn new(category: Category, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            normal: Readings::of(category, name).normal().to_owned(),
            ..Self::default()
        }
    }
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
        let primitive = |category, value: &Value<'_>| {
            let is_on = |name| value.bool(name).unwrap_or_default();
            Some(Primitive {
                is_allowed: is_on("allow"),
                is_blocked: is_on("block"),
                is_open: is_on("open"),
                ..Primitive::new(category, value.str("name")?)
            })
        };
        Self {
            primitives: Category::ALL.map(|category| {
                let items = items(category.plural()).iter();
                let items = items.filter_map(|item| primitive(category, item));
                items.collect()
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

    /// Finds the rules for a name: those for exactly that name or, for a resource, those for another spelling of it, or
    /// those with the longest matching prefix.
    #[must_use]
    pub fn find(&self, category: Category, name: &str) -> Option<&Primitive> {
        let mut known = self.of(category).iter();
        let exact = known.find(|known| known.name == name);
        let readings = || Readings::of(category, name);
        let normal = || self.normalised(category, readings().normal());
        exact.or_else(normal).or_else(|| self.sent(category, name))
    }

    /// Finds the rules for a name as it was sent.
    fn sent(&self, category: Category, name: &str) -> Option<&Primitive> {
        closest(category, name, self.of(category), |known| &known.name)
    }

    /// Finds the rules for a normalised name.
    fn normalised(&self, category: Category, name: &str) -> Option<&Primitive> {
        closest(category, name, self.of(category), |known| &known.normal)
    }

    /// The rules for both readings of a name.
    fn both(&self, category: Category, readings: &Readings<'_>) -> [Option<&Primitive>; 2] {
        [
            self.sent(category, readings.name),
            self.normalised(category, readings.normal()),
        ]
    }

    /// Whether everybody may use a name: in every reading, it is one that is open.
    #[must_use]
    pub fn opens(&self, category: Category, name: &str) -> bool {
        let rules = self.both(category, &Readings::of(category, name));
        let is_open = |rule: Option<&Primitive>| rule.is_some_and(|known| known.is_open);
        rules.into_iter().all(is_open)
    }

    /// Whether a primitive may be used.
    #[must_use]
    pub fn decide(&self, category: Category, name: &str) -> Decision {
        let readings = Readings::of(category, name);
        let [sent, normal] = self.both(category, &readings);
        if [sent, normal]
            .into_iter()
            .flatten()
            .any(|known| known.is_blocked)
        {
            return Decision::Blocked;
        }
        let has_list = self.of(category).iter().any(|known| known.is_allowed);
        let is_allowed = |rule: Option<&Primitive>| rule.is_some_and(|known| known.is_allowed);
        if has_list && !(is_allowed(sent) && (!readings.climbs || is_allowed(normal))) {
            return Decision::NotAllowed;
        }
        Decision::Passes
    }
}

/// Finds what has exactly this name or, for a resource, the longest matching prefix.
pub(super) fn closest<'r, T>(
    category: Category,
    name: &str,
    rules: &'r [T],
    named: impl Fn(&'r T) -> &'r str,
) -> Option<&'r T> {
    let exact = rules.iter().find(|rule| named(rule) == name);
    exact.or_else(|| {
        let below = rules
            .iter()
            .filter(|rule| is_below(category, named(rule), name));
        below.max_by_key(|rule| named(rule).len())
    })
}

/// Whether a resource is below one whose name ends in `/*`.
fn is_below(category: Category, rule: &str, name: &str) -> bool {
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
    let leads_there = || !readings.climbs || passes(readings.normal());
    passes(readings.name) && leads_there() && !readings.all().iter().any(|name| is_blocked(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn lists() -> Lists {
        let text = r#"{"openapi":{"mcp":{
            "tools":[{"name":"get_weather","allow":true},{"name":"get_forecast"},{"name":"drop","allow":true,"block":true}],
            "resources":[{"name":"file:///repo/*","allow":true},{"name":"file:///repo/docs/*","allow":true,"open":true},
                {"name":"file:///repo/docs/secret.md","block":true},{"name":"file:///repo/my%20notes.md","block":true},
                {"name":"http://Example.com/x/*","block":true},{"name":"file:///repo/off/*"}],
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
            (Category::Resource, "file:///repo/my notes.md", Blocked),
            (Category::Resource, "file:///repo/my%20notes.md", Blocked),
            (
                Category::Resource,
                "file:///repo/%6dy%2520notes.md",
                Blocked,
            ),
            (Category::Resource, "FILE:///repo/docs/secret.md", Blocked),
            (Category::Resource, "file:/repo/docs/secret.md?a#b", Blocked),
            (Category::Resource, "http://example.com/x/1", Blocked),
            (Category::Resource, "HTTP://example.com:80/x/1", Blocked),
            (Category::Resource, "FILE:///repo/README.md", NotAllowed),
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
        // Another spelling has the same rules.
        for other in [
            "file:///repo/docs/%73ecret.md",
            "FILE:/repo/x/../docs/secret.md",
        ] {
            assert_eq!(found(other), Some("file:///repo/docs/secret.md"), "{other}");
        }
        assert_eq!(found("file:///repo/docs/../x"), Some("file:///repo/*"));
        assert_eq!(
            found("file:///repo/my notes.md"),
            Some("file:///repo/my%20notes.md")
        );
        assert_eq!(lists.find(Category::Tool, "get_"), None);
    }
}
