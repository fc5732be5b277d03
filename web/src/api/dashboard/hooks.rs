//! Webhooks: their list rows, deliveries, samples and signing secrets.

use gatewright_model::json::{Value, laid_out, parse};

use super::{Group, Listed};
use crate::api::read::{Read, flag, list, number, some_text, text, texts};
use crate::api::{Api, ApiError, Call};

/// Deliveries per page of the log.
const PER_PAGE: u32 = 20;
/// Longer payloads are sent without their lists.
const PAYLOAD_MAX_BYTES: usize = 20 * 1024;

/// A webhook as the list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hook {
    /// The internal id, which never changes.
    pub id: String,
    /// The stable id; may be empty.
    pub webhook_id: String,
    /// Its name; may be empty.
    pub name: String,
    /// The method of its requests.
    pub method: String,
    /// The URL it sends to.
    pub target_path: String,
    /// The types of notifications it subscribes to.
    pub subscriptions: Vec<String>,
}

/// One attempt at a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// When it started, RFC 3339; empty for a sample, of which only the response is known.
    pub at: String,
    /// The receiver's status; `None` without a response.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
    /// Why it failed; `None` if it succeeded.
    pub error: Option<String>,
    /// The receiver's response, which is kept for the latest attempt that had one.
    pub response: Option<Received>,
}

/// A receiver's response, shortened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Its `Content-Type`; may be empty.
    pub content_type: String,
    /// Its `Content-Length` in bytes.
    pub content_length: Option<u64>,
    /// The beginning of its body; `None` if it is withheld or not text.
    pub body: Option<String>,
    /// Whether the body goes on.
    pub truncated: bool,
    /// Whether the body is withheld, because the credential may not write APIs.
    pub withheld: bool,
}

/// The delivery of a notification to a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The id of the notification.
    pub notice_id: String,
    /// The number of the notification; 0 for a sample.
    pub seq: u64,
    /// The type of the notification.
    pub kind: String,
    /// `pending`, `delivered` or `failed`.
    pub state: String,
    /// The most recent attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// When the next attempt is due, RFC 3339.
    pub next_at: Option<String>,
}

/// A page of the deliveries of a webhook, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// The deliveries.
    pub deliveries: Vec<Delivery>,
    /// The cursor of the next page, passed as `after`; `None` on the last page.
    pub next: Option<u64>,
}

/// What is sent for a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The JSON, formatted.
    pub text: String,
    /// Whether it is too long to be sent with its lists.
    pub cut: bool,
}

/// A new signing secret, which is shown only once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NewSecret {
    /// The secret.
    pub secret: String,
    /// Until when the previous secret also signs, RFC 3339.
    pub previous_until: Option<String>,
}

impl Read for Hook {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            id: value.str("id").ok_or("id")?.to_owned(),
            webhook_id: text(value, "webhook_id"),
            name: text(value, "name"),
            method: text(value, "method"),
            target_path: text(value, "target_path"),
            subscriptions: texts(value.get("subscriptions")),
        })
    }
}

impl Listed for Hook {
    const GROUP: Group = Group::Hooks;
}

impl Read for Attempt {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let status = value.int("status");
        Ok(Self {
            at: text(value, "at"),
            status: status.and_then(|status| u16::try_from(status).ok()),
            duration_ms: number(value, "duration_ms"),
            error: some_text(value, "error"),
            response: value.get("response").map(Received::read).transpose()?,
        })
    }
}

impl Read for Received {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let length = value.int("content_length");
        Ok(Self {
            content_type: text(value, "content_type"),
            content_length: length.and_then(|length| u64::try_from(length).ok()),
            body: some_text(value, "body"),
            truncated: flag(value, "truncated"),
            withheld: flag(value, "withheld"),
        })
    }
}

impl Read for Delivery {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            notice_id: value.str("notice_id").ok_or("notice_id")?.to_owned(),
            seq: number(value, "seq"),
            kind: text(value, "type"),
            state: text(value, "state"),
            attempts: list(value, "attempts")?,
            next_at: some_text(value, "next_at"),
        })
    }
}

impl Read for Deliveries {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let next = value.int("next");
        Ok(Self {
            deliveries: list(value, "deliveries")?,
            next: next.and_then(|next| u64::try_from(next).ok()),
        })
    }
}

impl Read for NewSecret {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            secret: value.str("secret").ok_or("secret")?.to_owned(),
            previous_until: some_text(value, "previous_until"),
        })
    }
}

/// Builds the payload of a notification from the response that has it, as the gateway does.
fn payload(answer: &str, notice: &str) -> Option<Payload> {
    let value = parse(answer).ok()?;
    let mut notices = value.get("notifications")?.items().iter();
    let found = notices.find(|one| one.str("id") == Some(notice))?;
    let part = |name| found.get(name).map_or("null", |part| part.span.of(answer));
    let (kind, at, data) = (part("type"), part("at"), part("data"));
    let sent = format!(r#"{{"type":{kind},"timestamp":{at},"data":{data}}}"#);
    Some(Payload {
        text: laid_out(&sent)?,
        cut: sent.len() > PAYLOAD_MAX_BYTES,
    })
}

fn at(id: &str, what: &str) -> String {
    format!("{}/{what}", Group::Hooks.at(id))
}

impl Api {
    /// Returns a page of the deliveries to a webhook, the newest ones if `after` is `None`.
    ///
    /// # Errors
    /// As for all calls of the dashboard API; the same goes for those below.
    pub async fn deliveries(self, id: &str, after: Option<u64>) -> Result<Deliveries, ApiError> {
        let after = after.map(|after| format!("&after={after}"));
        let after = after.unwrap_or_default();
        let path = at(id, &format!("deliveries?limit={PER_PAGE}{after}"));
        self.send(Call::get(path)).await?.read()
    }

    /// Returns what is sent for the notification with this number and id; `None` if it is no longer stored, or of a type
    /// that the credential may not read.
    ///
    /// # Errors
    /// See above.
    pub async fn payload(self, seq: u64, notice: &str) -> Result<Option<Payload>, ApiError> {
        let after = seq.saturating_sub(1);
        let path = format!("/api/notifications?after={after}&limit=1");
        let answer = self.send(Call::get(path)).await?;
        Ok(payload(&answer.text, notice))
    }

    /// Delivers a notification to a webhook again.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such delivery.
    pub async fn retry_delivery(self, id: &str, notice: &str) -> Result<(), ApiError> {
        let path = at(id, &format!("deliveries/{notice}/retry"));
        self.send(Call::post(path)).await.map(drop)
    }

    /// Sends a sample and returns the outcome: an attempt without its time.
    ///
    /// # Errors
    /// See above; a receiver that refuses the sample is no error.
    pub async fn test_hook(self, id: &str) -> Result<Attempt, ApiError> {
        self.send(Call::post(at(id, "test"))).await?.read()
    }

    /// Makes a new signing secret.
    ///
    /// # Errors
    /// See above.
    pub async fn rotate_secret(self, id: &str) -> Result<NewSecret, ApiError> {
        self.send(Call::post(at(id, "secret"))).await?.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn payload_is_built_from_its_notification() {
        let answer = |filler: &str| {
            format!(
                r#"{{"notifications":[{{"seq":3,"id":"n","type":"ApiAdded","at":"2026","data":{{"a":["{filler}"],"b":1.0}}}}],"last":9}}"#
            )
        };
        let text = "{\n  \"type\": \"ApiAdded\",\n  \"timestamp\": \"2026\",\n  \"data\": {\n    \"a\": [\n      \"x\"\n    ],\n    \"b\": 1.0\n  }\n}";
        let expected = Payload {
            text: text.to_owned(),
            cut: false,
        };
        assert_eq!(payload(&answer("x"), "n"), Some(expected));
        let long = payload(&answer(&"x".repeat(PAYLOAD_MAX_BYTES)), "n");
        assert!(long.is_some_and(|long| long.cut));
        assert_eq!(payload(&answer("x"), "older"), None);
        assert_eq!(payload("", "n"), None);
    }
}
