//! The button that selects everything a list finds, on all its pages.

use leptos::prelude::*;

use crate::api::access::KeyRow;
use crate::api::{Api, ApiError};
use crate::components::{live, maybe};
use crate::pages::{apis, keys};
use crate::state::Memo;
use crate::state::bulk::Kind;
use crate::state::bulk::matching::Matching;
use crate::state::bulk::report::why;
use crate::state::bulk::selection::{Pick, json};
use crate::state::task::Task;

/// The button, shown while more matches than is selected.
#[component]
pub(super) fn SelectAll(
    /// The client.
    api: Api,
    /// The kind of the documents.
    kind: Kind,
    /// The selected documents.
    picks: Memo<Vec<Pick>>,
    /// Everything that the list finds.
    matching: Memo<Option<Matching>>,
    /// Selects documents, as JSON.
    on_select: Callback<String>,
) -> impl IntoView {
    let task = Task::new();
    let failure = RwSignal::new(String::new());
    // The last selection made this way, and how many documents it had.
    let done = RwSignal::new(None::<(Matching, usize)>);
    let offered = Memo::new(move |_| {
        let so = done.get();
        let has = |matching: &Matching| {
            so.is_some_and(|(of, count)| of == *matching && picks.with(Vec::len) >= count)
        };
        matching.get().filter(|matching| !has(matching))
    });
    let listed = matching;
    let select = move |wanted: Matching| {
        failure.set(String::new());
        task.run(async move {
            let found = all(api, kind, &wanted).await;
            match found {
                // The list may have changed by now.
                Ok(found) if listed.try_get_untracked().flatten().as_ref() == Some(&wanted) => {
                    done.try_set(Some((wanted, found.len())));
                    on_select.try_run(json(&found));
                }
                Ok(_) => {}
                Err(error) => drop(failure.try_set(why(&error))),
            }
        });
    };
    let button = move |matching: Matching| {
        let label = matching.label();
        let press = move |_| select(matching.clone());
        view! {
            <button type="button" class="btn btn-small" disabled=move || task.busy() on:click=press>
                {live(move || if task.busy() { "Looking for them…".to_owned() } else { label.clone() })}
            </button>
        }
        .into_any()
    };
    view! {
        {live(move || maybe(offered.get(), button))}
        <span class="field-problem" role="status">{live(move || failure.get())}</span>
    }
}

/// Fetches everything that a list finds, up to the maximum selected at once.
async fn all(api: Api, kind: Kind, matching: &Matching) -> Result<Vec<Pick>, ApiError> {
    let mut found = Vec::new();
    for query in matching.requests() {
        match kind {
            Kind::Api => {
                let page = api.summaries(&query).await?;
                let there = page.apis.iter().filter(|api| apis::selectable(api));
                found.extend(there.map(apis::pick));
            }
            Kind::Key => {
                let page = api.listed::<KeyRow>(&query).await?;
                found.extend(page.documents.iter().map(keys::pick));
            }
            // Policies are all on one page.
            Kind::Policy => {}
        }
    }
    found.truncate(usize::try_from(matching.wanted()).unwrap_or(usize::MAX));
    Ok(found)
}
