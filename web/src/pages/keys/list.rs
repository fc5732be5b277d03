//! The list of keys.

use leptos::prelude::*;

use super::filters::Filters;
use super::row::Row;
use crate::api::access::KeyRow;
use crate::api::group::Page;
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, ListSteps, ListTools, PageHead, each, live,
};
use crate::pages::deletion::{Deletion, DeletionDialog};
use crate::pages::sessions::Known;
use crate::routes;
use crate::state::access::KEY_ORDERS;
use crate::state::draft::plural;
use crate::state::listing::Listing;
use crate::state::load::Load;
use crate::state::use_console;

/// What the page shows, and what its parts may do.
#[derive(Clone, Copy)]
struct View {
    page: Load<Page<KeyRow>>,
    listing: Memo<Listing>,
    show: Callback<Listing>,
    deletion: Deletion,
    known: Known,
}

/// The page.
#[component]
pub fn Keys() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let listing = Memo::new(move |_| Listing::parse_with(KEY_ORDERS, &address.query()));
    let show = Callback::new(move |listing: Listing| {
        address.replace(&listing.to_url(routes::KEYS));
    });
    let page = Load::new(move || {
        let request = listing.with(Listing::to_request);
        async move {
            console
                .api
                .listed::<KeyRow>(&format!("view=summary&{request}"))
                .await
        }
    });
    let view = View {
        page,
        listing,
        show,
        deletion: Deletion::new(console, Callback::new(move |()| page.again())),
        known: Known::load(console),
    };
    view! {
        <PageHead title="Keys" lead="Who may use your APIs, and how much. What is stored takes effect at once.">
            <a class="btn btn-primary" href=routes::NEW_KEY>
                <Icon glyph=Glyph::Plus />
                "New key"
            </a>
        </PageHead>
        <ListTools label="keys" placeholder="Search alias, hash or tag" listing=listing on_change=show>
            <Filters listing=listing on_change=show known=view.known />
        </ListTools>
        <Results view=view />
        <DeletionDialog deletion=view.deletion />
    }
    .into_any()
}

#[component]
fn Results(view: View) -> impl IntoView {
    let View {
        page,
        listing,
        show,
        ..
    } = view;
    let shown = move || match page.get() {
        None => view! { <Bones rows=6 label="Loading the keys" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 => none(listing, show),
        Some(Ok(found)) => {
            let count = plural(usize::try_from(found.total).unwrap_or(usize::MAX), "key");
            view! {
                <Table view=view found=found.documents />
                <ListSteps count=count page=found.page pages=found.pages listing=listing on_change=show />
            }
            .into_any()
        }
    };
    let said = move || {
        let total = page.good().map(|found| found.total);
        total.map(|total| plural(usize::try_from(total).unwrap_or(usize::MAX), "key"))
    };
    view! {
        <section aria-label="Results" class="results" class:stale=move || page.busy() && page.good().is_some()>
            {live(shown)}
        </section>
        <p class="visually-hidden" role="status">{live(said)}</p>
    }
}

fn none(listing: Memo<Listing>, show: Callback<Listing>) -> AnyView {
    if listing.with_untracked(Listing::narrowed) {
        return view! {
            <Empty glyph=Glyph::Search title="No key matches">
                <button type="button" class="btn" on:click=move |_| show.run(Listing::new(KEY_ORDERS))>"Clear search and filters"</button>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty glyph=Glyph::Key title="No keys yet">
            <p>"APIs that are not keyless need one. Give it policies, or limits of its own."</p>
            <a class="btn btn-primary" href=routes::NEW_KEY>
                <Icon glyph=Glyph::Plus />
                "Make a key"
            </a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Table(view: View, found: Vec<KeyRow>) -> impl IntoView {
    let View {
        deletion, known, ..
    } = view;
    let row = move |key| view! { <Row key=key known=known deletion=deletion /> }.into_any();
    view! {
        <div class="card table-card">
            <table class="table docs-table">
                <caption class="visually-hidden">"Keys"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Alias"</th>
                        <th scope="col">"State"</th>
                        <th scope="col">"Policies"</th>
                        <th scope="col">"APIs"</th>
                        <th scope="col">"Tags"</th>
                        <th scope="col">"Changed"</th>
                        <th scope="col" class="col-actions">
                            <span class="visually-hidden">"Actions"</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{each(found, row)}</tbody>
            </table>
        </div>
    }
}
