//! The catalogue of an MCP proxy: what its server lists, how much of it the proxy lets through, and who may use it.
//! Plain values; the rules are those of the model, which the gateway applies, too.

mod callers;
mod offer;

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::{Value, parse};
use gatewright_model::mcp::{Category, Decision, Lists, Primitive, paired};
use gatewright_model::openapi::{operations, stored};

use super::mcp::Listed;
use super::rules::{PRIMITIVES, Subject, of_primitives};
pub use callers::{Caller, CallerKind, Permission};
pub use offer::{End, Offer, PAGES, list_methods};

/// Returns the id of the API whose operations are a proxy's tools; `None` for a proxy in front of a server.
#[must_use]
pub fn source_of(document: &str) -> Option<String> {
    let value = parse(document).ok()?;
    let (_, extension) = stored::extension(&value)?;
    let url = extension.pointer("/upstream/url").and_then(Value::as_str)?;
    paired(url).map(str::to_owned)
}

/// Returns the tools of a proxy whose tools are operations, from its document with all derived members.
#[must_use]
pub fn of_operations(expanded: &str) -> Vec<Listed> {
    let Ok(value) = parse(expanded) else {
        return Vec::new();
    };
    let servers = ["x-gateway-mcp-server", "x-tyk-mcp-server"];
    let server = servers.iter().find_map(|name| value.get(name));
    let entries = server.and_then(|server| server.get("primitives"));
    let entry = |entry: &Value<'_>| {
        // Entries of operations that are not tools have no derived members.
        let schema = entry.get("inputSchema")?;
        Some(Listed {
            name: entry.str("name")?.to_owned(),
            about: entry.str("description").unwrap_or_default().to_owned(),
            takes: schema.span.of(expanded).to_owned(),
        })
    };
    let entries = entries.map(Value::items).unwrap_or_default();
    entries.iter().filter_map(entry).collect()
}

/// Returns a proxy's definition for an administrator's query: without keys, so that the server is asked for everything
/// it has. The proxy's lists are not part of it; they are in members that only the gateway writes.
///
/// # Errors
/// If the text is not JSON.
pub fn unlocked(definition: &str) -> Result<String, EditError> {
    edit::set(definition, "/use_keyless", "true")
}

/// The access rules of a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxy {
    lists: Lists,
    methods: Vec<Method>,
    /// The primitives with rules, by category.
    ruled: [Vec<Subject>; 3],
}

/// A JSON-RPC method that has an operation in the proxy's document.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Method {
    name: String,
    is_allowed: bool,
    is_blocked: bool,
    /// Whether it requires no key.
    is_open: bool,
}

/// Whether a proxy allows the use of something, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is allowed.
    pub passes: bool,
    /// Whether it requires no key, even if the proxy does.
    pub is_open: bool,
    /// The reason, as a sentence.
    pub why: String,
}

impl Proxy {
    /// Reads the rules from a document.
    #[must_use]
    pub fn of(document: &str) -> Self {
        let ruled = PRIMITIVES.map(|of| of_primitives(document, of, &[]));
        let methods = methods(document);
        Self {
            lists: lists(&ruled, &methods),
            methods,
            ruled,
        }
    }

    /// Returns the names that have rules.
    pub fn ruled(&self, category: Category) -> impl Iterator<Item = &str> {
        self.subjects(category)
            .iter()
            .map(|subject| subject.name.as_str())
    }

    fn subjects(&self, category: Category) -> &[Subject] {
        let [tools, resources, prompts] = &self.ruled;
        match category {
            Category::Tool => tools,
            Category::Resource => resources,
            Category::Prompt => prompts,
        }
    }

    /// Returns whether someone with access to the proxy may use a primitive.
    #[must_use]
    pub fn verdict(&self, category: Category, name: &str) -> Verdict {
        let rule = self.lists.find(category, name);
        let method = category.method();
        let own = self.methods.iter().find(|known| known.name == method);
        let is_open = |own: Option<&Method>| own.is_some_and(|own| own.is_open);
        let (passes, why) = self.decided(category, name, rule, own);
        Verdict {
            passes,
            is_open: passes && (is_open(own) || rule.is_some_and(|rule| rule.is_open)),
            why,
        }
    }

    /// Returns whether it is allowed, and why.
    fn decided(
        &self,
        category: Category,
        name: &str,
        rule: Option<&Primitive>,
        own: Option<&Method>,
    ) -> (bool, String) {
        let method = category.method();
        // A method that requires no key is not subject to the lists of methods.
        if !own.is_some_and(|own| own.is_open) {
            if own.is_some_and(|own| own.is_blocked) {
                return (false, format!("The method {method} is blocked."));
            }
            let some_allowed = self.methods.iter().any(|known| known.is_allowed);
            if some_allowed && !own.is_some_and(|own| own.is_allowed) {
                let why = format!("Other methods are allowed, but not {method}.");
                return (false, why);
            }
        }
        let by = rule.map(|rule| match rule.name == name {
            true => "a rule of its own".to_owned(),
            false => format!("the rule for {}", rule.name),
        });
        let by = by.unwrap_or_else(|| "a rule for an equivalent address".to_owned());
        let word = category.plural();
        match self.lists.decide(category, name) {
            Decision::Blocked => (false, format!("Blocked by {by}.")),
            Decision::NotAllowed => (
                false,
                format!("Other {word} are allowed, but not this one."),
            ),
            Decision::Passes => {
                let why = match rule {
                    Some(rule) if rule.is_allowed => format!("Allowed by {by}."),
                    _ if self.lists.restricts(category) => "No rule forbids it.".to_owned(),
                    _ => format!("All {word} are allowed."),
                };
                (true, why)
            }
        }
    }

    /// Returns the rate limit shared by all callers, formatted.
    #[must_use]
    pub fn rate(&self, category: Category, name: &str) -> Option<String> {
        let found = self.lists.find(category, name)?;
        let mut subjects = self.subjects(category).iter();
        let subject = subjects.find(|subject| subject.name == found.name)?;
        subject
            .rate()
            .map(|(rate, per)| format!("{rate} per {per}"))
    }
}

/// Returns the lists of a document, as the gateway reads them.
fn lists(ruled: &[Vec<Subject>; 3], methods: &[Method]) -> Lists {
    let primitive = |category, subject: &Subject| Primitive {
        is_allowed: subject.has("allow"),
        is_blocked: subject.has("block"),
        is_open: subject.has("ignoreAuthentication"),
        ..Primitive::new(category, &subject.name)
    };
    let [tools, resources, prompts] = ruled;
    let of = |category, subjects: &[Subject]| {
        let each = subjects.iter().map(|subject| primitive(category, subject));
        each.collect::<Vec<_>>()
    };
    let primitives = [
        of(Category::Tool, tools),
        of(Category::Resource, resources),
        of(Category::Prompt, prompts),
    ];
    let methods = methods.iter().map(|method| format!("/{}", method.name));
    Lists::new(primitives, methods.collect())
}

/// Returns the methods that have an operation.
fn methods(document: &str) -> Vec<Method> {
    let Ok(value) = parse(document) else {
        return Vec::new();
    };
    let extension = stored::extension(&value);
    let rules = extension.and_then(|(_, extension)| extension.pointer("/middleware/operations"));
    let all = operations(&value).into_iter();
    let posts = all.filter(|operation| operation.method == "POST");
    posts
        .map(|operation| {
            let own = rules.and_then(|rules| rules.get(&operation.id()));
            let is_on = |rule: &str| {
                let rule = own.and_then(|own| own.get(rule));
                rule.is_some_and(|rule| rule.bool("enabled") == Some(true))
            };
            Method {
                name: operation.path.trim_start_matches('/').to_owned(),
                is_allowed: is_on("allow"),
                is_blocked: is_on("block"),
                is_open: is_on("ignoreAuthentication"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
