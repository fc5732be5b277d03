//! One revision: its text, what restoring it would change, and restoring it.

use gatewright_model::json::readable;
use leptos::prelude::*;

use super::Archive;
use crate::api::{ApiError, Document, Revision};
use crate::components::{
    Bones, CopyButton, Dialog, Failure, LineDiff, button, failed_save, live, only, task_label,
};
use crate::state::Console;
use crate::state::load::Load;
use crate::state::task::Task;

/// A revision's text, and the stored text.
#[derive(Clone)]
struct Both {
    revision: Document,
    stored: Option<Document>,
}

/// The dialog.
#[component]
pub(super) fn RevisionDialog(
    console: Console,
    archive: Archive,
    revision: Revision,
    on_close: Callback<()>,
    on_restored: Callback<()>,
) -> impl IntoView {
    let number = revision.revision;
    let title = format!("Revision {number}");
    let both = Load::new(move || fetch(console, archive, number));
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    let restore = Callback::new(move |etag: Option<String>| {
        task.run(async move {
            match console
                .api
                .restore(&archive.path.get_value(), number, etag.as_deref())
                .await
            {
                Ok(etag) => {
                    let stored = etag.trim_matches('"').to_owned();
                    console
                        .toasts
                        .good(format!("Restored revision {number} as revision {stored}."));
                    on_restored.try_run(());
                }
                Err(ApiError::Stale(_)) => {
                    console
                        .toasts
                        .bad("Something else was saved meanwhile. Compare again before restoring.");
                    both.again();
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    });
    let body = move || {
        match both.get() {
        None => view! { <div class="dialog-body"><Bones rows=8 label="Loading the revision" /></div> }.into_any(),
        Some(Err(error)) => {
            view! { <div class="dialog-body"><Failure error=error on_retry=move |()| both.again() /></div> }.into_any()
        }
        Some(Ok(found)) => view! { <RevisionBody both=found restorable={!revision.current && !console.only_reads()} current=revision.current task=task restore=restore on_close=on_close /> }.into_any(),
    }
    };
    view! {
        <Dialog title=title class="wide" on_close=on_close>
            {failed_save(failure)}
            {live(body)}
        </Dialog>
    }
}

async fn fetch(console: Console, archive: Archive, number: u64) -> Result<Both, ApiError> {
    // The page may be gone afterwards, and `archive` with it.
    let Archive { path, derived, .. } = archive;
    let path = path.get_value();
    let revision = console.api.revision(&path, number).await?;
    match console.api.stored(&path).await {
        Ok(stored) => Ok(Both {
            revision,
            stored: Some(stored.without(derived)),
        }),
        Err(ApiError::Missing(_)) => Ok(Both {
            revision,
            stored: None,
        }),
        Err(error) => Err(error),
    }
}

#[component]
fn RevisionBody(
    both: Both,
    current: bool,
    restorable: bool,
    task: Task,
    restore: Callback<Option<String>>,
    on_close: Callback<()>,
) -> impl IntoView {
    let text = both.revision.text;
    let copied = text.clone();
    let etag = both.stored.as_ref().map(|stored| stored.etag.clone());
    let stored = both.stored.map(|stored| stored.text).unwrap_or_default();
    let comparison = only(!current, || {
        view! { <LineDiff before=stored after=text.clone() label="What restoring would change" /> }
            .into_any()
    });
    let restore_button = only(restorable, || {
        view! {
            <button type="button" class="btn btn-primary" disabled=move || task.busy() on:click=move |_| restore.run(etag.clone())>
                {task_label(task, "Restore this revision", "Restoring…")}
            </button>
        }
        .into_any()
    });
    view! {
        <div class="dialog-body">
            {comparison}
            <details class="whole" open=current>
                <summary>"The whole text"</summary>
                <pre class="code" tabindex="0" aria-label="Text of the revision">{readable(&text).into_owned()}</pre>
            </details>
        </div>
        <footer class="dialog-foot">
            <CopyButton text=Signal::derive(move || copied.clone()) label="Copy text" labelled=true />
            <span class="spacer"></span>
            {button("btn", "Close", move || on_close.run(()))}
            {restore_button}
        </footer>
    }
}
