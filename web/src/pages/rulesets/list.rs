//! The list of rulesets.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::filters::Filters;
use crate::api::dashboard::{Group, Ruleset};
use crate::components::{FileButton, FileDrop, Glyph, ListTools, PageHead, When, each};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, no_warning};
use crate::pages::list::{DocumentTable, First, Paged, RowMenu, Words, active_badge};
use crate::pages::needs::{to_new, writes};
use crate::routes;
use crate::state::listing::ORDERS;
use crate::state::{Console, files, use_console};

const WORDS: Words = Words {
    noun: "ruleset",
    loading: "Loading the rulesets",
    searched: "",
    first: First {
        glyph: Glyph::Rules,
        title: "No rulesets yet",
        text: "Write or upload rules for the documents of your APIs.",
        link: Some((routes::NEW_RULESET, "New ruleset")),
    },
};

/// What the page shows, and what may be done there.
#[derive(Clone, Copy)]
struct View {
    list: Paged<Ruleset>,
    deletion: Deletion,
    restore: Callback<Ruleset>,
}

/// The page.
#[component]
pub fn Rulesets() -> impl IntoView {
    let console = use_console();
    let list = Paged::<Ruleset>::open(console, routes::RULESETS, ORDERS);
    let deletion = Deletion::new(console, Callback::new(move |()| list.page.again()));
    let restore = Callback::new(move |ruleset: Ruleset| {
        spawn_local(async move {
            match console.api.undelete_ruleset(&ruleset.id).await {
                Ok(_) => console.toasts.good(format!("Restored “{}”.", ruleset.name)),
                Err(error) => console.toasts.failed(&error),
            }
            list.page.again();
        });
    });
    let upload = Callback::new(move |file| open_file(console, file));
    let view = View {
        list,
        deletion,
        restore,
    };
    let table = move |found| view! { <Table view=view found=found /> }.into_any();
    view! {
        <PageHead title="Rulesets" lead="Rules for the documents of your APIs. They are stored for tools that fetch them; the gateway itself checks nothing against them yet.">
            {writes(move || view! { <FileButton label="Upload" accept=".json,.yaml,.yml,application/json" on_file=upload /> }.into_any())}
            {to_new(routes::NEW_RULESET, "New ruleset")}
        </PageHead>
        {writes(move || view! { <FileDrop label="Drop a definition to make a ruleset of it" on_file=upload /> }.into_any())}
        <ListTools label="rulesets" placeholder="Search name or id" listing=list.listing on_change=list.show>
            <Filters listing=list.listing on_change=list.show />
        </ListTools>
        {list.results(&WORDS, table)}
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

/// Opens the page for a new ruleset with a file as its definition: nothing is stored unseen.
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
fn Table(view: View, found: Vec<Ruleset>) -> impl IntoView {
    let deleted = view
        .list
        .listing
        .with_untracked(|listing| listing.filter("deleted") == "true");
    let row = move |ruleset| view! { <Row view=view ruleset=ruleset deleted=deleted /> }.into_any();
    view! {
        <DocumentTable caption="Rulesets" columns=&["Name", "State", "Checks", "Categories", "Changed", "Actions"]>
            {each(found, row)}
        </DocumentTable>
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
            <td data-label="State">{active_badge(ruleset.active, "Inactive")}</td>
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
        let ruleset = StoredValue::new(ruleset);
        let restore = move |_| view.restore.run(ruleset.get_value());
        return writes(move || {
            view! {
                <button type="button" class="btn btn-small" on:click=restore>
                    "Restore"
                    <span class="visually-hidden">{format!(" {name}")}</span>
                </button>
            }
            .into_any()
        });
    }
    let href = routes::ruleset(&ruleset.id);
    let doomed = Doomed {
        group: Group::Rulesets,
        id: ruleset.id,
        name,
        means: super::RULESET.means,
        warns: no_warning,
    };
    view! { <RowMenu doomed=doomed href=href deletion=view.deletion /> }.into_any()
}
