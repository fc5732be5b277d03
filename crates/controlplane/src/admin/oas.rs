//! OpenAPI APIs and MCP proxies, which are OpenAPI documents with the vendor extension (reference 1.4 and 1.5).
//!
//! The promise: the document is stored as it was sent, except for what the gateway itself writes into it
//! ([`administered::stored_form`]), together with the definition that this write compiled it to. So what was checked is
//! what will be served.

use super::apis::{
    self, call, known_id, of, read_as, read_by, relay_list, rewritten, store, unexpected,
    validated, version_of,
};
use super::{condition, may, media};
use crate::config::{OPENAPI_MAX_BYTES, STORED_MAX_BYTES};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::message::{
    API_IS_CLASSIC, API_NOT_FOUND, CLASSIC_IN_OAS, ID_MISMATCH, INVALID_API_ID, MALFORMED_OAS,
    NOT_AN_MCP_PROXY, OAS_IS_A_PROXY, PATCH_WITHOUT_ID,
};
use gatewright_model::id::check_id;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{self, LineIndex, Value};
use gatewright_model::mcp::paired;
use gatewright_model::openapi::administered::{self, DocumentError, Parameters};
use gatewright_model::openapi::task::{Act, Call, Format, Made, Refusal, Task, Tools};
use gatewright_model::openapi::{DocumentKind, stored};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Listed, Reply, VersionOf, Write};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Returns the document that a request carries.
fn body(request: &Request) -> Result<&str, Error> {
    if request.body.len() > OPENAPI_MAX_BYTES {
        return Err(Error::TooLarge(OPENAPI_MAX_BYTES));
    }
    std::str::from_utf8(&request.body).map_err(|_| malformed(not_utf8(&request.body)))
}

/// Returns an issue at the first byte of a body that is not UTF-8.
fn not_utf8(body: &[u8]) -> Vec<Issue> {
    let valid = body.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = LineIndex::new(valid).position(valid.len());
    vec![Issue {
        pointer: String::new(),
        code: IssueCode::Syntax,
        severity: Severity::Error,
        message: "the text is no UTF-8; save it as UTF-8".to_owned(),
        start: end,
        end,
    }]
}

fn malformed(issues: Vec<Issue>) -> Error {
    Error::Unreadable(400, MALFORMED_OAS.to_owned(), issues)
}

fn refused(text: &str) -> Error {
    Error::Refused(400, text.to_owned())
}

impl From<DocumentError> for Error {
    fn from(DocumentError(text): DocumentError) -> Self {
        Self::Refused(400, text)
    }
}

/// Maps the refusal of an OpenAPI document to an error.
fn declined(refusal: Refusal) -> Error {
    Error::Unreadable(400, refusal.message, refusal.issues)
}

/// A report of [`gatewright_model::openapi::task`], as far as it is needed here.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Made(Made),
    Definition,
    Imported(IgnoredAny),
    Placed(Vec<Issue>),
    Refused(Refusal),
}

/// Carries out a call on a document.
fn run<P: Platform>(
    platform: &P,
    call: &Call,
    before: &str,
    sent: &str,
) -> Result<(Outcome, String, String), Error> {
    let done = platform.openapi(call, before, sent);
    // A missing result means a trap, and the usual reason for a trap is memory.
    let (report, text) =
        done.map_err(|error| Error::Explained(413, TOO_MUCH.to_owned(), error.to_string()))?;
    match serde_json::from_str(&report).map_err(|_| unexpected())? {
        Outcome::Refused(refusal) => Err(declined(refusal)),
        outcome => Ok((outcome, report, text)),
    }
}

/// Returns the definition that a document with the extension is served by; for one without, the definition it is
/// imported as, with the import's `report` and `summary` as JSON.
pub(super) fn definition<P: Platform>(
    platform: &P,
    call: &Call,
    sent: &str,
) -> Result<(String, [String; 2]), Error> {
    let (outcome, report, text) = run(platform, call, "", sent)?;
    match outcome {
        Outcome::Definition => Ok((text, Default::default())),
        Outcome::Imported(_) => {
            let value = json::parse(&report).map_err(|_| unexpected())?;
            let import = value.get("imported").ok_or_else(unexpected)?;
            let raw = |name| import.get(name).map(|of| of.span.of(&report).to_owned());
            let definition = import.str("definition").ok_or_else(unexpected)?.to_owned();
            Ok((
                definition,
                ["report", "summary"].map(|name| raw(name).unwrap_or_default()),
            ))
        }
        Outcome::Made(_) | Outcome::Placed(_) | Outcome::Refused(_) => Err(unexpected()),
    }
}

const TOO_MUCH: &str = "The document takes more memory than there is; make it smaller";

/// A document to be compiled and stored.
struct Draft<'a> {
    task: Task,
    sent: &'a str,
    /// The id the document must have, and the stored text of the document it replaces.
    replaces: Option<(&'a str, &'a str)>,
    version_of: Option<VersionOf>,
}

/// Checks and compiles a document, and stores it.
async fn write<P: Platform>(
    platform: &P,
    request: &Request,
    draft: Draft<'_>,
) -> Result<Response, Error> {
    let (kind, format) = (draft.task.kind, draft.task.format);
    let before = draft.replaces.map_or("", |(_, before)| before);
    let (outcome, _, text) = run(platform, &Call::Make(draft.task), before, draft.sent)?;
    let Outcome::Made(Made { id, mut issues }) = outcome else {
        return Err(unexpected());
    };
    if draft.replaces.is_some_and(|(wanted, _)| wanted != id) {
        return Err(refused(ID_MISMATCH));
    }
    if check_id(&id).is_err() {
        return Err(refused(INVALID_API_ID));
    }
    if text.len() > STORED_MAX_BYTES {
        let bytes = text.len();
        let reason = format!(
            "with the definition compiled from it and what the gateway adds it has {bytes} bytes, of {STORED_MAX_BYTES}"
        );
        return Err(Error::Explained(413, TOO_MUCH.to_owned(), reason));
    }
    // Positions in the compiled definition mean nothing to the client, so only errors count here.
    validated(&stored::served(&text).map_err(|_| unexpected())?)?;
    if let Some((_, document)) = stored::document(&text) {
        let found = rewritten(platform, document);
        issues.extend(with_sent_positions(platform, format, found, draft.sent)?);
    }
    if kind == DocumentKind::Mcp {
        let expanded = expanded(platform, &text).await?;
        // Reference 1.5: responds with the document that would be stored.
        if boolean(request, "dryRun")? {
            let expanded = expanded.filter(|_| boolean(request, "expand") == Ok(true));
            let document = stored::document(&text).map(|(_, document)| document.to_owned());
            let document = expanded.or(document).ok_or_else(unexpected)?;
            return represented(platform, request, &text, document);
        }
    }
    let write = Write {
        id,
        update: draft.replaces.is_some(),
        guard: condition::guard(request),
        version_of: draft.version_of,
    };
    store(platform, &Command::Write(write), &text, issues).await
}

/// Maps the positions of issues from what is stored to what was sent.
fn with_sent_positions<P: Platform>(
    platform: &P,
    format: Format,
    issues: Vec<Issue>,
    sent: &str,
) -> Result<Vec<Issue>, Error> {
    if format == Format::Json || issues.is_empty() {
        return Ok(issues);
    }
    match run(platform, &Call::Place(issues), "", sent)?.0 {
        Outcome::Placed(issues) => Ok(issues),
        _ => Err(unexpected()),
    }
}

/// Responds with a document in the requested format; `text` is its stored text.
pub(super) fn represented<P: Platform>(
    platform: &P,
    request: &Request,
    text: &str,
    document: String,
) -> Result<Response, Error> {
    let Some(media) = media::requested_yaml(request) else {
        return Ok(Response::text(200, document).with("vary", "Accept"));
    };
    let own = stored::yaml(text).unwrap_or_default();
    let (_, _, yaml) = run(platform, &Call::Yaml, &own, &document)?;
    let headers = vec![
        ("content-type", media.to_owned()),
        ("vary", "Accept".to_owned()),
    ];
    Ok(Response {
        headers,
        ..Response::text(200, yaml)
    })
}

/// Returns the document of an MCP proxy with its tools, if these are operations of an API (reference 1.5); `None` if it
/// has an MCP server of its own.
async fn expanded<P: Platform>(platform: &P, text: &str) -> Result<Option<String>, Error> {
    let value = json::parse(text).map_err(|_| unexpected())?;
    let target = value.pointer("/proxy/target_url").and_then(Value::as_str);
    let Some(id) = target.and_then(paired).map(str::to_owned) else {
        return Ok(None);
    };
    let (reply, source) = call(platform, &Command::Read { id }, "").await?;
    let is_source = matches!(stored::document(&source), Some((DocumentKind::Oas, _)));
    if !matches!(reply, Reply::Document { .. }) || !is_source {
        // If this is a write, the Registry reports why.
        return Ok(None);
    }
    let (_, _, shown) = run(platform, &Call::Tools(Tools::Show), &source, text)?;
    Ok(Some(shown))
}

/// Parses a boolean query parameter.
fn boolean(request: &Request, name: &str) -> Result<bool, Error> {
    match request.parameter(name) {
        None | Some("" | "false" | "0" | "f" | "F" | "FALSE" | "False") => Ok(false),
        Some("true" | "1" | "t" | "T" | "TRUE" | "True") => Ok(true),
        Some(_) => Err(refused(&format!("invalid {name} query parameter"))),
    }
}

/// `POST /gateway/apis/oas` and `POST /gateway/mcps`.
pub(super) async fn create<P: Platform>(
    platform: &P,
    request: &Request,
    kind: DocumentKind,
) -> Result<Response, Error> {
    let version_of = version_of(platform, request).await?;
    if kind == DocumentKind::Mcp {
        boolean(request, "dryRun")?;
        boolean(request, "expand")?;
    }
    let draft = Draft {
        task: task(platform, request, Act::Store, kind)?,
        sent: body(request)?,
        replaces: None,
        version_of,
    };
    write(platform, request, draft).await
}

/// Builds the task for a document of a request; the id defaults to a random one.
fn task<P: Platform>(
    platform: &P,
    request: &Request,
    act: Act,
    kind: DocumentKind,
) -> Result<Task, Error> {
    Ok(Task {
        act,
        format: media::sent_format(request)?,
        kind,
        id: platform.random_id(),
        origin: request.origin.clone(),
        parameters: parameters(request),
    })
}

/// Returns the stored text of an API.
async fn stored_text<P: Platform>(platform: &P, id: &str) -> Result<String, Error> {
    match call(platform, &Command::Read { id: id.to_owned() }, "").await? {
        (Reply::Document { .. }, text) => Ok(text),
        (reply, _) => Err(of(reply)),
    }
}

/// Returns the document of an API that is administered as this kind, or the reason why there is none.
fn document_of<'t>(text: &'t str, kind: DocumentKind, classic: &str) -> Result<&'t str, Error> {
    match (stored::document(text), kind) {
        (Some((found, document)), _) if found == kind => Ok(document),
        (_, DocumentKind::Mcp) => Err(Error::Refused(404, NOT_AN_MCP_PROXY.to_owned())),
        (Some(_), DocumentKind::Oas) => Err(refused(OAS_IS_A_PROXY)),
        (None, DocumentKind::Oas) => Err(refused(classic)),
    }
}

/// `PUT /gateway/apis/oas/{apiID}` and `PUT /gateway/mcps/{apiID}`.
pub(super) async fn update<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
    kind: DocumentKind,
) -> Result<Response, Error> {
    let id = apis::id(variables)?;
    let sent = body(request)?;
    let task = task(platform, request, Act::Store, kind)?;
    let before = stored_text(platform, id).await.and_then(|text| {
        document_of(&text, kind, CLASSIC_IN_OAS)?;
        Ok(text)
    });
    if before.is_err() && kind == DocumentKind::Oas {
        // The family checks the document before it looks up its API.
        run(platform, &Call::Make(task.clone()), "", sent)?;
    }
    let before = before?;
    let draft = Draft {
        task,
        sent,
        replaces: Some((id, &before)),
        version_of: None,
    };
    write(platform, request, draft).await
}

/// `PATCH /gateway/apis/oas/{apiID}`.
pub(super) async fn patch<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let is_blank = |id: &&str| id.replace("%20", " ").trim().is_empty();
    if variables.first().is_some_and(is_blank) {
        return Err(refused(PATCH_WITHOUT_ID));
    }
    let id = apis::id(variables)?;
    let sent = body(request)?;
    let kind = DocumentKind::Oas;
    let task = task(platform, request, Act::Patch, kind)?;
    let before = stored_text(platform, id).await?;
    document_of(&before, kind, CLASSIC_IN_OAS)?;
    let draft = Draft {
        task,
        sent,
        replaces: Some((id, &before)),
        version_of: None,
    };
    write(platform, request, draft).await
}

/// `POST /gateway/apis/oas/import`.
pub(super) async fn import<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let version_of = version_of(platform, request).await?;
    let sent = body(request)?;
    let mut task = task(platform, request, Act::Import, DocumentKind::Oas)?;
    if let Some(id) = request.parameter("apiID").filter(|id| !id.is_empty()) {
        id.clone_into(&mut task.id);
    }
    let draft = Draft {
        task,
        sent,
        replaces: None,
        version_of,
    };
    write(platform, request, draft).await
}

fn parameters(request: &Request) -> Parameters {
    let text = |name| {
        let value = request.parameter(name).filter(|value| !value.is_empty());
        value.map(str::to_owned)
    };
    // Any other value leaves the member unchanged.
    let switch = |name| match request.parameter(name) {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    Parameters {
        upstream_url: text("upstreamURL"),
        listen_path: text("listenPath"),
        custom_domain: text("customDomain"),
        allow_list: switch("allowList"),
        validate_request: switch("validateRequest"),
        mock_response: switch("mockResponse"),
        authentication: switch("authentication"),
        security_processing_mode: text("securityProcessingMode"),
    }
}

/// `GET /gateway/apis/oas` and `GET /gateway/mcps`.
pub(super) async fn list<P: Platform>(
    platform: &P,
    request: &Request,
    kind: DocumentKind,
) -> Result<Response, Error> {
    relay_list(platform, request, listed(kind)).await
}

const fn listed(kind: DocumentKind) -> Listed {
    match kind {
        DocumentKind::Oas => Listed::Oas,
        DocumentKind::Mcp => Listed::Mcp,
    }
}

/// `GET /gateway/apis/oas/{apiID}`, which reads MCP proxies too, and `GET /gateway/mcps/{apiID}`.
pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
    kind: DocumentKind,
) -> Result<Response, Error> {
    let id = known_id(variables)?;
    if kind == DocumentKind::Mcp && boolean(request, "expand")? {
        let text = read_by(request, stored_text(platform, id).await?)?;
        let document = document_of(&text, kind, NOT_AN_MCP_PROXY)?;
        // It depends on two documents, so no revision can identify it.
        let shown = expanded(platform, &text).await?;
        let document = shown.unwrap_or_else(|| document.to_owned());
        return represented(platform, request, &text, document);
    }
    read_as(platform, request, id, |text| {
        let document = match (stored::document(&text), kind) {
            (Some((DocumentKind::Mcp, document)), _) | (Some((_, document)), DocumentKind::Oas) => {
                document.to_owned()
            }
            (_, DocumentKind::Mcp) => {
                return Err(Error::Refused(404, NOT_AN_MCP_PROXY.to_owned()));
            }
            (None, DocumentKind::Oas) => return Err(refused(API_IS_CLASSIC)),
        };
        represented(platform, request, &text, document)
    })
    .await
}

/// `DELETE /gateway/mcps/{apiID}`.
pub(super) async fn delete_proxy<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = apis::id(variables)?;
    let text = stored_text(platform, id).await?;
    document_of(&text, DocumentKind::Mcp, NOT_AN_MCP_PROXY)?;
    apis::delete(platform, request, id).await
}

/// `GET /gateway/apis/oas/{apiID}/export`.
pub(super) async fn export<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = known_id(variables)?;
    let text = read_by(request, stored_text(platform, id).await?)?;
    let (_, document) = stored::document(&text).ok_or_else(|| refused(API_IS_CLASSIC))?;
    let document = match is_public(request) {
        true => administered::public(document)?,
        false => document.to_owned(),
    };
    file(platform, request, &format!("-{id}"), (&text, document))
}

fn is_public(request: &Request) -> bool {
    request.parameter("mode") == Some("public")
}

/// `GET /gateway/apis/oas/export`: all documents.
pub(super) async fn export_all<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let mut all = String::new();
    let mut next = String::new();
    loop {
        let command = Command::ListDocuments {
            listed: Listed::Oas,
            from: next,
            masked: !may(request, Part::Apis, Access::Write),
        };
        let (Reply::Json, text) = call(platform, &command, "").await? else {
            return Err(unexpected());
        };
        let (behind, page) = text.split_once('\n').ok_or_else(unexpected)?;
        all.push_str(page);
        if behind.is_empty() {
            break;
        }
        next = behind.to_owned();
    }
    if is_public(request) {
        let value = json::parse(&all).map_err(|_| unexpected())?;
        let documents = value.items().iter();
        let public = documents.map(|document| administered::public(document.span.of(&all)));
        all = format!("[{}]", public.collect::<Result<Vec<_>, _>>()?.join(","));
    }
    file(platform, request, "", ("", all))
}

/// Responds with a document as a download, given its stored text. The file names are those of the reference.
fn file<P: Platform>(
    platform: &P,
    request: &Request,
    of: &str,
    (text, document): (&str, String),
) -> Result<Response, Error> {
    let mut response = represented(platform, request, text, document)?;
    let is_yaml = media::requested_yaml(request).is_some();
    if !is_yaml {
        response.body = json::laid_out(&response.body).unwrap_or(response.body);
        for (name, value) in &mut response.headers {
            if *name == "content-type" {
                "application/octet-stream".clone_into(value);
            }
        }
    }
    let name = if is_public(request) {
        "oas"
    } else {
        "OasApiDef"
    };
    let extension = if is_yaml { "yaml" } else { "json" };
    let disposition = format!("attachment;filename=\"{name}{of}.{extension}\"");
    Ok(response.with("content-disposition", disposition))
}

/// Returns the response for a PUT or DELETE of an OpenAPI document without its id: the fixed word of the path counts as
/// the id.
pub(super) fn without_id(path: &str, method: &str) -> Option<(u16, &'static str)> {
    let is_word = matches!(
        path,
        "/gateway/apis/oas" | "/gateway/apis/oas/import" | "/gateway/apis/oas/export"
    );
    let reads = path == "/gateway/apis/oas/import" && matches!(method, "GET" | "HEAD");
    let writes = matches!(method, "PUT" | "DELETE");
    (is_word && (reads || writes)).then_some((404, API_NOT_FOUND))
}
