//! Requests, latency and refusals over time, and the same as a table.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::chart::{Chart, Drawn, Layer, Spec};
use crate::api::figures::{Figures, Point, Sums};
use crate::components::{Shown, each, live};
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
    says: "How long upstreams took until the headers of their answer",
    write: tenths,
    unit: 10,
    least: 0,
    layers: &[
        Layer {
            name: "95 % within",
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

/// The charts.
#[component]
pub(super) fn Charts(figures: Memo<Figures>) -> impl IntoView {
    let chosen = RwSignal::new(None);
    let open = RwSignal::new(false);
    view! {
        <div class="charts">
            {each(&ALL, |spec| view! { <Chart spec=spec figures=figures chosen=chosen /> }.into_any())}
        </div>
        <div class="chart-table">
            <button type="button" class="btn btn-small" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                {live(move || if open.get() { "Hide the table" } else { "Show as a table" })}
            </button>
            <Shown when=move || open.get()>
                <Table figures=figures />
            </Shown>
        </div>
    }
}

/// The times below a chart: its beginning, its middle and now.
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
    view! {
        <p class="chart-times" aria-hidden="true">
            <span>{live(move || label(0))}</span>
            <span>{live(move || label(1))}</span>
            <span>"now"</span>
        </p>
    }
}

/// A point's time in local time: with the day where the points are long.
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

#[component]
fn Table(figures: Memo<Figures>) -> impl IntoView {
    let rows = move || {
        let figures = figures.get();
        let step = figures.step_seconds;
        each(figures.series.into_iter().rev(), |point| row(point, step))
    };
    view! {
        <div class="card table-card chart-rows" tabindex="0" role="region" aria-label="The figures as a table">
            <table class="table">
                <caption class="visually-hidden">"The figures over time, the newest first"</caption>
                <thead>
                    <tr>
                        <th scope="col">"From"</th>
                        <th scope="col">"Requests"</th>
                        <th scope="col">"Errors"</th>
                        <th scope="col">"Average"</th>
                        <th scope="col">"95 %"</th>
                        <th scope="col">"Key"</th>
                        <th scope="col">"Rate"</th>
                        <th scope="col">"Quota"</th>
                        <th scope="col">"Other"</th>
                    </tr>
                </thead>
                <tbody>{live(rows)}</tbody>
            </table>
        </div>
    }
}

fn row(point: Point, step: i64) -> AnyView {
    let Point { at, sums } = point;
    let time = |length: Option<u64>| length.map_or_else(|| "–".to_owned(), tenths);
    let cells = [
        ("Requests", count(sums.requests)),
        ("Errors", count(sums.errors)),
        ("Average", time(sums.average)),
        ("95 %", time(sums.p95)),
        ("Key", count(sums.key_failures)),
        ("Rate", count(sums.rate_limited)),
        ("Quota", count(sums.quota_exceeded)),
        ("Other", count(sums.refused)),
    ];
    let cell = |(label, text): (&'static str, String)| {
        view! { <td data-label=label class="number">{text}</td> }.into_any()
    };
    view! {
        <tr>
            <th scope="row" class="number">{at_label(at, step)}</th>
            {each(cells, cell)}
        </tr>
    }
    .into_any()
}
