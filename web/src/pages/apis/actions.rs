//! The actions on an API in the list.

use gatewright_model::json::laid_out;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::dashboard::Group;
use crate::api::{ApiError, Summary, api_path};
use crate::components::{Confirm, copy_text, live, maybe};
use crate::pages::used_by::{self, Used};
use crate::state::bulk::Kind;
use crate::state::bulk::change::{Change, change};
use crate::state::bulk::selection::Pick;
use crate::state::bulk::verb::Verb;
use crate::state::{Console, files};

/// The actions of a row.
#[derive(Clone, Copy)]
pub(in crate::pages) struct RowActions {
    console: Console,
    changed: Callback<()>,
    doomed: RwSignal<Option<Summary>>,
    /// Copies the id.
    pub(in crate::pages) copy_id: Callback<Summary>,
    /// Activates or deactivates it.
    pub(in crate::pages) toggle: Callback<Summary>,
    /// Asks for confirmation of its deletion.
    pub(in crate::pages) delete: Callback<Summary>,
    /// Restores the last revision of a deleted API.
    pub(in crate::pages) restore: Callback<Summary>,
    /// Saves its OpenAPI document as a file.
    pub(in crate::pages) export: Callback<Summary>,
}

impl RowActions {
    /// Creates the actions; `changed` runs after each write.
    pub(in crate::pages) fn new(console: Console, changed: Callback<()>) -> Self {
        let doomed = RwSignal::new(None);
        let after = move |outcome: Result<String, ApiError>| report(console, changed, outcome);
        Self {
            console,
            changed,
            doomed,
            copy_id: Callback::new(move |api: Summary| {
                spawn_local(async move {
                    if copy_text(&api.api_id).await {
                        console.toasts.good(format!("Copied {}.", api.api_id));
                    } else {
                        console.toasts.bad("The browser did not allow copying.");
                    }
                });
            }),
            toggle: Callback::new(move |api: Summary| {
                spawn_local(async move { after(toggle(console, &api).await) })
            }),
            delete: Callback::new(move |api: Summary| doomed.set(Some(api))),
            restore: Callback::new(move |api: Summary| {
                spawn_local(async move { after(restore_last(console, &api).await) });
            }),
            export: Callback::new(move |api: Summary| {
                spawn_local(async move {
                    if let Err(error) = export(console, &api).await {
                        console.toasts.failed(&error);
                    }
                });
            }),
        }
    }

    fn delete_now(self, api: Summary) {
        let Self {
            console, changed, ..
        } = self;
        spawn_local(async move {
            let etag = format!("\"{}\"", api.revision);
            let deleted = match Group::of_api(api.document) {
                Some(group) => console.api.remove(group, &api.api_id, &etag).await,
                None => console.api.delete(&api.api_id, &etag).await.map(drop),
            };
            match deleted {
                Ok(()) => {
                    let undo = move || {
                        let api = api.clone();
                        spawn_local(async move {
                            let restored = console
                                .api
                                .restore(&api_path(&api.api_id), api.revision, None)
                                .await;
                            report(
                                console,
                                changed,
                                restored.map(|_| format!("Restored “{}”.", api.title())),
                            );
                        });
                    };
                    let name = doomed_name(self);
                    console.toasts.offer(
                        format!("Deleted “{name}”. It takes effect with the next reload."),
                        undo,
                    );
                    console.wrote(changed);
                }
                Err(error) => report(console, changed, Err(error)),
            }
            self.doomed.try_set(None);
        });
    }
}

fn doomed_name(actions: RowActions) -> String {
    actions
        .doomed
        .try_get_untracked()
        .flatten()
        .map(|api| api.title().to_owned())
        .unwrap_or_default()
}

fn report(console: Console, changed: Callback<()>, outcome: Result<String, ApiError>) {
    match outcome {
        Ok(text) => console.toasts.good(text),
        Err(ApiError::Stale(_)) => console
            .toasts
            .bad("Somebody changed it meanwhile. The list shows it as it is now."),
        Err(error) => console.toasts.failed(&error),
    }
    console.wrote(changed);
}

/// Sets `active`, leaving every other byte of the definition as it is.
async fn toggle(console: Console, api: &Summary) -> Result<String, ApiError> {
    let group = Group::of_api(api.document);
    let stored = match group {
        Some(group) => console.api.fetch(group, &api.api_id).await?,
        None => console.api.document(&api.api_id).await?,
    };
    let (done, verb) = match api.active {
        true => ("Deactivated", Verb::Deactivate),
        false => ("Activated", Verb::Activate),
    };
    let name = api.title();
    let pick = Pick {
        id: api.api_id.clone(),
        name: name.to_owned(),
        document: api.document,
    };
    let text = match change(verb, Kind::Api, &pick, "", &stored.text, 0) {
        Change::Text(text, _) => text,
        Change::Already(why) => return Ok(format!("“{name}”: {why}")),
        Change::Cannot(what) => {
            return Err(ApiError::Unreadable {
                what,
                request_id: None,
            });
        }
    };
    match group {
        Some(group) => {
            let id = &api.api_id;
            console.api.put(group, id, &text, &stored.etag).await?;
        }
        None => drop(
            console
                .api
                .replace(&api.api_id, &text, &stored.etag)
                .await?,
        ),
    }
    Ok(format!(
        "{done} “{name}”. It takes effect with the next reload."
    ))
}

/// The newest revision that is not a deletion.
async fn restore_last(console: Console, api: &Summary) -> Result<String, ApiError> {
    let path = api_path(&api.api_id);
    let revisions = console.api.revisions(&path, None).await?.revisions;
    let Some(last) = revisions
        .iter()
        .find(|revision| revision.action != "deleted")
    else {
        return Ok(format!("“{}” has no revision to restore.", api.title()));
    };
    console.api.restore(&path, last.revision, None).await?;
    Ok(format!("Restored “{}”.", api.title()))
}

/// Saves the document of an API as a file, pretty-printed.
async fn export(console: Console, api: &Summary) -> Result<(), ApiError> {
    let Some(group) = Group::of_api(api.document) else {
        return Ok(());
    };
    let stored = console.api.fetch(group, &api.api_id).await?;
    let text = laid_out(&stored.text).unwrap_or(stored.text);
    if !files::save(&format!("{}.json", api.api_id), "application/json", &text) {
        console.toasts.bad("The browser refused to save the file.");
    }
    Ok(())
}

/// Asks for confirmation before an API is deleted.
#[component]
pub(in crate::pages) fn DeleteDialog(actions: RowActions) -> impl IntoView {
    let dialog = move |api: Summary| {
        let name = api.title().to_owned();
        let id = api.api_id.clone();
        let used = used_by::warning(Used::Api, &id);
        view! {
            <Confirm
                title=format!("Delete “{name}”?")
                label="Delete"
                danger=true
                on_confirm=Callback::new(move |()| actions.delete_now(api.clone()))
                on_cancel=Callback::new(move |()| actions.doomed.set(None))
            >
                <p>
                    "This deletes the definition of "<strong>{name}</strong>" (" <code>{id}</code>
                    "). If it is served now, it stays so until the next reload. It can be restored from its revisions."
                </p>
                {used}
            </Confirm>
        }
        .into_any()
    };
    live(move || maybe(actions.doomed.get(), dialog))
}
