//! A client identity provider that isn't stored yet.

use leptos::prelude::*;

use super::fields::{Edits, Fields, Form};
use crate::api::dashboard::Group;
use crate::components::{Glyph, Icon, PageHead, failed, task_label};
use crate::routes;
use crate::state::pretty::pretty;
use crate::state::task::Task;
use crate::state::use_console;

/// The initial document of a provider.
const BLANK: &str = "{}";

/// The page.
#[component]
pub fn NewClientIdp() -> impl IntoView {
    let console = use_console();
    let edits = RwSignal::new(Edits::default());
    let form = Form {
        stored: Signal::stored(BLANK.to_owned()),
        edits,
        failure: RwSignal::new(None),
    };
    let filled = move || edits.with(|edits| !edits.is_empty());
    console
        .address
        .hold_while(routes::NEW_CLIENT_IDP.to_owned(), filled);
    let task = Task::new();
    let store = move || {
        form.failure.set(None);
        let text = edits.with_untracked(|edits| edits.apply_to(BLANK));
        task.run(async move {
            let stored = match text {
                Ok(text) => {
                    let text = pretty(&text).unwrap_or(text);
                    console.api.add(Group::ClientIdps, &text).await
                }
                Err(error) => Err(error),
            };
            match stored {
                Ok(created) => {
                    console.address.release();
                    console.toasts.good(match created.issues.first() {
                        None => "Saved. Now say which scope gives which policy.".to_owned(),
                        Some(warning) => format!("Saved, with a warning: {}", warning.message),
                    });
                    console.address.go(&routes::client_idp(&created.id));
                }
                Err(error) => drop(form.failure.try_set(Some(error))),
            }
        });
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if untrack(|| form.complete() && !console.only_reads()) {
            store();
        }
    };
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::CLIENT_IDPS>"Client IdPs"</a>
            <Icon glyph=Glyph::Chevron />
            <span>"New"</span>
        </nav>
        <PageHead title="New provider" lead="Where your clients get their tokens. The mappings come afterwards." />
        <form class="card panel idp-form" on:submit=submit novalidate>
            {failed(form.failure)}
            <Fields form=form />
            <div class="row">
                <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !form.complete() || console.only_reads()>
                    {task_label(task, "Save", "Saving…")}
                </button>
                <a class="btn" href=routes::CLIENT_IDPS>"Cancel"</a>
            </div>
        </form>
    }
    .into_any()
}
