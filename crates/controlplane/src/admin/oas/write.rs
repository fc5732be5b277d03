//! Writes of OpenAPI documents: each is checked, compiled and stored together with its definition.

use super::{Outcome, TOO_MUCH, boolean, document_of, expanded, represented, run};
use crate::admin::apis::{self, rewritten, store, stored_at, stored_text, validated, version_of};
use crate::admin::replies::unexpected;
use crate::admin::{condition, media};
use crate::config::{OPENAPI_MAX_BYTES, STORED_MAX_BYTES};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{
    CLASSIC_IN_OAS, ID_MISMATCH, INVALID_API_ID, MALFORMED_OAS, PATCH_WITHOUT_ID,
};
use gatewright_model::id::check_id;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::LineIndex;
use gatewright_model::openapi::administered::Parameters;
use gatewright_model::openapi::task::{Act, Call, Format, Made, Task};
use gatewright_model::openapi::{DocumentKind, stored};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Guard, VersionOf, Write};

/// A document to be compiled and stored.
struct Draft<'a> {
    task: Task,
    sent: &'a str,
    /// The stored text of the document that it replaces, or of the API that it becomes a version of; or empty.
    before: String,
    /// The id of the document that it replaces.
    replaces: Option<&'a str>,
    version_of: Option<VersionOf>,
    guard: Guard,
}

/// `POST /gateway/apis/oas` and `POST /gateway/mcps`.
pub(in crate::admin) async fn create<P: Platform>(
    platform: &P,
    request: &Request,
    kind: DocumentKind,
) -> Result<Response, Error> {
    let found = version_of(platform, request).await;
    if kind == DocumentKind::Mcp {
        boolean(request, "dryRun")?;
        boolean(request, "expand")?;
    }
    let sent = body(request)?;
    let task = task(platform, request, Act::Store, kind)?;
    let version_of = after_check(platform, &task, sent, found)?;
    added(platform, request, (task, sent), version_of).await
}

/// `PUT /gateway/apis/oas/{apiID}` and `PUT /gateway/mcps/{apiID}`.
pub(in crate::admin) async fn update<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
    kind: DocumentKind,
) -> Result<Response, Error> {
    let id = apis::id(variables)?;
    let sent = body(request)?;
    let task = task(platform, request, Act::Store, kind)?;
    let (before, _) = replaced(platform, &task, sent, (id, kind)).await?;
    let draft = Draft {
        task,
        sent,
        before,
        replaces: Some(id),
        version_of: None,
        guard: condition::guard(request),
    };
    write(platform, request, draft).await
}

/// `PATCH /gateway/apis/oas/{apiID}`.
pub(in crate::admin) async fn patch<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let is_blank = |id: &&str| id.replace("%20", " ").trim().is_empty();
    let id = match variables.first().is_some_and(is_blank) {
        true => Err(Error::refused(400, PATCH_WITHOUT_ID)),
        false => apis::id(variables),
    };
    let sent = body(request)?;
    let kind = DocumentKind::Oas;
    let task = task(platform, request, Act::Patch, kind)?;
    let id = after_check(platform, &task, sent, id)?;
    let (before, revision) = replaced(platform, &task, sent, (id, kind)).await?;
    if parameter(request, "apiID").is_some_and(|named| named != id) {
        return Err(Error::refused(400, ID_MISMATCH));
    }
    let draft = Draft {
        task,
        sent,
        before,
        replaces: Some(id),
        version_of: None,
        // The extension is the one that was read: somebody may have changed it since.
        guard: condition::guard_of(request, revision),
    };
    write(platform, request, draft).await
}

/// `POST /gateway/apis/oas/import`.
pub(in crate::admin) async fn import<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let found = version_of(platform, request).await;
    let sent = body(request)?;
    let mut task = task(platform, request, Act::Import, DocumentKind::Oas)?;
    if let Some(id) = parameter(request, "apiID") {
        id.clone_into(&mut task.id);
    }
    let version_of = after_check(platform, &task, sent, found)?;
    added(platform, request, (task, sent), version_of).await
}

/// Stores a new document, with the addresses of its version if it becomes one.
async fn added<P: Platform>(
    platform: &P,
    request: &Request,
    (mut task, sent): (Task, &str),
    version_of: Option<VersionOf>,
) -> Result<Response, Error> {
    let mut before = String::new();
    if let Some(of) = &version_of {
        before = stored_text(platform, &of.base).await?;
        task.version = Some(of.name.clone());
    }
    let draft = Draft {
        task,
        sent,
        before,
        replaces: None,
        version_of,
        guard: condition::guard(request),
    };
    write(platform, request, draft).await
}

/// Returns the stored text of the document that another one replaces, and its revision.
async fn replaced<P: Platform>(
    platform: &P,
    task: &Task,
    sent: &str,
    (id, kind): (&str, DocumentKind),
) -> Result<(String, u64), Error> {
    let before = stored_at(platform, id).await.and_then(|(text, revision)| {
        document_of(&text, kind, CLASSIC_IN_OAS)?;
        Ok((text, revision))
    });
    after_check(platform, task, sent, before)
}

/// Returns what was looked up for a document. As in the reference, what is wrong with the document is reported first.
fn after_check<P: Platform, T>(
    platform: &P,
    task: &Task,
    sent: &str,
    found: Result<T, Error>,
) -> Result<T, Error> {
    if found.is_err() {
        run(platform, &Call::Make(task.clone()), "", sent)?;
    }
    found
}

/// Checks and compiles a document, and stores it.
async fn write<P: Platform>(
    platform: &P,
    request: &Request,
    draft: Draft<'_>,
) -> Result<Response, Error> {
    let (kind, format) = (draft.task.kind, draft.task.format);
    let (outcome, _, text) = run(platform, &Call::Make(draft.task), &draft.before, draft.sent)?;
    drop(draft.before);
    let Outcome::Made(Made { id, mut issues }) = outcome else {
        return Err(unexpected());
    };
    if draft.replaces.is_some_and(|wanted| wanted != id) {
        return Err(Error::refused(400, ID_MISMATCH));
    }
    if check_id(&id).is_err() {
        return Err(Error::refused(400, INVALID_API_ID));
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
        guard: draft.guard,
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
        origin: platform.environment().serving_origin(&request.origin),
        parameters: parameters(request),
        version: None,
    })
}

/// Returns a parameter without the blanks around it, if anything is left.
fn parameter<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    let value = request.parameter(name)?.trim();
    (!value.is_empty()).then_some(value)
}

fn parameters(request: &Request) -> Parameters {
    let text = |name| parameter(request, name).map(str::to_owned);
    // Any other value leaves the member unchanged.
    let switch = |name| match parameter(request, name)? {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    };
    let is_compliant = |mode: &String| mode == "compliant";
    Parameters {
        upstream_url: text("upstreamURL"),
        listen_path: text("listenPath"),
        custom_domain: text("customDomain"),
        allow_list: switch("allowList"),
        validate_request: switch("validateRequest"),
        mock_response: switch("mockResponse"),
        authentication: switch("authentication"),
        security_processing_mode: text("securityProcessingMode")
            .or_else(|| text("authentication").filter(is_compliant)),
    }
}

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
