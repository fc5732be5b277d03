//! The history of an organisation: notifications and the audit trail; and its categories.

use super::Call;
use super::error::{Error, refused, unexpected};
use super::export::{self, Format};
use crate::ports::Platform;
use crate::query;
use gatewright_model::mask;
use gatewright_protocol::http::{Response, address};
use gatewright_protocol::records::{Answer, AuditFilter, RecordCommand, RecordRefusal};
use gatewright_protocol::time::instant;
use serde_json::json;
use serde_json::value::RawValue;

pub(super) async fn categories<P: Platform>(call: &Call<'_, P>) -> Result<Response, Error> {
    relay(call, RecordCommand::Categories).await
}

pub(super) async fn notifications<P: Platform>(call: &Call<'_, P>) -> Result<Response, Error> {
    let after = query::number(call.request, "after")?.unwrap_or(0);
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
    Ok(query::number(call.request, "limit")?.unwrap_or(100))
}

/// Parses a time, or a day, which means its first moment, in UTC like everything stored.
fn time(name: &str, text: &str) -> Result<String, Error> {
    let parsed = match text.len() {
        10 => instant(&format!("{text}T00:00:00.000Z")),
        _ => instant(text),
    };
    parsed.ok_or_else(|| {
        let text = "takes a time of RFC 3339 or a day, such as 2026-01-31";
        refused(400, format!("The query parameter {name} {text}"))
    })
}

/// Parses an IP address, and writes it as the trail does.
fn ip_address(text: &str) -> Result<String, Error> {
    let parsed = address(text).ok_or_else(|| {
        let text = "The query parameter ip_address takes an IPv4 or IPv6 address";
        refused(400, text)
    })?;
    Ok(parsed.to_string())
}

/// Builds the filter from a request's parameters.
fn filter<P: Platform>(call: &Call<'_, P>) -> Result<AuditFilter, Error> {
    let text = |name| query::given(call.request, name);
    let owned = |name| text(name).map(str::to_owned);
    let time = |name| text(name).map(|text| time(name, text)).transpose();
    let subjects = text("subject").unwrap_or_default().split(',');
    Ok(AuditFilter {
        org: None,
        actor: owned("actor"),
        subjects: subjects
            .filter_map(|subject| query::word("subject", subject).transpose())
            .collect::<Result<_, _>>()?,
        id: owned("id"),
        action: query::word("action", text("action").unwrap_or_default())?,
        from: time("from")?,
        to: time("to")?,
        before: query::number::<u32>(call.request, "before")?.map(u64::from),
        limit: limit(call)?,
        part: text("q").map(str::to_ascii_lowercase),
        ip_address: text("ip_address").map(ip_address).transpose()?,
        request_id: owned("request_id"),
    })
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
