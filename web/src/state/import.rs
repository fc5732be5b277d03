//! The import of an OpenAPI document: its source, the user's choices, and the result. Plain values; the work is done in
//! a worker (`converter`).

use gatewright_model::json::{Member, Value, parse, quote};
use gatewright_model::{Issue, Position};

use super::storage;
use crate::api::issues_of;

/// The maximum size of a document to import, in bytes.
pub use gatewright_model::openapi::MAX_BYTES;

/// A document to import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The text.
    pub text: String,
    /// The name of its file, or its URL; empty for pasted text.
    pub name: String,
    /// The URL it was fetched from, if any.
    pub url: Option<String>,
}

impl Source {
    /// Creates a source from a file or a URL. A byte order mark is meaningless in UTF-8 and is removed.
    #[must_use]
    pub fn new(text: &str, name: &str, url: Option<&str>) -> Self {
        Self {
            text: text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned(),
            name: name.to_owned(),
            url: url.map(str::to_owned),
        }
    }
}

/// The user's choices; `None` means what the document says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The name.
    pub name: Option<String>,
    /// The id.
    pub api_id: Option<String>,
    /// The listen path.
    pub listen_path: Option<String>,
    /// The upstream.
    pub upstream_url: Option<String>,
    /// The index of the server that becomes the upstream.
    pub server: usize,
    /// Whether only the document's operations are allowed.
    pub allow_list: bool,
    /// Whether requests are validated against the document.
    pub validate_requests: bool,
    /// Whether the document's examples are returned as responses.
    pub mock_responses: bool,
    /// Whether to produce a classic definition rather than an OpenAPI API.
    pub classic: bool,
    /// Whether to leave out the authentication that the document asks for; only for an OpenAPI API.
    pub open: bool,
}

/// The local storage key for whether the last import produced a classic definition.
const CLASSIC: &str = "gatewright.import.classic";

impl Choices {
    /// Returns the initial choices; the kind of result is that of the last import.
    #[must_use]
    pub fn first() -> Self {
        Self {
            classic: storage::browser_get(CLASSIC).is_some(),
            ..Self::default()
        }
    }

    /// Remembers the kind of result for the next import.
    pub fn keep(&self) {
        storage::browser_set(CLASSIC, self.classic.then_some("true"));
    }

    /// Returns the pointers of what can be chosen in the result: name, listen path, upstream and id.
    #[must_use]
    pub const fn pointers(&self) -> [&'static str; 4] {
        match self.classic {
            true => [
                "/name",
                "/proxy/listen_path",
                "/proxy/target_url",
                "/api_id",
            ],
            false => [
                "/x-gateway-api-gateway/info/name",
                "/x-gateway-api-gateway/server/listenPath/value",
                "/x-gateway-api-gateway/upstream/url",
                "/x-gateway-api-gateway/info/id",
            ],
        }
    }

    /// Returns the options of the model's import as JSON, for a document from a URL.
    #[must_use]
    pub fn to_json(&self, url: Option<&str>) -> String {
        let texts = [
            ("name", self.name.as_deref()),
            ("api_id", self.api_id.as_deref()),
            ("listen_path", self.listen_path.as_deref()),
            ("upstream_url", self.upstream_url.as_deref()),
            ("document_url", url),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| Some(format!("\"{name}\":{},", quote(text?))));
        format!(
            "{{{}\"server\":{},\"allow_list\":{},\"validate_requests\":{},\"mock_responses\":{},\"classic\":{},\"open\":{}}}",
            texts.collect::<String>(),
            self.server,
            self.allow_list,
            self.validate_requests,
            self.mock_responses,
            self.classic,
            self.open,
        )
    }
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// `json` or `yaml`; empty if it is neither.
    pub format: String,
    /// Why the import failed.
    pub issues: Vec<Issue>,
    /// The imported definition.
    pub made: Option<Made>,
}

/// An imported definition and what is known about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// The text of the definition.
    pub definition: String,
    /// What was imported and what wasn't.
    pub report: Vec<Remark>,
    /// The document's version of OpenAPI.
    pub openapi: String,
    /// The document's own version.
    pub version: String,
    /// The number of paths.
    pub paths: usize,
    /// The number of operations.
    pub operations: usize,
    /// The document's servers.
    pub servers: Vec<Server>,
    /// The security schemes that the document requires.
    pub schemes: Vec<String>,
    /// Unexpected side effects of choices, by the choices' names.
    pub consequences: Vec<(String, String)>,
}

/// A remark on a part of the document that was imported or wasn't.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// JSON Pointer into the document.
    pub pointer: String,
    /// Whether the part was imported.
    pub imported: bool,
    /// What was made of it, or why it was left out.
    pub message: String,
    /// Line and column in the original text.
    pub position: (u32, u32),
}

/// A server of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The upstream URL; empty if it can't be one.
    pub url: String,
    /// Its URL as written in the document.
    pub written: String,
    /// Its description.
    pub description: String,
}

impl Outcome {
    /// Parses a result from `web/editor/openapi.js`; `None` if it is malformed.
    #[must_use]
    pub fn read(answer: &str) -> Option<Self> {
        let value = parse(answer).ok()?;
        Some(Self {
            format: text(&value, "format"),
            issues: value.get("issues").map(issues_of).unwrap_or_default(),
            made: value.str("definition").map(|_| made(&value)),
        })
    }
}

fn text(value: &Value<'_>, name: &str) -> String {
    value.str(name).unwrap_or_default().to_owned()
}

fn number<T: TryFrom<i64> + Default>(value: &Value<'_>, name: &str) -> T {
    T::try_from(value.int(name).unwrap_or_default()).unwrap_or_default()
}

fn list<T>(value: Option<&Value<'_>>, name: &str, one: impl Fn(&Value<'_>) -> T) -> Vec<T> {
    let items = value.and_then(|value| value.get(name)).map(Value::items);
    items.unwrap_or_default().iter().map(one).collect()
}

fn made(value: &Value<'_>) -> Made {
    let remark = |note: &Value<'_>| Remark {
        pointer: text(note, "pointer"),
        imported: note.bool("taken") == Some(true),
        message: text(note, "message"),
        position: (number(note, "line"), number(note, "column")),
    };
    let server = |server: &Value<'_>| Server {
        url: text(server, "url"),
        written: text(server, "written"),
        description: text(server, "description"),
    };
    let summary = value.get("summary");
    let word = |name: &str| summary.map_or_else(String::new, |summary| text(summary, name));
    let count = |name: &str| summary.map_or(0, |summary| number(summary, name));
    let consequences = value
        .get("consequences")
        .map(Value::members)
        .unwrap_or_default();
    let consequence = |member: &Member<'_>| {
        let text = member.value.as_str().unwrap_or_default();
        (member.name.to_string(), text.to_owned())
    };
    Made {
        consequences: consequences.iter().map(consequence).collect(),
        definition: text(value, "definition"),
        report: list(Some(value), "report", remark),
        openapi: word("openapi"),
        version: word("version"),
        paths: count("paths"),
        operations: count("operations"),
        servers: list(summary, "servers", server),
        schemes: list(summary, "schemes", |name| {
            name.as_str().unwrap_or_default().to_owned()
        }),
    }
}

/// Remarks with the same message, in the order of their first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The message.
    pub message: String,
    /// What they refer to: pointers and positions.
    pub about: Vec<(String, Position)>,
}

/// Groups the remarks about what was imported, or about what wasn't, by message.
#[must_use]
pub fn grouped(report: &[Remark], imported: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for remark in report.iter().filter(|remark| remark.imported == imported) {
        let (line, column) = remark.position;
        let about = (remark.pointer.clone(), Position { line, column });
        match groups
            .iter_mut()
            .find(|group| group.message == remark.message)
        {
            Some(group) => group.about.push(about),
            None => groups.push(Group {
                message: remark.message.clone(),
                about: vec![about],
            }),
        }
    }
    groups
}
