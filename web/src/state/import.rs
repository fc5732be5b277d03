//! An OpenAPI document on its way to becoming a definition: where it comes from, what the importing
//! person chooses, and what became of it. Plain values; the work is done in a worker (`converter`).

use gatewright_model::json::{Member, Value, parse, quote};
use gatewright_model::{Issue, Position};

use super::storage;
use crate::api::issues_of;

/// The longest document that is imported, in bytes.
pub use gatewright_model::openapi::MAX_BYTES;

/// A document as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The text.
    pub text: String,
    /// The name of its file, or its address; empty for a text that was pasted.
    pub name: String,
    /// Its address, if it has one.
    pub url: Option<String>,
}

impl Source {
    /// A document of a file or an address. A byte order mark says nothing in UTF-8 and goes.
    #[must_use]
    pub fn new(text: &str, name: &str, url: Option<&str>) -> Self {
        Self {
            text: text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned(),
            name: name.to_owned(),
            url: url.map(str::to_owned),
        }
    }
}

/// What the importing person chooses; `None` is what the document says.
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
    /// Which server becomes the upstream, from 0.
    pub server: usize,
    /// Nothing but the operations of the document is allowed.
    pub allow_list: bool,
    /// Requests are checked against the document.
    pub validate_requests: bool,
    /// The examples of the document are the answers.
    pub mock_responses: bool,
    /// The document becomes a classic definition, no OpenAPI API.
    pub classic: bool,
    /// What the document asks for is not asked for; only of an OpenAPI API.
    pub open: bool,
}

/// The key of the browser's storage that keeps whether the last import became a classic definition.
const CLASSIC: &str = "gatewright.import.classic";

impl Choices {
    /// What nobody has chosen yet; what the last document became is what the next one becomes.
    #[must_use]
    pub fn first() -> Self {
        Self {
            classic: storage::browser_get(CLASSIC).is_some(),
            ..Self::default()
        }
    }

    /// Keeps what a document becomes for the next one.
    pub fn keep(&self) {
        storage::browser_set(CLASSIC, self.classic.then_some("true"));
    }

    /// Where the definition, or the document, has what can be chosen: name, listen path, upstream and id.
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

    /// The options of the model's import as JSON, for a document of that address.
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

/// What became of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// json or yaml; empty if it is neither.
    pub format: String,
    /// Why there is no definition.
    pub issues: Vec<Issue>,
    /// The definition.
    pub made: Option<Made>,
}

/// A definition and what is known about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// The text of the definition.
    pub definition: String,
    /// What was imported and what not.
    pub report: Vec<Remark>,
    /// The version of OpenAPI.
    pub openapi: String,
    /// The version of the document.
    pub version: String,
    /// How many paths it has.
    pub paths: usize,
    /// How many operations those have.
    pub operations: usize,
    /// Its servers.
    pub servers: Vec<Server>,
    /// The security schemes that are asked for.
    pub schemes: Vec<String>,
    /// What choices bring with them that nobody expects, by their names.
    pub consequences: Vec<(String, String)>,
}

/// One thing of the document that was imported, or wasn't.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// JSON Pointer into the document.
    pub pointer: String,
    /// Whether it is in the definition.
    pub taken: bool,
    /// What became of it.
    pub message: String,
    /// Line and column in the text as it came.
    pub position: (u32, u32),
}

/// A server of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The upstream it becomes; empty if it can't be one.
    pub url: String,
    /// Its address as it is written.
    pub written: String,
    /// What its author says about it.
    pub description: String,
}

impl Outcome {
    /// Reads an answer of `web/editor/openapi.js`; `None` if it is malformed.
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
        taken: note.bool("taken") == Some(true),
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

/// Remarks that say the same, in the order in which the first of them came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they say.
    pub message: String,
    /// What they say it about: pointers and positions.
    pub about: Vec<(String, Position)>,
}

/// The remarks about what was imported, or about what was not, by what they say.
#[must_use]
pub fn grouped(report: &[Remark], taken: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for remark in report.iter().filter(|remark| remark.taken == taken) {
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
