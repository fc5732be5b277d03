//! Wrong passwords: each costs a deliberately slow hash, so the number per network and period is limited. They don't
//! count against their user, whom anybody could then lock out.

use std::cell::RefCell;
use std::collections::HashMap;

/// The number of wrong passwords in a period of `SECONDS`.
const MAX_WRONG: u32 = 20;
const SECONDS: i64 = 10;
/// How many networks are tracked at once.
const NETWORKS: usize = 1000;

thread_local! {
    /// When the current period of a network started, in Unix seconds, and the wrong passwords since.
    static FAILED: RefCell<HashMap<String, (i64, u32)>> = RefCell::default();
}

const fn is_over(since: i64, now: i64) -> bool {
    now.saturating_sub(since) >= SECONDS
}

/// Whether a network may try another password.
pub(super) fn may_try(network: &str, now: i64) -> bool {
    FAILED.with_borrow(|failed| {
        let known = failed.get(network);
        known.is_none_or(|(since, count)| is_over(*since, now) || *count < MAX_WRONG)
    })
}

/// Records a wrong password.
pub(super) fn record_failure(network: &str, now: i64) {
    FAILED.with_borrow_mut(|failed| {
        if failed.len() >= NETWORKS {
            failed.retain(|_, (since, _)| !is_over(*since, now));
        }
        if failed.len() >= NETWORKS {
            failed.clear();
        }
        let known = failed.entry(network.to_owned()).or_insert((now, 0));
        if is_over(known.0, now) {
            *known = (now, 0);
        }
        known.1 = known.1.saturating_add(1);
    });
}
