//! The schemas of what is answered about deliveries to webhooks.

use super::object;
use serde_json::{Value, json};

/// The schemas by their names.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let string = json!({ "type": "string" });
    let integer = json!({ "type": "integer", "minimum": 0 });
    let boolean = json!({ "type": "boolean" });
    let time = json!({ "type": "string", "format": "date-time" });
    let no_time = json!({ "type": ["string", "null"], "format": "date-time" });
    let status = json!({ "type": ["integer", "null"], "minimum": 200, "maximum": 599 });
    let error = json!({ "type": ["string", "null"] });
    let attempt = json!({ "at": time, "status": status, "duration_ms": integer, "error": error });
    let attempt = object(&["at", "status", "duration_ms", "error"], attempt);
    let delivery = json!({
        "notice_id": string, "seq": integer, "type": string,
        "state": { "enum": ["pending", "delivered", "failed"] },
        "attempts": { "type": "array", "items": attempt }, "next_at": no_time,
    });
    let delivery_members = ["notice_id", "seq", "type", "state", "attempts", "next_at"];
    let reference = json!({ "$ref": "#/components/schemas/Delivery" });
    let deliveries = json!({
        "deliveries": { "type": "array", "items": reference },
        "next": { "type": ["integer", "null"] },
    });
    let tested = json!({
        "delivered": boolean, "status": status, "duration_ms": integer, "error": error,
    });
    let secret = json!({
        "secret": { "type": "string", "pattern": "^whsec_[A-Za-z0-9+/]{43}=$" },
        "previous_until": no_time,
    });
    vec![
        ("Delivery", object(&delivery_members, delivery)),
        ("Deliveries", object(&["deliveries", "next"], deliveries)),
        (
            "Tested",
            object(&["delivered", "status", "duration_ms", "error"], tested),
        ),
        ("NewSecret", object(&["secret"], secret)),
        (
            "EventStream",
            json!({
                "type": "string",
                "description": "Events with `id` (the number), `event` (the name) and `data` (the notification), and a comment now and then",
            }),
        ),
    ]
}
