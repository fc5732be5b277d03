//! Charts over time, and a button that shows the same data as a table.

use leptos::prelude::*;

use super::chart::{Chart, Spec};
use super::charts::at_label;
use crate::api::figures::{Figures, Point, Sums};
use crate::components::{Shown, each, live, only};
use crate::state::Memo;

/// The table with the numbers of some charts, one row per point in time.
pub(in crate::pages) struct Columns {
    /// Its name.
    pub(in crate::pages) label: &'static str,
    /// Its description for screen readers.
    pub(in crate::pages) caption: &'static str,
    /// The headings of the columns after the time.
    pub(in crate::pages) names: &'static [&'static str],
    /// Returns the cells of those columns.
    pub(in crate::pages) cells: fn(&Sums) -> Vec<String>,
}

/// Charts that share the chosen column, and the table.
#[component]
pub(in crate::pages) fn Charted(
    /// The charts.
    specs: &'static [Spec],
    /// The class of their container.
    class: &'static str,
    /// The table.
    columns: &'static Columns,
    /// The figures of both.
    figures: Memo<Figures>,
    /// Receives the first and the last column of a picked range; `None` if ranges can't be picked.
    #[prop(optional)]
    on_pick: Option<Callback<(usize, usize)>>,
) -> impl IntoView {
    let chosen = RwSignal::new(None);
    let open = RwSignal::new(false);
    view! {
        <div class=class>
            {each(specs, |spec| view! { <Chart spec=spec figures=figures chosen=chosen on_pick=on_pick /> }.into_any())}
        </div>
        {only(on_pick.is_some(), || view! {
            <p class="muted small">"Drag over a chart, or press Enter at a point of it, to look at that part and at what failed there."</p>
        }.into_any())}
        <div class="chart-table">
            <TableSwitch open=open />
            <Shown when=move || open.get()>
                <Table columns=columns figures=figures />
            </Shown>
        </div>
    }
}

/// The button that shows and hides a table.
#[component]
pub(in crate::pages) fn TableSwitch(
    /// Whether it is shown.
    open: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <button type="button" class="btn btn-small" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
            {live(move || if open.get() { "Hide the table" } else { "Show as a table" })}
        </button>
    }
}

#[component]
fn Table(columns: &'static Columns, figures: Memo<Figures>) -> impl IntoView {
    let rows = move || {
        let figures = figures.get();
        let step = figures.step_seconds;
        each(figures.series.into_iter().rev(), |point| {
            row(columns, &point, step)
        })
    };
    let head = |name: &&'static str| view! { <th scope="col">{*name}</th> }.into_any();
    view! {
        <div class="card table-card chart-rows" tabindex="0" role="region" aria-label=columns.label>
            <table class="table">
                <caption class="visually-hidden">{columns.caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">"From"</th>
                        {each(columns.names, head)}
                    </tr>
                </thead>
                <tbody>{live(rows)}</tbody>
            </table>
        </div>
    }
}

fn row(columns: &Columns, point: &Point, step: i64) -> AnyView {
    let cells = columns.names.iter().zip((columns.cells)(&point.sums));
    let cell = |(label, text): (&&'static str, String)| {
        view! { <td data-label=*label class="number">{text}</td> }.into_any()
    };
    view! {
        <tr>
            <th scope="row" class="number">{at_label(point.at, step)}</th>
            {each(cells, cell)}
        </tr>
    }
    .into_any()
}
