//! The review before saving: what is stored now against what would be stored.

use leptos::prelude::*;

use super::desk::{Desk, fetch};
use crate::api::dashboard::Created;
use crate::api::{ApiError, Document};
use crate::components::{
    Bones, Dialog, Difference, Failure, button, failed_save, live, saved_with, task_label,
};
use crate::pages::client_idps::{BothSides, Sides};
use crate::state::draft::{Draft, Review, as_read, changes_between};
use crate::state::load::Load;
use crate::state::rebase::rebase;
use crate::state::task::Task;

/// The review, open as long as it is mounted.
#[component]
pub(super) fn ReviewDialog(desk: Desk) -> impl IntoView {
    let fresh = Load::new(move || async move {
        let Some(id) = desk.id() else { return Ok(None) };
        match fetch(desk.console, desk.sort, &id).await {
            Err(ApiError::Missing(_)) => Ok(None),
            stored => stored.map(Some),
        }
    });
    let save = Saver {
        desk,
        fresh,
        task: Task::new(),
        failure: RwSignal::new(None),
    };
    let close = Callback::new(move |()| desk.reviewing.set(false));
    let body = move || {
        match fresh.get() {
        None => {
            view! { <div class="dialog-body"><Bones rows=6 label="Comparing with what is stored" /></div> }.into_any()
        }
        Some(Err(error)) => {
            view! { <div class="dialog-body"><Failure error=error on_retry=move |()| fresh.again() /></div> }.into_any()
        }
        Some(Ok(stored)) => found(save, desk.compare(stored), close),
    }
    };
    view! {
        <Dialog title="Review the change" class="wide" on_close=close>
            {failed_save(save.failure)}
            {live(body)}
        </Dialog>
    }
}

fn found(save: Saver, review: Review, close: Callback<()>) -> AnyView {
    let note = |text: String| view! { <div class="dialog-body"><p>{text}</p></div> }.into_any();
    match review {
        Review::Same => note("What is stored is the same as what you have.".to_owned()),
        Review::Gone { .. } => note(format!(
            "This {} was deleted since you opened it. Restore it first; your text stays here.",
            save.desk.sort.noun
        )),
        Review::Create => view! { <Proposal save=save stored=None close=close /> }.into_any(),
        Review::Update { stored } => {
            view! { <Proposal save=save stored=Some(stored) close=close /> }.into_any()
        }
        Review::Conflict { base, theirs } => {
            view! { <Conflict desk=save.desk base=base theirs=theirs close=close /> }.into_any()
        }
    }
}

/// A change that can be stored.
#[component]
fn Proposal(save: Saver, stored: Option<Document>, close: Callback<()>) -> impl IntoView {
    let mine = untrack(|| save.desk.text());
    let lead = match &stored {
        None => format!("A new {}.", save.desk.sort.noun),
        Some(_) => "Compared with what is stored at this moment.".to_owned(),
    };
    let does = match stored {
        None => untrack(|| (save.desk.sort.does)(save.desk)),
        Some(_) => None,
    };
    let problems = untrack(|| save.desk.problems());
    let etag = StoredValue::new(stored.as_ref().map(|stored| stored.etag.clone()));
    let before = stored.map(|stored| as_read(&stored.text).into_owned());
    let before = before.unwrap_or_default();
    let changes = changes_between(&before, &mine);
    view! {
        <div class="dialog-body">
            <p class="muted">{lead}</p>
            {saved_with(&problems)}
            {match does {
                // A text in green says less than what it will do.
                Some(does) => view! {
                    <p>{does}</p>
                    <details class="whole">
                        <summary>"The whole text"</summary>
                        <Difference changes=changes before=before after=mine />
                    </details>
                }
                .into_any(),
                None => view! { <Difference changes=changes before=before after=mine /> }.into_any(),
            }}
        </div>
        <footer class="dialog-foot">
            {button("btn", "Back to the editor", move || close.run(()))}
            <button type="button" class="btn btn-primary" autofocus disabled=move || save.task.busy() on:click=move |_| save.run(etag.get_value())>
                {task_label(save.task, "Save", "Saving…")}
            </button>
        </footer>
    }
}

/// Somebody else stored something since editing began.
#[component]
fn Conflict(desk: Desk, base: Document, theirs: Document, close: Callback<()>) -> impl IntoView {
    let mine = untrack(|| desk.text());
    let sides = Sides::of(&base, &theirs, &mine);
    let theirs = StoredValue::new(theirs);
    let discard = move || {
        desk.put(Draft::of(theirs.get_value()));
        close.run(());
    };
    let carry_over = move |_| {
        let theirs = theirs.get_value();
        match rebase(&base.text, &mine, &theirs.text) {
            Ok(done) => {
                desk.put(Draft::with(Some(theirs), done.text.clone()));
                desk.rebased.set(Some(done));
                close.run(());
            }
            Err(_) => desk
                .console
                .toasts
                .bad("One of the texts is not JSON, so the changes can't be carried over."),
        }
    };
    view! {
        <BothSides sides=sides />
        <footer class="dialog-foot">
            {button("btn btn-quiet", "Discard mine", discard)}
            <span class="spacer"></span>
            <button type="button" class="btn btn-primary" autofocus on:click=carry_over>"Rebase onto theirs"</button>
        </footer>
    }
}

/// Stores the draft, and handles each possible outcome.
#[derive(Clone, Copy)]
struct Saver {
    desk: Desk,
    fresh: Load<Option<Document>>,
    task: Task,
    failure: RwSignal<Option<ApiError>>,
}

impl Saver {
    /// Replaces exactly the document with this entity tag; without one it creates a document.
    fn run(self, etag: Option<String>) {
        self.failure.set(None);
        self.task.run(async move {
            let text = untrack(|| self.desk.text());
            let stored = match (self.desk.id(), etag) {
                (Some(id), Some(etag)) => self.replace(&id, &text, &etag).await,
                _ => self.create(&text).await,
            };
            match stored {
                Ok(()) => {}
                // Somebody else saved between the review and the save: review again.
                Err(ApiError::Stale(_)) if self.desk.id().is_some() => self.fresh.again(),
                Err(error) => {
                    self.desk.edge_says(text, &error);
                    // What others have may be why.
                    self.desk.again.notify();
                    self.failure.try_set(Some(error));
                }
            }
        });
    }

    /// Fetches the document after storing it: the dashboard writes members of its own.
    async fn replace(self, id: &str, text: &str, etag: &str) -> Result<(), ApiError> {
        let Desk { console, sort, .. } = self.desk;
        console.api.put(sort.group, id, text, etag).await?;
        console.board.again();
        let stored = fetch(console, sort, id).await?;
        let revision = stored.revision().unwrap_or_default();
        console
            .toasts
            .good(format!("Saved as revision {revision}."));
        self.desk.saved(stored);
        Ok(())
    }

    async fn create(self, text: &str) -> Result<(), ApiError> {
        let Desk { console, sort, .. } = self.desk;
        let Created {
            id, issues, secret, ..
        } = console.api.add(sort.group, text).await?;
        console.board.again();
        console.toasts.good(match issues.first() {
            None => "Saved.".to_owned(),
            Some(warning) => format!("Saved, with a warning: {}", warning.message),
        });
        match secret {
            Some(secret) => self.desk.show_secret(secret, id),
            None => self.desk.go_to(&id),
        }
        Ok(())
    }
}
