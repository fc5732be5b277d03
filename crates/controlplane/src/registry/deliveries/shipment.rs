//! The request for a delivery: to a stored webhook, or to a handler of a definition.

use super::message::{self, Signing};
use super::signal;
use crate::ports::Outgoing;
use crate::registry::State;
use crate::registry::rows::{DeliveryRow, Kinds, Rows};
use gatewright_api::dashboard::shape::Notice;
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;

/// A call to make now.
#[derive(Debug)]
pub struct Shipment {
    /// The internal id of the webhook, or the name of the handler.
    pub hook: String,
    /// The id of the notification.
    pub notice_id: String,
    /// The request, or why there is none.
    pub outgoing: Outcome,
}

type Outcome = Result<Outgoing, &'static str>;

/// Builds the request for a delivery.
pub(super) fn shipment(
    rows: &Rows,
    state: &State,
    row: DeliveryRow,
    now: u64,
) -> Result<Shipment, StoreError> {
    let DeliveryRow {
        hook,
        org,
        delivery,
        ..
    } = row;
    let before = delivery.seq.saturating_sub(1);
    let notice = rows.notices(&org, Kinds::All, before, (1, 0))?.pop();
    let outgoing = match notice.filter(|notice| notice.id == delivery.notice_id) {
        None => Err("The notification can't be read"),
        Some(notice) if signal::is_handler(&hook) => {
            signal::outgoing(rows, &state.index, &hook, (&org, &notice), now)?
        }
        Some(notice) => signed(rows, state, (&org, &hook), &notice, now)?,
    };
    Ok(Shipment {
        hook,
        notice_id: delivery.notice_id,
        outgoing,
    })
}

/// Builds the signed request for a stored webhook.
fn signed(
    rows: &Rows,
    state: &State,
    (org, hook): (&str, &str),
    notice: &Notice,
    now: u64,
) -> Result<Outcome, StoreError> {
    let Some(record) = state.records.live(Kind::Webhook, org, hook) else {
        return Ok(Err("The webhook is deleted"));
    };
    let text = state.records.text(rows, record, record.revision)?;
    let text = text.unwrap_or_default();
    let body = message::body(&notice.kind, &notice.at, &notice.data);
    let secrets = rows.secrets(hook)?;
    Ok(match json::parse(&text) {
        Ok(webhook) => {
            let signing = Signing::With(secrets.as_ref());
            message::outgoing(&webhook, &notice.id, body, signing, now)
        }
        Err(_) => Err(message::UNREADABLE),
    })
}
