//! The list of APIs.

mod actions;
mod paging;
mod row;
mod table;
mod toolbar;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::api::SummaryPage;
use crate::components::{
    Bones, Empty, Failure, FileDrop, Glyph, Icon, Notice, PageHead, Shown, Tint, live,
};
use crate::routes;
use crate::state::Console;
use crate::state::draft::plural;
use crate::state::files;
use crate::state::filters::Filters;
use crate::state::load::Load;
use crate::state::use_console;
pub(super) use actions::{DeleteDialog, RowActions};
use paging::Paging;
use table::ApiTable;
use toolbar::Toolbar;

/// The page.
#[component]
pub fn Apis() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let filters = Memo::new(move |_| Filters::parse(&address.query()));
    let set_filters = Callback::new(move |filters: Filters| {
        let query = filters.to_query();
        let url = if query.is_empty() {
            routes::APIS.to_owned()
        } else {
            format!("{}?{query}", routes::APIS)
        };
        address.replace(&url);
    });
    let page = Load::new(move || {
        let request = filters.with(Filters::to_request);
        async move { console.api.summaries(&request).await }
    });
    let actions = RowActions::new(console, Callback::new(move |()| page.again()));
    view! {
        <PageHead title="APIs" lead="Definitions as they are stored. A reload makes the gateway serve them.">
            <a class="btn" href=routes::IMPORT>
                <Icon glyph=Glyph::Import />
                "Import"
            </a>
            <a class="btn btn-primary" href=routes::NEW_API>
                <Icon glyph=Glyph::Plus />
                "New API"
            </a>
        </PageHead>
        <FileDrop label="Drop an OpenAPI document to import it" on_file=Callback::new(move |file| import_file(console, file)) />
        <PendingNotice />
        <Toolbar filters=filters set_filters=set_filters page=page />
        <Results filters=filters set_filters=set_filters page=page actions=actions />
        <DeleteDialog actions=actions />
    }
    .into_any()
}

/// Goes to the import with a file that was dropped here.
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

/// Says what is stored and not loaded, and leads to the reload.
#[component]
fn PendingNotice() -> impl IntoView {
    let board = use_console().board;
    let pending = move || board.good().map_or(0, |board| board.pending_total);
    view! {
        <Shown when=move || pending().ne(&0)>
            <Notice tint=Tint::Amber>
                <span>
                    {live(move || match pending() {
                        1 => "1 change is not loaded yet.".to_owned(),
                        count => format!("{count} changes are not loaded yet."),
                    })}
                </span>
                <a class="btn btn-small" href=routes::RELOAD>"Review & reload"</a>
            </Notice>
        </Shown>
    }
}

#[component]
fn Results(
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
    page: Load<SummaryPage>,
    actions: RowActions,
) -> impl IntoView {
    // What failed matters only as long as nothing newer came.
    let shown = move || match page.get() {
        None => view! { <Bones rows=10 label="Loading the APIs" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 && filters.with_untracked(Filters::narrowed) => {
            view! { <NoMatch set_filters=set_filters /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 => view! { <FirstApi /> }.into_any(),
        Some(Ok(found)) => view! {
            <ApiTable found=found.clone() filters=filters set_filters=set_filters actions=actions />
            <Paging found=found filters=filters set_filters=set_filters />
        }
        .into_any(),
    };
    let said = move || {
        page.good()
            .map(|found| plural(usize::try_from(found.total).unwrap_or(usize::MAX), "API"))
    };
    view! {
        <section aria-label="Results" class="results" class:stale=move || page.busy() && page.good().is_some()>
            {live(shown)}
        </section>
        <p class="visually-hidden" role="status">{live(said)}</p>
    }
}

#[component]
fn NoMatch(set_filters: Callback<Filters>) -> impl IntoView {
    view! {
        <Empty glyph=Glyph::Search title="No API matches">
            <p>"Search looks at name, id, listen path, domain, tags and target."</p>
            <button type="button" class="btn" on:click=move |_| set_filters.run(Filters::default())>"Clear search and filters"</button>
        </Empty>
    }
}

#[component]
fn FirstApi() -> impl IntoView {
    view! {
        <Empty glyph=Glyph::Apis title="No APIs yet">
            <p>"Paste a definition you have, begin with a small one, or let an OpenAPI document become one. It is checked while you type."</p>
            <div class="row">
                <a class="btn btn-primary" href=routes::NEW_API>
                    <Icon glyph=Glyph::Plus />
                    "Paste a definition"
                </a>
                <a class="btn" href=routes::IMPORT>
                    <Icon glyph=Glyph::Import />
                    "Import from OpenAPI"
                </a>
            </div>
        </Empty>
    }
}
