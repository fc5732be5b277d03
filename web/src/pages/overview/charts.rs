//! Requests, latency and refusals over time, and the same data as a table.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::chart::{Drawn, Layer, Spec};
use super::charted::{Charted, Columns};
use crate::api::figures::{Figures, Sums};
use crate::components::live;
use crate::state::Memo;
use crate::state::chart::{count, tenths};

const fn served(sums: &Sums) -> Option<u64> {
    let bad = sums.errors.saturating_add(sums.all_refused());
    Some(sums.requests.saturating_sub(bad))
}

const REQUESTS: Spec = Spec {
    title: "Requests",
    says: "How many requests were served, were refused, or failed",
    write: count,
    unit: 1,
    least: 0,
    layers: &[
        Layer {
            name: "Served",
            look: "served",
            drawn: Drawn::Stacked,
            value: served,
        },
        Layer {
            name: "Refused",
            look: "refused",
            drawn: Drawn::Stacked,
            value: |sums| Some(sums.all_refused()),
        },
        Layer {
            name: "Errors",
            look: "errors",
            drawn: Drawn::Stacked,
            value: |sums| Some(sums.errors),
        },
    ],
};
const LATENCY: Spec = Spec {
    title: "Latency of upstreams",
    says: "How long upstreams took to send the headers of their answer",
    write: tenths,
    unit: 10,
    least: 0,
    layers: &[
        Layer {
            name: "95th percentile",
            look: "p95",
            drawn: Drawn::Line,
            value: |sums| sums.p95,
        },
        Layer {
            name: "Average",
            look: "average",
            drawn: Drawn::Line,
            value: |sums| sums.average,
        },
    ],
};
const REFUSALS: Spec = Spec {
    title: "Refusals",
    says: "How many requests were refused, and why",
    write: count,
    unit: 1,
    least: 0,
    layers: &[
        Layer {
            name: "Key",
            look: "key",
            drawn: Drawn::Stacked,
            value: |sums| Some(sums.key_failures),
        },
        Layer {
            name: "Rate",
            look: "rate",
            drawn: Drawn::Stacked,
            value: |sums| Some(sums.rate_limited),
        },
        Layer {
            name: "Quota",
            look: "quota",
            drawn: Drawn::Stacked,
            value: |sums| Some(sums.quota_exceeded),
        },
        Layer {
            name: "Other",
            look: "other",
            drawn: Drawn::Stacked,
            value: |sums| Some(sums.refused),
        },
    ],
};
static ALL: [Spec; 3] = [REQUESTS, LATENCY, REFUSALS];

static COLUMNS: Columns = Columns {
    label: "The figures as a table",
    caption: "The figures over time, the newest first",
    names: &[
        "Requests", "Errors", "Average", "95 %", "Key", "Rate", "Quota", "Other",
    ],
    cells: |sums| {
        let time = |length: Option<u64>| length.map_or_else(|| "–".to_owned(), tenths);
        vec![
            count(sums.requests),
            count(sums.errors),
            time(sums.average),
            time(sums.p95),
            count(sums.key_failures),
            count(sums.rate_limited),
            count(sums.quota_exceeded),
            count(sums.refused),
        ]
    },
};

/// The charts, and the same data as a table.
#[component]
pub(super) fn Charts(
    figures: Memo<Figures>,
    /// Receives the first and the last column of a picked range.
    on_pick: Callback<(usize, usize)>,
) -> impl IntoView {
    view! { <Charted specs=&ALL class="charts" columns=&COLUMNS figures=figures on_pick=on_pick /> }
}

/// The times below a chart: its start, its middle and now.
#[component]
pub(super) fn Labels(figures: Memo<Figures>) -> impl IntoView {
    let label = move |part: usize| {
        figures.with(|figures| {
            let at = figures.series.len().saturating_mul(part) / 2;
            let point = figures.series.get(at);
            point.map_or_else(String::new, |point| {
                at_label(point.at, figures.step_seconds)
            })
        })
    };
    let end = move || {
        figures.with(|figures| match figures.is_part {
            true => at_label(figures.until, figures.step_seconds),
            false => "now".to_owned(),
        })
    };
    view! {
        <p class="chart-times" aria-hidden="true">
            <span>{live(move || label(0))}</span>
            <span>{live(move || label(1))}</span>
            <span>{live(end)}</span>
        </p>
    }
}

/// Formats a point in local time: with the day if the points are long.
pub(in crate::pages) fn at_label(seconds: i64, step: i64) -> String {
    #[expect(
        clippy::cast_precision_loss,
        reason = "within the limits of a date every second is exact"
    )]
    let at = Date::new(&JsValue::from_f64(seconds as f64 * 1000.0));
    let (hours, minutes) = (at.get_hours(), at.get_minutes());
    let time = format!("{hours:02}:{minutes:02}");
    if step >= 3600 {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
        let day = usize::try_from(at.get_day()).ok();
        let day = day.and_then(|day| names.get(day)).copied();
        return format!("{} {time}", day.unwrap_or_default());
    }
    if step < 60 {
        return format!("{time}:{:02}", at.get_seconds());
    }
    time
}
