//! Notifications: those there are, and those to come.

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

/// Where they are.
const PATH: &str = "/api/notifications";
/// A stream that says nothing for so long is dead: the edge says something every 15 s.
const SILENCE_MS: i32 = 45_000;

/// The types that there are.
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
    /// Its number in its organisation.
    pub seq: u64,
    /// Its type.
    pub kind: String,
    /// When its cause was stored, RFC 3339.
    pub at: String,
    /// The kind of document that it is about, as the audit trail calls it; empty if it is unknown.
    pub subject: &'static str,
    /// The id of that.
    pub about: String,
    /// What that is called.
    pub name: String,
    /// Whether that was deleted.
    pub gone: bool,
    /// What happened, in a few words.
    pub detail: String,
}

/// A part of the notifications, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// The notifications.
    pub notices: Vec<Notice>,
    /// The number of the newest one there is.
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
                let detail = format!("generation {generation}: {loaded} loaded, {skipped} skipped");
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

/// What is about a request: the API it was sent to, and what came of it. The key has only its hash.
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
    /// At most `limit` notifications behind a number, oldest first.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] if the token is refused.
    pub async fn notices(self, after: u64, limit: u64) -> Result<Notices, ApiError> {
        self.send(Call::get(format!("{PATH}?after={after}&limit={limit}")))
            .await?
            .read()
    }

    /// Follows the notifications behind a number until the stream ends, which it does when the token
    /// counts no more. `opened` runs once it is there, `heard` for each notification. Dropping the call
    /// closes the stream.
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

/// The next bytes of a stream; none at its end.
async fn next(body: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, ApiError> {
    let broken = |_: JsValue| ApiError::Unreachable;
    let chunk = match select(JsFuture::from(body.read()), pause(SILENCE_MS)).await {
        Either::Left((chunk, _)) => chunk.map_err(broken)?,
        Either::Right(_) => return Err(ApiError::Unreachable),
    };
    let bytes = Reflect::get(&chunk, &"value".into()).map_err(broken)?;
    Ok((!bytes.is_undefined()).then(|| Uint8Array::new(&bytes).to_vec()))
}
