//! The list of webhooks.

use leptos::prelude::*;

use super::subscriptions::ALL;
use crate::api::dashboard::hooks::Hook;
use crate::api::dashboard::{Group, Page};
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, ListSteps, ListTools, Menu, MenuItem, MenuLink, PageHead,
    each, live, only,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, no_warning};
use crate::routes;
use crate::state::draft::plural;
use crate::state::listing::Listing;
use crate::state::load::Load;
use crate::state::use_console;

/// The page.
#[component]
pub fn Hooks() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let listing = Memo::new(move |_| Listing::parse(&address.query()));
    let show = Callback::new(move |listing: Listing| {
        address.replace(&listing.to_url(routes::WEBHOOKS));
    });
    let page = Load::new(move || {
        let request = listing.with(Listing::to_request);
        async move { console.api.listed::<Hook>(&request).await }
    });
    let deletion = Deletion::new(console, Callback::new(move |()| page.again()));
    view! {
        <PageHead title="Webhooks" lead="Addresses that are called, signed, when something changes.">
            <a class="btn btn-primary" href=routes::NEW_WEBHOOK>
                <Icon glyph=Glyph::Plus />
                "New webhook"
            </a>
        </PageHead>
        <ListTools label="webhooks" placeholder="Search name or id" listing=listing on_change=show />
        <Results page=page listing=listing show=show deletion=deletion />
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

#[component]
fn Results(
    page: Load<Page<Hook>>,
    listing: Memo<Listing>,
    show: Callback<Listing>,
    deletion: Deletion,
) -> impl IntoView {
    let shown = move || match page.get() {
        None => view! { <Bones rows=6 label="Loading the webhooks" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 => none(listing, show),
        Some(Ok(found)) => {
            let total = usize::try_from(found.total).unwrap_or(usize::MAX);
            let count = plural(total, "webhook");
            view! {
                <Table found=found.documents deletion=deletion />
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
            <Empty glyph=Glyph::Search title="No webhook matches">
                <p>"Search looks at name and id."</p>
                <button type="button" class="btn" on:click=move |_| show.run(Listing::default())>"Clear the search"</button>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty glyph=Glyph::Hook title="No webhooks yet">
            <p>"Add an address, and say which notifications are sent there."</p>
            <a class="btn btn-primary" href=routes::NEW_WEBHOOK>
                <Icon glyph=Glyph::Plus />
                "Add a webhook"
            </a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Table(found: Vec<Hook>, deletion: Deletion) -> impl IntoView {
    view! {
        <div class="card table-card">
            <table class="table docs-table">
                <caption class="visually-hidden">"Webhooks"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"Target"</th>
                        <th scope="col">"Subscriptions"</th>
                        <th scope="col" class="col-actions">
                            <span class="visually-hidden">"Actions"</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{each(found, |hook| view! { <Row hook=hook deletion=deletion /> }.into_any())}</tbody>
            </table>
        </div>
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
    let doomed = StoredValue::new(Doomed {
        group: Group::Hooks,
        id: hook.id,
        name: name.clone(),
        means: super::HOOK.means,
        warns: no_warning,
    });
    let delete = Callback::new(move |()| deletion.ask(doomed.get_value()));
    let target = format!("{} {}", hook.method, hook.target_path);
    let subscriptions = match hook.subscriptions.as_slice() {
        [] => "None".to_owned(),
        names if names.iter().any(|name| name == ALL) => "Everything".to_owned(),
        names => names.join(", "),
    };
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href>{name.clone()}</a>
                {only(!hook.webhook_id.is_empty(), || view! { <span class="cell-sub"><code class="api-id">{hook.webhook_id}</code></span> }.into_any())}
            </th>
            <td data-label="Target" class="cell-target"><code title=target.clone()>{target.clone()}</code></td>
            <td data-label="Subscriptions">{subscriptions}</td>
            <td class="col-actions">
                <Menu label=format!("Actions for {name}")>
                    <MenuLink glyph=Glyph::Edit label="Edit" href=edit.clone() />
                    <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=delete />
                </Menu>
            </td>
        </tr>
    }
}
