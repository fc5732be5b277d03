//! The sets that were served before, and the button that publishes one of them again.

use leptos::prelude::*;

use super::plan::{Desk, PlanTable};
use crate::api::{PastGeneration, PastGenerations};
use crate::components::{Bones, Dialog, Failure, When, button, each, live, maybe, only};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::use_console;

/// The list.
#[component]
pub(super) fn GenerationList(
    /// The generations.
    list: Load<PastGenerations>,
    /// Whether a reload is under way.
    busy: Signal<bool>,
    /// Publishes a generation again.
    on_back: Callback<u64>,
) -> impl IntoView {
    let going_back = RwSignal::new(None::<u64>);
    let body = move || {
        match list.get() {
        None => view! { <Bones rows=3 label="Loading the generations" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| list.again() /> }.into_any()
        }
        Some(Ok(PastGenerations(found))) if found.is_empty() => {
            view! { <p class="muted">"From the next reload on, each set that was served can be published again."</p> }.into_any()
        }
        Some(Ok(PastGenerations(found))) => {
            view! { <ol class="card generations">{each(found, |generation| row(generation, going_back))}</ol> }.into_any()
        }
    }
    };
    let back = Callback::new(move |generation| {
        going_back.set(None);
        on_back.run(generation);
    });
    view! {
        <section aria-labelledby="generations-title">
            <h2 id="generations-title">"Generations"</h2>
            {live(body)}
        </section>
        {live(move || {
            maybe(going_back.get(), |generation| {
                view! { <BackDialog generation=generation busy=busy on_back=back on_close=Callback::new(move |()| going_back.set(None)) /> }.into_any()
            })
        })}
    }
}

fn row(generation: PastGeneration, going_back: RwSignal<Option<u64>>) -> AnyView {
    let number = generation.generation;
    let served = generation.served;
    let mut facts = vec![
        format!("{} served", plural(generation.loaded, "API")),
        format!("{} skipped", generation.skipped),
    ];
    match generation.policies {
        0 => {}
        1 => facts.push("1 policy".to_owned()),
        count => facts.push(format!("{count} policies")),
    }
    if generation.changes > 0 {
        facts.push(plural(generation.changes, "change"));
    }
    if let Some(again) = generation.again {
        facts.push(format!("generation {again} again"));
    }
    if generation.selected {
        facts.push("a selection".to_owned());
    }
    view! {
        <li class="generation">
            <strong class="number">{format!("#{number}")}</strong>
            {only(served, || view! { <span class="badge badge-live">"Served"</span> }.into_any())}
            <span class="generation-when">
                {maybe(generation.reloaded_at, |at| view! { <When at=at /> }.into_any())}
                {only(!generation.by.is_empty(), || view! { " by "{generation.by} }.into_any())}
            </span>
            <span class="muted generation-says">{facts.join(", ")}</span>
            {only(!served, || {
                view! {
                    <button type="button" class="btn btn-small" on:click=move |_| going_back.set(Some(number))>
                        "Go back to this one"<span class="visually-hidden">{format!(", generation {number}")}</span>
                    </button>
                }
                .into_any()
            })}
        </li>
    }
    .into_any()
}

/// What publishing it again would change, and the button that does it.
#[component]
fn BackDialog(
    generation: u64,
    busy: Signal<bool>,
    on_back: Callback<u64>,
    on_close: Callback<()>,
) -> impl IntoView {
    let console = use_console();
    let desk = Desk::of_generation();
    let plan = Load::new(move || async move { console.api.generation_plan(generation).await });
    let body = move || match plan.get() {
        None => view! { <Bones rows=4 label="Loading what would change" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| plan.again() /> }.into_any()
        }
        Some(Ok(plan)) if plan.pending.is_empty() => {
            view! { <p>"It is the same as what is served now: nothing would change."</p> }
                .into_any()
        }
        Some(Ok(plan)) => {
            view! { <PlanTable pending=plan.pending total=plan.pending_total desk=desk /> }
                .into_any()
        }
    };
    let ready = move || matches!(plan.get(), Some(Ok(_)));
    view! {
        <Dialog title=format!("Go back to generation {generation}") class="wide" on_close=on_close>
            <div class="dialog-body">
                <p>"It is published again unchanged. What is stored stays: where it differs, it is pending again."</p>
                {live(body)}
            </div>
            <footer class="dialog-foot">
                {button("btn", "Cancel", move || on_close.run(()))}
                <button type="button" class="btn btn-primary" disabled=move || busy.get() || !ready() || console.only_reads() on:click=move |_| on_back.run(generation)>
                    {format!("Go back to generation {generation}")}
                </button>
            </footer>
        </Dialog>
    }
}
