//! The mappings of a client identity provider: which scope grants which policy of which API.

use super::Call;
use super::error::{Error, refused};
use super::records::{answer, body, checked, error_of};
use crate::admin::condition;
use crate::error::etag;
use crate::ports::Platform;
use gatewright_api::dashboard::Envelope;
use gatewright_api::dashboard::message::{MAPPING_DELETED, MAPPING_NOT_FOUND};
use gatewright_model::id::check_id;
use gatewright_model::shape::Root;
use gatewright_model::{document, json, mappings};
use gatewright_protocol::http::Response;
use gatewright_protocol::records::{Answer, Kind, RecordCommand};

const KIND: Kind = Kind::ClientIdp;

/// Accepted media types of a merge patch; a missing one counts as the first.
const PATCHES: [&str; 2] = ["application/merge-patch+json", "application/json"];

/// Applies a merge patch to all mappings.
pub(super) async fn patch<P: Platform>(call: &Call<'_, P>, id: String) -> Result<Response, Error> {
    let media = call.request.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.is_empty() && !PATCHES.contains(&media.to_ascii_lowercase().as_str()) {
        return Err(refused(
            415,
            format!("A merge patch is {} or {}", PATCHES[0], PATCHES[1]),
        ));
    }
    let text = body(call.request, KIND)?;
    let issues = checked(KIND, text, mappings::check_patch(text))?;
    let guard = condition::guard(call.request);
    let written = call
        .ask(RecordCommand::PatchMappings { id, guard }, text)
        .await?;
    answer(call, KIND, written, issues)
}

/// Returns one mapping as the document has it.
pub(super) async fn fetch<P: Platform>(
    call: &Call<'_, P>,
    id: String,
    api_id: &str,
) -> Result<Response, Error> {
    let (revision, text) = match call.ask(RecordCommand::Read { kind: KIND, id }, "").await? {
        (Answer::Document { revision }, text) => (revision, text),
        (answer, _) => return Err(error_of(answer, KIND, "GET")),
    };
    let document = json::parse(&text).ok();
    let mappings = document
        .as_ref()
        .and_then(|value| value.get("api_mappings"));
    match mappings.and_then(|mappings| mappings.get(api_id)) {
        Some(mapping) => {
            let mapping = mapping.span.of(&text).to_owned();
            Ok(Response::text(200, mapping).with("etag", etag(revision)))
        }
        None => Err(refused(404, MAPPING_NOT_FOUND)),
    }
}

/// Replaces one mapping, or adds it.
pub(super) async fn replace<P: Platform>(
    call: &Call<'_, P>,
    id: String,
    api_id: &str,
) -> Result<Response, Error> {
    let text = body(call.request, KIND)?;
    let issues = checked(KIND, text, document::validate(Root::ScopeMapping, text))?;
    let api_id = api(api_id)?;
    let guard = condition::guard(call.request);
    let command = RecordCommand::SetMapping { id, api_id, guard };
    let written = call.ask(command, text).await?;
    answer(call, KIND, written, issues)
}

/// Removes one mapping.
pub(super) async fn delete<P: Platform>(
    call: &Call<'_, P>,
    id: String,
    api_id: &str,
) -> Result<Response, Error> {
    let api_id = api(api_id)?;
    let guard = condition::guard(call.request);
    let command = RecordCommand::RemoveMapping { id, api_id, guard };
    let written = call.ask(command, "").await?;
    let revision = match &written.0 {
        Answer::Written { revision, .. } if !call.request.flag("dry_run") => *revision,
        _ => return answer(call, KIND, written, Vec::new()),
    };
    let body = Envelope::success(MAPPING_DELETED, None, "success");
    Ok(Response::json(200, &body).with("etag", etag(revision)))
}

/// Returns the API id from the path, unchanged: an escaped one is refused, not decoded (attack A8).
fn api(id: &str) -> Result<String, Error> {
    match check_id(id) {
        Ok(()) => Ok(id.to_owned()),
        Err(reason) => Err(refused(400, format!("Invalid API ID: {reason}"))),
    }
}
