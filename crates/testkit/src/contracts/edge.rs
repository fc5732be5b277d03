//! The worst that a namespace of Workers KV may do, and what can be relied on all the same
//! (<https://developers.cloudflare.com/kv/concepts/how-kv-works/>). On one machine it never happens, so these cases are
//! for the fake alone: they document what the tests of reloads cover.

use super::{Case, Outcome, cases, ensure, ensure_eq, unexpected};
use gatewright_controlplane::ports::Kv;

/// A namespace read at several locations, with a clock that the test controls.
pub trait Locations {
    /// The namespace at one location.
    type Kv: Kv;
    /// Returns the namespace, read at a location.
    fn at(&self, location: &str) -> Self::Kv;
    /// Advances the clock.
    fn pass(&self, ms: u32);
}

/// Returns every case.
#[must_use]
pub fn cases<P: Locations>() -> Vec<Case<P>> {
    cases![
        a_value_stays_old_for_a_minute_where_it_was_read,
        a_miss_is_remembered_for_a_minute_where_it_was_read,
        a_place_that_has_not_read_a_key_reads_the_newest,
        a_key_is_written_once_a_second_and_what_is_refused_changes_nothing,
        one_key_does_not_hold_up_another,
        a_pause_lets_a_key_be_written_again,
    ]
}

async fn put<K: Kv>(kv: &K, key: &str, value: &str) -> Outcome {
    kv.put(key, value, None).await.map_err(unexpected)
}

async fn reads<K: Kv>(what: &str, kv: &K, key: &str, value: Option<&str>) -> Outcome {
    let found = kv.get(key).await.map_err(unexpected)?;
    ensure_eq(what, found.as_deref(), value)
}

async fn a_value_stays_old_for_a_minute_where_it_was_read<P: Locations>(locations: &P) -> Outcome {
    let (writer, reader) = (locations.at("one"), locations.at("other"));
    put(&writer, "old", "1").await?;
    reads("at first", &reader, "old", Some("1")).await?;
    locations.pass(1000);
    put(&writer, "old", "2").await?;
    locations.pass(58_999);
    reads("within a minute", &reader, "old", Some("1")).await?;
    locations.pass(1);
    reads("then", &reader, "old", Some("2")).await?;
    locations.pass(1000);
    writer.delete("old").await.map_err(unexpected)?;
    reads("a deleted one", &reader, "old", Some("2")).await?;
    locations.pass(59_000);
    reads("a minute later", &reader, "old", None).await
}

async fn a_miss_is_remembered_for_a_minute_where_it_was_read<P: Locations>(
    locations: &P,
) -> Outcome {
    let (writer, reader) = (locations.at("one"), locations.at("other"));
    reads("at first", &reader, "missed", None).await?;
    put(&writer, "missed", "1").await?;
    locations.pass(59_999);
    reads("within a minute", &reader, "missed", None).await?;
    locations.pass(1);
    reads("then", &reader, "missed", Some("1")).await
}

async fn a_place_that_has_not_read_a_key_reads_the_newest<P: Locations>(locations: &P) -> Outcome {
    let (writer, reader) = (locations.at("one"), locations.at("other"));
    put(&writer, "newest", "1").await?;
    reads("where it was written", &writer, "newest", Some("1")).await?;
    locations.pass(1000);
    put(&writer, "newest", "2").await?;
    reads("elsewhere", &reader, "newest", Some("2")).await?;
    reads("where it was read before", &writer, "newest", Some("1")).await
}

async fn a_key_is_written_once_a_second_and_what_is_refused_changes_nothing<P: Locations>(
    locations: &P,
) -> Outcome {
    let kv = locations.at("one");
    put(&kv, "often", "1").await?;
    for refused in [kv.put("often", "2", None).await, kv.delete("often").await] {
        let throttled = refused.is_err_and(|error| error.is_throttled());
        ensure("a second write within a second was taken", throttled)?;
    }
    reads("after that", &locations.at("other"), "often", Some("1")).await?;
    locations.pass(1000);
    put(&kv, "often", "2").await?;
    reads("a second later", &locations.at("third"), "often", Some("2")).await
}

async fn one_key_does_not_hold_up_another<P: Locations>(locations: &P) -> Outcome {
    let kv = locations.at("one");
    for key in ["each/1", "each/2", "each/3"] {
        put(&kv, key, key).await?;
    }
    let listed = kv.list("each/").await.map_err(unexpected)?;
    ensure_eq("the list", listed.len(), 3_usize)
}

async fn a_pause_lets_a_key_be_written_again<P: Locations>(locations: &P) -> Outcome {
    let kv = locations.at("one");
    put(&kv, "paused", "1").await?;
    kv.pause(1000).await;
    put(&kv, "paused", "2").await
}
