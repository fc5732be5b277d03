//! No time zones, in the place of those of the world that `jiff` embeds where a platform has no copy of them:
//! 100 kB after gzip that no filter can reach, because a worker's local time is UTC
//! (<https://developers.cloudflare.com/workers/runtime-apis/web-standards/>) and jq names zones in no other way.
//!
//! `[patch.crates-io]` of the workspace puts it there. The names are those of `jiff-tzdb-platform`.

#![no_std]

/// What `jiff` asks for.
pub mod jiff_tzdb {
    /// The names of all time zones: none.
    pub fn available() -> impl Iterator<Item = &'static str> {
        core::iter::empty()
    }

    /// The data of a time zone: none.
    #[must_use]
    pub const fn get(_name: &str) -> Option<(&'static str, &'static [u8])> {
        None
    }
}
