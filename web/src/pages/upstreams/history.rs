//! The uptime tests of an API, each with its history.

use leptos::prelude::*;

use super::{state, strip::Strip, targets::moment};
use crate::api::upstreams::{UpstreamHealth, UptimeTest};
use crate::components::{Shown, each, live, only, unique_id};
use crate::pages::overview::charted::TableSwitch;
use crate::pages::overview::charts::at_label;
use crate::routes;
use crate::state::Memo;
use crate::state::chart::count;
use crate::state::uptime::{Span, runs, up_permille};

/// The tests.
#[component]
pub(super) fn History(health: Memo<UpstreamHealth>, id: StoredValue<String>) -> impl IntoView {
    // The addresses, so that a card stays mounted while its content changes.
    let urls = Memo::new(move |_| {
        health.with(|health| {
            let tests = health.tests.iter();
            tests.map(|test| test.url.clone()).collect::<Vec<_>>()
        })
    });
    let card = move |(at, _): (usize, String)| {
        let test = Memo::new(move |_| {
            health.with(|health| health.tests.get(at).cloned().unwrap_or_default())
        });
        view! { <Test test=test /> }.into_any()
    };
    let lead = move || {
        health.with(|health| {
            format!(
                "Each host is tested every {} s, and is down after {} failures in a row.",
                health.every, health.failures_to_down
            )
        })
    };
    let edit =
        move || id.with_value(|id| format!("{}?view=form&at=/uptime_tests", routes::api(id)));
    view! {
        <section class="served-part" aria-labelledby="uptime-title">
            <div class="served-head">
                <h2 id="uptime-title">"Uptime"</h2>
                <a class="btn btn-small" href=edit>"Change the tests"</a>
            </div>
            <Shown
                when=move || urls.with(|urls| !urls.is_empty())
                fallback=|| view! { <p class="muted small">"No host is tested: check_list of uptime_tests names them."</p> }
            >
                <p class="muted small">{live(lead)}</p>
                <Shown when=move || !health.with(|health| health.tested)>
                    <p class="muted small">"The tests are switched off. These are their earlier results."</p>
                </Shown>
                <div class="uptime">{live(move || each(urls.get().into_iter().enumerate(), card))}</div>
            </Shown>
        </section>
    }
}

#[component]
fn Test(test: Memo<UptimeTest>) -> impl IntoView {
    let open = RwSignal::new(false);
    let heading = unique_id("test");
    let labelled = heading.clone();
    let about = test.with_untracked(|test| test.url.clone());
    let share = move || {
        test.with(|test| up_permille(&test.checks)).map_or_else(
            || "no test yet".to_owned(),
            |permille| format!("{}.{} % up", permille / 10, permille % 10),
        )
    };
    let rows = move || test.with(|test| each(runs(&test.checks), row));
    view! {
        <article class="card panel uptime-test" aria-labelledby=labelled>
            <div class="uptime-head">
                <h3 id=heading>
                    {live(move || test.with(|test| only(!test.method.is_empty(), || view! { <span class="badge badge-plain">{test.method.clone()}</span> }.into_any())))}
                    <code class="target-url">{about}</code>
                </h3>
                <span class="uptime-state">
                    {live(move || test.with(|test| state(&test.state)))}
                    <strong class="number">{live(share)}</strong>
                </span>
            </div>
            <Shown when=move || test.with(|test| !test.checks.is_empty()) fallback=|| view! { <p class="muted small">"It has not been tested yet."</p> }>
                <Strip test=test />
                <div class="uptime-foot">
                    <span class="muted small">"Since "{live(move || moment(test.with(|test| test.since)))}</span>
                    <TableSwitch open=open />
                </div>
                <Shown when=move || open.get()>
                    <div class="table-card uptime-table">
                        <table class="table">
                            <caption class="visually-hidden">"Times up and down, the newest first"</caption>
                            <thead>
                                <tr>
                                    <th scope="col">"From"</th>
                                    <th scope="col">"To"</th>
                                    <th scope="col">"State"</th>
                                    <th scope="col">"Tests"</th>
                                    <th scope="col">"Latency"</th>
                                    <th scope="col">"Why"</th>
                                </tr>
                            </thead>
                            <tbody>{live(rows)}</tbody>
                        </table>
                    </div>
                </Shown>
            </Shown>
        </article>
    }
}

fn row(run: Span) -> AnyView {
    let took = run
        .average
        .map_or_else(|| "–".to_owned(), |ms| format!("{ms} ms"));
    let state = state(run.state());
    let why = match run.why {
        why if why.is_empty() => "–".to_owned(),
        why => why,
    };
    view! {
        <tr>
            <th scope="row" class="number">{at_label(run.from, 1)}</th>
            <td data-label="To" class="number">{at_label(run.to, 1)}</td>
            <td data-label="State">{state}</td>
            <td data-label="Tests" class="number">{count(run.checks)}</td>
            <td data-label="Latency" class="number">{took}</td>
            <td data-label="Why">{why}</td>
        </tr>
    }
    .into_any()
}
