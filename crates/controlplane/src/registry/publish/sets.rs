//! How long previous sets are kept in KV: by their age, not by their number. A location may be a minute behind
//! (<https://developers.cloudflare.com/kv/concepts/how-kv-works/>), however many sets have been published since.

use super::AT_ONCE;
use super::names::{self, Names};
use super::orgs::Pace;
use crate::ports::Kv;
use crate::registry::Registry;
use crate::registry::encoding::to_json;
use crate::registry::rows::{Change, Rows};
use futures_util::stream::{self, TryStreamExt};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::{FOLDER, read_key, read_named_key};
use std::cell::RefCell;

const SETS: &str = "published-sets";

/// How long a set is kept after another one has replaced it, in milliseconds.
const KEPT_MS: u64 = 600_000;
/// Sets that follow each other faster than this are deleted together, in milliseconds.
const APART_MS: u64 = 10_000;
/// The maximum number of values that one alarm deletes: a reload requested in the meantime waits for them.
const DELETED_AT_ONCE: usize = 100;

/// When sets were published: generation and Unix milliseconds, the newest last. Sets older than the first one have been
/// deleted, or will be along with it.
#[derive(Debug)]
pub(in crate::registry) struct Sets(Vec<(u64, u64)>);

impl Sets {
    /// Reads when sets were published.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub(in crate::registry) fn load(rows: &Rows) -> Result<Self, StoreError> {
        let text = rows.value(SETS)?;
        let sets = text.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Self(sets.unwrap_or_default()))
    }

    /// Records that a set was published.
    pub(super) fn note(&mut self, generation: u64, now: u64) {
        if let [.., (_, first), (_, last)] = self.0.as_slice()
            && last.saturating_sub(*first) < APART_MS
        {
            self.0.pop();
        }
        self.0.push((generation, now));
    }

    /// Serialises them for storage.
    pub(super) fn text(&self) -> Result<String, StoreError> {
        to_json("encode sets", &self.0)
    }

    /// Returns the newest set that is old enough for every location to serve it or a newer one.
    fn arrived(&self, now: u64) -> Option<u64> {
        let mut arrived = self.0.iter().rev();
        let found = arrived.find(|(_, at)| at.saturating_add(KEPT_MS) <= now);
        found.map(|(generation, _)| *generation)
    }
}

/// Returns the change that stores them.
pub(super) fn change(value: &str) -> Change<'_> {
    Change::Value { name: SETS, value }
}

impl Registry {
    /// Returns when sets are old enough to be deleted, in Unix milliseconds; `None` if there are none.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn sets_due(&mut self) -> Result<Option<u64>, StoreError> {
        let next = self.sets_pace.next;
        self.with_state(|_, state, _| {
            let first = state.sets.0.first();
            Ok(first.map(|(_, at)| at.saturating_add(KEPT_MS).max(next)))
        })
    }

    /// Records that everything of the sets before this one has been deleted.
    fn swept(&mut self, upto: u64) -> Result<(), StoreError> {
        self.with_state(|rows, state, _| {
            state.sets.0.retain(|(generation, _)| *generation > upto);
            rows.commit(&[change(&state.sets.text()?)])
        })
    }
}

/// Deletes sets that nobody can be serving any more, except the one before the current one, which the key `generation`
/// names. What remains stays due. No reload may be in progress: its chunks do not belong to a set yet.
///
/// # Errors
/// If KV or the rows fail; then it is due again.
pub async fn remove_old<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    now: u64,
) -> Result<(), StoreError> {
    let due = registry.borrow_mut().sets_due()?;
    if due.is_none_or(|at| at > now) {
        return Ok(());
    }
    let swept = remove_now(registry, kv, now).await;
    let mut registry = registry.borrow_mut();
    registry.sets_pace = match swept {
        Ok(()) => Pace::default(),
        Err(_) => registry.sets_pace.after(now, false),
    };
    swept
}

async fn remove_now<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    now: u64,
) -> Result<(), StoreError> {
    let found = registry.borrow_mut().with_state(|rows, state, _| {
        let before = super::Report::head(rows)?.before.0;
        Ok(state.sets.arrived(now).map(|upto| (upto, before)))
    })?;
    let Some((upto, before)) = found else {
        return Ok(());
    };
    // Stored before the chunks are deleted: a reload relies on every name it finds here.
    let names = {
        let rows = &registry.borrow().rows;
        let mut names = Names::load(rows)?;
        names.forget(upto, before);
        rows.commit(&[names::change(&names.text()?)])?;
        names
    };
    let keys = kv.list(FOLDER).await?.into_iter().map(|(key, _)| key);
    let is_old = |key: &String| match read_named_key(key) {
        Some(name) => !names.has(name),
        None => {
            read_key(key).is_some_and(|(generation, _)| generation < upto && generation != before)
        }
    };
    let mut old: Vec<String> = keys.filter(is_old).collect();
    let is_whole = old.len() <= DELETED_AT_ONCE;
    old.truncate(DELETED_AT_ONCE);
    stream::iter(old.iter().map(Ok))
        .try_for_each_concurrent(AT_ONCE, |key| kv.delete(key))
        .await?;
    match is_whole {
        true => registry.borrow_mut().swept(upto),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_published_quickly_are_swept_together_and_not_too_early() {
        let mut sets = Sets(Vec::new());
        for generation in 1..=1000 {
            sets.note(generation, generation * 100);
        }
        assert!(sets.0.len() <= 12, "{sets:?}");
        assert_eq!(sets.0.first(), Some(&(1, 100)));
        assert_eq!(sets.0.last(), Some(&(1000, 100_000)));
        for now in [KEPT_MS, KEPT_MS + 50_000, KEPT_MS + 100_000] {
            if let Some(upto) = sets.arrived(now) {
                assert!(upto * 100 + KEPT_MS <= now, "{upto} at {now}");
            }
        }
        assert_eq!(sets.arrived(KEPT_MS + 99), None);
        assert_eq!(sets.arrived(KEPT_MS + 100_000), Some(1000));
    }
}
