//! The list of keys.

use leptos::prelude::*;

use super::filters::Filters;
use super::row::{Row, pick};
use crate::api::access::KeyRow;
use crate::components::{Glyph, ListTools, PageHead, Rows, Selection, SelectionBar, live};
use crate::pages::deletion::{Deletion, DeletionDialog};
use crate::pages::list::{DocumentTable, First, Paged, SELECTED, Words};
use crate::pages::needs::{to_new, writes};
use crate::pages::sessions::Known;
use crate::routes;
use crate::state::access::{KEY_ORDERS, identified};
use crate::state::bulk::Kind;
use crate::state::bulk::matching::Matching;
use crate::state::{effect, use_console};

const WORDS: Words = Words {
    noun: "key",
    loading: "Loading the keys",
    searched: "Policy, API id and tag must match completely.",
    first: First {
        glyph: Glyph::Key,
        title: "No keys yet",
        text: "APIs that are not keyless need one. Give it policies, or limits of its own.",
        link: Some((routes::NEW_KEY, "New key")),
    },
};

/// The page.
#[component]
pub fn Keys() -> impl IntoView {
    let console = use_console();
    let known = Known::load(console);
    // Whoever filters by policy may type its name, which is what the list shows.
    let list = Paged::<KeyRow>::open_as(console, routes::KEYS, KEY_ORDERS, move |listing| {
        listing.with_filter("policy", |given| identified(&known.policies(), given))
    });
    let deletion = Deletion::new(console, Callback::new(move |()| list.page.again()));
    let selection = Selection::new(Kind::Key);
    effect(move || {
        let found = list.page.good().unwrap_or_default();
        let all = Matching {
            total: found.total,
            query: list.request.get_untracked(),
        };
        selection.show(found.documents.iter().map(pick).collect(), all);
    });
    let changed = Callback::new(move |()| list.page.again());
    let rows = Rows::opening();
    let table = move |found| {
        view! { <Table found=found rows=rows known=known deletion=deletion selection=selection /> }
            .into_any()
    };
    view! {
        <PageHead title="Keys" lead="Who may use your APIs, and how much. What is stored takes effect at once.">
            {to_new(routes::NEW_KEY, "New key")}
        </PageHead>
        <ListTools label="keys" placeholder="Search alias, hash or tag" listing=list.listing on_change=list.show>
            <Filters listing=list.listing on_change=list.show known=known />
        </ListTools>
        {writes(move || view! { <SelectionBar selection=selection on_change=changed /> }.into_any())}
        {list.results(&WORDS, table)}
        <p class="visually-hidden" role="status">{live(move || list.count(WORDS.noun))}</p>
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

#[component]
fn Table(
    found: Vec<KeyRow>,
    rows: Rows,
    known: Known,
    deletion: Deletion,
    selection: Selection,
) -> impl IntoView {
    let row = move |key| {
        view! { <Row key=key known=known deletion=deletion selection=selection /> }.into_any()
    };
    view! {
        <DocumentTable caption="Keys" columns=&[SELECTED, "Alias", "State", "Policies", "APIs", "Tags", "Changed", "Actions"]>
            {rows.of(found.into_iter().map(row))}
        </DocumentTable>
    }
}
