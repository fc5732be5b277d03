//! The fields of a stored provider, with a save button of their own: they replace the document, while the mappings are
//! patched.

use leptos::prelude::*;

use super::conflict::StaleFields;
use super::desk::Desk;
use super::fields::{Edits, Fields};
use crate::api::dashboard::Group;
use crate::api::{ApiError, Document};
use crate::components::{Dialog, button, failed, live, maybe, only, task_label};
use crate::state::task::Task;

/// The card.
#[component]
pub(super) fn Details(desk: Desk) -> impl IntoView {
    let form = desk.form;
    let edited = move || form.edits.with(|edits| !edits.is_empty());
    let task = Task::new();
    let stale = RwSignal::new(None::<Document>);
    let store = move || {
        let base = desk.base();
        let text = form
            .edits
            .with_untracked(|edits| edits.apply_to(&base.text));
        form.failure.set(None);
        task.run(async move {
            match put(desk, text, &base.etag).await {
                Ok(document) => {
                    let revision = document.revision().unwrap_or_default();
                    form.edits.try_set(Edits::default());
                    desk.begin_from(document);
                    desk.console
                        .toasts
                        .good(format!("Saved as revision {revision}."));
                }
                Err(ApiError::Stale(_)) => {
                    let api = desk.console.api;
                    match api.fetch(Group::ClientIdps, &desk.id()).await {
                        Ok(theirs) => drop(stale.try_set(Some(theirs))),
                        Err(error) => drop(form.failure.try_set(Some(error))),
                    }
                }
                Err(error) => drop(form.failure.try_set(Some(error))),
            }
        });
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if untrack(|| edited() && form.complete() && !desk.console.only_reads()) {
            store();
        }
    };
    let close = Callback::new(move |()| stale.set(None));
    let conflict = move |theirs: Document| {
        view! {
            <Dialog title="Changed by somebody else" class="wide" on_close=close>
                <StaleFields desk=desk theirs=theirs close=close />
            </Dialog>
        }
        .into_any()
    };
    let buttons = move || {
        only(edited(), || {
            view! {
                <div class="row">
                    <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !form.complete() || desk.console.only_reads()>
                        {task_label(task, "Save details", "Saving…")}
                    </button>
                    {button("btn", "Undo", move || form.edits.set(Edits::default()))}
                </div>
            }
            .into_any()
        })
    };
    view! {
        <form class="card panel idp-form" aria-labelledby="details-title" on:submit=submit novalidate>
            <h2 id="details-title">"Details"</h2>
            {failed(form.failure)}
            <Fields form=form />
            {live(buttons)}
        </form>
        {live(move || maybe(stale.get(), conflict))}
    }
}

async fn put(desk: Desk, text: Result<String, ApiError>, etag: &str) -> Result<Document, ApiError> {
    let api = desk.console.api;
    api.put(Group::ClientIdps, &desk.id(), &text?, etag).await
}
