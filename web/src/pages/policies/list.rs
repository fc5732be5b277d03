//! The list of policies.

use gatewright_model::policy::Policy;
use leptos::prelude::*;

use super::POLICY;
use crate::api::access::StoredPolicy;
use crate::api::dashboard::Group;
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, Menu, MenuItem, MenuLink, PageHead, each, live,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed};
use crate::routes;
use crate::state::access::{quota_words, rate_words};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::use_console;

/// The page.
#[component]
pub fn Policies() -> impl IntoView {
    let console = use_console();
    let stored = Load::new(move || async move { console.api.policies().await });
    let deletion = Deletion::new(console, Callback::new(move |()| stored.again()));
    let typed = RwSignal::new(String::new());
    let shown = move || match stored.get() {
        None => view! { <Bones rows=5 label="Loading the policies" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| stored.again() /> }.into_any()
        }
        Some(Ok(found)) if found.is_empty() => none(),
        Some(Ok(found)) => view! { <Found found=found typed=typed deletion=deletion /> }.into_any(),
    };
    view! {
        <PageHead title="Policies" lead="Limits and rights that many keys share. What is stored takes effect with a reload.">
            <a class="btn btn-primary" href=routes::NEW_POLICY>
                <Icon glyph=Glyph::Plus />
                "New policy"
            </a>
        </PageHead>
        <section aria-label="Results" class="results" class:stale=move || stored.busy() && stored.good().is_some()>
            {live(shown)}
        </section>
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

fn none() -> AnyView {
    view! {
        <Empty glyph=Glyph::Policy title="No policies yet">
            <p>"A policy says once what many keys may do: which APIs, how fast, how much."</p>
            <a class="btn btn-primary" href=routes::NEW_POLICY>
                <Icon glyph=Glyph::Plus />
                "Write a policy"
            </a>
        </Empty>
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
    view! {
        <div class="toolbar list-tools" role="search" aria-label="policies">
            <div class="search">
                <Icon glyph=Glyph::Search />
                <input
                    id="search"
                    type="search"
                    class="input"
                    aria-label="Search policies"
                    placeholder="Search name or id"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || typed.get()
                    on:input=move |event| typed.set(event_target_value(&event))
                />
                <kbd aria-hidden="true">"/"</kbd>
            </div>
        </div>
        {live(rows)}
    }
}

#[component]
fn Table(found: Vec<StoredPolicy>, deletion: Deletion) -> impl IntoView {
    let row = move |policy| view! { <Row policy=policy deletion=deletion /> }.into_any();
    view! {
        <div class="card table-card">
            <table class="table docs-table">
                <caption class="visually-hidden">"Policies"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"State"</th>
                        <th scope="col">"Rate"</th>
                        <th scope="col">"Quota"</th>
                        <th scope="col">"APIs"</th>
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
fn Row(policy: StoredPolicy, deletion: Deletion) -> impl IntoView {
    let read = Policy::parse(&policy.text).unwrap_or_default();
    let (class, state) = if read.is_inactive {
        ("badge badge-plain", "Inactive")
    } else {
        ("badge badge-plain badge-live", "Active")
    };
    let href = routes::policy(&policy.id);
    let edit = href.clone();
    let menu = format!("Actions for {}", policy.name);
    let keys = routes::keys_of(&policy.id);
    let doomed = StoredValue::new(Doomed {
        group: Group::Policies,
        id: policy.id.clone(),
        name: policy.name.clone(),
        means: POLICY.means,
        warns: POLICY.warns,
    });
    let delete = Callback::new(move |()| deletion.ask(doomed.get_value()));
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href>{policy.name}</a>
                <span class="cell-sub"><code class="api-id">{policy.id}</code></span>
            </th>
            <td data-label="State"><span class=class>{state}</span></td>
            <td data-label="Rate">{rate_words(read.limit.rate)}</td>
            <td data-label="Quota">{quota_words(&read.limit)}</td>
            <td data-label="APIs">{plural(read.apis.len(), "API")}</td>
            <td class="col-actions">
                <Menu label=menu>
                    <MenuLink glyph=Glyph::Edit label="Edit" href=edit.clone() />
                    <MenuLink glyph=Glyph::Key label="Keys that have it" href=keys.clone() />
                    <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=delete />
                </Menu>
            </td>
        </tr>
    }
}
