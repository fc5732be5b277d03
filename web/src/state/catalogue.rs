//! What an MCP proxy offers: what its server lists, what the proxy lets through of it, and who may use it. Plain
//! values; the rules are those of the model, by which the gateway decides.

mod callers;
mod offer;

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::{Value, parse};
use gatewright_model::mcp::{Category, Decision, Lists, Primitive, paired};
use gatewright_model::openapi::{operations, stored};

use super::mcp::Listed;
use super::rules::{PRIMITIVES, Subject, of_primitives};
pub use callers::{Answer, Caller, CallerKind};
pub use offer::{End, Offer, PAGES, asked};

/// The API whose operations are the tools of a proxy; none for one in front of a server.
#[must_use]
pub fn source_of(document: &str) -> Option<String> {
    let value = parse(document).ok()?;
    let (_, extension) = stored::extension(&value)?;
    let url = extension.pointer("/upstream/url").and_then(Value::as_str)?;
    paired(url).map(str::to_owned)
}

/// The tools of a proxy whose tools are operations, out of its document with all that follows of them.
#[must_use]
pub fn of_operations(expanded: &str) -> Vec<Listed> {
    let Ok(value) = parse(expanded) else {
        return Vec::new();
    };
    let servers = ["x-gateway-mcp-server", "x-tyk-mcp-server"];
    let server = servers.iter().find_map(|name| value.get(name));
    let entries = server.and_then(|server| server.get("primitives"));
    let entry = |entry: &Value<'_>| {
        // Entries of operations that are no tools have nothing that follows of them.
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

/// The definition of a proxy as somebody asks with it who administers it: without keys, so that its server is
/// asked for all that it has. Its lists are no part of it: they stand in what only the gateway writes.
///
/// # Errors
/// The text is no JSON.
pub fn unlocked(definition: &str) -> Result<String, EditError> {
    edit::set(definition, "/use_keyless", "true")
}

/// What a proxy says about who may use what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxy {
    lists: Lists,
    methods: Vec<Method>,
    /// What has a rule, by category.
    ruled: [Vec<Subject>; 3],
}

/// A method of JSON-RPC that an operation of a proxy is for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Method {
    name: String,
    is_allowed: bool,
    is_blocked: bool,
    /// Nobody is asked for a key.
    is_open: bool,
}

/// Whether a proxy lets the use of something through, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it does.
    pub passes: bool,
    /// Whether nobody is asked for a key then, also where the proxy asks for one.
    pub is_open: bool,
    /// Why, in a sentence.
    pub why: String,
}

impl Proxy {
    /// Reads it from a document.
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

    /// The names that have rules.
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

    /// Whether something may be used by whoever may use the proxy.
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

    /// Whether it passes, and why.
    fn decided(
        &self,
        category: Category,
        name: &str,
        rule: Option<&Primitive>,
        own: Option<&Method>,
    ) -> (bool, String) {
        let method = category.method();
        // No list of methods is asked about one that nobody is asked for a key for.
        if !own.is_some_and(|own| own.is_open) {
            if own.is_some_and(|own| own.is_blocked) {
                return (false, format!("The method {method} is blocked."));
            }
            let some_allowed = self.methods.iter().any(|known| known.is_allowed);
            if some_allowed && !own.is_some_and(|own| own.is_allowed) {
                let why = format!("Other methods are allowed, and {method} is not.");
                return (false, why);
            }
        }
        let by = rule.map(|rule| match rule.name == name {
            true => "a rule of its own".to_owned(),
            false => format!("the rule for {}", rule.name),
        });
        let by = by.unwrap_or_else(|| "a rule for what its address means".to_owned());
        let word = category.plural();
        match self.lists.decide(category, name) {
            Decision::Blocked => (false, format!("Blocked by {by}.")),
            Decision::NotAllowed => (false, format!("Other {word} are allowed, and it is not.")),
            Decision::Passes => {
                let why = match rule {
                    Some(rule) if rule.is_allowed => format!("Allowed by {by}."),
                    _ if self.lists.restricts(category) => "No rule is against it.".to_owned(),
                    _ => format!("All {word} are let through."),
                };
                (true, why)
            }
        }
    }

    /// How often it may be used by all together, as the document says it.
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

/// The lists of a document, as the gateway reads them.
fn lists(ruled: &[Vec<Subject>; 3], methods: &[Method]) -> Lists {
    let primitive = |subject: &Subject| Primitive {
        name: subject.name.clone(),
        is_allowed: subject.has("allow"),
        is_blocked: subject.has("block"),
        is_open: subject.has("ignoreAuthentication"),
    };
    let [tools, resources, prompts] = ruled;
    let primitives = [tools, resources, prompts]
        .map(|subjects| subjects.iter().map(primitive).collect::<Vec<_>>());
    let methods = methods.iter().map(|method| format!("/{}", method.name));
    Lists::new(primitives, methods.collect())
}

/// The methods that have an operation.
fn methods(document: &str) -> Vec<Method> {
    let Ok(value) = parse(document) else {
        return Vec::new();
    };
    let extension = stored::extension(&value);
    let rules = extension.and_then(|(_, said)| said.pointer("/middleware/operations"));
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
