//! A comparison of any two generations: what each has that the other does not; both are in the address.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::plan::Difference;
use crate::api::{ApiError, PastGeneration, PastGenerations, ReloadStatus};
use crate::components::{Bones, Failure, each, live, moment, only};
use crate::pages::ends::{EndsPicker, Options};
use crate::routes;
use crate::state::ends::Ends;
use crate::state::load::Load;
use crate::state::plan::{DifferingRevisions, between};
use crate::state::{Memo, use_console};

/// The differences, and whether they are incomplete.
#[derive(Clone)]
struct Found {
    apart: Vec<DifferingRevisions>,
    is_cut: bool,
    ends: (u64, u64),
}

/// The comparison; nothing while there are fewer than two generations.
#[component]
pub(super) fn Between(
    /// The generations.
    list: Load<PastGenerations>,
) -> impl IntoView {
    let address = use_console().address;
    let options = Memo::new(move |_| options(&list.good().unwrap_or_default().0));
    let ends = Memo::new(move |_| Ends::parse(&address.query()));
    let choose = Callback::new(move |ends: Ends| address.replace(&ends.to_url(routes::RELOAD)));
    let several = Memo::new(move |_| options.with(|options| options.len() > 1));
    live(move || {
        only(several.get(), || {
            view! {
                <section aria-labelledby="between-title">
                    <h2 id="between-title">"Compare two generations"</h2>
                    <EndsPicker options=options ends=ends on_choose=choose />
                    <Comparison ends=ends />
                </section>
            }
            .into_any()
        })
    })
}

fn options(generations: &[PastGeneration]) -> Options {
    let called = |one: &PastGeneration| {
        let at = one.reloaded_at.as_deref().map(moment).unwrap_or_default();
        let served = if one.served { ", served" } else { "" };
        let label = format!("#{}, {at}{served}", one.generation);
        (one.generation, label)
    };
    generations.iter().map(called).collect()
}

/// The differences, once both are chosen.
#[component]
fn Comparison(ends: Memo<Ends>) -> impl IntoView {
    let console = use_console();
    let found = Load::new(move || {
        let both = ends.get().both();
        async move {
            let Some((from, to)) = both else {
                return Ok(None);
            };
            let one = console.api.generation_plan(from).await?;
            let other = console.api.generation_plan(to).await?;
            let cut = |plan: &ReloadStatus| plan.pending_total > plan.pending.len() as u64;
            Ok::<_, ApiError>(Some(Found {
                apart: between(&one.pending, &other.pending),
                is_cut: cut(&one) || cut(&other),
                ends: (from, to),
            }))
        }
    });
    let shown = move || {
        match found.get() {
        None => view! { <Bones rows=3 label="Loading the two generations" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| found.again() /> }.into_any()
        }
        Some(Ok(None)) => {
            view! { <p class="muted">"Choose two, to see which APIs and policies they have in different revisions."</p> }.into_any()
        }
        Some(Ok(Some(found))) => table(found),
    }
    };
    view! {
        <div class="results" class:stale=move || found.busy() && found.good().is_some()>{live(shown)}</div>
    }
}

fn table(found: Found) -> AnyView {
    let Found {
        apart,
        is_cut,
        ends: (from, to),
    } = found;
    let cut = only(is_cut, || {
        view! { <p class="muted">"There are more differences than can be listed: these are only some of them."</p> }.into_any()
    });
    if apart.is_empty() {
        return view! {
            <p role="status">"The two have the same APIs and policies."</p>
            {cut}
        }
        .into_any();
    }
    let open = RwSignal::new(BTreeSet::<String>::new());
    view! {
        <div class="card table-card">
            <table class="table plan">
                <caption class="visually-hidden">{format!("From generation {from} to generation {to}")}</caption>
                <thead>
                    <tr>
                        <th scope="col">"API or policy"</th>
                        <th scope="col">{format!("In #{from}")}</th>
                        <th scope="col">{format!("In #{to}")}</th>
                        <th scope="col"><span class="visually-hidden">"Difference"</span></th>
                    </tr>
                </thead>
                <tbody>{each(apart, move |apart| row(apart, (from, to), open))}</tbody>
            </table>
        </div>
        {cut}
    }
    .into_any()
}

fn row(
    apart: DifferingRevisions,
    (from, to): (u64, u64),
    open: RwSignal<BTreeSet<String>>,
) -> AnyView {
    let DifferingRevisions {
        policy,
        id,
        name,
        revisions,
    } = apart;
    let href = match policy {
        true => routes::policy(&id),
        false => routes::api(&id),
    };
    let label = |revision: Option<u64>| match revision {
        Some(revision) => {
            view! { <span class="number">{format!("revision {revision}")}</span> }.into_any()
        }
        None => view! { <span class="muted">"not in it"</span> }.into_any(),
    };
    let key = format!("{policy} {id}");
    let (own, shown) = (key.clone(), key.clone());
    let is_open = move || open.with(|open| open.contains(&own));
    let toggle = move |_| {
        open.update(|open| {
            if !open.remove(&key) {
                open.insert(key.clone());
            }
        });
    };
    let sub = if policy { "policy" } else { "API" };
    let (compared, at) = (name.clone(), id.clone());
    view! {
        <tr class="plan-row">
            <th scope="row" class="cell-name">
                <a href=href>{name}</a>
                <span class="cell-sub"><span class="muted small">{sub}</span><code class="api-id">{id}</code></span>
            </th>
            <td data-label=format!("In #{from}")>{label(revisions[0])}</td>
            <td data-label=format!("In #{to}")>{label(revisions[1])}</td>
            <td data-label="Difference">
                <button type="button" class="btn btn-small" aria-expanded=move || is_open().to_string() on:click=toggle>
                    "Difference"<span class="visually-hidden">{format!(" of {compared} between the two")}</span>
                </button>
            </td>
        </tr>
        {live(move || {
            let at = at.clone();
            only(open.with(|open| open.contains(&shown)), || {
                view! {
                    <tr class="plan-difference">
                        <td colspan="4"><Difference policy=policy id=at ends=revisions label=format!("From generation {from} to generation {to}") /></td>
                    </tr>
                }
                .into_any()
            })
        })}
    }
    .into_any()
}
