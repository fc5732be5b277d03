//! The list of webhooks.

use leptos::prelude::*;

use super::subscriptions::ALL;
use crate::api::dashboard::Group;
use crate::api::dashboard::hooks::Hook;
use crate::components::{Glyph, ListTools, PageHead, each, only};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed};
use crate::pages::list::{DocumentTable, First, Paged, RowMenu, Words};
use crate::pages::needs::to_new;
use crate::routes;
use crate::state::listing::ORDERS;
use crate::state::use_console;

const WORDS: Words = Words {
    noun: "webhook",
    loading: "Loading the webhooks",
    searched: "Search looks at name and id.",
    first: First {
        glyph: Glyph::Hook,
        title: "No webhooks yet",
        text: "Add an address, and say which notifications are sent there.",
        link: Some((routes::NEW_WEBHOOK, "New webhook")),
    },
};

/// The page.
#[component]
pub fn Hooks() -> impl IntoView {
    let console = use_console();
    let list = Paged::<Hook>::open(console, routes::WEBHOOKS, ORDERS);
    let deletion = Deletion::new(console, Callback::new(move |()| list.page.again()));
    let table = move |found| view! { <Table found=found deletion=deletion /> }.into_any();
    view! {
        <PageHead title="Webhooks" lead="Addresses that receive signed calls when something changes.">
            {to_new(routes::NEW_WEBHOOK, "New webhook")}
        </PageHead>
        <ListTools label="webhooks" placeholder="Search name or id" listing=list.listing on_change=list.show />
        {list.results(&WORDS, table)}
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

#[component]
fn Table(found: Vec<Hook>, deletion: Deletion) -> impl IntoView {
    let row = move |hook| view! { <Row hook=hook deletion=deletion /> }.into_any();
    view! {
        <DocumentTable caption="Webhooks" columns=&["Name", "Target", "Subscriptions", "Actions"]>
            {each(found, row)}
        </DocumentTable>
    }
}

#[component]
fn Row(hook: Hook, deletion: Deletion) -> impl IntoView {
    let href = routes::webhook(&hook.id);
    let edit = href.clone();
    // The name is optional.
    let name = match hook.name.as_str() {
        "" => hook.id.clone(),
        name => name.to_owned(),
    };
    let doomed = Doomed {
        group: Group::Hooks,
        id: hook.id,
        name: name.clone(),
        means: super::HOOK.means,
        warns: super::HOOK.warns,
    };
    let target = format!("{} {}", hook.method, hook.target_path);
    let subscriptions = match hook.subscriptions.as_slice() {
        [] => "None".to_owned(),
        names if names.iter().any(|name| name == ALL) => "Everything".to_owned(),
        names => names.join(", "),
    };
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href>{name}</a>
                {only(!hook.webhook_id.is_empty(), || view! { <span class="cell-sub"><code class="api-id">{hook.webhook_id}</code></span> }.into_any())}
            </th>
            <td data-label="Target" class="cell-target"><code>{target}</code></td>
            <td data-label="Subscriptions">{subscriptions}</td>
            <td class="col-actions">
                <RowMenu doomed=doomed href=edit deletion=deletion />
            </td>
        </tr>
    }
}
