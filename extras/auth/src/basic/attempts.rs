//! Wrong passwords: each costs a hash that is made to be slow, so an address may only send so many in a while.

use std::cell::RefCell;
use std::collections::HashMap;

/// So many in so many seconds.
const MOST: u32 = 20;
const SECONDS: i64 = 10;
/// So many addresses are known at once.
const ADDRESSES: usize = 1000;

thread_local! {
    /// When the while of an address began, Unix seconds, and how many came since.
    static FAILED: RefCell<HashMap<String, (i64, u32)>> = RefCell::default();
}

const fn is_over(since: i64, now: i64) -> bool {
    now.saturating_sub(since) >= SECONDS
}

/// Whether an address may try another one.
pub(super) fn may(address: &str, now: i64) -> bool {
    FAILED.with_borrow(|failed| {
        let known = failed.get(address);
        known.is_none_or(|(since, count)| is_over(*since, now) || *count < MOST)
    })
}

/// Notes a wrong one.
pub(super) fn failed(address: &str, now: i64) {
    FAILED.with_borrow_mut(|failed| {
        if failed.len() >= ADDRESSES {
            failed.retain(|_, (since, _)| !is_over(*since, now));
        }
        if failed.len() >= ADDRESSES {
            failed.clear();
        }
        let known = failed.entry(address.to_owned()).or_insert((now, 0));
        if is_over(known.0, now) {
            *known = (now, 0);
        }
        known.1 = known.1.saturating_add(1);
    });
}
