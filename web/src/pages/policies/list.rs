//! The list of policies.

use gatewright_model::policy::Policy;
use leptos::prelude::*;

use super::POLICY;
use crate::api::access::StoredPolicy;
use crate::api::dashboard::Group;
use crate::components::{Empty, Glyph, Icon, MenuLink, PageHead, SearchField, each, live};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed};
use crate::pages::list::{DocumentTable, First, RowMenu, active_badge, results};
use crate::routes;
use crate::state::access::{quota_words, rate_words};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::use_console;

const FIRST: First = First {
    glyph: Glyph::Policy,
    title: "No policies yet",
    text: "A policy says once what many keys may do: which APIs, how fast, how much.",
    link: Some((routes::NEW_POLICY, "Write a policy")),
};

/// The page.
#[component]
pub fn Policies() -> impl IntoView {
    let console = use_console();
    let stored = Load::new(move || async move { console.api.policies().await });
    let deletion = Deletion::new(console, Callback::new(move |()| stored.again()));
    let typed = RwSignal::new(String::new());
    let shown = move |found: Vec<StoredPolicy>| {
        if found.is_empty() {
            return FIRST.view();
        }
        view! { <Found found=found typed=typed deletion=deletion /> }.into_any()
    };
    view! {
        <PageHead title="Policies" lead="Limits and rights that many keys share. What is stored takes effect with a reload.">
            <a class="btn btn-primary" href=routes::NEW_POLICY>
                <Icon glyph=Glyph::Plus />
                "New policy"
            </a>
        </PageHead>
        {results(stored, "Loading the policies", shown)}
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

#[component]
fn Found(found: Vec<StoredPolicy>, typed: RwSignal<String>, deletion: Deletion) -> impl IntoView {
    let found = StoredValue::new(found);
    let matches = move || {
        let sought = typed.get().trim().to_lowercase();
        let answers = |policy: &&StoredPolicy| {
            [&policy.id, &policy.name]
                .iter()
                .any(|text| text.to_lowercase().contains(&sought))
        };
        found.with_value(|found| found.iter().filter(answers).cloned().collect::<Vec<_>>())
    };
    let rows = move || {
        let matches = matches();
        if matches.is_empty() {
            return view! { <Empty glyph=Glyph::Search title="No policy matches"><p>"Search looks at names and ids."</p></Empty> }.into_any();
        }
        let count = plural(matches.len(), "policy");
        view! {
            <Table found=matches deletion=deletion />
            <p class="muted small">{count}</p>
        }
        .into_any()
    };
    let search = Callback::new(move |text| typed.set(text));
    view! {
        <div class="toolbar list-tools" role="search" aria-label="policies">
            <SearchField label="Search policies" placeholder="Search name or id" value=typed on_input=search />
        </div>
        {live(rows)}
    }
}

#[component]
fn Table(found: Vec<StoredPolicy>, deletion: Deletion) -> impl IntoView {
    let row = move |policy| view! { <Row policy=policy deletion=deletion /> }.into_any();
    view! {
        <DocumentTable caption="Policies" columns=&["Name", "State", "Rate", "Quota", "APIs", "Actions"]>
            {each(found, row)}
        </DocumentTable>
    }
}

#[component]
fn Row(policy: StoredPolicy, deletion: Deletion) -> impl IntoView {
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
            <th scope="row" class="cell-name">
                <a href=href>{policy.name}</a>
                <span class="cell-sub"><code class="api-id">{policy.id}</code></span>
            </th>
            <td data-label="State">{active_badge(!read.is_inactive, "Inactive")}</td>
            <td data-label="Rate">{rate_words(read.limit.rate)}</td>
            <td data-label="Quota">{quota_words(&read.limit)}</td>
            <td data-label="APIs">{plural(read.apis.len(), "API")}</td>
            <td class="col-actions">
                <RowMenu doomed=doomed href=edit deletion=deletion>
                    <MenuLink glyph=Glyph::Key label="Keys that have it" href=keys.clone() />
                </RowMenu>
            </td>
        </tr>
    }
}
