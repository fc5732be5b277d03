//! The list of client identity providers.

use leptos::prelude::*;

use crate::api::dashboard::{ClientIdp, Group, Page};
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, ListSteps, ListTools, Menu, MenuItem, MenuLink, PageHead,
    When, each, live,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, no_warning};
use crate::routes;
use crate::state::draft::plural;
use crate::state::listing::Listing;
use crate::state::load::Load;
use crate::state::use_console;

/// What a deletion means.
pub(super) const MEANS: &str = "Its mappings go with it: scopes of its tokens lead to no policy any more. It can be restored from its revisions.";

/// The page.
#[component]
pub fn ClientIdps() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let listing = Memo::new(move |_| Listing::parse(&address.query()));
    let show = Callback::new(move |listing: Listing| {
        address.replace(&listing.to_url(routes::CLIENT_IDPS));
    });
    let page = Load::new(move || {
        let request = listing.with(Listing::to_request);
        async move { console.api.listed::<ClientIdp>(&request).await }
    });
    let deletion = Deletion::new(console, Callback::new(move |()| page.again()));
    view! {
        <PageHead title="Client IdPs" lead="Providers whose tokens clients show, and which scope of theirs gives which policy.">
            <a class="btn btn-primary" href=routes::NEW_CLIENT_IDP>
                <Icon glyph=Glyph::Plus />
                "New provider"
            </a>
        </PageHead>
        <ListTools label="client IdPs" placeholder="Search name or id" listing=listing on_change=show />
        <Results page=page listing=listing show=show deletion=deletion />
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

#[component]
fn Results(
    page: Load<Page<ClientIdp>>,
    listing: Memo<Listing>,
    show: Callback<Listing>,
    deletion: Deletion,
) -> impl IntoView {
    let shown = move || match page.get() {
        None => view! { <Bones rows=6 label="Loading the providers" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| page.again() /> }.into_any()
        }
        Some(Ok(found)) if found.total == 0 => none(listing, show),
        Some(Ok(found)) => {
            let count = plural(
                usize::try_from(found.total).unwrap_or(usize::MAX),
                "provider",
            );
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
            <Empty glyph=Glyph::Search title="No provider matches">
                <p>"Search looks at name and id."</p>
                <button type="button" class="btn" on:click=move |_| show.run(Listing::default())>"Clear the search"</button>
            </Empty>
        }
        .into_any();
    }
    view! {
        <Empty glyph=Glyph::Person title="No providers yet">
            <p>"Add the identity provider that your clients get their tokens from, then say which scope gives which policy."</p>
            <a class="btn btn-primary" href=routes::NEW_CLIENT_IDP>
                <Icon glyph=Glyph::Plus />
                "Add a provider"
            </a>
        </Empty>
    }
    .into_any()
}

#[component]
fn Table(found: Vec<ClientIdp>, deletion: Deletion) -> impl IntoView {
    view! {
        <div class="card table-card">
            <table class="table docs-table">
                <caption class="visually-hidden">"Client identity providers"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"Issuer"</th>
                        <th scope="col">"Mappings"</th>
                        <th scope="col">"Changed"</th>
                        <th scope="col" class="col-actions">
                            <span class="visually-hidden">"Actions"</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{each(found, |idp| view! { <Row idp=idp deletion=deletion /> }.into_any())}</tbody>
            </table>
        </div>
    }
}

#[component]
fn Row(idp: ClientIdp, deletion: Deletion) -> impl IntoView {
    let href = routes::client_idp(&idp.id);
    let (edit, doomed) = (
        href.clone(),
        Doomed {
            group: Group::ClientIdps,
            id: idp.id,
            name: idp.name.clone(),
            means: MEANS,
            warns: no_warning,
        },
    );
    let doomed = StoredValue::new(doomed);
    let mapped = format!(
        "{}, {}",
        plural(idp.mappings, "API"),
        plural(idp.scopes, "scope")
    );
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href>{idp.name.clone()}</a>
                <span class="cell-sub"><code class="api-id">{idp.client_idp_id}</code></span>
            </th>
            <td data-label="Issuer" class="cell-target"><code title=idp.issuer.clone()>{idp.issuer.clone()}</code></td>
            <td data-label="Mappings">{mapped}</td>
            <td data-label="Changed" class="cell-when"><When at=idp.last_updated /></td>
            <td class="col-actions">
                <Menu label=format!("Actions for {}", idp.name)>
                    <MenuLink glyph=Glyph::Edit label="Edit" href=edit.clone() />
                    <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=Callback::new(move |()| deletion.ask(doomed.get_value())) />
                </Menu>
            </td>
        </tr>
    }
}
