//! The targets of an API.

use leptos::prelude::*;

use super::state;
use crate::api::upstreams::{Discovery, Target, UpstreamHealth};
use crate::components::{Empty, Glyph, Moment, Shown, each, live, maybe, only};
use crate::state::Memo;

/// The targets with their shares, and where they are discovered.
#[component]
pub(super) fn Targets(health: Memo<UpstreamHealth>) -> impl IntoView {
    let turns = move |health: &UpstreamHealth| -> u64 {
        let weights = health.targets.iter().map(|target| target.weight);
        weights.fold(0, u64::saturating_add)
    };
    let rows = move || {
        health.with(|health| {
            let all = turns(health);
            let alone = !health.balances;
            each(health.targets.clone(), |target| row(target, all, alone))
        })
    };
    let lead = move || {
        health.with(|health| match (health.balances, health.skips_down) {
            (false, _) => "Every request goes to one target.",
            (true, true) => "Used in turn; a target that its uptime tests find down is skipped.",
            (true, false) => "Used in turn, including those that uptime tests find down: check_host_against_uptime_tests is off.",
        })
    };
    view! {
        <section class="served-part" aria-labelledby="targets-title">
            <div class="served-head">
                <h2 id="targets-title">"Targets"</h2>
            </div>
            <p class="muted small">{live(lead)}</p>
            {live(move || maybe(health.with(|health| health.discovery.clone()), discovery))}
            <Shown
                when=move || health.with(|health| !health.targets.is_empty())
                fallback=|| view! {
                    <div class="card">
                        <Empty glyph=Glyph::Search title="No target is known">
                            <p>"Requests to this API are refused until there is one."</p>
                        </Empty>
                    </div>
                }
            >
                <div class="card table-card">
                    <table class="table">
                        <caption class="visually-hidden">"Targets of this API"</caption>
                        <thead>
                            <tr>
                                <th scope="col">"Target"</th>
                                <th scope="col">"Share"</th>
                                <th scope="col">"State"</th>
                                <th scope="col">"Since"</th>
                            </tr>
                        </thead>
                        <tbody>{live(rows)}</tbody>
                    </table>
                </div>
            </Shown>
        </section>
    }
}

fn row(target: Target, turns: u64, alone: bool) -> AnyView {
    let Target {
        url,
        weight,
        state: word,
        since,
    } = target;
    let share = if alone {
        "All".to_owned()
    } else {
        format!("{weight} of {turns}")
    };
    view! {
        <tr>
            <th scope="row" class="cell-name"><code class="target-url">{url}</code></th>
            <td data-label="Share" class="number">{share}</td>
            <td data-label="State">{state(&word)}</td>
            <td data-label="Since">{moment(since)}</td>
        </tr>
    }
    .into_any()
}

/// Shows a time, if it is known.
pub(super) fn moment(seconds: Option<i64>) -> AnyView {
    match seconds {
        Some(seconds) => view! { <Moment seconds=seconds /> }.into_any(),
        None => view! { <span class="muted">"–"</span> }.into_any(),
    }
}

/// Where targets are discovered, and how that went.
fn discovery(discovery: Discovery) -> AnyView {
    let Discovery {
        endpoint,
        state: word,
        fetched_at,
        error,
    } = discovery;
    view! {
        <div class="card panel">
            <dl class="facts facts-wide">
                <div>
                    <dt>"Discovered by"</dt>
                    <dd><code class="target-url">{endpoint}</code></dd>
                </div>
                <div>
                    <dt>"State"</dt>
                    <dd>{state(&word)}</dd>
                </div>
                <div>
                    <dt>"Last answer"</dt>
                    <dd>{moment(fetched_at)}</dd>
                </div>
                {only(!error.is_empty(), || view! {
                    <div>
                        <dt>"Error"</dt>
                        <dd class="field-problem">{error}</dd>
                    </div>
                }.into_any())}
            </dl>
        </div>
    }
    .into_any()
}
