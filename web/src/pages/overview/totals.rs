//! The totals of the window.

use leptos::prelude::*;

use crate::api::figures::{Figures, Sums};
use crate::components::{Shown, live};
use crate::state::Memo;
use crate::state::chart::{count, pace, share, tenths};
use crate::state::draft::plural;

/// Returns how often Ledgers have counted, with or without a call.
const fn counts(sums: &Sums) -> u64 {
    sums.ledger_calls
        .saturating_add(sums.direct_counts)
        .saturating_add(sums.leased_counts)
}

/// Describes how Ledgers have counted.
fn counted(sums: &Sums) -> String {
    format!(
        "{} of counts, {} direct, {} leased ({})",
        share(sums.ledger_calls, counts(sums)).unwrap_or_default(),
        count(sums.direct_counts),
        count(sums.leased_counts),
        plural(usize::try_from(sums.leases).unwrap_or(usize::MAX), "lease"),
    )
}

/// The totals.
#[component]
pub(super) fn Totals(figures: Memo<Figures>) -> impl IntoView {
    let totals = move || figures.with(|figures| figures.totals);
    let seconds = move || figures.with(|figures| figures.until.saturating_sub(figures.since));
    let time = move |value: fn(&Sums) -> Option<u64>| {
        figures.with(|figures| figures.total_text(value, tenths))
    };
    let of_all = move |part: u64| share(part, totals().requests).unwrap_or_default();
    view! {
        <dl class="figures">
            <div>
                <dt>"Requests"</dt>
                <dd>{live(move || count(totals().requests))}</dd>
                <dd class="figure-more">{live(move || pace(totals().requests, seconds()))}</dd>
            </div>
            <div class:figure-bad=move || { totals().errors > 0 }>
                <dt>"Errors"</dt>
                <dd>{live(move || count(totals().errors))}</dd>
                <dd class="figure-more">{live(move || of_all(totals().errors))}</dd>
            </div>
            <div>
                <dt>"Refused"</dt>
                <dd>{live(move || count(totals().all_refused()))}</dd>
                <dd class="figure-more">{live(move || of_all(totals().all_refused()))}</dd>
            </div>
            <div>
                <dt>"Latency, average"</dt>
                <dd>{live(move || time(|sums| sums.average))}</dd>
                <dd class="figure-more">"of the upstreams"</dd>
            </div>
            <div>
                <dt>"Latency, p95"</dt>
                <dd>{live(move || time(|sums| sums.p95))}</dd>
                <dd class="figure-more">"95 % are faster"</dd>
            </div>
            <Shown when=move || { counts(&totals()) > 0 }>
                <div title="A Ledger counts for a key, an organisation or an API. One in the isolate that serves the request is counted on without a call, and requests that are leased in advance need none either.">
                    <dt>"Ledger calls"</dt>
                    <dd>{live(move || count(totals().ledger_calls))}</dd>
                    <dd class="figure-more">{live(move || counted(&totals()))}</dd>
                </div>
            </Shown>
        </dl>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn calls_are_described_with_what_needed_none() {
        let mut sums = Sums {
            ledger_calls: 30,
            direct_counts: 20,
            leased_counts: 1950,
            leases: 12,
            ..Sums::default()
        };
        assert_eq!(
            counted(&sums),
            "1.5 % of counts, 20 direct, 1\u{202f}950 leased (12 leases)"
        );
        sums.leases = 1;
        assert!(counted(&sums).ends_with("1\u{202f}950 leased (1 lease)"));
    }
}
