//! Bodies about the delivery of notifications to webhooks.

use serde::{Deserialize, Serialize};

/// How far a delivery has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It is tried, again if need be.
    #[default]
    Pending,
    /// The receiver answered with a 2xx status.
    Delivered,
    /// It is not tried any more.
    Failed,
}

/// One try of a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it was begun, RFC 3339.
    pub at: String,
    /// What the receiver answered; null if it did not.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Why it was no success; null if it was one.
    pub error: Option<String>,
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
    /// How far it has come.
    pub state: DeliveryState,
    /// The newest attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// When it is tried next, RFC 3339; null if it is not.
    pub next_at: Option<String>,
}

/// A part of a webhook's deliveries, newest first: `GET /api/hooks/{hookId}/deliveries`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliveries {
    /// The deliveries.
    pub deliveries: Vec<Delivery>,
    /// What goes into `after` for the next page; null on the last one.
    pub next: Option<u64>,
}

/// What came of a sample: `POST /api/hooks/{hookId}/test`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// True if the receiver answered with a 2xx status.
    pub delivered: bool,
    /// What the receiver answered; null if it did not.
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
    /// Until when the one before it signs too, RFC 3339; null if there was none.
    pub previous_until: Option<String>,
}
