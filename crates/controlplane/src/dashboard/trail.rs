//! The history of an organisation: notifications and the audit trail; and its categories.

use super::Call;
use super::error::{Error, refused, unexpected};
use super::export::{self, Format};
use super::records::whole_number;
use crate::ports::Platform;
use gatewright_model::mask;
use gatewright_protocol::http::Response;
use gatewright_protocol::records::{Answer, AuditFilter, RecordCommand, RecordRefusal};
use gatewright_protocol::time::instant;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;

pub(super) async fn categories<P: Platform>(call: &Call<'_, P>) -> Result<Response, Error> {
    relay(call, RecordCommand::Categories).await
}

pub(super) async fn notifications<P: Platform>(call: &Call<'_, P>) -> Result<Response, Error> {
    let after = match call.request.parameter("after").unwrap_or_default() {
        "" => 0,
        text => text
            .parse()
            .map_err(|_| refused(400, "The query parameter after takes a whole number"))?,
    };
    let limit = limit(call)?;
    relay(call, RecordCommand::Notices { after, limit }).await
}

/// Runs a command whose reply becomes the response's body.
async fn relay<P: Platform>(call: &Call<'_, P>, command: RecordCommand) -> Result<Response, Error> {
    match call.ask(command, "").await? {
        (Answer::Json, body) => Ok(Response::text(200, body)),
        _ => Err(unexpected()),
    }
}

fn limit<P>(call: &Call<'_, P>) -> Result<u32, Error> {
    match call.request.parameter("limit").unwrap_or_default() {
        "" => Ok(100),
        text => whole_number("limit", text),
    }
}

/// Builds the filter from a request's parameters.
fn filter<P: Platform>(call: &Call<'_, P>) -> Result<AuditFilter, Error> {
    let time = |name, text: &str| {
        // A date means its first moment, in UTC like everything stored.
        let day = text.len() == 10;
        let full = if day {
            format!("{text}T00:00:00.000Z")
        } else {
            text.to_owned()
        };
        let wrong = || {
            let text = "takes a time of RFC 3339 or a day, such as 2026-01-31";
            refused(400, format!("The query parameter {name} {text}"))
        };
        instant(&full).ok_or_else(wrong)
    };
    let text = |name| {
        let value = call.request.parameter(name)?;
        (!value.is_empty()).then(|| value.to_owned())
    };
    let subjects = text("subject").unwrap_or_default();
    Ok(AuditFilter {
        org: None,
        actor: text("actor"),
        subjects: subjects
            .split(',')
            .filter(|word| !word.is_empty())
            .map(|subject| word("subject", subject))
            .collect::<Result<_, _>>()?,
        id: text("id"),
        action: text("action")
            .map(|action| word("action", &action))
            .transpose()?,
        from: text("from").map(|text| time("from", &text)).transpose()?,
        to: text("to").map(|text| time("to", &text)).transpose()?,
        before: text("before")
            .map(|text| whole_number("before", &text).map(u64::from))
            .transpose()?,
        limit: limit(call)?,
        part: text("q").map(|part| part.to_ascii_lowercase()),
    })
}

/// Parses a parameter that takes one of a few words, which are the type's serde names.
fn word<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Error> {
    serde_json::from_value(text.into())
        .map_err(|error| refused(400, format!("The query parameter {name} is wrong: {error}")))
}

pub(super) async fn audit<P: Platform>(call: &Call<'_, P>) -> Result<Response, Error> {
    let filter = filter(call)?;
    let format = call.request.parameter("format").unwrap_or_default();
    if let Some(format) = Format::of(format)? {
        return export::download(call, filter, format).await;
    }
    match call.ask(RecordCommand::Audit(filter), "").await? {
        (Answer::Audit(page), _) => Ok(Response::json(200, &page)),
        _ => Err(unexpected()),
    }
}

/// Returns one entry with the differences between the documents before and after it, secrets masked, because readers of
/// the trail need not have the right to read the documents.
pub(super) async fn audit_entry<P: Platform>(
    call: &Call<'_, P>,
    seq: u64,
) -> Result<Response, Error> {
    let (entry, texts) = match call.ask(RecordCommand::AuditEntry { seq }, "").await? {
        (Answer::AuditEntry(entry), texts) => (entry, texts),
        (Answer::Refused(RecordRefusal::NotFound), _) => {
            return Err(refused(404, "The audit trail has no such entry"));
        }
        _ => return Err(unexpected()),
    };
    let (before, after): (Box<RawValue>, Box<RawValue>) =
        serde_json::from_str(&texts).map_err(|_| unexpected())?;
    let side = |text: &RawValue| match text.get() {
        "null" => "{}".to_owned(),
        text => text.to_owned(),
    };
    let changes = match entry.subject.resource().compared {
        Some(root) => mask::changes(root, &side(&before), &side(&after)).unwrap_or_default(),
        None => Vec::new(),
    };
    Ok(Response::json(
        200,
        &json!({ "entry": entry, "changes": changes }),
    ))
}
