//! Cache hits over time.

use leptos::prelude::*;

use crate::api::figures::{Figures, Sums};
use crate::components::live;
use crate::pages::overview::chart::{Drawn, Layer, Spec};
use crate::pages::overview::charted::{Charted, Columns};
use crate::state::Memo;
use crate::state::chart::{count, share, tenths};

/// Counts the requests that don't use the cache.
const fn others(sums: &Sums) -> u64 {
    let cacheable = sums.cache_hits.saturating_add(sums.cache_misses);
    sums.requests.saturating_sub(cacheable)
}

/// Returns the percentage of hits among requests that use the cache; `None` without any.
fn percent(sums: &Sums) -> Option<u64> {
    let cacheable = sums.cache_hits.saturating_add(sums.cache_misses);
    sums.cache_hits.saturating_mul(100).checked_div(cacheable)
}

static ALL: [Spec; 2] = [
    Spec {
        title: "Requests",
        says: "How many requests the cache answered, and how many it did not",
        write: count,
        unit: 1,
        least: 0,
        layers: &[
            Layer {
                name: "Hits",
                look: "hits",
                drawn: Drawn::Stacked,
                value: |sums| Some(sums.cache_hits),
            },
            Layer {
                name: "Misses",
                look: "misses",
                drawn: Drawn::Stacked,
                value: |sums| Some(sums.cache_misses),
            },
            Layer {
                name: "Not cacheable",
                look: "other",
                drawn: Drawn::Stacked,
                value: |sums| Some(others(sums)),
            },
        ],
    },
    Spec {
        title: "Share of hits",
        says: "The percentage of cacheable requests that the cache answered",
        write: |percent| format!("{percent} %"),
        unit: 1,
        least: 100,
        layers: &[Layer {
            name: "Hits",
            look: "share",
            drawn: Drawn::Line,
            value: percent,
        }],
    },
];

/// The sums of the window.
#[component]
pub(super) fn CacheTotals(figures: Memo<Figures>) -> impl IntoView {
    let totals = move || figures.with(|figures| figures.totals);
    let cacheable = move || totals().cache_hits.saturating_add(totals().cache_misses);
    let part = move |part: u64, of: u64| share(part, of).unwrap_or_default();
    let hits = move || share(totals().cache_hits, cacheable()).unwrap_or_else(|| "–".to_owned());
    view! {
        <dl class="figures">
            <div>
                <dt>"Share of hits"</dt>
                <dd>{live(hits)}</dd>
                <dd class="figure-more">{live(move || format!("of {}", requests(cacheable())))}</dd>
            </div>
            <div>
                <dt>"Hits"</dt>
                <dd>{live(move || count(totals().cache_hits))}</dd>
                <dd class="figure-more">"out of the cache"</dd>
            </div>
            <div>
                <dt>"Misses"</dt>
                <dd>{live(move || count(totals().cache_misses))}</dd>
                <dd class="figure-more">"went to the upstream"</dd>
            </div>
            <div>
                <dt>"Not cacheable"</dt>
                <dd>{live(move || count(others(&totals())))}</dd>
                <dd class="figure-more">{live(move || part(others(&totals()), totals().requests))}</dd>
            </div>
            <div>
                <dt>"Latency, average"</dt>
                <dd>{live(move || totals().average.map_or_else(|| "–".to_owned(), tenths))}</dd>
                <dd class="figure-more">"what a hit saves"</dd>
            </div>
        </dl>
    }
}

fn requests(number: u64) -> String {
    match number {
        1 => "1 request".to_owned(),
        number => format!("{} requests", count(number)),
    }
}

static COLUMNS: Columns = Columns {
    label: "Hits and misses as a table",
    caption: "Hits and misses over time, the newest first",
    names: &["Hits", "Misses", "Share of hits", "Not cacheable"],
    cells: |sums| {
        let cacheable = sums.cache_hits.saturating_add(sums.cache_misses);
        vec![
            count(sums.cache_hits),
            count(sums.cache_misses),
            share(sums.cache_hits, cacheable).unwrap_or_else(|| "–".to_owned()),
            count(others(sums)),
        ]
    },
};

/// The charts, and the same data as a table.
#[component]
pub(super) fn CacheCharts(figures: Memo<Figures>) -> impl IntoView {
    view! { <Charted specs=&ALL class="charts charts-even" columns=&COLUMNS figures=figures /> }
}
