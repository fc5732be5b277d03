//! Rulesets, client identity providers and webhooks: one set of handlers, with the messages and statuses of each kind
//! (reference 1.11).

use super::error::{Error, refused, unexpected};
use super::{Call, form, hooks};
use crate::admin::condition;
use crate::config::DEFINITION_MAX_BYTES;
use crate::error::etag;
use crate::ports::{Platform, object_id};
use crate::query;
use gatewright_api::dashboard::Envelope;
use gatewright_api::dashboard::endpoint::Operation;
use gatewright_api::dashboard::message::{
    EMPTY, HOOK_DUPLICATE, HOOK_INVALID, HOOK_NO_DETAIL, MALFORMED, MAPPING_NOT_FOUND,
};
use gatewright_api::dashboard::shape::Preview;
use gatewright_model::issue::Issue;
use gatewright_model::json::{self, edit};
use gatewright_model::{document, ruleset};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::records::{
    Answer, Kind, RecordCommand, RecordQuery, RecordRefusal, RecordSort,
};
use gatewright_protocol::secret::Secret;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The default number of documents per page.
const PER_PAGE: u32 = 100;

pub(super) async fn list<P: Platform>(call: &Call<'_, P>, kind: Kind) -> Result<Response, Error> {
    let query = record_query(call.request, kind)?;
    let page = query.page.unwrap_or(1);
    match call.ask(RecordCommand::List { kind, query }, "").await? {
        (Answer::List { pages, total }, array) => {
            let name = kind.row().list;
            let body = format!(
                "{{\"{name}\":{array},\"pages\":{pages},\"page\":{page},\"total\":{total}}}\n"
            );
            Ok(Response::text(200, body))
        }
        (Answer::Refused(RecordRefusal::TooLarge), _) => Err(refused(413, PAGE_TOO_LARGE)),
        (answer, _) => Err(error_of(answer, kind, "GET")),
    }
}

const PAGE_TOO_LARGE: &str =
    "The documents of this page are larger than a response may be; ask for fewer per page";

fn record_query(request: &Request, kind: Kind) -> Result<RecordQuery, Error> {
    let text = |name| query::given(request, name);
    let switch = |name| text(name).map(|text| on_or_off(name, text)).transpose();
    // An unknown member selects the default order (reference 1.11).
    let (sort, descending) = match query::order(text("sort").unwrap_or("-last_updated")) {
        ("name", descending) => (RecordSort::Name, descending),
        ("date_created", descending) => (RecordSort::DateCreated, descending),
        ("last_updated", descending) => (RecordSort::LastUpdated, descending),
        _ => (RecordSort::LastUpdated, true),
    };
    let page = match text("p") {
        Some("-1") => None,
        _ => Some(query::number(request, "p")?.unwrap_or(1)),
    };
    let per_page = query::number(request, "per_page")?.unwrap_or(PER_PAGE);
    let categories = text("categories").unwrap_or_default().split(',');
    Ok(RecordQuery {
        search: text("q").unwrap_or_default().to_owned(),
        active: switch("active")?,
        is_template: match kind {
            Kind::Ruleset => Some(switch("is_template")?.unwrap_or(false)),
            _ => None,
        },
        categories: categories
            .map(|category| category.trim().to_owned())
            .filter(|category| !category.is_empty())
            .collect(),
        resource_type: text("resource_type").map(str::to_owned),
        deleted: switch("deleted")?.unwrap_or(false),
        sort,
        descending,
        page,
        per_page: per_page.clamp(1, 500),
    })
}

/// Parses a boolean query parameter. Any other word is refused: guessing could filter for the opposite of what was
/// meant.
fn on_or_off(name: &str, text: &str) -> Result<bool, Error> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(refused(
            400,
            format!("The query parameter {name} takes true or false"),
        )),
    }
}

/// Parses a number in the path.
pub(super) fn number(text: &str) -> Result<u64, Error> {
    let wrong = || refused(400, "The number in the path is a whole number from 1");
    text.parse().map_err(|_| wrong())
}

pub(super) async fn create<P: Platform>(call: &Call<'_, P>, kind: Kind) -> Result<Response, Error> {
    let text = if takes_form(call.request, kind) {
        Cow::Owned(form::created(call.request)?)
    } else {
        Cow::Borrowed(body(call.request, kind)?)
    };
    let issues = validated(call, kind, &text)?;
    let id = object_id(call.platform);
    let guard = condition::guard(call.request);
    let secret = match kind {
        Kind::Webhook => Some(hooks::secret(call.platform)?),
        _ => None,
    };
    let shown = secret.as_ref().filter(|_| !guard.dry_run).cloned();
    let command = RecordCommand::Create {
        kind,
        id,
        guard,
        secret,
    };
    let written = call.ask(command, &text).await?;
    answer_with(call, kind, written, issues, shown.as_ref())
}

pub(super) async fn replace<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    id: String,
) -> Result<Response, Error> {
    if takes_form(call.request, kind) {
        return amend(call, kind, id).await;
    }
    let text = body(call.request, kind)?;
    let issues = validated(call, kind, text)?;
    let guard = condition::guard(call.request);
    let command = RecordCommand::Replace { kind, id, guard };
    let written = call.ask(command, text).await?;
    answer(call, kind, written, issues)
}

/// Changes the fields that a form contains (reference 1.11).
async fn amend<P: Platform>(call: &Call<'_, P>, kind: Kind, id: String) -> Result<Response, Error> {
    let patch = form::updated(call.request)?;
    let mut issues = document::validate(kind.row().root, &patch);
    let named = json::parse(&patch).is_ok_and(|value| value.get("name").is_some());
    // A form without a name is valid: the stored document has one.
    issues.retain(|issue| named || issue.pointer != "/name");
    let issues = checked(kind, &patch, issues)?;
    let guard = condition::guard(call.request);
    let command = RecordCommand::Amend { kind, id, guard };
    let written = call.ask(command, &patch).await?;
    answer(call, kind, written, issues)
}

/// Whether the body is a form, for a kind that accepts one.
fn takes_form(request: &Request, kind: Kind) -> bool {
    kind == Kind::Ruleset && form::is_form(request)
}

pub(super) async fn delete<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    id: String,
) -> Result<Response, Error> {
    let guard = condition::guard(call.request);
    let written = call
        .ask(RecordCommand::Delete { kind, id, guard }, "")
        .await?;
    answer(call, kind, written, Vec::new())
}

pub(super) async fn restore<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    id: String,
    revision: Option<u64>,
) -> Result<Response, Error> {
    let guard = condition::guard(call.request);
    let command = RecordCommand::Restore {
        kind,
        id,
        revision,
        guard,
    };
    let written = call.ask(command, "").await?;
    answer(call, kind, written, Vec::new())
}

pub(super) async fn fetch<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    id: String,
) -> Result<Response, Error> {
    match call.ask(RecordCommand::Read { kind, id }, "").await? {
        (Answer::Document { revision }, text) => {
            let response = Response::text(200, shown(kind, text));
            let tag = etag(revision);
            Ok(condition::tagged(call.request, response, tag))
        }
        (answer, _) => Err(error_of(answer, kind, "GET")),
    }
}

/// Returns the document as clients read it: a ruleset includes its effective rules, which are not stored.
fn shown(kind: Kind, text: String) -> String {
    if kind != Kind::Ruleset {
        return text;
    }
    let value = json::parse(&text);
    let definition = value
        .as_ref()
        .ok()
        .and_then(|value| value.str("definition"));
    let rules = ruleset::applied_rules(definition.unwrap_or_default());
    edit::set(&text, "/applied_rules", &rules).unwrap_or(text)
}

pub(super) async fn revision<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    id: String,
    revision: u64,
) -> Result<Response, Error> {
    let command = RecordCommand::ReadRevision { kind, id, revision };
    match call.ask(command, "").await? {
        (Answer::Document { revision }, text) => {
            Ok(Response::text(200, text).with("etag", etag(revision)))
        }
        (answer, _) => Err(error_of(answer, kind, "GET")),
    }
}

pub(super) async fn revisions<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    id: String,
) -> Result<Response, Error> {
    let (before, limit) = query::revisions(call.request)?;
    let command = RecordCommand::Revisions {
        kind,
        id,
        before,
        limit,
    };
    match call.ask(command, "").await? {
        (Answer::Json, body) => Ok(Response::text(200, body)),
        (answer, _) => Err(error_of(answer, kind, "GET")),
    }
}

/// Returns the body as text. Errors have a status of their own for webhooks (specification, *Errors*; reference 1.11).
pub(super) fn body(request: &Request, kind: Kind) -> Result<&str, Error> {
    let hook = kind == Kind::Webhook;
    if request.body.is_empty() {
        return Err(refused(if hook { 500 } else { 400 }, EMPTY));
    }
    if request.body.len() > DEFINITION_MAX_BYTES {
        return Err(too_large());
    }
    let malformed = |_| refused(if hook { 403 } else { 400 }, MALFORMED);
    std::str::from_utf8(&request.body).map_err(malformed)
}

pub(super) fn too_large() -> Error {
    refused(
        413,
        format!("The document is larger than the {DEFINITION_MAX_BYTES} bytes allowed here"),
    )
}

/// Returns the warnings about a document, if it has no errors.
fn validated<P: Platform>(call: &Call<'_, P>, kind: Kind, text: &str) -> Result<Vec<Issue>, Error> {
    let mut issues = document::validate(kind.row().root, text);
    if kind == Kind::Webhook && !issues.iter().any(Issue::is_error) {
        issues.extend(hooks::private_target(call.platform, text));
    }
    checked(kind, text, issues)
}

/// Returns the warnings among the issues of what was sent, if there are no errors.
pub(super) fn checked(kind: Kind, sent: &str, issues: Vec<Issue>) -> Result<Vec<Issue>, Error> {
    let Some(first) = issues.iter().find(|issue| issue.is_error()) else {
        return Ok(issues);
    };
    let no_json = json::parse(sent).is_err();
    let (status, message) = match (kind, no_json) {
        (Kind::Webhook, true) => (403, MALFORMED.to_owned()),
        (Kind::Webhook, false) => (400, HOOK_INVALID.to_owned()),
        (_, true) => (400, MALFORMED.to_owned()),
        (_, false) => (400, format!("{}: {}", first.pointer, first.message)),
    };
    Err(Error::Refused(status, message, issues))
}

/// Builds the response to a write.
pub(super) fn answer<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    written: (Answer, String),
    issues: Vec<Issue>,
) -> Result<Response, Error> {
    answer_with(call, kind, written, issues, None)
}

/// Builds the response to a write that may have created a secret.
fn answer_with<P: Platform>(
    call: &Call<'_, P>,
    kind: Kind,
    (answer, text): (Answer, String),
    mut issues: Vec<Issue>,
    secret: Option<&Secret>,
) -> Result<Response, Error> {
    let Answer::Written {
        id,
        revision,
        changes,
        issues: more,
        ..
    } = answer
    else {
        return Err(error_of(answer, kind, call.endpoint.method));
    };
    issues.extend(more);
    if call.request.flag("dry_run") {
        let preview = Preview {
            dry_run: true,
            revision,
            document: RawValue::from_string(text).map_err(|_| unexpected())?,
            changes,
            issues,
        };
        return Ok(Response::json(200, &preview));
    }
    let texts = &kind.row().texts;
    let envelope = |text: &str, meta: Option<String>| {
        let body = Envelope {
            issues,
            signing_secret: secret.map(|secret| secret.reveal().to_owned()),
            ..Envelope::success(text, meta, texts.status)
        };
        Response::json(call.endpoint.status, &body)
    };
    let response = match call.endpoint.operation {
        Operation::Create(_) => envelope(texts.created, Some(id)),
        Operation::Replace(_) if !texts.updated.is_empty() => envelope(texts.updated, None),
        Operation::Delete(_) => envelope(texts.deleted, None),
        _ => Response::text(200, text),
    };
    Ok(response.with("etag", etag(revision)))
}

/// Maps a refusal by the Registry to the client's error.
pub(super) fn error_of(answer: Answer, kind: Kind, method: &str) -> Error {
    let Answer::Refused(refusal) = answer else {
        return unexpected();
    };
    match refusal {
        RecordRefusal::NotAuthorised => Error::NotAuthorised,
        RecordRefusal::NotPermitted => Error::NotPermitted,
        RecordRefusal::NotFound => match (kind, method) {
            (Kind::Webhook, "GET") => refused(400, HOOK_NO_DETAIL),
            (Kind::Webhook, "DELETE") => refused(404, HOOK_NO_DETAIL),
            (Kind::Webhook, _) => refused(400, kind.row().texts.missing),
            _ => refused(404, kind.row().texts.missing),
        },
        RecordRefusal::NoRevision => refused(404, "The document has no such revision"),
        RecordRefusal::NoMapping => refused(404, MAPPING_NOT_FOUND),
        RecordRefusal::NoDelivery => refused(
            404,
            "The webhook has no such delivery that can be sent again",
        ),
        RecordRefusal::NotDeleted => refused(400, "The document is not deleted"),
        RecordRefusal::Precondition { current } => Error::Precondition(current),
        RecordRefusal::StableIdTaken { .. } if kind == Kind::Webhook => {
            refused(409, HOOK_DUPLICATE)
        }
        RecordRefusal::StableIdTaken { id } => refused(
            409,
            format!(
                "{} {id} already exists in the organisation",
                kind.row().stable_member
            ),
        ),
        RecordRefusal::NameTaken { name } => refused(
            409,
            format!("a ruleset with the name {name} already exists in the organisation"),
        ),
        RecordRefusal::StableIdFixed { id } => refused(
            400,
            format!("ruleset_id never changes after creation: it is {id}"),
        ),
        RecordRefusal::UnknownCategories { names, known } => {
            let known = match known.is_empty() {
                true => "the organisation has none".to_owned(),
                false => format!("the organisation has {}", known.join(", ")),
            };
            refused(
                400,
                format!("unknown categories: {}; {known}", names.join(", ")),
            )
        }
        RecordRefusal::Invalid { issues } => Error::Refused(
            400,
            "The result would be no valid document".to_owned(),
            issues,
        ),
        RecordRefusal::TooLarge => too_large(),
    }
}
