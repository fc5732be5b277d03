//! Wrong passwords: each costs a deliberately slow hash, so the number per address and period is limited.

use std::cell::RefCell;
use std::collections::HashMap;

/// The number of wrong passwords in a period of `SECONDS`.
const MAX_WRONG: u32 = 20;
const SECONDS: i64 = 10;
/// How many addresses are tracked at once.
const ADDRESSES: usize = 1000;

thread_local! {
    /// When the current period of an address started, in Unix seconds, and the wrong passwords since.
    static FAILED: RefCell<HashMap<String, (i64, u32)>> = RefCell::default();
}

const fn is_over(since: i64, now: i64) -> bool {
    now.saturating_sub(since) >= SECONDS
}

/// Whether an address may try another password.
pub(super) fn may_try(address: &str, now: i64) -> bool {
    FAILED.with_borrow(|failed| {
        let known = failed.get(address);
        known.is_none_or(|(since, count)| is_over(*since, now) || *count < MAX_WRONG)
    })
}

/// Records a wrong password.
pub(super) fn record_failure(address: &str, now: i64) {
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
