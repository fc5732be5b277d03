//! Notifications: stored ones, and a stream of new ones.

use futures_util::future::{Either, select};
use gatewright_model::json::{Value, parse};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use crate::api::read::{Read, list, number, text, texts};
use crate::api::{Api, ApiError, Call};
use crate::state::sse::Reader;
use crate::state::task::pause;

/// The path of their endpoints.
const PATH: &str = "/api/notifications";
/// A stream that is silent for this long is dead: the edge sends something every 15 s.
const SILENCE_MS: i32 = 45_000;

/// The types of notifications.
pub const TYPES: [&str; 24] = [
    "NoticeClientIdPChanged",
    "ApiAdded",
    "ApiUpdated",
    "ApiRemoved",
    "GroupReload",
    "TokenCreated",
    "TokenUpdated",
    "TokenDeleted",
    "AuthFailure",
    "KeyExpired",
    "RatelimitExceeded",
    "QuotaExceeded",
    "OrgQuotaExceeded",
    "OrgRateLimitExceeded",
    "VersionFailure",
    "TriggerExceeded",
    "BreakerTriggered",
    "BreakerTripped",
    "BreakerReset",
    "UpstreamOAuthError",
    "HostDown",
    "HostUp",
    "RateLimitSmoothingUp",
    "RateLimitSmoothingDown",
];

/// One notification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// Its number within its organisation.
    pub seq: u64,
    /// Its type.
    pub kind: String,
    /// When the write or event it reports was stored, RFC 3339.
    pub at: String,
    /// The kind of document it is about, in the terms of the audit trail; empty if unknown.
    pub subject: &'static str,
    /// The id of that document.
    pub about: String,
    /// The name of that document.
    pub name: String,
    /// Whether the document was deleted.
    pub gone: bool,
    /// What happened, in a few words.
    pub detail: String,
}

/// A range of notifications, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// The notifications.
    pub notices: Vec<Notice>,
    /// The number of the newest notification in the organisation.
    pub last: u64,
}

impl Read for Notice {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let seq = value.int("seq").and_then(|seq| u64::try_from(seq).ok());
        let data = value.get("data").ok_or("data")?;
        let kind = text(value, "type");
        let count = |name| number::<u64>(data, name);
        let action = text(data, "action");
        let written = format!("{action}, revision {}", count("revision"));
        let (subject, about, name, detail) = match kind.as_str() {
            "NoticeClientIdPChanged" => {
                let apis = texts(data.get("api_ids")).join(", ");
                let apis = if apis.is_empty() {
                    apis
                } else {
                    format!("; mappings of {apis}")
                };
                let (id, name) = (text(data, "_id"), text(data, "client_idp_id"));
                ("client_idp", id, name, format!("{written}{apis}"))
            }
            "ApiAdded" | "ApiUpdated" | "ApiRemoved" => {
                ("api", text(data, "api_id"), text(data, "name"), written)
            }
            "GroupReload" => {
                let (generation, loaded) = (count("generation"), count("loaded"));
                let skipped = count("skipped");
                let detail = format!("generation {generation}: {loaded} served, {skipped} skipped");
                ("reload", String::new(), "Reload".to_owned(), detail)
            }
            "TokenCreated" | "TokenUpdated" | "TokenDeleted" => {
                ("key", text(data, "key_hash"), text(data, "alias"), written)
            }
            _ => event(data),
        };
        Ok(Self {
            seq: seq.ok_or("seq")?,
            at: text(value, "at"),
            gone: action == "deleted",
            kind,
            subject,
            about,
            name,
            detail,
        })
    }
}

/// Reads the data of an event about a request: subject, id, name and detail. Of the key it has only the hash.
fn event(data: &Value<'_>) -> (&'static str, String, String, String) {
    let id = text(data, "api_id");
    if id.is_empty() {
        return ("", id, String::new(), String::new());
    }
    let message = text(data, "message");
    let mut detail = message.trim_end_matches('.').to_owned();
    if let Some(limit) = data.int("trigger_limit") {
        detail.push_str(&format!(": {limit} %"));
    }
    for (word, name) in [(" at ", "path"), (" from ", "origin"), (", key ", "key")] {
        let value = text(data, name);
        if !value.is_empty() {
            detail.push_str(word);
            detail.push_str(&value);
        }
    }
    ("api", id.clone(), id, detail)
}

impl Read for Notices {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        value.get("notifications").ok_or("notifications")?;
        Ok(Self {
            notices: list(value, "notifications")?,
            last: number(value, "last"),
        })
    }
}

impl Api {
    /// Returns at most `limit` notifications with numbers greater than `after`, oldest first.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] if the token is refused.
    pub async fn notices(self, after: u64, limit: u64) -> Result<Notices, ApiError> {
        self.send(Call::get(format!("{PATH}?after={after}&limit={limit}")))
            .await?
            .read()
    }

    /// Returns the notifications with numbers greater than `after`, up to `end`, oldest first. A page of the edge ends
    /// early when it is large.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] if the token is refused.
    pub async fn notices_between(self, mut after: u64, end: u64) -> Result<Vec<Notice>, ApiError> {
        let mut found = Vec::new();
        while after < end {
            let page = self.notices(after, end.saturating_sub(after)).await?;
            let Some(last) = page.notices.last() else {
                break;
            };
            after = last.seq;
            found.extend(page.notices);
        }
        Ok(found)
    }

    /// Follows the notifications after a number until the stream ends, which it does when the token stops being valid.
    /// `opened` runs once the stream is open, `heard` for each notification. Dropping the future closes the stream.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if the edge has no stream, [`ApiError::Unreachable`] if it breaks off.
    pub async fn follow(
        self,
        after: u64,
        opened: impl Fn(),
        heard: impl Fn(Notice),
    ) -> Result<(), ApiError> {
        let call = Call::get(format!("{PATH}/stream"))
            .header("Accept", "text/event-stream")
            .header("Last-Event-ID", &after.to_string());
        let (response, _abort) = self.open(call).await?;
        opened();
        let body = response.body().ok_or(ApiError::Unreachable)?;
        let body = body.get_reader().unchecked_into();
        let mut events = Reader::default();
        while let Some(bytes) = next(&body).await? {
            for event in events.push(&bytes) {
                let notice = parse(&event.data).ok();
                if let Some(Ok(notice)) = notice.map(|value| Notice::read(&value)) {
                    heard(notice);
                }
            }
        }
        Ok(())
    }
}

/// Returns the next bytes of a stream, or `None` at its end.
async fn next(body: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, ApiError> {
    let broken = |_: JsValue| ApiError::Unreachable;
    let chunk = match select(JsFuture::from(body.read()), pause(SILENCE_MS)).await {
        Either::Left((chunk, _)) => chunk.map_err(broken)?,
        Either::Right(_) => return Err(ApiError::Unreachable),
    };
    let bytes = Reflect::get(&chunk, &"value".into()).map_err(broken)?;
    Ok((!bytes.is_undefined()).then(|| Uint8Array::new(&bytes).to_vec()))
}
