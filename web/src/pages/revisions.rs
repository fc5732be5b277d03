//! The revisions of a document of either API, newest first.

mod one;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::Revision;
use crate::components::{
    Bones, ChangeBadge, Empty, Failure, Glyph, Icon, Shown, When, button, each, live, maybe, only,
};
use crate::routes;
use crate::state::clock::bytes;
use crate::state::load::Load;
use crate::state::use_console;
use one::RevisionDialog;

/// Revisions per request; fewer in a response mean that there are no more.
const AT_ONCE: usize = 100;

/// The revisions of one document.
#[derive(Clone, Copy)]
pub(super) struct Archive {
    /// The path of the document; its revisions are below it.
    pub(super) path: StoredValue<String>,
    /// Members computed on reading, which revisions don't have.
    pub(super) derived: &'static [&'static str],
    /// What is stored, as far as the page knows: the list is fetched again when it changes.
    pub(super) stored: Signal<String>,
    /// The revision that the gateway serves, if known.
    pub(super) served: Signal<Option<u64>>,
    /// Runs after a revision was restored.
    pub(super) restored: Callback<()>,
}

/// The list, shown on demand; for pages where it has no tab of its own.
#[component]
pub(super) fn FoldedRevisions(archive: Archive) -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <div class="history">
            <button type="button" class="btn btn-small" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                <Icon glyph=Glyph::History />
                {live(move || if open.get() { "Hide the revisions" } else { "Show the revisions" })}
            </button>
            <Shown when=move || open.get()>
                <RevisionList archive=archive />
            </Shown>
        </div>
    }
}

/// The list. It also works for a deleted document.
#[component]
pub(super) fn RevisionList(archive: Archive) -> impl IntoView {
    let console = use_console();
    let Archive { path, stored, .. } = archive;
    let newest = Load::new(move || {
        // A memo that is only tracked is never computed.
        stored.with(|_| ());
        let path = path.get_value();
        async move { console.api.revisions(&path, None).await }
    });
    let older = RwSignal::new(Vec::<Revision>::new());
    let shown = RwSignal::new(None::<Revision>);
    let restored = Callback::new(move |()| {
        shown.set(None);
        older.set(Vec::new());
        newest.again();
        archive.restored.run(());
    });
    let body = move || {
        match newest.get() {
        None => view! { <Bones rows=6 label="Loading the revisions" /> }.into_any(),
        Some(Err(error)) => view! { <Failure error=error on_retry=move |()| newest.again() /> }.into_any(),
        Some(Ok(found)) if found.revisions.is_empty() => {
            view! { <Empty glyph=Glyph::History title="No revisions"><p>"Every write keeps what was stored before it."</p></Empty> }.into_any()
        }
        Some(Ok(found)) => {
            let several = found.revisions.len() > 1;
            let all = move || found.revisions.iter().cloned().chain(older.get()).collect::<Vec<_>>();
            let rows = all.clone();
            view! {
                {only(several, || {
                    view! { <p class="row"><a class="btn btn-small" href=path.with_value(|path| routes::compare(path))>"Compare two of them"</a></p> }.into_any()
                })}
                <ol class="card revisions">
                    {live(move || each(rows(), |revision| view! { <RevisionRow revision=revision served=archive.served shown=shown /> }.into_any()))}
                </ol>
                <OlderButton path=path older=older all=Signal::derive(all) />
            }
                .into_any()
        }
    }
    };
    view! {
            <section aria-label="Revisions">{live(body)}</section>
            {live(move || {
                maybe(shown.get(), |revision| {
                    view! { <RevisionDialog console=console archive=archive revision=revision on_close=Callback::new(move |()| shown.set(None)) on_restored=restored /> }
    .into_any()
    })
            })}
        }
}

#[component]
fn RevisionRow(
    revision: Revision,
    served: Signal<Option<u64>>,
    shown: RwSignal<Option<Revision>>,
) -> impl IntoView {
    let number = revision.revision;
    let deleted = revision.action == "deleted";
    let current = revision.current;
    let open = revision.clone();
    let console = use_console();
    let says = move || {
        if current || console.only_reads() {
            "View"
        } else {
            "View & restore"
        }
    };
    view! {
           <li class="revision">
               <span class="revision-number">{format!("#{number}")}</span>
               <span class="revision-marks">
                   <ChangeBadge change=revision.action.clone() />
                   {only(current, || view! { <span class="badge badge-plain badge-live">"Latest"</span> }.into_any())}
                   {live(move || only(served.get() == Some(number), || view! { <span class="badge badge-plain badge-live">"Served"</span> }.into_any()))}
               </span>
               <span class="revision-when">
                   <When at=revision.at.clone() />
                   {only(!revision.by.is_empty(), || view! { <span class="muted small block">{format!("by {}", revision.by)}</span> }.into_any())}
               </span>
               <span class="muted small revision-size">{(!deleted).then(|| bytes(revision.bytes))}</span>
               <span class="revision-actions">
                   {only(!deleted, || {
    view! {
                               <button type="button" class="btn btn-small" on:click=move |_| shown.set(Some(open.clone()))>
                                   {live(says)}
                                   <span class="visually-hidden">{format!(" revision {number}")}</span>
                               </button>
    }
    .into_any()
    })}
               </span>
           </li>
       }
}

#[component]
fn OlderButton(
    path: StoredValue<String>,
    older: RwSignal<Vec<Revision>>,
    all: Signal<Vec<Revision>>,
) -> impl IntoView {
    let console = use_console();
    let complete = RwSignal::new(false);
    let fetch = move || {
        let before = all.with_untracked(|all| all.last().map(|revision| revision.revision));
        spawn_local(async move {
            match console.api.revisions(&path.get_value(), before).await {
                Ok(found) => {
                    complete.try_set(found.revisions.len() < AT_ONCE);
                    older.try_update(|older| older.extend(found.revisions));
                }
                Err(error) => console.toasts.bad(error.to_string()),
            }
        });
    };
    view! {
        <Shown when=move || !complete.get() && all.with(|all| all.len() >= AT_ONCE)>
            {button("btn", "Show older revisions", fetch)}
        </Shown>
    }
}
