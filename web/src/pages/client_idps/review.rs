//! The review before a patch is sent: the edge computes its result as well, without storing anything, and the two
//! results are compared.

use gatewright_model::Issue;
use leptos::prelude::*;

use super::conflict::StaleMappings;
use super::desk::{Desk, Difference};
use super::patch::{EffectCounts, changes};
use crate::api::dashboard::{Group, Preview};
use crate::api::{ApiError, Document};
use crate::components::{
    Bones, Dialog, Failure, LineDiff, Notice, Tint, button, each, failed_save, live, only,
};
use crate::state::load::Load;
use crate::state::mappings::{Mapping, Plan, expected};
use crate::state::task::Task;

/// The review, open as long as it is mounted.
#[component]
pub(super) fn ReviewDialog(desk: Desk) -> impl IntoView {
    let close = Callback::new(move |()| desk.reviewing.set(false));
    let checked = Load::new(move || {
        let (patch, etag) = (desk.patch.get_untracked(), desk.base().etag);
        async move { attempt(desk, &patch, &etag).await }
    });
    let sending = Sending::new(desk, checked);
    let body = move || {
        match checked.get() {
        None => view! { <div class="dialog-body"><Bones rows=6 label="Computing it at the edge" /></div> }.into_any(),
        Some(Err(error)) => {
            view! { <div class="dialog-body"><Failure error=error on_retry=move |()| checked.again() /></div> }.into_any()
        }
        Some(Ok(Attempt::Stale(theirs))) => {
            view! { <StaleMappings desk=desk theirs=theirs close=close /> }.into_any()
        }
        Some(Ok(Attempt::Works(preview))) => {
            view! { <Proposal desk=desk preview=preview sending=sending close=close /> }.into_any()
        }
    }
    };
    view! {
        <Dialog title="Review the patch" class="wide" on_close=close>
            {failed_save(sending.failure)}
            {live(body)}
        </Dialog>
    }
}

/// The result of trying the patch.
#[derive(Clone)]
enum Attempt {
    /// The edge's preview of the result.
    Works(Preview),
    /// The stored document, which is no longer the one that the patch is based on.
    Stale(Document),
}

async fn attempt(desk: Desk, patch: &str, etag: &str) -> Result<Attempt, ApiError> {
    let api = desk.console.api;
    match api.try_mappings(&desk.id(), patch, etag).await {
        Ok(preview) => Ok(Attempt::Works(preview)),
        Err(ApiError::Stale(_)) => {
            let theirs = api.fetch(Group::ClientIdps, &desk.id()).await?;
            Ok(Attempt::Stale(theirs))
        }
        Err(error) => Err(error),
    }
}

/// Sends the patch, and handles each possible outcome.
#[derive(Clone, Copy)]
struct Sending {
    task: Task,
    failure: RwSignal<Option<ApiError>>,
    work: Callback<()>,
}

impl Sending {
    fn new(desk: Desk, checked: Load<Attempt>) -> Self {
        let task = Task::new();
        let failure = RwSignal::new(None);
        let work = Callback::new(move |()| {
            failure.set(None);
            task.run(async move {
                let (patch, base) = (desk.patch.get_untracked(), desk.base());
                let api = desk.console.api;
                match api.patch_mappings(&desk.id(), &patch, &base.etag).await {
                    Ok(stored) => stored_now(desk, &patch, &base, stored),
                    // Somebody else saved between the review and the save: review again.
                    Err(ApiError::Stale(_)) => checked.again(),
                    Err(error) => drop(failure.try_set(Some(error))),
                }
            });
        });
        Self {
            task,
            failure,
            work,
        }
    }
}

/// Takes over the stored document, after comparing it with the result that the same functions compute here.
fn stored_now(desk: Desk, patch: &str, base: &Document, stored: Document) {
    let expected = expected(&base.text, patch, &stored.text).unwrap_or_default();
    let same = expected == stored.text;
    let revision = stored.revision().unwrap_or_default();
    desk.difference.try_set((!same).then(|| Difference {
        expected,
        stored: stored.text.clone(),
    }));
    desk.begin_from(stored);
    desk.discard();
    desk.reviewing.try_set(false);
    if same {
        desk.console.toasts.good(format!(
            "Saved as revision {revision}, exactly as previewed."
        ));
    } else {
        desk.console.toasts.bad(format!(
            "Saved as revision {revision}, but it differs from the preview."
        ));
    }
}

/// A patch that can be sent.
#[component]
fn Proposal(desk: Desk, preview: Preview, sending: Sending, close: Callback<()>) -> impl IntoView {
    let doomed = desk.plan.with_untracked(Plan::removed);
    let confirmed = RwSignal::new(doomed.is_empty());
    let label = if doomed.is_empty() {
        "Save"
    } else {
        "Delete and save"
    };
    let ours = expected(
        &desk.base().text,
        &desk.patch.get_untracked(),
        &preview.document,
    );
    let (ours, theirs) = (ours.unwrap_or_default(), preview.document);
    // White space around a document inside a response belongs to the response.
    let same = ours.trim() == theirs.trim();
    view! {
        <div class="dialog-body">
            <EffectCounts plan=desk.plan />
            {only(!preview.issues.is_empty(), || view! { <Warnings issues=preview.issues /> }.into_any())}
            {only(!doomed.is_empty(), || view! { <Deletions doomed=doomed confirmed=confirmed /> }.into_any())}
            {untrack(|| changes(desk))}
            <Comparison same=same ours=ours theirs=theirs />
        </div>
        <footer class="dialog-foot">
            {button("btn", "Back", move || close.run(()))}
            <button
                type="button"
                class=if label == "Save" { "btn btn-primary" } else { "btn btn-danger" }
                autofocus
                disabled=move || sending.task.busy() || !confirmed.get()
                on:click=move |_| sending.work.run(())
            >
                {live(move || if sending.task.busy() { "Saving…" } else { label })}
            </button>
        </footer>
    }
}

#[component]
fn Warnings(issues: Vec<Issue>) -> impl IntoView {
    let row =
        |issue: Issue| view! { <li>{issue.message}" "<code>{issue.pointer}</code></li> }.into_any();
    view! {
        <Notice tint=Tint::Amber>
            <div class="stack">
                <strong>"The gateway warns"</strong>
                <ul class="plain">{each(issues, row)}</ul>
            </div>
        </Notice>
    }
}

/// The mappings that will be deleted completely: named, and to be confirmed.
#[component]
fn Deletions(doomed: Vec<Mapping>, confirmed: RwSignal<bool>) -> impl IntoView {
    let names: Vec<String> = doomed.iter().map(|gone| gone.api_id.clone()).collect();
    let names = names.join(", ");
    let row = |gone: Mapping| {
        let scopes: Vec<String> = gone.scopes.into_iter().map(|scope| scope.name).collect();
        view! { <li><code>{gone.api_id}</code>" with "{if scopes.is_empty() { "no scopes".to_owned() } else { scopes.join(", ") }}</li> }.into_any()
    };
    view! {
        <Notice tint=Tint::Red>
            <div class="stack">
            <strong>"Whole mappings are deleted"</strong>
            <ul class="plain">{each(doomed, row)}</ul>
            <label class="check">
                <input type="checkbox" prop:checked=move || confirmed.get() on:change=move |event| confirmed.set(event_target_checked(&event)) />
                <span>{format!("Yes, delete the whole mapping of {names}")}</span>
            </label>
            </div>
        </Notice>
    }
}

#[component]
fn Comparison(same: bool, ours: String, theirs: String) -> impl IntoView {
    if same {
        return view! {
            <Notice tint=Tint::Green>
                <span>"The edge's preview is the same as this page's, byte for byte."</span>
            </Notice>
        }
        .into_any();
    }
    view! {
        <Notice tint=Tint::Red>
            <div class="stack">
            <strong>"The edge's preview differs from this page's."</strong>
            <LineDiff before=ours after=theirs label="From this page's preview to the edge's" />
            </div>
        </Notice>
    }
    .into_any()
}
