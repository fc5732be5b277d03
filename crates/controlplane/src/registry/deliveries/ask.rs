//! Commands about a webhook's deliveries and secrets.

use super::message::{self, Signing};
use super::secret::HookSecrets;
use crate::registry::Turn;
use crate::registry::commit::{Draft, commit};
use crate::registry::credentials::Actor;
use crate::registry::encoding::from_json;
use crate::registry::journal::AuditedWrite;
use crate::registry::records::{Outcome, json, refuse};
use crate::registry::rows::{Change, DeliveryRow, Record};
use gatewright_api::dashboard::delivery::{
    Attempt, Deliveries, Delivery, DeliveryState, NewSecret, Received,
};
use gatewright_api::dashboard::{Access, Group};
use gatewright_api::message::Action;
use gatewright_model::json::parse;
use gatewright_protocol::records::{Answer, HookAct, HookAsk, Kind, RecordRefusal};
use gatewright_protocol::secret::Secret;
use gatewright_protocol::time::rfc3339;
use std::borrow::Cow;

/// The event type of a sample.
const TEST: &str = "Test";

/// Carries out a command about deliveries.
pub(in crate::registry) fn ask(
    turn: &mut Turn<'_>,
    actor: &Actor,
    ask: &HookAsk,
    text: &str,
) -> Outcome {
    let found = match ask.act {
        // The log of a deleted webhook can still be read.
        HookAct::List(..) => {
            let rows = turn.rows;
            turn.records.get(rows, Kind::Webhook, &actor.org, &ask.id)?
        }
        _ => {
            let live = turn.records.live(Kind::Webhook, &actor.org, &ask.id);
            live.map(Cow::Borrowed)
        }
    };
    let Some(hook) = found.map(Cow::into_owned) else {
        return refuse(RecordRefusal::NotFound);
    };
    match &ask.act {
        HookAct::List(after, limit) => list(turn, actor, &hook.id, (*after, *limit)),
        HookAct::Retry(notice_id) => retry(turn, actor, &hook, notice_id),
        HookAct::Rotate(secret) => rotate(turn, actor, &hook, secret),
        HookAct::Sign(notice_id) => sign(turn, &hook, notice_id),
        HookAct::Note(notice_id) => note(turn, &hook, notice_id, text),
    }
}

/// Returns a delivery as this caller may see it. What a receiver responded is for those who may write APIs: they could
/// read it through an API, whereas for everybody else webhooks would be a way to read what the gateway reaches.
fn shown(actor: &Actor, row: DeliveryRow) -> Delivery {
    let mut delivery = row.delivery;
    if actor.permissions.of(Group::Apis) < Access::Write {
        let responses = delivery.attempts.iter_mut();
        responses
            .filter_map(|attempt| attempt.response.as_mut())
            .for_each(Received::withhold);
    }
    delivery
}

fn list(turn: &Turn<'_>, actor: &Actor, hook: &str, (after, limit): (Option<u64>, u32)) -> Outcome {
    let rows = turn.rows.deliveries(hook, after, limit)?;
    let full = rows.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = rows.last().filter(|_| full).map(|row| row.number);
    let deliveries = rows.into_iter().map(|row| shown(actor, row)).collect();
    json(&Deliveries { deliveries, next })
}

/// Makes a delivery due with a full set of attempts. A call in progress continues.
fn retry(turn: &mut Turn<'_>, actor: &Actor, hook: &Record, notice_id: &str) -> Outcome {
    let found = turn.rows.delivery(&hook.id, notice_id)?;
    let Some(mut row) = found.filter(|row| row.delivery.kind != TEST) else {
        return refuse(RecordRefusal::NoDelivery);
    };
    row.tries = 0;
    row.delivery.state = DeliveryState::Pending;
    row.delivery.next_at = Some(turn.now.to_owned());
    turn.rows.commit(&[Change::Delivery(row.clone())])?;
    turn.deliveries.wait(&hook.id);
    turn.journal.note_news();
    json(&shown(actor, row))
}

fn rotate(turn: &mut Turn<'_>, actor: &Actor, hook: &Record, secret: &Secret) -> Outcome {
    let before = turn.rows.secrets(&hook.id)?;
    let secrets = HookSecrets::rotated(before, secret.clone(), turn.now_ms());
    let until = secrets.previous.as_ref().map(|(_, until)| rfc3339(*until));
    // The document is unchanged; the trail only records that its secret is new.
    let audited = AuditedWrite {
        org: &actor.org,
        actor: &actor.name,
        id: &hook.id,
        name: &hook.facts.name,
        before: Some(hook.revision),
        after: Some(hook.revision),
        ..AuditedWrite::new(hook.kind.row().subject, Action::Modified)
    };
    let stored = Change::Secrets {
        hook: &hook.id,
        secrets,
    };
    commit(turn, vec![Draft::new(audited, vec![stored])])?;
    json(&NewSecret {
        secret: secret.reveal().to_owned(),
        previous_until: until,
    })
}

/// Returns the signed request of a sample; the secret itself stays here.
fn sign(turn: &mut Turn<'_>, hook: &Record, notice_id: &str) -> Outcome {
    let text = turn.records.text(turn.rows, hook, hook.revision)?;
    let data = serde_json::json!({ "message": "A sample of what is sent", "webhook": hook.id });
    let body = message::body(TEST, turn.now, &data);
    let secrets = turn.rows.secrets(&hook.id)?;
    let text = text.unwrap_or_default();
    let signed = match parse(&text) {
        Ok(webhook) => {
            let signing = Signing::With(secrets.as_ref());
            message::outgoing(&webhook, notice_id, body, signing, turn.now_ms())
        }
        Err(_) => Err(message::UNREADABLE),
    };
    json(&signed)
}

fn note(turn: &mut Turn<'_>, hook: &Record, notice_id: &str, attempt: &str) -> Outcome {
    let attempt: Attempt = from_json("decode attempt", attempt)?;
    let delivery = Delivery {
        notice_id: notice_id.to_owned(),
        seq: 0,
        kind: TEST.to_owned(),
        state: match attempt.error {
            None => DeliveryState::Delivered,
            Some(_) => DeliveryState::Failed,
        },
        attempts: vec![attempt],
        next_at: None,
    };
    let mut row = turn.deliveries.row(&hook.id, &hook.org, delivery);
    row.tries = 1;
    let trim = Change::TrimDeliveries {
        hook: &hook.id,
        keep: turn.deliveries.kept,
    };
    turn.rows.commit(&[Change::Delivery(row), trim])?;
    Ok((Answer::Json, String::new()))
}
