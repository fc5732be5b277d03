//! What an MCP proxy offers: what its server lists, what the proxy lets through of it, and who may use it. Plain
//! values; the rules are those of the model, by which the gateway decides.

mod callers;

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::mcp::{Category, Decision, Lists, paired};
use gatewright_model::openapi::{operations, stored};

use super::mcp::Listed;
use super::rules::{PRIMITIVES, Subject, of_primitives};
pub use callers::{Answer, Caller, CallerKind};

/// What is asked of a server: the methods of its lists, and how the entries of each are named.
pub const ASKED: [(Category, &str, (&str, &str)); 4] = [
    (Category::Tool, "tools/list", ("tools", "name")),
    (Category::Resource, "resources/list", ("resources", "uri")),
    (
        Category::Resource,
        "resources/templates/list",
        ("resourceTemplates", "uriTemplate"),
    ),
    (Category::Prompt, "prompts/list", ("prompts", "name")),
];

/// The method that uses something of a category.
#[must_use]
pub const fn method_of(category: Category) -> &'static str {
    match category {
        Category::Tool => "tools/call",
        Category::Resource => "resources/read",
        Category::Prompt => "prompts/get",
    }
}

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
    /// The methods of JSON-RPC that its operations are for, with whether each is allowed and whether it is blocked.
    methods: Vec<(String, bool, bool)>,
    /// What has a rule, by category.
    ruled: [Vec<Subject>; 3],
}

/// Whether a proxy lets the use of something through, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it does.
    pub passes: bool,
    /// Why, in a sentence.
    pub why: String,
}

impl Proxy {
    /// Reads it from a document.
    #[must_use]
    pub fn of(document: &str) -> Self {
        let ruled = PRIMITIVES.map(|of| of_primitives(document, of, &[]));
        Self {
            lists: lists(&ruled),
            methods: methods(document),
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
        let no = |why: String| Verdict { passes: false, why };
        let method = method_of(category);
        let rule = self.lists.find(category, name);
        let by = rule.map(|rule| match rule.name == name {
            true => "a rule of its own".to_owned(),
            false => format!("the rule for {}", rule.name),
        });
        let by = by.unwrap_or_else(|| "a rule for what its address means".to_owned());
        let own = self.methods.iter().find(|(known, ..)| known == method);
        if own.is_some_and(|(_, _, blocked)| *blocked) {
            return no(format!("The method {method} is blocked."));
        }
        let some_allowed = self.methods.iter().any(|(_, allowed, _)| *allowed);
        if some_allowed && !own.is_some_and(|(_, allowed, _)| *allowed) {
            return no(format!("Other methods are allowed, and {method} is not."));
        }
        let word = category.plural();
        match self.lists.decide(category, name) {
            Decision::Blocked => no(format!("Blocked by {by}.")),
            Decision::NotAllowed => no(format!("Other {word} are allowed, and it is not.")),
            Decision::Passes => Verdict {
                passes: true,
                why: match rule {
                    Some(rule) if rule.is_allowed => format!("Allowed by {by}."),
                    _ if self.lists.restricts(category) => "No rule is against it.".to_owned(),
                    _ => format!("All {word} are let through."),
                },
            },
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
fn lists(ruled: &[Vec<Subject>; 3]) -> Lists {
    let flag = |subject: &Subject, rule: &str, name: &str| match subject.has(rule) {
        true => format!(",{}:true", quote(name)),
        false => String::new(),
    };
    let entry = |subject: &Subject| {
        let allow = flag(subject, "allow", "allow");
        let block = flag(subject, "block", "block");
        format!("{{\"name\":{}{allow}{block}}}", quote(&subject.name))
    };
    let category = |(category, subjects): (Category, &Vec<Subject>)| {
        let entries: Vec<String> = subjects.iter().map(entry).collect();
        format!("{}:[{}]", quote(category.plural()), entries.join(","))
    };
    let all: Vec<String> = Category::ALL.into_iter().zip(ruled).map(category).collect();
    let text = format!("{{\"openapi\":{{\"mcp\":{{{}}}}}}}", all.join(","));
    parse(&text)
        .map(|value| Lists::read(&value))
        .unwrap_or_default()
}

/// The methods that have an operation.
fn methods(document: &str) -> Vec<(String, bool, bool)> {
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
            let method = operation.path.trim_start_matches('/').to_owned();
            (method, is_on("allow"), is_on("block"))
        })
        .collect()
}

#[cfg(test)]
mod tests;
