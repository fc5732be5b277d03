//! The commands about a webhook's deliveries and secrets.

use super::message;
use super::secret::{HookSecrets, Secret};
use crate::error::StoreError;
use crate::registry::Turn;
use crate::registry::credentials::Actor;
use crate::registry::journal::Deed;
use crate::registry::records::{Answer, Kind, RecordCommand, RecordRefusal};
use crate::registry::rows::{Change, Record, Rows};
use crate::time::{millis, rfc3339};
use gatewright_api::dashboard::delivery::{Attempt, Deliveries, Delivery, DeliveryState};
use gatewright_api::message::Action;
use serde_json::json;

/// The type of a sample.
const TEST: &str = "Test";

/// Carries out a command about deliveries; nothing for every other one.
pub(in crate::registry) fn ask<R: Rows>(
    turn: &mut Turn<'_, R>,
    actor: &Actor,
    command: &RecordCommand,
) -> Result<Option<Answer>, StoreError> {
    let answer = match command {
        RecordCommand::Deliveries { id, after, limit } => {
            // The log of a deleted webhook can still be read.
            match turn.records.get(Kind::Webhook, &actor.org, id) {
                Some(record) => list(turn, &record.id, *after, *limit),
                None => Ok(Answer::Refused(RecordRefusal::NotFound)),
            }
        }
        RecordCommand::RetryDelivery { id, notice_id } => {
            live(turn, actor, id, |turn, hook| retry(turn, hook, notice_id))
        }
        RecordCommand::RotateSecret { id, secret } => live(turn, actor, id, |turn, hook| {
            rotate(turn, actor, hook, secret)
        }),
        RecordCommand::SignTest { id, notice_id } => {
            live(turn, actor, id, |turn, hook| sign(turn, hook, notice_id))
        }
        RecordCommand::LogTest {
            id,
            notice_id,
            attempt,
        } => live(turn, actor, id, |turn, hook| {
            log(turn, hook, notice_id, attempt)
        }),
        _ => return Ok(None),
    };
    answer.map(Some)
}

/// Runs a command about a webhook that is not deleted.
fn live<'t, R: Rows>(
    turn: &mut Turn<'t, R>,
    actor: &Actor,
    id: &str,
    run: impl FnOnce(&mut Turn<'t, R>, &Record) -> Result<Answer, StoreError>,
) -> Result<Answer, StoreError> {
    match turn.records.live(Kind::Webhook, &actor.org, id).cloned() {
        Some(record) => run(turn, &record),
        None => Ok(Answer::Refused(RecordRefusal::NotFound)),
    }
}

fn list<R: Rows>(
    turn: &Turn<'_, R>,
    hook: &str,
    after: Option<u64>,
    limit: u32,
) -> Result<Answer, StoreError> {
    let rows = turn.rows.deliveries(hook, after, limit)?;
    let full = rows.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = rows.last().filter(|_| full).map(|row| row.number);
    let deliveries = rows.into_iter().map(|row| row.delivery).collect();
    Ok(Answer::Deliveries(Deliveries { deliveries, next }))
}

/// Makes a delivery due, with all its attempts before it. One that is under way stays so.
fn retry<R: Rows>(
    turn: &mut Turn<'_, R>,
    hook: &Record,
    notice_id: &str,
) -> Result<Answer, StoreError> {
    let found = turn.rows.delivery(&hook.id, notice_id)?;
    let Some(mut row) = found.filter(|row| row.delivery.kind != TEST) else {
        return Ok(Answer::Refused(RecordRefusal::NoDelivery));
    };
    row.tries = 0;
    row.delivery.state = DeliveryState::Pending;
    row.delivery.next_at = Some(turn.now.to_owned());
    turn.rows.commit(&[Change::Delivery(row.clone())])?;
    turn.deliveries.waiting.insert(hook.id.clone());
    turn.journal.tell();
    Ok(Answer::Delivery(row.delivery))
}

fn rotate<R: Rows>(
    turn: &mut Turn<'_, R>,
    actor: &Actor,
    hook: &Record,
    secret: &Secret,
) -> Result<Answer, StoreError> {
    let before = turn.rows.secrets(&hook.id)?;
    let secrets = HookSecrets::rotated(before, secret.clone(), now(turn)?);
    let until = secrets.previous.as_ref().map(|(_, until)| rfc3339(*until));
    // The document stays as it is; the trail only tells that its secret is another one.
    let deed = Deed {
        org: &actor.org,
        actor: &actor.name,
        action: Action::Modified,
        subject: hook.kind.subject(),
        id: &hook.id,
        name: &hook.facts.name,
        before: Some(hook.revision),
        after: Some(hook.revision),
    };
    let audit = turn.journal.audit(&deed, turn.now);
    let stored = Change::Secrets {
        hook: &hook.id,
        secrets,
    };
    turn.rows.commit(&[stored, audit])?;
    Ok(Answer::Rotated {
        previous_until: until,
    })
}

/// The signed request of a sample; the secret itself stays here.
fn sign<R: Rows>(
    turn: &mut Turn<'_, R>,
    hook: &Record,
    notice_id: &str,
) -> Result<Answer, StoreError> {
    let text = turn.records.text(turn.rows, hook, hook.revision)?;
    let data = json!({ "message": "A sample of what is sent", "webhook": hook.id });
    let body = message::body(TEST, turn.now, &data);
    let secrets = turn.rows.secrets(&hook.id)?;
    let text = text.unwrap_or_default();
    let signed = message::outgoing(&text, notice_id, body, secrets.as_ref(), now(turn)?);
    Ok(Answer::Signed(signed.map_err(str::to_owned)))
}

fn log<R: Rows>(
    turn: &mut Turn<'_, R>,
    hook: &Record,
    notice_id: &str,
    attempt: &Attempt,
) -> Result<Answer, StoreError> {
    let delivery = Delivery {
        notice_id: notice_id.to_owned(),
        seq: 0,
        kind: TEST.to_owned(),
        state: match attempt.error {
            None => DeliveryState::Delivered,
            Some(_) => DeliveryState::Failed,
        },
        attempts: vec![attempt.clone()],
        next_at: None,
    };
    let mut row = turn.deliveries.row(&hook.id, &hook.org, delivery);
    row.tries = 1;
    let trim = Change::TrimDeliveries {
        hook: &hook.id,
        keep: super::KEPT,
    };
    turn.rows.commit(&[Change::Delivery(row.clone()), trim])?;
    Ok(Answer::Delivery(row.delivery))
}

/// The time of the turn, in milliseconds since 1970.
fn now<R>(turn: &Turn<'_, R>) -> Result<u64, StoreError> {
    millis(turn.now).ok_or_else(|| StoreError::new("read time", turn.now))
}
