//! The rules in an OpenAPI document's vendor extension for its operations, and for the tools, resources and prompts of
//! an MCP proxy; and the small edits that switch a rule. Plain values over the text.

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::openapi::administered::EXTENSION;
use gatewright_model::openapi::{operations, stored};

use super::sought::Sought;

/// An operation or a primitive that rules apply to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The JSON Pointer of its rules in the document; there may be nothing there yet.
    pub pointer: String,
    /// The method of an operation; the kind of a primitive, such as `tool`.
    pub kind: String,
    /// The path of an operation; the name of a primitive.
    pub name: String,
    /// Its summary or description.
    pub detail: String,
    /// The JSON Pointer at which the document shows it; empty if it is not in the document.
    pub described_at: String,
    /// Its rules, in the order of the document.
    pub rules: Vec<Rule>,
}

/// A rule of the extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The name of its member.
    pub name: String,
    /// Whether it is enabled.
    pub on: bool,
    /// For a rate limit, how many requests in which period.
    pub rate: Option<(i64, String)>,
}

/// A rule with a switch in the console: its member, its label, and an explanation.
pub type Offered = (&'static str, &'static str, &'static str);

/// The rules for operations.
pub const OF_OPERATIONS: &[Offered] = &[
    (
        "allow",
        "Allow",
        "Once one is allowed, all that no rule allows is refused",
    ),
    ("block", "Block", "Requests are refused"),
    (
        "ignoreAuthentication",
        "No key",
        "Requests need no credential",
    ),
    (
        "validateRequest",
        "Check",
        "Requests are checked against the document",
    ),
    (
        "mockResponse",
        "Mock",
        "The answer is an example from the document; nothing is forwarded",
    ),
    (
        "rateLimit",
        "Rate",
        "Requests are limited, whoever sends them",
    ),
];

/// The rules for primitives of an MCP proxy.
pub const OF_PRIMITIVES: &[Offered] = &[
    (
        "allow",
        "Allow",
        "Once one is allowed, all others of its kind are refused",
    ),
    ("block", "Block", "It is refused, and left out of lists"),
    ("rateLimit", "Rate", "Its use is limited, whoever uses it"),
];

/// The initial rate of a new limit.
const FIRST_RATE: &str = r#"{"enabled": true, "rate": 60, "per": "1m"}"#;

/// The kinds of primitives: the member of the extension, the singular, and the heading.
pub const PRIMITIVES: [(&str, &str, &str); 3] = [
    ("mcpTools", "tool", "Tools"),
    ("mcpResources", "resource", "Resources"),
    ("mcpPrompts", "prompt", "Prompts"),
];

/// Returns the pointer of a member of a document's extension, whichever spelling the document uses.
#[must_use]
pub fn in_extension(text: &str, below: &str) -> String {
    let document = parse(text).ok();
    format!("/{}{below}", name_of(document.as_ref()))
}

fn name_of(document: Option<&Value<'_>>) -> &'static str {
    let extension = document.and_then(stored::extension);
    extension.map_or(EXTENSION, |(name, _)| name)
}

fn middleware(name: &str, list: &str, subject: &str) -> String {
    let mut pointer = format!("/{name}/middleware/{list}");
    push_token(&mut pointer, subject);
    pointer
}

/// Returns the operations of a document with their rules, in order; none as long as it isn't JSON.
#[must_use]
pub fn of_operations(text: &str) -> Vec<Subject> {
    let Ok(document) = parse(text) else {
        return Vec::new();
    };
    let name = name_of(Some(&document));
    let subject = |operation: &gatewright_model::openapi::Operation<'_, '_>| {
        let id = operation.id();
        let pointer = middleware(name, "operations", &id);
        let summary = operation.value.str("summary").unwrap_or_default();
        Subject {
            rules: rules(document.pointer(&pointer)),
            pointer,
            kind: operation.method.clone(),
            name: operation.path.to_owned(),
            detail: join(&id, summary),
            described_at: operation.pointer.clone(),
        }
    };
    operations(&document).iter().map(subject).collect()
}

fn join(id: &str, summary: &str) -> String {
    match summary {
        "" => id.to_owned(),
        summary => format!("{id} · {summary}"),
    }
}

/// Returns the primitives of one kind that have rules in a document; `found` are others that the server has, without
/// rules yet.
#[must_use]
pub fn of_primitives(
    text: &str,
    (list, kind, _): (&str, &str, &str),
    found: &[(String, String)],
) -> Vec<Subject> {
    let document = parse(text).ok();
    let name = name_of(document.as_ref());
    let below = document
        .as_ref()
        .and_then(|document| document.pointer(&format!("/{name}/middleware/{list}")));
    let about = |wanted: &str| {
        let found = found.iter().find(|(name, _)| name == wanted);
        found.map(|(_, about)| about.clone()).unwrap_or_default()
    };
    let subject = |primitive: &str, rules: Vec<Rule>| {
        let pointer = middleware(name, list, primitive);
        Subject {
            described_at: if rules.is_empty() {
                String::new()
            } else {
                pointer.clone()
            },
            pointer,
            kind: kind.to_owned(),
            name: primitive.to_owned(),
            detail: about(primitive),
            rules,
        }
    };
    let ruled = below.map(Value::members).unwrap_or_default();
    let mut subjects: Vec<Subject> = ruled
        .iter()
        .map(|member| subject(&member.name, rules(Some(&member.value))))
        .collect();
    for (name, _) in found {
        if !ruled.iter().any(|member| member.name == *name) {
            subjects.push(subject(name, Vec::new()));
        }
    }
    subjects
}

fn rules(below: Option<&Value<'_>>) -> Vec<Rule> {
    let members = below.map(Value::members).unwrap_or_default();
    members
        .iter()
        .map(|member| Rule {
            name: member.name.to_string(),
            on: member.value.bool("enabled") == Some(true),
            rate: member
                .value
                .int("rate")
                .map(|rate| (rate, member.value.str("per").unwrap_or_default().to_owned())),
        })
        .collect()
}

impl Subject {
    /// Whether a rule is enabled.
    #[must_use]
    pub fn has(&self, rule: &str) -> bool {
        self.rules.iter().any(|own| own.name == rule && own.on)
    }

    /// Returns the rate limit, if there is one: how many requests in which period.
    #[must_use]
    pub fn rate(&self) -> Option<(i64, String)> {
        let limit = self
            .rules
            .iter()
            .find(|own| own.name == "rateLimit" && own.on);
        limit.and_then(|limit| limit.rate.clone())
    }

    /// Returns the names of enabled rules without a switch, in words.
    #[must_use]
    pub fn others(&self, offered: &[Offered]) -> Vec<String> {
        let others = self
            .rules
            .iter()
            .filter(|own| own.on && !offered.iter().any(|(name, ..)| *name == own.name));
        others.map(|own| words(&own.name)).collect()
    }

    /// Whether it matches a search.
    #[must_use]
    pub fn answers(&self, sought: &Sought) -> bool {
        sought.is_in([&self.kind, &self.name, &self.detail])
    }
}

/// Splits the name of a rule into words: `urlRewrite` becomes `url rewrite`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Returns the text with a rule switched. An existing rule keeps its other members; a new one is written as the
/// gateway's own import does.
///
/// # Errors
/// If the text is not JSON, or something else is where the rules would be.
pub fn switched(text: &str, subject: &Subject, rule: &str, on: bool) -> Result<String, EditError> {
    let pointer = format!("{}/{rule}", subject.pointer);
    if subject.rules.iter().any(|own| own.name == rule) {
        return edit::set(
            text,
            &format!("{pointer}/enabled"),
            if on { "true" } else { "false" },
        );
    }
    let value = match rule {
        "validateRequest" => r#"{"enabled": true, "errorResponseCode": 422}"#,
        "mockResponse" => r#"{"enabled": true, "fromOASExamples": {"enabled": true}}"#,
        "rateLimit" => FIRST_RATE,
        _ => r#"{"enabled": true}"#,
    };
    match on {
        true => edit::set(text, &pointer, value),
        false => Ok(text.to_owned()),
    }
}

/// Returns the text with another rate for a subject that has one.
///
/// # Errors
/// As for [`switched`].
pub fn with_rate(text: &str, subject: &Subject, rate: i64, per: &str) -> Result<String, EditError> {
    let pointer = format!("{}/rateLimit", subject.pointer);
    let text = edit::set(text, &format!("{pointer}/rate"), &rate.to_string())?;
    edit::set(&text, &format!("{pointer}/per"), &quote(per))
}

/// How the API of a document is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The path it is served under.
    pub listen_path: String,
    /// The host name it is served on; empty for any.
    pub domain: String,
    /// The URL that requests are forwarded to.
    pub upstream: String,
    /// Whether it is active.
    pub active: bool,
    /// Whether only other APIs may reach it.
    pub internal: bool,
    /// The security schemes it requires; empty if it requires none.
    pub schemes: Vec<String>,
}

impl Reach {
    /// Reads it from a document; `None` as long as that isn't JSON or has no extension.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let document = parse(text).ok()?;
        let (_, extension) = stored::extension(&document)?;
        let at = |pointer: &str| {
            extension
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let switch = |name: &str| {
            let state = extension.pointer("/info/state");
            state.and_then(|state| state.bool(name)) == Some(true)
        };
        let authentication = extension.pointer("/server/authentication");
        let asks = authentication.filter(|found| found.bool("enabled") == Some(true));
        let schemes = asks
            .and_then(|found| found.get("securitySchemes"))
            .map(Value::members);
        let enabled = schemes
            .unwrap_or_default()
            .iter()
            .filter(|scheme| scheme.value.bool("enabled") == Some(true));
        Some(Self {
            listen_path: at("/server/listenPath/value"),
            domain: at("/server/customDomain/name"),
            upstream: at("/upstream/url"),
            active: switch("active"),
            internal: switch("internal"),
            schemes: enabled.map(|scheme| scheme.name.to_string()).collect(),
        })
    }
}
