//! The changes of a reload, row by row: what each does, whether it is published, and its difference.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::affected::{Affected, Policies};
use crate::api::group::Group;
use crate::api::{ApiError, Pending, api_path};
use crate::components::{
    Bones, ChangeBadge, Failure, LineDiff, SearchField, each, live, maybe, only,
};
use crate::routes;
use crate::state::load::Load;
use crate::state::plan::{Counts, Effect, Step, Weight, counted, groups, key};
use crate::state::use_console;

/// With more rows than this there is a search.
const SEARCHED: usize = 10;

/// The user's choices in a plan; they outlive the lists that are fetched again.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    /// The keys of the changes that are not published; `None` for a generation, which is published again unchanged.
    pub(super) left_out: Option<RwSignal<BTreeSet<String>>>,
    /// The keys of the changes whose difference is shown.
    open: RwSignal<BTreeSet<String>>,
    typed: RwSignal<String>,
}

impl Desk {
    /// Creates the state for pending changes: everything is chosen, and no difference is shown.
    pub(super) fn of_changes() -> Self {
        Self {
            left_out: Some(RwSignal::new(BTreeSet::new())),
            ..Self::of_generation()
        }
    }

    /// Creates the state for publishing a generation again.
    pub(super) fn of_generation() -> Self {
        Self {
            left_out: None,
            open: RwSignal::new(BTreeSet::new()),
            typed: RwSignal::new(String::new()),
        }
    }
}

/// For which changes the affected keys and policies are shown.
#[derive(Clone, Copy)]
struct Concerned {
    /// The policies, to search for those that refer to an API.
    policies: Option<Policies>,
    /// The keys of those changes.
    counted: StoredValue<BTreeSet<String>>,
}

/// The changes, grouped by their effect.
#[component]
pub(super) fn PlanTable(
    /// The changes.
    pending: Vec<Pending>,
    /// How many there are, if these are only the first.
    total: u64,
    /// The user's choices.
    desk: Desk,
) -> impl IntoView {
    let count = pending.len();
    let more = total.saturating_sub(u64::try_from(count).unwrap_or_default());
    let counts = Counts::of(&pending);
    let counted = counted(&pending);
    let console = use_console();
    let concerned = Concerned {
        policies: (!counted.is_empty())
            .then(|| Load::new(move || async move { console.api.policies().await })),
        counted: StoredValue::new(counted),
    };
    let pending = StoredValue::new(pending);
    let search = move |text| desk.typed.set(text);
    let found = move || pending.with_value(|pending| groups(pending, &desk.typed.get()));
    let columns = if desk.left_out.is_some() { 5 } else { 4 };
    let rows = move || {
        let found = found();
        if found.is_empty() {
            return view! { <tbody><tr><td colspan=columns class="muted">"No change has a matching name, id or listen path."</td></tr></tbody> }
                .into_any();
        }
        each(found, move |found| group(found, desk, concerned, columns)).into_any()
    };
    view! {
        <PlanLine counts=counts />
        {only(count > SEARCHED, || {
            view! { <SearchField label="Search changes" placeholder="Search name, id or listen path" value=desk.typed on_input=Callback::new(search) /> }
                .into_any()
        })}
        <div class="card table-card">
            <table class="table plan">
                <caption class="visually-hidden">"Pending changes"</caption>
                <thead>
                    <tr>
                        {maybe(desk.left_out, |left_out| view! { <th scope="col">{all_box(pending, left_out)}</th> }.into_any())}
                        <th scope="col">"API or policy"</th>
                        <th scope="col">"What the reload does"</th>
                        <th scope="col">"Listen path"</th>
                        <th scope="col">"Revision"</th>
                    </tr>
                </thead>
                {live(rows)}
            </table>
        </div>
        {only(more > 0, || view! { <p class="muted">{format!("And {more} more.")}</p> }.into_any())}
    }
    .into_any()
}

/// Chooses all changes, or none.
fn all_box(pending: StoredValue<Vec<Pending>>, left_out: RwSignal<BTreeSet<String>>) -> AnyView {
    // A change that was excluded may no longer be pending.
    let all = move || {
        pending.with_value(|pending| {
            left_out.with(|out| !pending.iter().any(|one| out.contains(&key(one))))
        })
    };
    let change = move |event| {
        let none = match event_target_checked(&event) {
            true => BTreeSet::new(),
            false => pending.with_value(|pending| pending.iter().map(key).collect()),
        };
        left_out.set(none);
    };
    view! { <input type="checkbox" class="plan-box" aria-label="Publish all changes" prop:checked=all on:change=change /> }
        .into_any()
}

fn group(
    (effect, list): (Effect, Vec<Pending>),
    desk: Desk,
    concerned: Concerned,
    columns: u32,
) -> AnyView {
    let count = list.len();
    let class = match effect {
        Effect::DropsOut => "badge badge-invalid",
        Effect::Skipped => "badge badge-pending",
        _ => "badge",
    };
    view! {
        <tbody>
            <tr class="plan-group">
                <th scope="rowgroup" colspan=columns>
                    {effect.title()}" "<span class=class>{count}</span>
                </th>
            </tr>
            {each(list, move |pending| row(pending, desk, concerned, columns))}
        </tbody>
    }
    .into_any()
}

/// Shows the number of APIs and policies per effect of the reload, for the effects that it has.
#[component]
fn PlanLine(counts: Counts) -> impl IntoView {
    let Counts {
        served,
        skipped,
        lost,
        policies,
    } = counts;
    let part = |(count, class, says): (usize, &'static str, &'static str)| {
        only(count > 0, || {
            view! { <span class=format!("{class} plan-part")><strong class="number">{count}</strong>" "{says}</span> }
                .into_any()
        })
    };
    let parts = [
        (served, "badge badge-live", "will be served"),
        (skipped, "badge badge-pending", "will be skipped"),
        (
            lost,
            "badge badge-invalid",
            "no longer served by this reload",
        ),
        (
            policies,
            "badge",
            if policies == 1 {
                "policy changes"
            } else {
                "policies change"
            },
        ),
    ];
    view! { <p class="plan-line">{each(parts, part)}</p> }
}

fn row(pending: Pending, desk: Desk, concerned: Concerned, columns: u32) -> AnyView {
    let Concerned { policies, counted } = concerned;
    let is_counted = counted.with_value(|counted| counted.contains(&key(&pending)));
    let step = match desk.left_out {
        Some(_) => Step::of(&pending),
        None => Step::back(&pending),
    };
    let key = key(&pending);
    let deleted = pending.change == "deleted";
    let href = match (pending.policy, deleted) {
        (true, true) => routes::POLICIES.to_owned(),
        (true, false) => routes::policy(&pending.api_id),
        (false, true) => routes::revisions(&pending.api_id),
        (false, false) => routes::api(&pending.api_id),
    };
    let listen_path = if pending.policy {
        view! { <span class="muted">"a policy"</span> }.into_any()
    } else {
        view! { <code>{pending.listen_path.clone()}</code> }.into_any()
    };
    let name = if pending.name.is_empty() {
        pending.api_id.clone()
    } else {
        pending.name.clone()
    };
    let says = match step.weight {
        Weight::Plain => "plan-says muted",
        Weight::Skipped => "plan-says plan-skipped",
        Weight::Lost => "plan-says plan-lost",
    };
    let revisions = match pending.loaded_revision {
        Some(loaded) if deleted => format!("{loaded} → none"),
        Some(loaded) => format!("{loaded} → {}", pending.revision),
        None => pending.revision.to_string(),
    };
    let chosen = maybe(desk.left_out, |left_out| {
        view! { <td class="plan-choice">{choice(left_out, key.clone(), &name)}</td> }.into_any()
    });
    let after = (!deleted).then_some(pending.revision);
    let (policy, ends) = (pending.policy, [pending.loaded_revision, after]);
    let affected = maybe(policies.filter(|_| is_counted), |policies| {
        view! { <Affected policy=policy id=pending.api_id.clone() policies=policies /> }.into_any()
    });
    let (compared, id) = (name.clone(), pending.api_id.clone());
    let told_id = id.clone();
    let (own, toggled) = (key.clone(), key.clone());
    let is_open = move || desk.open.with(|open| open.contains(&own));
    let is_shown = is_open.clone();
    let toggle = move |_| {
        desk.open.update(|open| {
            if !open.remove(&toggled) {
                open.insert(toggled.clone());
            }
        });
    };
    view! {
        <tr class="plan-row">
            {chosen}
            <th scope="row" class="cell-name">
                <a href=href>{name}</a>
                <span class="cell-sub"><code class="api-id">{id}</code></span>
            </th>
            <td data-label="What the reload does">
                <div>
                    <ChangeBadge change=step.word />
                    <span class=says>{step.says}</span>
                    {affected}
                </div>
            </td>
            <td data-label="Listen path">{listen_path}</td>
            <td data-label="Revision">
                <div>
                    <span class="number plan-revisions">{revisions}</span>
                    <button type="button" class="btn btn-small" aria-expanded=move || is_open().to_string() on:click=toggle>
                        "Difference"<span class="visually-hidden">{format!(" of {compared}")}</span>
                    </button>
                </div>
            </td>
        </tr>
        {live(move || {
            let id = told_id.clone();
            only(is_shown(), || {
                view! {
                    <tr class="plan-difference">
                        <td colspan=columns><Difference policy=policy id=id ends=ends label="What is published now, and what will be" /></td>
                    </tr>
                }
                .into_any()
            })
        })}
    }
    .into_any()
}

fn choice(left_out: RwSignal<BTreeSet<String>>, key: String, name: &str) -> AnyView {
    let shown = key.clone();
    let chosen = move || left_out.with(|left_out| !left_out.contains(&shown));
    let change = move |event| {
        let chosen = event_target_checked(&event);
        left_out.update(|left_out| {
            match chosen {
                true => left_out.remove(&key),
                false => left_out.insert(key.clone()),
            };
        });
    };
    view! { <input type="checkbox" class="plan-box" aria-label=format!("Publish {name}") prop:checked=chosen on:change=change /> }
        .into_any()
}

/// What is published now against what will be, or the two generations' revisions.
#[component]
pub(super) fn Difference(
    /// Whether it is about a policy.
    policy: bool,
    /// The id of the API or the policy.
    id: String,
    /// The revisions before and after; `None` where the document was absent.
    ends: [Option<u64>; 2],
    /// What is compared.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    let console = use_console();
    let texts = Load::new(move || {
        let path = match policy {
            true => Group::Policies.at(&id),
            false => api_path(&id),
        };
        async move {
            let mut texts = [String::new(), String::new()];
            for (text, revision) in texts.iter_mut().zip(ends) {
                if let Some(revision) = revision {
                    *text = console.api.revision(&path, revision).await?.text;
                }
            }
            Ok::<_, ApiError>(texts)
        }
    });
    live(move || match texts.get() {
        None => view! { <Bones rows=3 label="Loading the difference" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| texts.again() /> }.into_any()
        }
        Some(Ok([before, after])) => {
            view! { <LineDiff before=before after=after label=label.clone() /> }.into_any()
        }
    })
}
