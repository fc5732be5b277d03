//! One chart over time: an SVG with a scale, a legend with the numbers, and columns that can be chosen with the pointer
//! or the arrow keys.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, MouseEvent};

use super::charts::{Labels, at_label};
use crate::api::figures::{Figures, Sums};
use crate::components::{each, live, maybe, unique_id};
use crate::state::Memo;
use crate::state::chart::{HEIGHT, WIDTH, band, column_at, columns, line, scale};

/// How a layer is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Drawn {
    /// As columns on top of those of the layers before.
    Stacked,
    /// As a line.
    Line,
}

/// One series of a chart.
#[derive(Clone, Copy)]
pub(in crate::pages) struct Layer {
    /// Its name.
    pub(in crate::pages) name: &'static str,
    /// Its style: `chart-<look>` is the class of its drawing and of its sign in the legend.
    pub(in crate::pages) look: &'static str,
    /// How it is drawn.
    pub(in crate::pages) drawn: Drawn,
    /// Its value; `None` where nothing was measured.
    pub(in crate::pages) value: fn(&Sums) -> Option<u64>,
}

/// A chart.
#[derive(Clone, Copy)]
pub(in crate::pages) struct Spec {
    /// Its heading.
    pub(in crate::pages) title: &'static str,
    /// A description for people who can't see it.
    pub(in crate::pages) says: &'static str,
    /// Formats its values.
    pub(in crate::pages) write: fn(u64) -> String,
    /// The value of one unit of its scale.
    pub(in crate::pages) unit: u64,
    /// The least maximum of its scale, in units.
    pub(in crate::pages) least: u64,
    /// Its series, lowest first.
    pub(in crate::pages) layers: &'static [Layer],
}

impl Spec {
    /// Returns the maximum of the scale for these figures.
    fn top(&self, figures: &Figures) -> u64 {
        let stacked = self
            .layers
            .iter()
            .any(|layer| layer.drawn == Drawn::Stacked);
        let most = |sums: &Sums| {
            let values = self.layers.iter().filter_map(|layer| (layer.value)(sums));
            if stacked {
                values.sum()
            } else {
                values.max().unwrap_or(0)
            }
        };
        let most = figures.series.iter().map(|point| most(&point.sums)).max();
        let units = most.unwrap_or(0).div_ceil(self.unit.max(1));
        scale(units.max(self.least)).saturating_mul(self.unit)
    }

    /// Returns the `d` attribute of a layer.
    fn path(&self, at: usize, figures: &Figures) -> String {
        let top = self.top(figures);
        let values = |layer: &Layer| {
            let values = figures
                .series
                .iter()
                .map(|point| (layer.value)(&point.sums));
            values.collect::<Vec<_>>()
        };
        let Some(layer) = self.layers.get(at) else {
            return String::new();
        };
        if layer.drawn == Drawn::Line {
            return line(&values(layer), top);
        }
        let layers = self.layers.iter().take(at.saturating_add(1));
        let known = |layer| {
            values(layer)
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect()
        };
        columns(&layers.map(known).collect::<Vec<_>>(), top)
    }

    /// Formats the value of a layer in the chosen column, or in all of them.
    fn value_text(&self, layer: &Layer, figures: &Figures, chosen: Option<usize>) -> String {
        match chosen.and_then(|at| figures.series.get(at)) {
            Some(point) => (layer.value)(&point.sums).map_or_else(|| "–".to_owned(), self.write),
            None => figures.total_text(layer.value, self.write),
        }
    }
}

/// The chart.
#[component]
pub(in crate::pages) fn Chart(
    /// What it shows.
    spec: &'static Spec,
    /// What it is drawn from.
    figures: Memo<Figures>,
    /// The column chosen in all charts.
    chosen: RwSignal<Option<usize>>,
    /// Receives the first and the last column of a picked range.
    on_pick: Option<Callback<(usize, usize)>>,
) -> impl IntoView {
    let heading = unique_id("chart");
    let labelled = heading.clone();
    let key = move |layer: &'static Layer| {
        let value = move || figures.with(|figures| spec.value_text(layer, figures, chosen.get()));
        view! {
            <li>
                <span class=format!("chart-sign chart-sign-{}", layer.look) aria-hidden="true"></span>
                {layer.name}
                <strong class="number">{live(value)}</strong>
            </li>
        }
        .into_any()
    };
    let when = move || {
        figures.with(|figures| {
            let point = chosen.get().and_then(|at| figures.series.get(at));
            point.map_or_else(
                || "the whole time shown".to_owned(),
                |point| at_label(point.at, figures.step_seconds),
            )
        })
    };
    view! {
        <figure class="card panel chart" aria-labelledby=labelled>
            <figcaption>
                <h2 id=heading>{spec.title}</h2>
                <span class="muted small">{live(when)}</span>
            </figcaption>
            <ul class="chart-legend">{each(spec.layers, key)}</ul>
            <div class="chart-body">
                <Scale spec=spec figures=figures />
                <Plot spec=spec figures=figures chosen=chosen on_pick=on_pick />
                <Labels figures=figures />
            </div>
        </figure>
    }
}

/// The numbers beside the drawing.
#[component]
fn Scale(spec: &'static Spec, figures: Memo<Figures>) -> impl IntoView {
    let top = Memo::new(move |_| figures.with(|figures| spec.top(figures)));
    view! {
        <p class="chart-scale" aria-hidden="true">
            <span>{live(move || (spec.write)(top.get()))}</span>
            <span>{live(move || (spec.write)(top.get() / 2))}</span>
            <span>"0"</span>
        </p>
    }
}

/// Handles a key for choosing among columns, the last of which is `end`: arrows go to the next one, Escape clears the
/// choice.
pub(in crate::pages) fn press(event: &KeyboardEvent, chosen: RwSignal<Option<usize>>, end: usize) {
    let at = chosen.get_untracked();
    let next = match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => Some(at.map_or(end, |at| at.saturating_sub(1))),
        "ArrowRight" | "ArrowUp" => Some(at.map_or(end, |at| at.saturating_add(1).min(end))),
        "Home" => Some(0),
        "End" => Some(end),
        "Escape" => None,
        _ => return,
    };
    event.prevent_default();
    chosen.set(next);
}

/// Chooses the column under the pointer, of `count` columns.
pub(in crate::pages) fn point(event: &MouseEvent, chosen: RwSignal<Option<usize>>, count: usize) {
    let room = event.current_target();
    let room = room.and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let room = room.map_or(0, |room| room.client_width());
    chosen.set(column_at(event.offset_x(), room, count));
}

/// The drawing. Arrow keys and the pointer choose a column, Escape clears the choice; a drag, or Enter, picks a range.
#[component]
fn Plot(
    spec: &'static Spec,
    figures: Memo<Figures>,
    chosen: RwSignal<Option<usize>>,
    on_pick: Option<Callback<(usize, usize)>>,
) -> impl IntoView {
    // The column where a drag started.
    let from = RwSignal::new(None::<usize>);
    let pick = move || {
        let begun = from.get_untracked().or(chosen.get_untracked());
        from.set(None);
        if let (Some(on_pick), Some(one), Some(other)) = (on_pick, begun, chosen.get_untracked()) {
            chosen.set(None);
            on_pick.run((one.min(other), one.max(other)));
        }
    };
    let count = move || figures.with(|figures| figures.series.len());
    let last = move || count().saturating_sub(1);
    let press = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" if on_pick.is_some() => pick(),
        _ => press(&event, chosen, untrack(last)),
    };
    let point = move |event: &MouseEvent| point(event, chosen, untrack(count));
    let begin = move |event: MouseEvent| {
        point(&event);
        if on_pick.is_some() && event.button() == 0 {
            event.prevent_default();
            from.set(chosen.get_untracked());
        }
    };
    let end = move |_| {
        if from.get_untracked().is_some() {
            pick();
        }
    };
    let marked = move || {
        chosen.get().map(|at| {
            let from = from.get().unwrap_or(at);
            band(from.min(at), from.max(at), count())
        })
    };
    let text = move || figures.with(|figures| summary_text(spec, figures, chosen.get()));
    let half = HEIGHT / 2;
    view! {
        <div
            class="chart-plot"
            role="slider"
            tabindex="0"
            aria-label=format!("{}. {}", spec.title, spec.says)
            aria-orientation="horizontal"
            aria-valuemin="0"
            aria-valuemax=last
            aria-valuenow=move || chosen.get().unwrap_or_else(last)
            aria-valuetext=text
            on:keydown=press
            on:mousemove=move |event| point(&event)
            on:mousedown=begin
            on:mouseup=end
            on:mouseleave=move |_| {
                chosen.set(None);
                from.set(None);
            }
        >
            <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") preserveAspectRatio="none" aria-hidden="true">
                <path class="chart-grid" d=format!("M0 0H{WIDTH}M0 {half}H{WIDTH}M0 {HEIGHT}H{WIDTH}") />
                {live(move || maybe(marked(), |d| view! { <path class="chart-band" d=d /> }.into_any()))}
                {each(spec.layers.iter().enumerate(), |(at, layer)| {
                    let d = move || figures.with(|figures| spec.path(at, figures));
                    view! { <path class=format!("chart-{}", layer.look) d=d /> }.into_any()
                })}
            </svg>
        </div>
    }
}

/// Describes a chart at a column, or in total.
fn summary_text(spec: &Spec, figures: &Figures, chosen: Option<usize>) -> String {
    let point = chosen.and_then(|at| figures.series.get(at));
    let when = match point {
        Some(point) => at_label(point.at, figures.step_seconds),
        None => "The whole time shown".to_owned(),
    };
    let text = |layer| spec.value_text(layer, figures, chosen);
    let values = spec.layers.iter();
    let values: Vec<_> = values
        .map(|layer| format!("{} {}", layer.name, text(layer)))
        .collect();
    format!("{when}: {}", values.join(", "))
}
