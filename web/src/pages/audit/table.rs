//! One page of the trail.

use leptos::prelude::*;

use super::tools::subject_label;
use crate::api::dashboard::trail::Entry;
use crate::components::{ChangeBadge, When, each, maybe, only};
use crate::pages::list::DocumentTable;
use crate::routes;
use crate::state::Memo;
use crate::state::trail::Trail;

/// The entries.
#[component]
pub(super) fn Table(entries: Vec<Entry>, trail: Memo<Trail>) -> impl IntoView {
    view! {
        <DocumentTable caption="Audit trail" columns=&["Entry", "Actor", "Action", "Document", "Revision", "When"]>
            {each(entries, |entry| view! { <Row entry=entry trail=trail /> }.into_any())}
        </DocumentTable>
    }
}

#[component]
fn Row(entry: Entry, trail: Memo<Trail>) -> impl IntoView {
    let seq = entry.seq;
    // Follows the filters, which may change while this page is still shown.
    let href = move || trail.with(|trail| trail.opened(Some(seq)).to_url(routes::AUDIT));
    let revision = revisions(&entry);
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href aria-label=format!("Entry {seq}")>{format!("#{seq}")}</a>
            </th>
            <td data-label="Actor">{entry.actor.clone()}</td>
            <td data-label="Action"><ChangeBadge change=done(&entry) /></td>
            <td data-label="Document"><Named entry=entry.clone() /></td>
            <td data-label="Revision">{revision}</td>
            <td data-label="When" class="cell-when"><When at=entry.at /></td>
        </tr>
    }
}

/// Returns the action for the badge; reloads and sign-ins have other words for it than documents.
pub(super) fn done(entry: &Entry) -> String {
    match (entry.subject.as_str(), entry.action.as_str()) {
        ("reload", _) => "reloaded".to_owned(),
        ("sign_in", "deleted") => "signed-out".to_owned(),
        ("sign_in", _) => "signed-in".to_owned(),
        (_, action) => action.to_owned(),
    }
}

/// Returns the revisions before and after. Those of a reload are generations, and its name says so; keys and
/// organisations keep none, and their numbers, which all of them share, would seem to jump.
pub(super) fn revisions(entry: &Entry) -> String {
    if matches!(entry.subject.as_str(), "reload" | "key" | "organisation") {
        return "–".to_owned();
    }
    match (entry.before, entry.after) {
        (None, None) => "–".to_owned(),
        (None, Some(after)) => after.to_string(),
        (Some(before), None) => format!("{before} → none"),
        (Some(before), Some(after)) => format!("{before} → {after}"),
    }
}

/// The subject of an entry, linked if it has a page.
#[component]
pub(super) fn Named(entry: Entry) -> impl IntoView {
    let (name, more) = match (entry.subject.as_str(), entry.name.as_str(), entry.after) {
        ("reload", more, Some(generation)) => (format!("Generation {generation}"), more),
        ("reload", more, None) => ("What is served".to_owned(), more),
        (_, "", _) => (entry.id.clone(), ""),
        (_, name, _) => (name.to_owned(), ""),
    };
    let more = (!more.is_empty()).then(|| more.to_owned());
    let gone = entry.action == "deleted";
    let named = match routes::document(&entry.subject, &entry.id, gone) {
        Some(href) => view! { <a href=href>{name}</a> }.into_any(),
        None => view! { <span>{name}</span> }.into_any(),
    };
    // The id of a policy's record is not the one that people know it by.
    let is_known = !entry.id.is_empty() && entry.subject != "policy";
    let id = is_known.then_some(entry.id);
    view! {
        <span class="audit-document">
            {named}
            <span class="cell-sub">
                <span class="muted small">{subject_label(&entry.subject)}</span>
                {maybe(more, |more| view! { <span class="muted small">{more}</span> }.into_any())}
                {maybe(id, |id| view! { <code class="api-id">{id}</code> }.into_any())}
            </span>
        </span>
    }
}

/// Links to older entries and back to the newest.
#[component]
pub(super) fn Steps(next: Option<u64>, trail: Memo<Trail>) -> impl IntoView {
    let to = move |before: Option<u64>| {
        trail.with_untracked(|trail| trail.page(before).to_url(routes::AUDIT))
    };
    let older = trail.with_untracked(Trail::is_older);
    view! {
        <nav class="paging" aria-label="Paging">
            <p class="muted">{if next.is_some() { "There are older entries." } else { "These are the oldest entries." }}</p>
            <div class="paging-steps">
                {only(older, || view! { <a class="btn btn-small" href=to(None)>"Newest"</a> }.into_any())}
                {maybe(next, |next| view! { <a class="btn btn-small" href=to(Some(next))>"Older"</a> }.into_any())}
            </div>
        </nav>
    }
}
