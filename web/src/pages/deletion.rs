//! Deletes a document: after confirmation, and with an undo where its revisions are kept.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::ApiError;
use crate::api::dashboard::Group;
use crate::components::{Confirm, live, maybe};
use crate::state::Console;

/// A document that may be deleted.
#[derive(Clone, Debug)]
pub struct Doomed {
    /// Its kind.
    pub group: Group,
    /// Its internal id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// What its deletion means for others, in one sentence.
    pub means: &'static str,
    /// Further warnings about the document with an id.
    pub warns: fn(&str) -> AnyView,
}

/// No further warnings.
pub fn no_warning(_: &str) -> AnyView {
    ().into_any()
}

/// Returns the words for deleting a document: the action and its result. A key is revoked, because others hold it.
#[must_use]
pub const fn verb_forms(group: Group) -> (&'static str, &'static str) {
    match group {
        Group::Keys => ("Revoke", "Revoked"),
        _ => ("Delete", "Deleted"),
    }
}

/// Deletes documents after confirmation.
#[derive(Clone, Copy)]
pub struct Deletion {
    console: Console,
    doomed: RwSignal<Option<Doomed>>,
    changed: Callback<()>,
}

impl Deletion {
    /// Creates it; `changed` runs after each deletion, and after each undo.
    pub fn new(console: Console, changed: Callback<()>) -> Self {
        Self {
            console,
            doomed: RwSignal::new(None),
            changed,
        }
    }

    /// Asks for confirmation of a deletion.
    pub fn ask(self, doomed: Doomed) {
        self.doomed.set(Some(doomed));
    }

    fn carry_out(self, doomed: Doomed) {
        spawn_local(async move {
            match remove(self.console, &doomed).await {
                Ok(revision) => self.offer_undo(doomed, revision),
                Err(error) => self.console.toasts.failed(&error),
            }
            self.doomed.try_set(None);
            self.console.wrote(self.changed);
        });
    }

    fn offer_undo(self, doomed: Doomed, revision: Option<u64>) {
        let text = format!("{} “{}”.", verb_forms(doomed.group).1, doomed.name);
        let Some(revision) = revision.filter(|_| doomed.group.keeps_revisions()) else {
            return self.console.toasts.good(text);
        };
        self.console.toasts.offer(text, move || {
            let doomed = doomed.clone();
            spawn_local(async move {
                let api = self.console.api;
                match api
                    .restore(&doomed.group.past_of(&doomed.id), revision, None)
                    .await
                {
                    Ok(_) => self
                        .console
                        .toasts
                        .good(format!("Restored “{}”.", doomed.name)),
                    Err(error) => self.console.toasts.failed(&error),
                }
                self.console.wrote(self.changed);
            });
        });
    }
}

/// Deletes what is stored now, and returns its revision.
async fn remove(console: Console, doomed: &Doomed) -> Result<Option<u64>, ApiError> {
    let stored = console.api.fetch(doomed.group, &doomed.id).await?;
    console
        .api
        .remove(doomed.group, &doomed.id, &stored.etag)
        .await?;
    Ok(stored.revision())
}

/// The confirmation dialog, once per page, whichever document it is about.
#[component]
pub fn DeletionDialog(
    /// The deletion to confirm.
    deletion: Deletion,
) -> impl IntoView {
    let dialog = move |doomed: Doomed| {
        let name = doomed.name.clone();
        let means = doomed.means;
        let more = (doomed.warns)(&doomed.id);
        let verb = verb_forms(doomed.group).0;
        view! {
            <Confirm
                title=format!("{verb} “{name}”?")
                label=verb
                danger=true
                on_confirm=Callback::new(move |()| deletion.carry_out(doomed.clone()))
                on_cancel=Callback::new(move |()| deletion.doomed.set(None))
            >
                <p>{means}</p>
                {more}
            </Confirm>
        }
        .into_any()
    };
    live(move || maybe(deletion.doomed.get(), dialog))
}
