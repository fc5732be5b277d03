//! How much is stored.

use crate::registry::{Replied, Turn};
use gatewright_api::figures::Storage;
use gatewright_protocol::registry::{Reply, body};

/// The minimum interval in milliseconds between two counts of the rows, which read an index of every table.
const EVERY_MS: u64 = 60_000;
/// The maximum size of a Durable Object's database in bytes
/// (<https://developers.cloudflare.com/durable-objects/platform/limits/>).
const MAX_BYTES: u64 = 10_000_000_000;

/// The last count, with its time in Unix milliseconds.
pub(super) type Counted = Option<(u64, Storage)>;

/// Counts what is stored, unless that was done recently.
pub(super) fn storage(turn: &mut Turn<'_>) -> Replied {
    let now = turn.now_ms();
    let known = turn.counted.take();
    let (at, counted) = match known.filter(|(at, _)| now.saturating_sub(*at) < EVERY_MS) {
        Some(known) => known,
        None => {
            let counted = Storage {
                rows: turn.rows.sizes()?,
                counted_at: turn.now.to_owned(),
                ..Storage::default()
            };
            (now, counted)
        }
    };
    let storage = Storage {
        database_bytes: turn.rows.bytes()?,
        database_max_bytes: MAX_BYTES,
        swept_at: turn.sweep.ended(),
        ..counted
    };
    let answer = body(&storage)?;
    *turn.counted = Some((at, storage));
    Ok((Reply::Json, answer))
}
