//! The list of client identity providers.

use leptos::prelude::*;

use crate::api::dashboard::{ClientIdp, Group};
use crate::components::{Glyph, ListTools, PageHead, When, each};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, no_warning};
use crate::pages::list::{DocumentTable, First, Paged, RowMenu, Words};
use crate::pages::needs::to_new;
use crate::routes;
use crate::state::draft::plural;
use crate::state::listing::ORDERS;
use crate::state::use_console;

const WORDS: Words = Words {
    noun: "provider",
    loading: "Loading the providers",
    searched: "Search looks at name and id.",
    first: First {
        glyph: Glyph::Person,
        title: "No providers yet",
        text: "Add the identity provider that your clients get their tokens from, then say which scope gives which policy.",
        link: Some((routes::NEW_CLIENT_IDP, "New provider")),
    },
};

/// The effect of a deletion.
pub(super) const MEANS: &str = "Its mappings go with it: scopes of its tokens lead to no policy any more. It can be restored from its revisions.";

/// The page.
#[component]
pub fn ClientIdps() -> impl IntoView {
    let console = use_console();
    let list = Paged::<ClientIdp>::open(console, routes::CLIENT_IDPS, ORDERS);
    let deletion = Deletion::new(console, Callback::new(move |()| list.page.again()));
    let table = move |found| view! { <Table found=found deletion=deletion /> }.into_any();
    view! {
        <PageHead title="Client IdPs" lead="The identity providers of your clients, and which of their scopes gives which policy.">
            {to_new(routes::NEW_CLIENT_IDP, "New provider")}
        </PageHead>
        <ListTools label="client IdPs" placeholder="Search name or id" listing=list.listing on_change=list.show />
        {list.results(&WORDS, table)}
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

#[component]
fn Table(found: Vec<ClientIdp>, deletion: Deletion) -> impl IntoView {
    let row = move |idp| view! { <Row idp=idp deletion=deletion /> }.into_any();
    view! {
        <DocumentTable caption="Client identity providers" columns=&["Name", "Issuer", "Mappings", "Changed", "Actions"]>
            {each(found, row)}
        </DocumentTable>
    }
}

#[component]
fn Row(idp: ClientIdp, deletion: Deletion) -> impl IntoView {
    let href = routes::client_idp(&idp.id);
    let edit = href.clone();
    let doomed = Doomed {
        group: Group::ClientIdps,
        id: idp.id,
        name: idp.name.clone(),
        means: MEANS,
        warns: no_warning,
    };
    let mapped = format!(
        "{}, {}",
        plural(idp.apis.len(), "API"),
        plural(idp.policies.len(), "scope")
    );
    let issuer = match idp.issuer.as_str() {
        "" => view! { <span class="muted">"–"</span> }.into_any(),
        issuer => view! { <code>{issuer.to_owned()}</code> }.into_any(),
    };
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=href>{idp.name}</a>
                <span class="cell-sub"><code class="api-id">{idp.client_idp_id}</code></span>
            </th>
            <td data-label="Issuer" class="cell-target">{issuer}</td>
            <td data-label="Mappings">{mapped}</td>
            <td data-label="Changed" class="cell-when"><When at=idp.last_updated /></td>
            <td class="col-actions">
                <RowMenu doomed=doomed href=edit deletion=deletion />
            </td>
        </tr>
    }
}
