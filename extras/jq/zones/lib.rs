//! No time zones, in place of those of the world, which `jiff` embeds if a platform has no copy of them: 100 kB after
//! gzip that no filter can reach, because a worker's local time is UTC
//! (<https://developers.cloudflare.com/workers/runtime-apis/web-standards/>) and jq has no other means to name zones.
//!
//! `[patch.crates-io]` of the workspace substitutes it. The names are those of `jiff-tzdb-platform`.

#![no_std]

/// The interface that `jiff` expects.
pub mod jiff_tzdb {
    /// Returns the names of all time zones: none.
    pub fn available() -> impl Iterator<Item = &'static str> {
        core::iter::empty()
    }

    /// Returns the data of a time zone: none.
    #[must_use]
    pub const fn get(_name: &str) -> Option<(&'static str, &'static [u8])> {
        None
    }
}
