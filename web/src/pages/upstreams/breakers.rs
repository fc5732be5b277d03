//! The circuit breakers of an API.

use leptos::prelude::*;

use super::{state, targets::moment};
use crate::api::upstreams::{Breaker, UpstreamHealth};
use crate::components::{Shown, each, live};
use crate::state::Memo;
use crate::state::chart::count;

/// Paths that are paused when their upstream fails too often.
#[component]
pub(super) fn Breakers(health: Memo<UpstreamHealth>) -> impl IntoView {
    let rows = move || health.with(|health| each(health.breakers.clone(), row));
    let lead = move || {
        if health.with(|health| health.breakers_of_isolate) {
            "An open breaker answers instead of the upstream. Each isolate has its own: these are those of the isolate that answered."
        } else {
            "An open breaker answers instead of the upstream."
        }
    };
    view! {
        <section class="served-part" aria-labelledby="breakers-title">
            <div class="served-head">
                <h2 id="breakers-title">"Circuit breakers"</h2>
            </div>
            <Shown
                when=move || health.with(|health| !health.breakers.is_empty())
                fallback=|| view! { <p class="muted small">"No path has one: circuit_breakers of a version lists them."</p> }
            >
                <p class="muted small">{live(lead)}</p>
                <div class="card table-card">
                    <table class="table">
                        <caption class="visually-hidden">"Circuit breakers of this API"</caption>
                        <thead>
                            <tr>
                                <th scope="col">"Path"</th>
                                <th scope="col">"State"</th>
                                <th scope="col">"Closes"</th>
                                <th scope="col">"Failed of the last 10 s"</th>
                                <th scope="col">"Opens at"</th>
                            </tr>
                        </thead>
                        <tbody>{live(rows)}</tbody>
                    </table>
                </div>
            </Shown>
        </section>
    }
}

fn row(breaker: Breaker) -> AnyView {
    let Breaker {
        method,
        path,
        state: word,
        until,
        requests,
        failures,
        samples,
        threshold,
    } = breaker;
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <span><span class="badge badge-plain">{method}</span>" "<code class="target-url">{path}</code></span>
            </th>
            <td data-label="State">{state(&word)}</td>
            <td data-label="Closes">{moment(until)}</td>
            <td data-label="Failed of the last 10 s" class="number">{format!("{} of {}", count(failures), count(requests))}</td>
            <td data-label="Opens at" class="number">{format!("{threshold} % of {} or more", count(samples))}</td>
        </tr>
    }
    .into_any()
}
