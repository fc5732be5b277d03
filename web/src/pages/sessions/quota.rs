//! The current state of a session's quotas.

use leptos::prelude::*;

use super::Known;
use crate::components::{Bones, Failure, Moment, each, live, maybe};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::access::{QuotaState, called, quota_states};
use crate::state::chart::count;
use crate::state::load::Load;

/// The card. It refreshes whenever something is stored, or on demand.
#[component]
pub(in crate::pages) fn QuotaCard(
    /// The session's page.
    desk: Desk,
    /// The names of APIs.
    known: Known,
) -> impl IntoView {
    let base = Memo::new(move |_| desk.base());
    let now = Load::new(move || {
        // Storing changes what is left. A memo that is only tracked is never computed.
        base.with(|_| ());
        desk.again.track();
        let id = desk.id().unwrap_or_default();
        async move {
            let document = desk.console.api.fetch(desk.sort.group, &id).await?;
            Ok(quota_states(&document.text))
        }
    });
    let shown = move || match now.get() {
        None => view! { <Bones rows=2 label="Loading the quota" /> }.into_any(),
        Some(Err(error)) => view! { <Failure error=error /> }.into_any(),
        Some(Ok(quota_states)) if quota_states.is_empty() => {
            view! { <p class="muted">"It has no quota."</p> }.into_any()
        }
        Some(Ok(quota_states)) => each(quota_states, |quota| {
            view! { <Gauge quota=quota known=known /> }.into_any()
        })
        .into_any(),
    };
    view! {
        <section class="card panel" aria-labelledby="quota-title">
            <div class="card-head">
                <h2 id="quota-title">"Quota"</h2>
                <button type="button" class="btn btn-small" disabled=move || now.busy() on:click=move |_| now.again()>
                    "Refresh"<span class="visually-hidden">" the quota"</span>
                </button>
            </div>
            <div class="stack" role="status">{live(shown)}</div>
        </section>
    }
}

#[component]
fn Gauge(quota: QuotaState, known: Known) -> impl IntoView {
    let QuotaState {
        api_id,
        max,
        remaining,
        renews,
    } = quota;
    let of = api_id.clone();
    let name = move || match &of {
        None => "All APIs together".to_owned(),
        Some(id) => called(&known.apis(), id),
    };
    let shown = |number: i64| count(number.unsigned_abs());
    let left = format!("{} of {} left", shown(remaining), shown(max));
    view! {
        <div class="gauge">
            <p>
                <span>{live(name)}</span>
                <strong>{left.clone()}</strong>
            </p>
            <meter min="0" max=max.to_string() low=(max / 5).to_string() value=remaining.to_string() aria-label=left></meter>
            {maybe(renews, |at| view! { <p class="muted small">"Resets "<Moment seconds=at /></p> }.into_any())}
        </div>
    }
}
