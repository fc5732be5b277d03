//! Bodies about the delivery of notifications to webhooks.

use serde::{Deserialize, Serialize};

/// The state of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It will be attempted, or attempted again.
    #[default]
    Pending,
    /// The receiver answered with a 2xx status.
    Delivered,
    /// It is not attempted any more.
    Failed,
}

/// One attempt at a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it started, RFC 3339.
    pub at: String,
    /// The status of the receiver's response; null if there was none.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Why it failed; null if it succeeded.
    pub error: Option<String>,
    /// The receiver's response. Only the latest one of a delivery is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Received>,
}

/// A receiver's response, shortened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Received {
    /// Its `Content-Type`; empty if there was none.
    pub content_type: String,
    /// Its `Content-Length` in bytes; null if there was none.
    pub content_length: Option<u64>,
    /// The beginning of its body, at most 1,024 bytes; null if it is withheld or not text.
    pub body: Option<String>,
    /// Whether the body goes on.
    pub truncated: bool,
    /// Whether the body is withheld, because the caller may not write APIs.
    pub withheld: bool,
}

impl Received {
    /// Withholds the body, if there is one.
    pub fn withhold(&mut self) {
        self.withheld = self.body.take().is_some();
        self.truncated = false;
    }
}

/// A notification on its way to a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The id of the notification, the same in every attempt (`webhook-id`).
    pub notice_id: String,
    /// The number of the notification; 0 for a test.
    pub seq: u64,
    /// The name of the event; `Test` for a test.
    #[serde(rename = "type")]
    pub kind: String,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The latest attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// When the next attempt is due, RFC 3339; null for none.
    pub next_at: Option<String>,
}

/// A page of a webhook's deliveries, newest first: `GET /api/hooks/{hookId}/deliveries`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliveries {
    /// The deliveries.
    pub deliveries: Vec<Delivery>,
    /// The value of `after` for the next page; null on the last one.
    pub next: Option<u64>,
}

/// The result of a sample: `POST /api/hooks/{hookId}/test`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// Whether the receiver answered with a 2xx status.
    pub delivered: bool,
    /// The status of the receiver's response; null if there was none.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Why it was not delivered; null if it was.
    pub error: Option<String>,
}

/// A new signing secret, shown once: `POST /api/hooks/{hookId}/secret`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSecret {
    /// `whsec_` and the key in base64.
    pub secret: String,
    /// Until when the previous secret signs too, RFC 3339; null if there was none.
    pub previous_until: Option<String>,
}
