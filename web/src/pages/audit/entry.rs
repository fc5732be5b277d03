//! One entry of the trail with its changes.

use leptos::prelude::*;

use super::table::{Named, done, revisions};
use super::tools::is_compared;
use crate::api::dashboard::trail::EntryDetails;
use crate::components::{
    Bones, ChangeBadge, ChangeList, CopyButton, Dialog, Failure, Notice, Tint, When, live, maybe,
};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::use_console;

/// The entry's dialog, open as long as it is mounted.
#[component]
pub(super) fn OpenEntry(seq: u64, on_close: Callback<()>) -> impl IntoView {
    let console = use_console();
    let deed = Load::new(move || async move { console.api.audit_entry(seq).await });
    let body = move || match deed.get() {
        None => view! { <Bones rows=4 label="Loading the entry" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| deed.again() /> }.into_any()
        }
        Some(Ok(deed)) => view! { <Facts deed=deed /> }.into_any(),
    };
    view! {
        <Dialog title=format!("Entry {seq}") class="wide" on_close=on_close>
            <div class="dialog-body">{live(body)}</div>
        </Dialog>
    }
}

#[component]
fn Facts(deed: EntryDetails) -> impl IntoView {
    let EntryDetails { entry, changes } = deed;
    let compared = is_compared(&entry.subject);
    let what = match (compared, changes.is_empty()) {
        (false, _) => view! {
            <Notice tint=Tint::Blue><span>"An entry of this kind has no document to compare."</span></Notice>
        }
        .into_any(),
        (true, true) => view! { <p class="muted">"No field has changed."</p> }.into_any(),
        (true, false) => view! {
            <h3>{plural(changes.len(), "field")}" changed"</h3>
            <ChangeList changes=changes />
        }
        .into_any(),
    };
    let revision = revisions(&entry);
    let (address, agent) = (entry.ip_address.clone(), entry.user_agent.clone());
    let request = entry.request_id.clone();
    view! {
        <dl class="audit-facts">
            <div><dt>"Actor"</dt><dd>{entry.actor.clone()}</dd></div>
            <div><dt>"Action"</dt><dd><ChangeBadge change=done(&entry) /></dd></div>
            <div><dt>"Revision"</dt><dd>{revision}</dd></div>
            <div><dt>"When"</dt><dd><When at=entry.at.clone() /><code class="block small">{entry.at.clone()}</code></dd></div>
            <div><dt>"Document"</dt><dd><Named entry=entry /></dd></div>
            {maybe(address, |address| view! { <div><dt>"IP address"</dt><dd>{address}</dd></div> }.into_any())}
            {maybe(request, request_id)}
            {maybe(agent, |agent| view! { <div class="whole"><dt>"User agent"</dt><dd>{agent}</dd></div> }.into_any())}
        </dl>
        {what}
    }
}

fn request_id(id: String) -> AnyView {
    let copied = id.clone();
    view! {
        <div class="whole">
            <dt>"Request id"</dt>
            <dd class="row">
                <span>{id}</span>
                <CopyButton text=Signal::stored(copied) label="Copy the request id" />
            </dd>
        </div>
    }
    .into_any()
}
