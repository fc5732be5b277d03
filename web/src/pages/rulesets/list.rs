//! The list of rulesets.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::filters::Filters;
use crate::api::dashboard::{Group, Page, Ruleset};
use crate::components::{
    Bones, Empty, Failure, FileButton, FileDrop, Glyph, Icon, ListSteps, ListTools, Menu, MenuItem,
    MenuLink, PageHead, When, each, live,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, no_warning};
use crate::routes;
use crate::state::draft::plural;
use crate::state::listing::Listing;
use crate::state::load::Load;
use crate::state::{Console, files, use_console};

/// What the page shows, and what its parts may do.
#[derive(Clone, Copy)]
struct View {
    page: Load<Page<Ruleset>>,
    listing: Memo<Listing>,
    show: Callback<Listing>,
    deletion: Deletion,
    restore: Callback<Ruleset>,
}

/// The page.
#[component]
pub fn Rulesets() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let listing = Memo::new(move |_| Listing::parse(&address.query()));
    let show = Callback::new(move |listing: Listing| {
        address.replace(&listing.to_url(routes::RULESETS));
    });
    let page = Load::new(move || {
        let request = listing.with(Listing::to_request);
        async move { console.api.listed::<Ruleset>(&request).await }
    });
    let deletion = Deletion::new(console, Callback::new(move |()| page.again()));
    let restore = Callback::new(move |ruleset: Ruleset| {
        spawn_local(async move {
            match console.api.undelete_ruleset(&ruleset.id).await {
                Ok(_) => console.toasts.good(format!("Restored “{}”.", ruleset.name)),
                Err(error) => console.toasts.bad(format!("{}: {error}", error.title())),
            }
            page.again();
        });
    });
    let upload = Callback::new(move |file| open_file(console, file));
    let view = View {
        page,
        listing,
        show,
        deletion,
        restore,
    };
    view! {
        <PageHead title="Rulesets" lead="Rules that the documents of your APIs are to keep.">
            <FileButton label="Upload" accept=".json,application/json" on_file=upload />
            <a class="btn btn-primary" href=routes::NEW_RULESET>
                <Icon glyph=Glyph::Plus />
                "New ruleset"
            </a>
        </PageHead>
        <FileDrop label="Drop a definition to make a ruleset of it" on_file=upload />
        <ListTools label="rulesets" placeholder="Search name or id" listing=listing on_change=show>
            <Filters listing=listing on_change=show />
        </ListTools>
        <Results view=view />
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

/// Goes to the page for a new ruleset with a file as its definition: nothing is stored unseen.
fn open_file(console: Console, file: File) {
    spawn_local(async move {
        match files::read(file).await {
            Ok(source) => {
                console.handover.give_source(source);
                console.address.go(routes::NEW_RULESET);
            }
            Err(why) => console.toasts.bad(why),
        }
    });
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
        None => view! { <Bones rows=6 label="Loading the rulesets" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 => none(listing, show),
        Some(Ok(found)) => {
            let total = usize::try_from(found.total).unwrap_or(usize::MAX);
            let count = plural(total, "ruleset");
            view! {
                <Table view=view found=found.documents />
                <ListSteps count=count page=found.page pages=found.pages listing=listing on_change=show />
            }
            .into_any()
        }
    };
    view! {
        <section aria-label="Results" class="results" class:stale=move || page.busy() && page.good().is_some()>
            {live(shown)}
        </section>
    }
}

fn none(listing: Memo<Listing>, show: Callback<Listing>) -> AnyView {
    if listing.with_untracked(Listing::narrowed) {
        return view! {
            <Empty glyph=Glyph::Search title="No ruleset matches">
                <button type="button" class="btn" on:click=move |_| show.run(Listing::default())>"Clear search and filters"</button>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty glyph=Glyph::Rules title="No rulesets yet">
            <p>"Write or upload the rules that the documents of your APIs are to keep."</p>
            <a class="btn btn-primary" href=routes::NEW_RULESET>
                <Icon glyph=Glyph::Plus />
                "Add a ruleset"
            </a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Table(view: View, found: Vec<Ruleset>) -> impl IntoView {
    let deleted = view
        .listing
        .with_untracked(|listing| listing.filter("deleted") == "true");
    let row = move |ruleset| view! { <Row view=view ruleset=ruleset deleted=deleted /> }.into_any();
    view! {
        <div class="card table-card">
            <table class="table docs-table">
                <caption class="visually-hidden">"Rulesets"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"State"</th>
                        <th scope="col">"Checks"</th>
                        <th scope="col">"Categories"</th>
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

#[component]
fn Row(view: View, ruleset: Ruleset, deleted: bool) -> impl IntoView {
    let href = routes::ruleset(&ruleset.id);
    let name = ruleset.name.clone();
    let heading = if deleted {
        view! { <span>{name}</span> }.into_any()
    } else {
        view! { <a href=href>{name}</a> }.into_any()
    };
    let (class, state) = if ruleset.active {
        ("badge badge-plain badge-live", "Active")
    } else {
        ("badge badge-plain", "Inactive")
    };
    let categories = match ruleset.categories.as_slice() {
        [] => view! { <span class="muted">"None"</span> }.into_any(),
        names => names.join(", ").into_any(),
    };
    let checks = format!("{}, {}", ruleset.resource_type, ruleset.action);
    view! {
        <tr>
            <th scope="row" class="cell-name">
                {heading}
                <span class="cell-sub"><code class="api-id">{ruleset.ruleset_id.clone()}</code></span>
            </th>
            <td data-label="State"><span class=class>{state}</span></td>
            <td data-label="Checks">{checks}</td>
            <td data-label="Categories">{categories}</td>
            <td data-label="Changed" class="cell-when"><When at=ruleset.last_updated.clone() /></td>
            <td class="col-actions"><RowActions view=view ruleset=ruleset deleted=deleted /></td>
        </tr>
    }
}

#[component]
fn RowActions(view: View, ruleset: Ruleset, deleted: bool) -> impl IntoView {
    let name = ruleset.name.clone();
    if deleted {
        let restore = move |_| view.restore.run(ruleset.clone());
        return view! {
            <button type="button" class="btn btn-small" on:click=restore>
                "Restore"
                <span class="visually-hidden">{format!(" {name}")}</span>
            </button>
        }
        .into_any();
    }
    let href = routes::ruleset(&ruleset.id);
    let doomed = StoredValue::new(Doomed {
        group: Group::Rulesets,
        id: ruleset.id,
        name: ruleset.name,
        means: super::RULESET.means,
        warns: no_warning,
    });
    let delete = Callback::new(move |()| view.deletion.ask(doomed.get_value()));
    view! {
        <Menu label=format!("Actions for {name}")>
            <MenuLink glyph=Glyph::Edit label="Edit" href=href.clone() />
            <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=delete />
        </Menu>
    }
    .into_any()
}
