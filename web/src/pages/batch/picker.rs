//! Chooses the API that a batch goes to.

use leptos::prelude::*;

use crate::api::Summary;
use crate::components::{Notice, Shown, StateBadge, Tint, button, live, maybe};
use crate::pages::find_api::FindApi;
use crate::routes;
use crate::state::load::Load;
use crate::state::{Memo, use_console};

/// A field that finds APIs while typing; only those that accept batches are offered.
#[component]
pub(super) fn Picker(chosen: Memo<String>, api: Load<Option<Summary>>) -> impl IntoView {
    let address = use_console().address;
    let choose = Callback::new(move |id: String| {
        address.replace(&routes::batch(&id));
    });
    let open = RwSignal::new(chosen.with_untracked(String::is_empty));
    let pick = Callback::new(move |id: String| {
        open.set(false);
        choose.run(id);
    });
    view! {
            <section class="card panel" aria-labelledby="picker-title">
                <h2 id="picker-title">"API"</h2>
                <Shown when=move || !open.get() fallback=move || view! { <Find pick=pick /> }>
                    <div class="picked">
                        {live(move || match api.good().flatten() {
                            Some(found) => view! { <Chosen api=found /> }.into_any(),
                            None => view! { <code>{chosen.get()}</code> }.into_any(),
                        })}
                        {button("btn btn-small", "Change", move || open.set(true))}
                    </div>
                    {live(move || {
    maybe(api.good().flatten().and_then(|api| caution(&api)), |text| {
    view! { <Notice tint=Tint::Amber><span>{text}</span></Notice> }.into_any()
    })
    })}
                </Shown>
            </section>
        }
}

/// Returns why a batch to this API may not run.
fn caution(api: &Summary) -> Option<&'static str> {
    match (api.batch, api.state.as_str()) {
        (false, _) => {
            Some("This API doesn't accept batches: \"enable_batch_request_support\" is not true.")
        }
        (true, "inactive") => Some("This API is inactive."),
        (true, "deleted") => Some("This API is deleted."),
        (true, _) if api.pending.is_some() => {
            Some("The stored definition is pending; the batch uses the served one.")
        }
        (true, _) => None,
    }
}

#[component]
fn Chosen(api: Summary) -> impl IntoView {
    view! {
        <div class="chosen">
            <span class="chosen-name">
                <strong>{if api.name.is_empty() { api.api_id.clone() } else { api.name.clone() }}</strong>
                <StateBadge state=api.state.clone() pending=api.pending.clone() problem=api.problem.clone() />
            </span>
            <code class="muted">{api.listen_path}</code>
        </div>
    }
}

#[component]
fn Find(pick: Callback<String>) -> impl IntoView {
    view! {
        <FindApi
            api=use_console().api
            label="Find an API that accepts batches"
            only=|api| api.batch
            nothing="No API that accepts batches matches. Set \"enable_batch_request_support\" to true in a definition."
            pick=pick
        />
    }
}
