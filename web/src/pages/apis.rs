//! The list of APIs, and the lists of OpenAPI APIs and MCP proxies.

mod actions;
pub mod face;
mod paging;
mod row;
mod table;
mod toolbar;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::api::{Summary, SummaryPage};
use crate::components::{
    Bones, Empty, Failure, FileDrop, Glyph, Notice, PageHead, Rows, Selection, SelectionBar, Shown,
    Tint, button, live, only,
};
use crate::pages::needs::writes;
use crate::routes;
use crate::state::Console;
use crate::state::bulk::Kind;
use crate::state::bulk::matching::Matching;
use crate::state::bulk::selection::Pick;
use crate::state::draft::plural;
use crate::state::files;
use crate::state::filters::Filters;
use crate::state::load::Load;
use crate::state::{Memo, effect, use_console};
pub(super) use actions::{DeleteDialog, RowActions};
use face::Face;
use paging::Paging;
use table::ApiTable;
use toolbar::Toolbar;

/// The page.
#[component]
pub fn Apis(
    /// Which list it is.
    face: &'static Face,
) -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let filters = Memo::new(move |_| Filters::parse(&address.query()));
    let set_filters = Callback::new(move |wanted: Filters| {
        let turns = filters.with_untracked(|shown| wanted.is_page_of(shown));
        let query = wanted.to_query();
        let url = if query.is_empty() {
            face.path.to_owned()
        } else {
            format!("{}?{query}", face.path)
        };
        address.show(&url, turns);
    });
    let page = Load::new(move || {
        let request = filters.with(Filters::to_request) + face.query();
        async move { console.api.summaries(&request).await }
    });
    let actions = RowActions::new(console, Callback::new(move |()| page.again()));
    let selection = Selection::new(Kind::Api);
    effect(move || {
        let found = page.good().unwrap_or_default();
        let there = found.apis.iter().filter(|api| selectable(api));
        let all = Matching {
            total: found.total,
            query: filters.with_untracked(Filters::to_request) + face.query(),
        };
        selection.show(there.map(pick).collect(), all);
    });
    let changed = Callback::new(move |()| {
        console.board.again();
        page.again();
    });
    view! {
        <PageHead title=face.title lead=face.lead>{face.create_links()}</PageHead>
        {only(face.document.is_none(), || writes(move || view! {
            <FileDrop label="Drop an OpenAPI document to import it" on_file=Callback::new(move |file| import_file(console, file)) />
        }.into_any()))}
        <PendingNotice />
        <Toolbar face=face filters=filters set_filters=set_filters page=page />
        {writes(move || view! { <SelectionBar selection=selection on_change=changed /> }.into_any())}
        <Results face=face filters=filters set_filters=set_filters page=page actions=actions selection=selection />
        <DeleteDialog actions=actions />
    }
    .into_any()
}

/// The state of a deleted API: only its revisions are left.
const DELETED: &str = "deleted";

/// Whether an API can be selected.
pub(super) fn selectable(api: &Summary) -> bool {
    api.state != DELETED
}

/// Returns an API as a selectable row.
pub(super) fn pick(api: &Summary) -> Pick {
    Pick {
        id: api.api_id.clone(),
        name: api.title().to_owned(),
        document: api.document,
    }
}

/// Opens the import with a file that was dropped here.
fn import_file(console: Console, file: File) {
    spawn_local(async move {
        match files::read(file).await {
            Ok(source) => {
                console.handover.give_source(source);
                console.address.go(routes::IMPORT);
            }
            Err(trouble) => console.toasts.bad(trouble),
        }
    });
}

/// Reports what is pending, with a link to the reload.
#[component]
fn PendingNotice() -> impl IntoView {
    let board = use_console().board;
    let pending = move || board.good().map_or(0, |board| board.pending_total);
    view! {
        <Shown when=move || pending().ne(&0)>
            <Notice tint=Tint::Amber>
                <span>
                    {live(move || match pending() {
                        1 => "1 change is pending.".to_owned(),
                        count => format!("{count} changes are pending."),
                    })}
                </span>
                <a class="btn btn-small" href=routes::RELOAD>"Review & reload"</a>
            </Notice>
        </Shown>
    }
}

#[component]
fn Results(
    face: &'static Face,
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
    page: Load<SummaryPage>,
    actions: RowActions,
    selection: Selection,
) -> impl IntoView {
    let rows = Rows::opening();
    // An old failure only matters as long as no newer result has arrived.
    let shown = move || {
        match page.get() {
        None => view! { <Bones rows=10 label="Loading the APIs" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 && filters.with_untracked(Filters::narrowed) => {
            view! { <NoMatch face=face set_filters=set_filters /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 => face.first(),
        Some(Ok(found)) => view! {
            <ApiTable face=face found=found.clone() rows=rows filters=filters set_filters=set_filters actions=actions selection=selection />
            <Paging found=found filters=filters set_filters=set_filters />
        }
        .into_any(),
    }
    };
    let status = move || {
        page.good().map(|found| {
            plural(
                usize::try_from(found.total).unwrap_or(usize::MAX),
                face.noun,
            )
        })
    };
    view! {
        <section aria-label="Results" class="results" class:stale=move || page.busy() && page.good().is_some()>
            {live(shown)}
        </section>
        <p class="visually-hidden" role="status">{live(status)}</p>
    }
}

#[component]
fn NoMatch(face: &'static Face, set_filters: Callback<Filters>) -> impl IntoView {
    view! {
        <Empty glyph=Glyph::Search title=format!("No {} matches", face.noun)>
            <p>"Search looks at name, id, listen path, domain, tags and target."</p>
            {button("btn", "Clear search and filters", move || set_filters.run(Filters::default()))}
        </Empty>
    }
}
