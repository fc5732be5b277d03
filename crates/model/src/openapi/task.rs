//! Processes an OpenAPI document in one call with texts. The edge has a separate module for this (`extras/openapi`),
//! because checking and compiling documents takes more code than all other administration, and few requests need it.

use super::administered::{self, DocumentError, Parameters, Served};
use super::refusal::{looks_like_yaml, refused};
use super::{
    DocumentKind, Import, Note, Options, Refused, Upgraded, check, check_plain, compile, import,
    stored, tools, upgraded,
};
use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::{Span, Value, parse};
use crate::mask::{self, MASKED};
use crate::mcp::paired;
use serde::{Deserialize, Serialize};

#[cfg_attr(feature = "yaml", path = "task/yaml.rs")]
#[cfg_attr(not(feature = "yaml"), path = "task/json.rs")]
mod in_format;

/// The purpose a document is sent for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// To be stored unchanged.
    #[default]
    Store,
    /// To replace everything except the extension of a stored one (reference 1.4, PATCH).
    Patch,
    /// To be given an extension (reference 1.4, import).
    Import,
}

/// The format of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
}

/// A document to be stored, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its purpose.
    pub act: Act,
    /// Its format.
    pub format: Format,
    /// The kind of resource.
    pub kind: DocumentKind,
    /// The API id to use if the document has none.
    pub id: String,
    /// Scheme and host by which the client reached the gateway.
    pub origin: String,
    /// The parameters of PATCH and import.
    pub parameters: Parameters,
    /// The name of the version that a new document becomes; the facts are then the stored text of its base.
    pub version: Option<String>,
}

/// The report about a document that may be stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The id of its API.
    pub id: String,
    /// Warnings for its author.
    pub issues: Vec<Issue>,
}

/// Why a document is refused: the text of the reference, and the issues with their positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The text of the reference.
    pub message: String,
    /// The issues.
    pub issues: Vec<Issue>,
}

/// The report of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The text after the report is to be stored ([`stored`]).
    Made(Made),
    /// The text after the report is a definition, or whatever else was requested.
    Definition,
    /// The result of importing a document as a definition.
    Imported(Box<Import>),
    /// The issues with their positions in the text.
    Placed(Vec<Issue>),
    /// The document was refused; there is no text.
    Refused(Refusal),
}

/// A function of the module, with its settings. A function may also take a second text, the facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// Makes the text to store from a document; the facts are the stored text of the one it replaces, or empty. With
    /// nothing to replace, a document of PATCH is only checked.
    Make(Task),
    /// Writes a document as YAML; the facts are the YAML text it is administered as, or empty.
    Yaml,
    /// Locates issues of a YAML document's JSON equivalent in its text.
    Place(Vec<Issue>),
    /// Compiles a document with its extension to the definition that it is served by.
    Compile(DocumentKind),
    /// Converts a plain document to a definition.
    Import(Options),
    /// Derives the tools of an MCP proxy from its stored text; the facts are the stored text of the API whose
    /// operations they are.
    Tools(Tools),
}

/// The requested result for the tools of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tools {
    /// The definition that it is served by.
    Serve,
    /// Its document with all tools.
    Show,
}

impl From<DocumentError> for Refusal {
    fn from(DocumentError(message): DocumentError) -> Self {
        Self {
            message,
            issues: Vec::new(),
        }
    }
}

/// The refusal of an import of a document that has an extension (reference 1.4).
const EXTENSION_IN_IMPORT: &str = "the import payload should not contain x-gateway-api-gateway";

/// Creates the refusal of a text that is not a document at all (reference 1.4).
fn malformed(issues: Vec<Issue>) -> Refusal {
    let message = "request malformed".to_owned();
    Refusal { message, issues }
}

/// Adds a hint to the refusal of a text that was sent as JSON and looks like YAML.
fn hinted(refusal: Refusal, format: Format, sent: &str) -> Refusal {
    if format == Format::Yaml || !looks_like_yaml(sent) {
        return refusal;
    }
    let message = "this looks like YAML; send it with Content-Type: application/yaml";
    let issues = refused(sent, IssueCode::Syntax, Span::default(), "", message);
    Refusal { issues, ..refusal }
}

/// Executes a call and returns a report, and the text after it, which may be empty.
#[must_use]
pub fn run(call: &Call, before: &str, sent: &str) -> (Report, String) {
    let done = match call {
        Call::Make(task) => in_format::make(task, before, sent)
            .map_err(|refusal| hinted(refusal, task.format, sent)),
        Call::Yaml => in_format::shown(before, sent),
        Call::Place(issues) => in_format::placed(issues, sent),
        Call::Compile(kind) => compile(sent, *kind)
            .map(|definition| (Report::Definition, definition))
            .map_err(malformed),
        Call::Import(options) => import(sent, options)
            .map(|import| (Report::Imported(Box::new(import)), String::new()))
            .map_err(malformed),
        Call::Tools(what) => {
            let made = match what {
                Tools::Serve => tools::served(sent, before),
                Tools::Show => tools::shown(sent, before),
            };
            made.map(|text| (Report::Definition, text))
                .map_err(|message| Refusal {
                    message,
                    issues: Vec::new(),
                })
        }
    };
    done.unwrap_or_else(|refusal| (Report::Refused(refusal), String::new()))
}

fn checked(document: &str, kind: DocumentKind) -> Result<(), Refusal> {
    check(document, kind).map_err(declined)
}

fn declined(refused: Refused) -> Refusal {
    Refusal {
        message: refused.message,
        issues: refused.issues,
    }
}

/// Checks a document of PATCH or import as it was sent: as in the reference, what is wrong with it precedes what can't be
/// done with it. Returns whether it has the extension.
fn checked_as_sent(act: Act, sent: &str, kind: DocumentKind) -> Result<bool, Refusal> {
    let value = parse(sent).map_err(malformed)?;
    let has_extension = stored::extension(&value).is_some();
    if has_extension && act == Act::Import {
        return Err(DocumentError(EXTENSION_IN_IMPORT.to_owned()).into());
    }
    match has_extension {
        true => checked(sent, kind)?,
        false => check_plain(sent, kind).map_err(declined)?,
    }
    Ok(has_extension)
}

/// A document as it is stored, and the definition compiled from it; both empty if there is nothing to patch.
#[derive(Default)]
struct Compiled {
    document: String,
    definition: String,
}

impl Compiled {
    /// Returns both as one text.
    fn text(&self) -> Result<String, Refusal> {
        if self.document.is_empty() {
            return Ok(String::new());
        }
        let text = stored::joined(&self.definition, &self.document);
        text.map_err(|_| malformed(Vec::new()))
    }
}

/// Makes what to store from a document in JSON; `before` is the document that it replaces or becomes a version of.
fn make(task: &Task, before: &str, sent: &str) -> Result<(Made, Compiled), Refusal> {
    let older = match task.act {
        Act::Import => upgraded(sent).map_err(malformed)?,
        Act::Store | Act::Patch => None,
    };
    if let Some(Upgraded { document, notes }) = older {
        let (mut made, compiled) = make(task, before, &document)?;
        made.issues.extend(not_carried(sent, &notes));
        return Ok((made, compiled));
    }
    let (before, base) = match &task.version {
        Some(name) => ("", Some((before, name.as_str()))),
        None => (before, None),
    };
    let parameters = &task.parameters;
    let built = match task.act {
        Act::Store => None,
        Act::Patch => match checked_as_sent(Act::Patch, sent, task.kind)? {
            _ if before.is_empty() => {
                let made = Made {
                    id: task.id.clone(),
                    issues: Vec::new(),
                };
                return Ok((made, Compiled::default()));
            }
            true if !parameters.ask() => None,
            _ => Some(administered::patched(before, sent, parameters)?),
        },
        Act::Import => {
            checked_as_sent(Act::Import, sent, task.kind)?;
            Some(administered::imported(sent, parameters)?)
        }
    };
    let document = built.as_deref().unwrap_or(sent);
    checked(document, task.kind)?;
    has_secrets(document)?;
    if task.act == Act::Import && task.parameters.upstream_url.is_none() {
        administered::has_upstream(sent)?;
    }
    // A parsed document takes several times the memory of its text, so none is kept.
    let id = {
        let value = parse(document).map_err(malformed)?;
        let id = administered::id(&value).filter(|id| !id.is_empty());
        id.unwrap_or(&task.id).to_owned()
    };
    let served = Served {
        id: &id,
        origin: &task.origin,
        before: Some(before).filter(|before| !before.is_empty()),
        base,
    };
    let document = administered::stored_form(document, &served)?;
    drop(built);
    let definition = compile(&document, task.kind).map_err(malformed)?;
    let mut issues = super::advice(&document, task.kind);
    issues.extend(not_served(&document, &definition));
    if task.kind == DocumentKind::Mcp {
        issues.extend(not_signed(&document));
    }
    let compiled = Compiled {
        document,
        definition,
    };
    Ok((Made { id, issues }, compiled))
}

/// Refuses a document with the mask that readers see instead of a secret.
fn has_secrets(document: &str) -> Result<(), Refusal> {
    let value = parse(document).map_err(malformed)?;
    let Some((pointer, span)) = mask::mask_in_extension(&value) else {
        return Ok(());
    };
    Err(Refusal {
        message: format!("{pointer}: {MASKED}"),
        issues: refused(document, IssueCode::Format, span, &pointer, MASKED),
    })
}

/// Returns warnings about parts of a version 2.0 document that version 3.0 can't express.
fn not_carried(sent: &str, notes: &[Note]) -> Vec<Issue> {
    let Ok(value) = parse(sent) else {
        return Vec::new();
    };
    let mut findings = Findings::default();
    for note in notes.iter().filter(|note| !note.taken) {
        let span = value.nearest(&note.pointer).span;
        let message = format!("left out on the way to OpenAPI 3.0: {}", note.message);
        findings.warning(IssueCode::Unsupported, span, note.pointer.as_str(), message);
    }
    findings.into_issues(sent)
}

/// Returns warnings about parts of a document that can't be enforced here, so that its API isn't served
/// (`openapi.unenforced` of the compiled definition).
fn not_served(document: &str, definition: &str) -> Vec<Issue> {
    let pointers: Vec<String> = {
        let definition = parse(definition).ok();
        let named = definition
            .as_ref()
            .and_then(|definition| definition.pointer("/openapi/unenforced"));
        let named = named.map(Value::items).unwrap_or_default().iter();
        named.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    if pointers.is_empty() {
        return Vec::new();
    }
    let Ok(value) = parse(document) else {
        return Vec::new();
    };
    let mut findings = Findings::default();
    for pointer in &pointers {
        if let Some(found) = value.pointer(pointer) {
            let message =
                "this can't be enforced here, so the API is stored and not served; remove it";
            findings.warning(IssueCode::NotServed, found.span, pointer.as_str(), message);
        }
    }
    findings.into_issues(document)
}

/// Warns of request signing in a proxy whose tools are operations of an API: its calls don't leave the gateway, so
/// nobody could check a signature.
fn not_signed(document: &str) -> Vec<Issue> {
    let Ok(value) = parse(document) else {
        return Vec::new();
    };
    let mut findings = Findings::default();
    if let Some((name, extension)) = stored::extension(&value)
        && let Some(upstream) = extension.get("upstream")
        && upstream.str("url").and_then(paired).is_some()
        && let Some(signing) = upstream.pointer("/authentication/requestSigning")
        && signing.bool("enabled") == Some(true)
    {
        let pointer = format!("/{name}/upstream/authentication/requestSigning");
        let message = "a call of an operation does not leave the gateway and is not signed; remove it, or give it to the API";
        findings.warning(IssueCode::NotEnforced, signing.span, pointer, message);
    }
    findings.into_issues(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(act: Act) -> Task {
        Task {
            act,
            format: Format::Json,
            kind: DocumentKind::Oas,
            id: "given".to_owned(),
            origin: "http://gw".to_owned(),
            parameters: Parameters::default(),
            version: None,
        }
    }

    const PLAIN: &str = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"servers":[{"url":"http://up"}]}"#;

    #[test]
    fn result_has_document_and_definition() {
        let (report, text) = run(&Call::Make(task(Act::Import)), "", PLAIN);
        let Report::Made(made) = report else {
            unreachable!("{report:?}");
        };
        assert_eq!(made.id, "given");
        let (kind, document) = stored::document(&text).unwrap();
        assert_eq!(kind, DocumentKind::Oas);
        assert!(
            document.contains("\"url\": \"http://gw\"") || document.contains("http://gw"),
            "{document}"
        );
        let value = parse(&text).unwrap();
        assert_eq!(value.str("api_id"), Some("given"));
    }

    #[test]
    fn a_document_of_version_2_is_imported_as_one_of_version_3() {
        let sent = r#"{"swagger":"2.0","info":{"title":"t","version":"1"},"host":"up.example","schemes":["wss","http"],
            "paths":{"/a":{"get":{"responses":{"200":{"description":"d"}}}}}}"#;
        let (report, text) = run(&Call::Make(task(Act::Import)), "", sent);
        let Report::Made(made) = report else {
            unreachable!("{report:?}");
        };
        let (_, document) = stored::document(&text).unwrap();
        let document = parse(document).unwrap();
        assert_eq!(document.str("openapi"), Some("3.0.3"));
        assert!(document.get("swagger").is_none());
        let upstream = document.pointer("/x-gateway-api-gateway/upstream/url");
        assert_eq!(upstream.and_then(Value::as_str), Some("http://up.example"));
        let lost: Vec<&str> = made.issues.iter().map(|issue| &*issue.pointer).collect();
        assert_eq!(lost, ["/schemes"]);
        assert_eq!(
            (made.issues[0].start.line, made.issues[0].is_error()),
            (1, false)
        );
    }

    const UNTITLED: &str = r#"{"openapi":"3.0.3","info":{"title":"","version":"1"},"paths":{}}"#;
    const NO_TITLE: &str = "invalid info: value of title must be a non-empty string";

    #[test]
    fn refusals_give_a_reason() {
        for (act, sent, expected) in [
            (Act::Store, "{", "request malformed"),
            (
                Act::Store,
                PLAIN,
                "the payload should contain x-gateway-api-gateway",
            ),
            (Act::Patch, "[", "request malformed"),
            // What is wrong with a document precedes what can't be done with it.
            (Act::Patch, UNTITLED, NO_TITLE),
            (Act::Import, UNTITLED, NO_TITLE),
        ] {
            let (report, text) = run(&Call::Make(task(act)), "{}", sent);
            let Report::Refused(refusal) = report else {
                unreachable!("{report:?}");
            };
            assert_eq!((refusal.message.as_str(), text.as_str()), (expected, ""));
        }
    }

    #[test]
    fn patch_of_nothing_is_only_checked() {
        let ask = |sent| run(&Call::Make(task(Act::Patch)), "", sent);
        let (report, text) = ask(PLAIN);
        let is_made = matches!(report, Report::Made(_));
        assert!(is_made && text.is_empty(), "{report:?} {text}");
        let (report, _) = ask(UNTITLED);
        assert!(matches!(report, Report::Refused(_)), "{report:?}");
    }

    #[test]
    fn unenforceable_settings_are_reported_at_their_pointer() {
        let text = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"description":"d"}}}}},
            "x-gateway-api-gateway":{"info":{"name":"t","state":{"active":true}},"server":{"listenPath":{"value":"/t/"}},
            "upstream":{"url":"http://up"},"middleware":{"operations":{"a":{"scopeCheck":{"enabled":true}}}}}}"#;
        let (report, _) = run(&Call::Make(task(Act::Store)), "", text);
        let Report::Made(made) = report else {
            unreachable!("{report:?}");
        };
        let [issue] = made.issues.as_slice() else {
            unreachable!("{:?}", made.issues);
        };
        assert_eq!(
            issue.pointer,
            "/x-gateway-api-gateway/middleware/operations/a/scopeCheck"
        );
        assert!(!issue.is_error() && issue.message.contains("not served"));
    }

    #[test]
    fn internal_call_is_not_signed() {
        let pointers = |url: &str, enabled: bool| {
            let text = format!(
                r#"{{"openapi":"3.0.3","info":{{"title":"t","version":"1"}},"paths":{{}},"x-gateway-api-gateway":{{
                "info":{{"name":"t","state":{{"active":true}}}},"server":{{"listenPath":{{"value":"/t/"}}}},"upstream":{{"url":"{url}",
                "authentication":{{"enabled":true,"requestSigning":{{"enabled":{enabled},"keyId":"k","secret":"s","algorithm":"hmac-sha256"}}}}}}}}}}"#
            );
            let task = Task {
                kind: DocumentKind::Mcp,
                ..task(Act::Store)
            };
            let (report, _) = run(&Call::Make(task), "", &text);
            let Report::Made(made) = report else {
                unreachable!("{report:?}");
            };
            assert!(!made.issues.iter().any(Issue::is_error));
            let issues = made.issues.into_iter();
            issues.map(|issue| issue.pointer).collect::<Vec<_>>()
        };
        let place = "/x-gateway-api-gateway/upstream/authentication/requestSigning";
        assert_eq!(pointers("gateway://orders/mcp", true), [place]);
        assert!(pointers("gateway://orders/mcp", false).is_empty());
        assert!(pointers("http://up/mcp", true).is_empty());
    }
}
