//! API definitions (specification, *Managing and listing API definitions*; reference 1.3).

mod checks;

use checks::checked;
pub(super) use checks::{rewritten, validated};

use super::replies::{error_of, refused, relay, relay_list, unexpected, written};
use super::{complete, may, media, oas};
use crate::admin::{body, condition, webhooks};
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::message::{
    API_NOT_FOUND, BASE_API_HEADER, ID_MISMATCH, INVALID_API_ID, ModifySuccess, ONLY_CLASSIC,
    PENDING_HEADER, VERSION_NAME_REQUIRED,
};
use gatewright_model::definition;
use gatewright_model::id::check_id;
use gatewright_model::issue::Issue;
use gatewright_model::json::{self, edit};
use gatewright_model::mask;
use gatewright_model::openapi::stored;
use gatewright_model::order::sorted_by;
use gatewright_model::shape::Root;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{
    Command, Guard, Listed, Refusal, Reply, SummaryQuery, VersionOf, Write,
};
use std::borrow::Cow;

/// Returns the id from the path, unchanged: an escaped one is refused, not decoded (attack A8).
pub(super) fn id<'a>(variables: &[&'a str]) -> Result<&'a str, Error> {
    let id = variables.first().copied().unwrap_or_default();
    match check_id(id) {
        Ok(()) => Ok(id),
        Err(_) => Err(Error::refused(400, INVALID_API_ID)),
    }
}

/// Returns the id from the path of a read: an invalid one counts as unknown (reference 1.0).
pub(super) fn known_id<'a>(variables: &[&'a str]) -> Result<&'a str, Error> {
    id(variables).map_err(|_| Error::refused(404, API_NOT_FOUND))
}

/// Returns the revision from the path.
pub(super) fn revision(variables: &[&str]) -> Result<u64, Error> {
    let number = variables.get(1).and_then(|text| text.parse().ok());
    number.ok_or_else(|| Error::refused(400, "A revision is a number from 1"))
}

pub(super) async fn list<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    if request.parameter("view") == Some("summary") {
        return relay(platform, &Command::Summaries(summary_query(request)?)).await;
    }
    let types = request.parameter("include_types").unwrap_or_default();
    let listed = match types.split(',').any(|word| word.trim() == "mcp") {
        true => Listed::WithProxies,
        false => Listed::Classic,
    };
    relay_list(platform, request, listed).await
}

fn summary_query(request: &Request) -> Result<SummaryQuery, Error> {
    let text = |name| request.parameter(name).unwrap_or_default();
    let (sort, descending) = query::order(text("sort"));
    Ok(SummaryQuery {
        search: text("q").to_owned(),
        state: query::word("state", text("state"))?,
        tag: query::given(request, "tag").map(str::to_owned),
        sort: query::word("sort", sort)?.unwrap_or_default(),
        descending,
        page: query::number(request, "p")?.unwrap_or(1),
        per_page: query::number(request, "per_page")?.unwrap_or(50),
        document: query::word("document", text("document"))?,
    })
}

pub(super) async fn create<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    // Reference 1.3: missing parameters are reported before the body is checked.
    let version_of = version_of(platform, request).await?;
    let text = body(request)?;
    let (id, text) = with_id(platform, &classic(text))?;
    let issues = checked(platform, &text)?;
    let write = Write {
        id,
        update: false,
        guard: condition::guard(request),
        version_of,
    };
    store(platform, &Command::Write(write), &text, issues).await
}

pub(super) async fn update<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
) -> Result<Response, Error> {
    let text = &classic(body(request)?);
    let issues = match replacement(platform, text, id) {
        Ok(issues) => issues,
        // If both are wrong, the API is reported rather than the definition.
        Err(error) => return Err(irreplaceable(platform, id, error).await?),
    };
    let guard = condition::guard(request);
    let write = Write {
        id: id.to_owned(),
        update: true,
        guard,
        version_of: None,
    };
    let stored = store(platform, &Command::Write(write), text, issues).await;
    match stored {
        Err(error @ Error::Refused(404, _)) => Err(irreplaceable(platform, id, error).await?),
        stored => stored,
    }
}

/// Returns the warnings about a definition that may replace this API's.
fn replacement<P: Platform>(platform: &P, text: &str, id: &str) -> Result<Vec<Issue>, Error> {
    if parsed(text)?.str("api_id") == Some(id) {
        return checked(platform, text);
    }
    Err(match validated(text) {
        Err(error @ Error::Malformed(_)) => error,
        _ => Error::refused(400, ID_MISMATCH),
    })
}

/// Makes a client's definition a classic one, whatever its `is_oas` says (reference 1.3).
fn classic(text: &str) -> Cow<'_, str> {
    let says_so = json::parse(text).is_ok_and(|value| value.bool("is_oas") == Some(true));
    match says_so {
        true => edit::set(text, "/is_oas", "false").map_or(Cow::Borrowed(text), Cow::Owned),
        false => Cow::Borrowed(text),
    }
}

/// Returns why an API can't be replaced by a definition: it does not exist, it is an OpenAPI document, or else `error`.
async fn irreplaceable<P: Platform>(platform: &P, id: &str, error: Error) -> Result<Error, Error> {
    let command = Command::Read { id: id.to_owned() };
    let (reply, text) = platform.call(&command, "").await?;
    Ok(match reply {
        Reply::Document { .. } if stored::document(&text).is_some() => {
            Error::refused(400, ONLY_CLASSIC)
        }
        Reply::Document { .. } => error,
        _ => Error::refused(404, API_NOT_FOUND),
    })
}

pub(super) async fn delete<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
) -> Result<Response, Error> {
    let command = Command::Delete {
        id: id.to_owned(),
        guard: condition::guard(request),
    };
    store(platform, &command, "", Vec::new()).await
}

pub(super) async fn restore<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
    revision: u64,
) -> Result<Response, Error> {
    let guard = condition::guard(request);
    store(
        platform,
        &Command::Restore {
            id: id.to_owned(),
            revision,
            guard,
        },
        "",
        Vec::new(),
    )
    .await
}

pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
) -> Result<Response, Error> {
    read_as(platform, request, id, |text| {
        let classic = match stored::document(&text) {
            None => text,
            Some(_) => stored::classic(&text).map_err(|_| unexpected())?,
        };
        let shown = match request.parameter("complete") {
            Some("false") => classic,
            _ => complete::definition(&classic),
        };
        Ok(Response::text(200, shown))
    })
    .await
}

/// Returns the stored text of an API.
pub(super) async fn stored_text<P: Platform>(platform: &P, id: &str) -> Result<String, Error> {
    let (text, _) = stored_at(platform, id).await?;
    Ok(text)
}

/// Returns the stored text of an API, and its revision.
pub(super) async fn stored_at<P: Platform>(platform: &P, id: &str) -> Result<(String, u64), Error> {
    match platform
        .call(&Command::Read { id: id.to_owned() }, "")
        .await?
    {
        (Reply::Document { revision, .. }, text) => Ok((text, revision)),
        (reply, _) => Err(error_of(reply)),
    }
}

/// Returns the stored text of an API, with its secrets masked for callers who may only read.
pub(super) fn read_by(request: &Request, text: String) -> Result<String, Error> {
    match may(request, Part::Apis, Access::Write) {
        true => Ok(text),
        false => mask::masked(Root::ApiDefinition, &text).map_err(|_| unexpected()),
    }
}

/// Responds with what `shown` makes of the stored text of an API.
pub(super) async fn read_as<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
    shown: impl FnOnce(String) -> Result<Response, Error>,
) -> Result<Response, Error> {
    let (reply, text) = platform
        .call(&Command::Read { id: id.to_owned() }, "")
        .await?;
    let Reply::Document {
        revision,
        pending,
        base,
    } = reply
    else {
        return Err(error_of(reply));
    };
    let response = shown(read_by(request, text)?)?;
    let tag = media::etag(revision, &response);
    let mut response = condition::tagged(request, response, tag);
    if let Some(base) = base {
        response.headers.push((BASE_API_HEADER, base));
    }
    if pending {
        response.headers.push((PENDING_HEADER, "true".to_owned()));
    }
    Ok(response)
}

pub(super) async fn read_revision<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
    revision: u64,
) -> Result<Response, Error> {
    let command = Command::ReadRevision {
        id: id.to_owned(),
        revision,
    };
    match platform.call(&command, "").await? {
        (Reply::Document { revision, .. }, text) => {
            let text = read_by(request, text)?;
            // An API administered as a document is read as a document.
            let document = stored::document(&text).map(|(_, document)| document.to_owned());
            let response = match document {
                Some(document) => oas::represented(platform, request, &text, document)?,
                None => Response::text(200, text),
            };
            let tag = media::etag(revision, &response);
            Ok(response.with("etag", tag))
        }
        (reply, _) => Err(error_of(reply)),
    }
}

pub(super) async fn revisions<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
) -> Result<Response, Error> {
    let (before, limit) = query::revisions(request)?;
    let command = Command::Revisions {
        id: id.to_owned(),
        before,
        limit,
    };
    relay(platform, &command).await
}

pub(super) async fn versions<P: Platform>(
    platform: &P,
    request: &Request,
    id: &str,
) -> Result<Response, Error> {
    let command = Command::Versions {
        id: id.to_owned(),
        search: request
            .parameter("searchText")
            .unwrap_or_default()
            .to_owned(),
        access: query::given(request, "accessType").map(str::to_owned),
    };
    relay(platform, &command).await
}

/// Parses a document into a tree. If it is not JSON, the error has the validator's issues, which are more precise than
/// the parser's where a member is duplicated.
fn parsed(text: &str) -> Result<json::Value<'_>, Error> {
    json::parse(text).map_err(|_| Error::Malformed(definition::validate(text)))
}

/// Gives a document without an id a random one (reference 1.3), as its last member; every other byte is unchanged.
fn with_id<P: Platform>(platform: &P, text: &str) -> Result<(String, String), Error> {
    let value = parsed(text)?;
    let sent = value.get("api_id");
    match sent.and_then(json::Value::as_str) {
        Some(id) if !id.is_empty() => Ok((id.to_owned(), text.to_owned())),
        // The validator reports a wrong type.
        None if sent.is_some() => Ok((String::new(), text.to_owned())),
        _ => {
            let id = platform.random_id();
            let edited = edit::set(text, "/api_id", &format!("\"{id}\""));
            // This fails only if the document is not an object, which the validator reports.
            Ok((id, edited.unwrap_or_else(|_| text.to_owned())))
        }
    }
}

pub(super) async fn version_of<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Option<VersionOf>, Error> {
    let text = |name| request.parameter(name).unwrap_or_default().to_owned();
    let base = text("base_api_id");
    if base.is_empty() {
        return Ok(None);
    }
    let name = text("new_version_name");
    if name.is_empty() {
        return Err(Error::refused(422, VERSION_NAME_REQUIRED));
    }
    let base_name = text("base_api_version_name");
    let read = Command::Read { id: base.clone() };
    let wrong = match platform.call(&read, "").await? {
        (Reply::Document { .. }, text) if base_name.is_empty() && is_unnamed(&text) => {
            Some(Refusal::BaseNameNeeded { base: base.clone() })
        }
        (Reply::Document { .. }, _) => None,
        _ => Some(Refusal::NoBase { base: base.clone() }),
    };
    if let Some(refusal) = wrong {
        return Err(refused(refusal, Vec::new()));
    }
    Ok(Some(VersionOf {
        base,
        base_name,
        name,
        set_default: request.flag("set_default"),
    }))
}

/// Whether a definition lacks a name of its own among versions.
fn is_unnamed(text: &str) -> bool {
    let definition = json::parse(text).ok();
    let name = definition
        .as_ref()
        .and_then(|value| value.get("definition")?.str("name"));
    name.unwrap_or_default().is_empty()
}

pub(super) async fn store<P: Platform>(
    platform: &P,
    command: &Command,
    text: &str,
    mut issues: Vec<Issue>,
) -> Result<Response, Error> {
    issues.extend(webhooks::uncallable(platform, text));
    let (id, guard) = match command {
        Command::Write(write) => (&write.id, &write.guard),
        Command::Delete { id, guard } | Command::Restore { id, guard, .. } => (id, guard),
        _ => return Err(unexpected()),
    };
    let Guard { dry_run, .. } = *guard;
    match platform.call(command, text).await?.0 {
        Reply::Written {
            action,
            revision,
            issues: more,
        } => {
            issues.extend(more);
            let issues = sorted_by(issues, |one, other| one.start.cmp(&other.start));
            let body = ModifySuccess {
                issues,
                dry_run,
                ..ModifySuccess::of(id, action)
            };
            Ok(written(&body, revision))
        }
        Reply::Refused(refusal) => Err(refused(refusal, issues)),
        _ => Err(unexpected()),
    }
}
