//! The review before saving: what is stored now against what would be stored.

use gatewright_model::definition::{Serving, serving};
use leptos::prelude::*;

use super::at_a_glance::glance;
use super::conflict::Conflict;
use super::desk::Desk;
use crate::api::{ApiError, Document, Modified};
use crate::components::{
    Bones, Dialog, Difference, Failure, Notice, Tint, button, failed_save, live, maybe, only,
    saved_with, task_label,
};
use crate::routes;
use crate::state::draft::{Review, changes_between};
use crate::state::load::Load;
use crate::state::task::Task;

/// The precondition of a save.
#[derive(Clone, Debug)]
pub(super) enum Save {
    /// Nothing may be stored under this id.
    Create,
    /// The stored document must have exactly this entity tag.
    Replace(String),
}

/// The review, open as long as it is mounted.
#[component]
pub(super) fn ReviewDialog(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let fresh = Load::new(move || {
        let id = desk.id();
        async move { fetch(console.api, id).await }
    });
    let failure = RwSignal::new(None::<ApiError>);
    let save = Saver::new(desk, fresh, failure);
    let close = Callback::new(move |()| desk.reviewing.set(false));
    let body = move || {
        match fresh.get() {
        None => view! { <div class="dialog-body"><Bones rows=6 label="Comparing with what is stored" /></div> }.into_any(),
        Some(Err(error)) => {
            view! { <div class="dialog-body"><Failure error=error on_retry=move |()| fresh.again() /></div> }.into_any()
        }
        Some(Ok(stored)) => review_body(desk, desk.draft_untracked().review(stored), save, close),
    }
    };
    view! {
        <Dialog title="Review the change" class="wide" on_close=close>
            {failed_save(failure)}
            {live(body)}
        </Dialog>
    }
}

/// Fetches what is stored now; `None` if nothing is.
async fn fetch(api: crate::api::Api, id: Option<String>) -> Result<Option<Document>, ApiError> {
    let Some(id) = id else { return Ok(None) };
    match api.document(&id).await {
        Ok(document) => Ok(Some(document)),
        Err(ApiError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn review_body(desk: Desk, review: Review, save: Saver, close: Callback<()>) -> AnyView {
    let mine = desk.draft_untracked().text;
    let before = review.before().to_owned();
    match review {
        Review::Same => view! {
            <div class="dialog-body"><p>"What is stored is the same as what you have: there is nothing to save."</p></div>
        }
        .into_any(),
        Review::Create => view! {
            <Proposal desk=desk before=before mine=mine how=Save::Create save=save close=close lead="A new API. Nothing is served before the next reload." />
        }
        .into_any(),
        Review::Update { stored } => view! {
            <Proposal desk=desk before=before mine=mine how=Save::Replace(stored.etag) save=save close=close lead="Compared with what is stored at this moment." />
        }
        .into_any(),
        Review::Gone { .. } => view! {
            <Proposal desk=desk before=String::new() mine=mine how=Save::Create save=save close=close lead="This API was deleted since you opened it. Saving restores it with your text." />
        }
        .into_any(),
        Review::Conflict { base, theirs } => {
            view! { <Conflict desk=desk base=base theirs=theirs save=save close=close /> }.into_any()
        }
    }
}

/// A change that can be stored.
#[component]
fn Proposal(
    desk: Desk,
    before: String,
    mine: String,
    how: Save,
    save: Saver,
    close: Callback<()>,
    lead: &'static str,
) -> impl IntoView {
    let changes = changes_between(&before, &mine);
    // A new API has no differences to show: what it will do says more than a text in green.
    let is_new = before.is_empty();
    let skipped = untrack(|| desk.definition()).and_then(|definition| {
        match serving(&definition, &untrack(|| desk.problems())) {
            Serving::Skipped(why) | Serving::Unenforced(why) => Some(format!("Not served: {why}.")),
            _ => None,
        }
    });
    let one_line = untrack(|| desk.stored_on_one_line());
    let how = StoredValue::new(how);
    let store = move || {
        save.run(how.get_value());
    };
    view! {
        <div class="dialog-body">
            <p class="muted">{lead}</p>
            {saved_with(&untrack(|| desk.problems()))}
            {maybe(skipped, |why| view! { <Notice tint=Tint::Amber><span>{why}</span></Notice> }.into_any())}
            {only(one_line, || view! { <p class="muted small">"It is stored on one line. With this change it is saved formatted."</p> }.into_any())}
            {if is_new {
                view! {
                    {glance(desk)}
                    <details class="whole">
                        <summary>"The whole text"</summary>
                        <Difference changes=changes before=before after=mine />
                    </details>
                }
                .into_any()
            } else {
                view! { <Difference changes=changes before=before after=mine /> }.into_any()
            }}
        </div>
        <footer class="dialog-foot">
            {button("btn", "Back to the editor", move || close.run(()))}
            <button type="button" class="btn btn-primary" autofocus disabled=move || save.task.busy() on:click=move |_| store()>
                {task_label(save.task, "Save", "Saving…")}
            </button>
        </footer>
    }
}

/// Stores the draft, and handles each possible outcome.
#[derive(Clone, Copy)]
pub(super) struct Saver {
    pub(super) task: Task,
    work: Callback<Save>,
}

impl Saver {
    fn new(desk: Desk, fresh: Load<Option<Document>>, failure: RwSignal<Option<ApiError>>) -> Self {
        let task = Task::new();
        let work = Callback::new(move |how: Save| {
            failure.set(None);
            task.run(async move {
                let text = desk.draft_untracked().text;
                match store(desk, &text, &how).await {
                    Ok(done) => {
                        announce(desk, &done);
                        let new = desk.id().is_none();
                        // The gateway knows more than the editor: filters and templates are read by the code that runs
                        // them.
                        desk.gateway_says(text.clone(), done.issues.clone());
                        desk.saved(text, &done);
                        if new {
                            desk.console.address.release();
                            desk.console.address.go(&routes::api(&done.key));
                        }
                    }
                    // Somebody else saved between the review and the save: review again.
                    Err(ApiError::Stale(_)) if desk.id().is_some() => fresh.again(),
                    Err(error) => {
                        if matches!(error, ApiError::Taken(_)) {
                            desk.neighbours.again();
                        }
                        if !error.issues().is_empty() {
                            desk.gateway_says(text, error.issues().to_vec());
                        }
                        failure.try_set(Some(error));
                    }
                }
            });
        });
        Self { task, work }
    }

    pub(super) fn run(self, how: Save) {
        if !self.task.busy_untracked() {
            self.work.run(how);
        }
    }
}

async fn store(desk: Desk, text: &str, how: &Save) -> Result<Modified, ApiError> {
    let api = desk.console.api;
    match (how, desk.id()) {
        (Save::Replace(etag), Some(id)) => api.replace(&id, text, etag).await,
        _ => api.create(text).await,
    }
}

fn announce(desk: Desk, done: &Modified) {
    let revision = done.etag.trim_matches('"');
    let text = if revision.is_empty() {
        "Saved.".to_owned()
    } else {
        format!("Saved as revision {revision}.")
    };
    desk.console.toasts.good(text);
}
