//! The events that refusals and counts raise, and who receives them.

mod kind;
pub mod outbox;

pub use kind::of_failure;

use gatewright_model::amount::Amount;

/// The percentages of a quota that the last counted request has just reached. `left` is what remains of `max`.
pub fn crossed(limits: &[Amount], max: u64, left: u64) -> impl Iterator<Item = Amount> {
    /// An [`Amount`] of one is a million, and a percentage of one is a hundredth.
    const WHOLE: u128 = 100_000_000;
    let used = max.saturating_sub(left);
    let reaches = move |used: u64, limit: Amount| {
        let part = u128::try_from(limit.micros()).unwrap_or(0);
        u128::from(used).saturating_mul(WHOLE) >= part.saturating_mul(u128::from(max))
    };
    let limits = limits.iter().copied().filter(|limit| limit.is_positive());
    limits.filter(move |limit| {
        used > 0 && reaches(used, *limit) && !reaches(used.saturating_sub(1), *limit)
    })
}

#[cfg(test)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the numbers of a test are small"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn limit_event_fires_once_per_window(
            max in 1_u64..500,
            percents in prop::collection::vec(1_i64..150, 0..6),
        ) {
            let limits: Vec<Amount> = percents.iter().copied().map(Amount::whole).collect();
            let mut fired = Vec::new();
            for left in (0..max).rev() {
                let used = max - left;
                for limit in crossed(&limits, max, left) {
                    let percent = u64::try_from(limit.floor()).unwrap();
                    prop_assert!(used * 100 >= percent * max && (used - 1) * 100 < percent * max);
                    fired.push(limit);
                }
            }
            let mut expected: Vec<Amount> = limits;
            expected.retain(|limit| limit.floor() <= 100);
            fired.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(fired, expected);
        }
    }
}
