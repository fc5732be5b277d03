//! The history of a test as a strip: bars of some checks each, chosen with the pointer or the arrow keys.

use leptos::prelude::*;

use crate::api::upstreams::UptimeTest;
use crate::components::{each, live};
use crate::pages::overview::chart::{point, press};
use crate::pages::overview::charts::at_label;
use crate::state::Memo;
use crate::state::uptime::{Span, bars};

/// The strip, and the chosen bar below it.
#[component]
pub(super) fn Strip(test: Memo<UptimeTest>) -> impl IntoView {
    let drawn = Memo::new(move |_| test.with(|test| bars(&test.checks)));
    let chosen = RwSignal::new(None::<usize>);
    let last = move || drawn.with(|bars| bars.len().saturating_sub(1));
    let press = move |event| press(&event, chosen, untrack(last));
    let point = move |event| point(&event, chosen, drawn.with_untracked(Vec::len));
    let text = move || drawn.with(|bars| says(bars, chosen.get()));
    let bar = move |(at, span): (usize, Span)| {
        let class = format!("strip-bar strip-{}", span.state());
        let chosen = move || chosen.get() == Some(at);
        view! { <span class=class class:chosen=chosen></span> }.into_any()
    };
    let from = move || drawn.with(|bars| bars.first().map(|bar| at_label(bar.from, 1)));
    view! {
        <div
            class="strip"
            role="slider"
            tabindex="0"
            aria-label="Test results"
            aria-orientation="horizontal"
            aria-valuemin="0"
            aria-valuemax=last
            aria-valuenow=move || chosen.get().unwrap_or_else(last)
            aria-valuetext=text
            on:keydown=press
            on:mousemove=point
            on:mouseleave=move |_| chosen.set(None)
            on:blur=move |_| chosen.set(None)
        >
            {live(move || each(drawn.get().into_iter().enumerate(), bar))}
        </div>
        <p class="strip-times" aria-hidden="true">
            <span>{live(move || from().unwrap_or_default())}</span>
            <span class="strip-says">{live(move || chosen.get().map(|_| text()).unwrap_or_default())}</span>
            <span>"now"</span>
        </p>
    }
}

/// Describes a bar, or all of them.
fn says(bars: &[Span], chosen: Option<usize>) -> String {
    let Some(bar) = chosen.and_then(|at| bars.get(at)) else {
        let failures: u64 = bars.iter().map(|bar| bar.failures).sum();
        let checks: u64 = bars.iter().map(|bar| bar.checks).sum();
        return format!("{failures} of {checks} tests have failed");
    };
    let from = at_label(bar.from, 1);
    let when = match bar.to {
        to if to == bar.from => from,
        to => format!("{from} to {}", at_label(to, 1)),
    };
    format!("{when}: {}", bar.says())
}
