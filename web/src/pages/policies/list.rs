//! The list of policies.

use gatewright_model::order::sorted;
use gatewright_model::policy::Policy;
use leptos::prelude::*;

use super::POLICY;
use crate::api::access::StoredPolicy;
use crate::api::dashboard::Group;
use crate::components::{
    Empty, Glyph, MenuLink, PageHead, SearchField, Selection, SelectionBar, Shown, each,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed};
use crate::pages::list::{DocumentTable, First, RowMenu, SELECTED, active_badge, results};
use crate::pages::needs::{to_new, writes};
use crate::routes;
use crate::state::access::{quota_words, rate_words};
use crate::state::bulk::Kind;
use crate::state::bulk::matching::Matching;
use crate::state::bulk::selection::Pick;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::sought::{Sought, lowered};
use crate::state::{effect, use_console};

const FIRST: First = First {
    glyph: Glyph::Policy,
    title: "No policies yet",
    text: "A policy says once what many keys may do: which APIs, how fast, how much.",
    link: Some((routes::NEW_POLICY, "New policy")),
};

/// The page.
#[component]
pub fn Policies() -> impl IntoView {
    let console = use_console();
    let stored = Load::new(move || async move { console.api.policies().await });
    let deletion = Deletion::new(console, Callback::new(move |()| stored.again()));
    let typed = RwSignal::new(String::new());
    let selection = Selection::new(Kind::Policy);
    effect(move || {
        let found = matching(stored.good().unwrap_or_default(), &typed.get());
        // Policies are all on one page.
        selection.show(found.iter().map(pick).collect(), Matching::default());
    });
    let changed = Callback::new(move |()| {
        console.board.again();
        stored.again();
    });
    let shown = move |found: Vec<StoredPolicy>| {
        if found.is_empty() {
            return FIRST.view();
        }
        let found = matching(found, &typed.get());
        if found.is_empty() {
            return view! { <Empty glyph=Glyph::Search title="No policy matches"><p>"Search looks at names and ids."</p></Empty> }.into_any();
        }
        let count = plural(found.len(), "policy");
        view! {
            <Table found=found deletion=deletion selection=selection />
            <p class="muted small">{count}</p>
        }
        .into_any()
    };
    let search = Callback::new(move |text| typed.set(text));
    view! {
        <PageHead title="Policies" lead="Limits and rights that many keys share. What is stored takes effect with a reload.">
            {to_new(routes::NEW_POLICY, "New policy")}
        </PageHead>
        <Shown when=move || stored.good().is_some_and(|found| !found.is_empty())>
            <div class="toolbar list-tools" role="search" aria-label="policies">
                <SearchField label="Search policies" placeholder="Search name or id" value=typed on_input=search />
            </div>
        </Shown>
        {writes(move || view! { <SelectionBar selection=selection on_change=changed /> }.into_any())}
        {results(stored, "Loading the policies", shown)}
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

/// Returns the policies whose name or id contains the search text, by name.
fn matching(mut found: Vec<StoredPolicy>, sought: &str) -> Vec<StoredPolicy> {
    let sought = Sought::of(sought);
    found.retain(|policy| sought.is_in([&policy.id, &policy.name]));
    sorted(found, |policy| lowered(&policy.name))
}

/// Returns a policy as a selectable row.
fn pick(policy: &StoredPolicy) -> Pick {
    Pick {
        id: policy.id.clone(),
        name: policy.name.clone(),
        document: None,
    }
}

#[component]
fn Table(found: Vec<StoredPolicy>, deletion: Deletion, selection: Selection) -> impl IntoView {
    let row = move |policy| {
        view! { <Row policy=policy deletion=deletion selection=selection /> }.into_any()
    };
    view! {
        <DocumentTable caption="Policies" columns=&[SELECTED, "Name", "State", "Rate", "Quota", "APIs", "Actions"]>
            {each(found, row)}
        </DocumentTable>
    }
}

#[component]
fn Row(policy: StoredPolicy, deletion: Deletion, selection: Selection) -> impl IntoView {
    let select = selection.cell(pick(&policy));
    let read = Policy::parse(&policy.text).unwrap_or_default();
    let href = routes::policy(&policy.id);
    let edit = href.clone();
    let keys = routes::keys_of(&policy.id);
    let doomed = Doomed {
        group: Group::Policies,
        id: policy.id.clone(),
        name: policy.name.clone(),
        means: POLICY.means,
        warns: POLICY.warns,
    };
    view! {
        <tr>
            {select}
            <th scope="row" class="cell-name">
                <a href=href>{policy.name}</a>
                <span class="cell-sub"><code class="api-id">{policy.id}</code></span>
            </th>
            <td data-label="State">{active_badge(!read.is_inactive, "Inactive")}</td>
            <td data-label="Rate" class="policy-limit">{rate_words(read.limit.rate)}</td>
            <td data-label="Quota" class="policy-limit">{quota_words(&read.limit)}</td>
            <td data-label="APIs" class="policy-limit">{plural(read.apis.len(), "API")}</td>
            <td class="col-actions">
                <RowMenu doomed=doomed href=edit deletion=deletion>
                    <MenuLink glyph=Glyph::Key label="Keys that have it" href=keys.clone() />
                </RowMenu>
            </td>
        </tr>
    }
}
