//! Any two revisions of a document, side by side; both are in the address.

use leptos::prelude::*;

use super::ends::{EndsPicker, Options};
use crate::api::{ApiError, Revision};
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, LineDiff, PageHead, Shown, live, moment,
};
use crate::routes::{self, Compared};
use crate::state::ends::Ends;
use crate::state::load::Load;
use crate::state::task::Task;
use crate::state::{Memo, use_console};

/// Revisions per request; fewer in a response mean that there are no more.
const AT_ONCE: usize = 100;

/// The page.
#[component]
pub fn ComparePage(
    /// The kind of document.
    kind: &'static Compared,
    /// Its id.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let back = routes::compared(kind, &id);
    let path = StoredValue::new(format!("{}/{id}", kind.path));
    let newest = Load::new(move || {
        let path = path.get_value();
        async move { Ok::<_, ApiError>(console.api.revisions(&path, None).await?.revisions) }
    });
    let older = RwSignal::new(Vec::<Revision>::new());
    let complete = RwSignal::new(false);
    let all = Memo::new(move |_| {
        let mut all = newest.good().unwrap_or_default();
        all.extend(older.get());
        all
    });
    let options = Memo::new(move |_| options(&all.get()));
    let ends = Memo::new(move |_| {
        let numbers: Vec<u64> =
            options.with(|options| options.iter().map(|(own, _)| *own).collect());
        Ends::parse(&address.query()).or_newest(&numbers)
    });
    let choose = Callback::new(move |ends: Ends| {
        let path = untrack(|| address.path());
        address.replace(&ends.to_url(&path));
    });
    let task = Task::new();
    let fetch = move |_| {
        let before = all.with_untracked(|all| all.last().map(|revision| revision.revision));
        task.run(async move {
            match console.api.revisions(&path.get_value(), before).await {
                Ok(found) => {
                    complete.try_set(found.revisions.len() < AT_ONCE);
                    older.try_update(|older| older.extend(found.revisions));
                }
                Err(error) => console.toasts.bad(error.to_string()),
            }
        });
    };
    let has_older = move || !complete.get() && all.with(|all| all.len() >= AT_ONCE);
    let state = Memo::new(move |_| match newest.get() {
        None => 0,
        Some(Err(_)) => 1,
        Some(Ok(found)) if found.is_empty() => 2,
        Some(Ok(_)) => 3,
    });
    let body = move || {
        match (state.get(), untrack(|| newest.failed())) {
        (0, _) => view! { <Bones rows=8 label="Loading the revisions" /> }.into_any(),
        (1, Some(error)) => {
            view! { <Failure error=error on_retry=move |()| newest.again() /> }.into_any()
        }
        (2, _) => view! {
            <Empty glyph=Glyph::History title="No revisions">
                <p>"Every write keeps what was stored before it."</p>
            </Empty>
        }
        .into_any(),
        _ => view! {
            <EndsPicker options=options ends=ends on_choose=choose />
            <Shown when=has_older>
                <button type="button" class="btn btn-small" disabled=move || task.busy() on:click=fetch>"List older revisions"</button>
            </Shown>
            <Texts path=path ends=ends />
        }
        .into_any(),
    }
    };
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=kind.list>{kind.plural}</a>
            <Icon glyph=Glyph::Chevron />
            <a href=back><code>{id}</code></a>
        </nav>
        <PageHead title="Compare revisions" lead="Any two of them, as they were stored." />
        {live(body)}
    }
    .into_any()
}

/// Returns the revisions that have a text, each with its time and its author.
fn options(revisions: &[Revision]) -> Options {
    let with_text = revisions.iter().filter(|one| one.action != "deleted");
    let called = |one: &Revision| {
        let by = match one.by.as_str() {
            "" => String::new(),
            by => format!(" by {by}"),
        };
        let latest = if one.current { ", latest" } else { "" };
        let label = format!("#{}, {}{by}{latest}", one.revision, moment(&one.at));
        (one.revision, label)
    };
    with_text.map(called).collect()
}

/// The two texts.
#[component]
fn Texts(path: StoredValue<String>, ends: Memo<Ends>) -> impl IntoView {
    let console = use_console();
    let texts = Load::new(move || {
        let both = ends.get().both();
        let path = path.get_value();
        async move {
            let Some((from, to)) = both else {
                return Ok(None);
            };
            let before = console.api.revision(&path, from).await?.text;
            let after = console.api.revision(&path, to).await?.text;
            Ok::<_, ApiError>(Some((from, to, before, after)))
        }
    });
    let shown = move || {
        match texts.get() {
        None => view! { <Bones rows=8 label="Loading the two revisions" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| texts.again() /> }.into_any()
        }
        Some(Ok(None)) => ().into_any(),
        Some(Ok(Some((from, to, before, after)))) => {
            view! { <LineDiff before=before after=after label=format!("From revision {from} to revision {to}") /> }
                .into_any()
        }
    }
    };
    view! {
        <section aria-label="Differences" class="results" class:stale=move || texts.busy() && texts.good().is_some()>
            {live(shown)}
        </section>
    }
}
