//! The clients of one API, or the field that finds an API.

use leptos::prelude::*;

use super::Crumbs;
use crate::api::oauth::Client;
use crate::components::{Glyph, Icon, Notice, PageHead, Tint, each, live, maybe, only};
use crate::pages::find_api::{FindApi, summary};
use crate::pages::list::{DocumentTable, First, results};
use crate::pages::sessions::Known;
use crate::routes;
use crate::state::access::called;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::oauth::asks_for_tokens;
use crate::state::use_console;

const FIRST: First = First {
    glyph: Glyph::Window,
    title: "No clients yet",
    text: "A client asks this API for access tokens, with its id and its secret or in the name of a user.",
    link: None,
};

const LEAD: &str = "Programs that get access tokens from the gateway's own OAuth 2.0 server.";

/// The page.
#[component]
pub fn Clients(
    /// The API; `None` until one is chosen.
    api: Option<String>,
) -> impl IntoView {
    match api {
        Some(api) => view! { <OfApi api=api /> }.into_any(),
        None => view! { <Choose /> }.into_any(),
    }
}

#[component]
fn Choose() -> impl IntoView {
    let console = use_console();
    let pick = Callback::new(move |id: String| {
        console.address.go(&routes::oauth_clients(&id));
    });
    view! {
        <PageHead title="OAuth clients" lead=LEAD />
        <section class="card panel narrow" aria-labelledby="choose-title">
            <h2 id="choose-title">"Of which API?"</h2>
            <p class="muted small">"Clients belong to APIs that ask for access tokens (use_oauth2)."</p>
            <FindApi
                api=console.api
                label="Find an API"
                only=|api| !api.keyless && api.state != "deleted"
                nothing="No API that requires credentials matches."
                pick=pick
            />
        </section>
    }
    .into_any()
}

#[component]
fn OfApi(api: String) -> impl IntoView {
    let console = use_console();
    let known = Known::load(console);
    let id = StoredValue::new(api.clone());
    let found = Load::new(move || async move { summary(console.api, &id.get_value()).await });
    let definition = Load::new(move || async move {
        let document = console.api.document(&id.get_value()).await?;
        Ok(asks_for_tokens(&document.text))
    });
    let clients =
        Load::new(move || async move { console.api.oauth_clients(&id.get_value()).await });
    let asks = move || definition.good() != Some(false);
    let title = move || match found.good().flatten() {
        Some(api) => format!("OAuth clients of {}", api.title()),
        None => "OAuth clients".to_owned(),
    };
    let shown = move |found: Vec<Client>| {
        if found.is_empty() {
            return FIRST.view();
        }
        let count = plural(found.len(), "client");
        view! {
            <Table api=id.get_value() found=found known=known />
            <p class="muted small">{count}</p>
        }
        .into_any()
    };
    let caution = move || {
        only(!asks(), || {
            view! {
                <Notice tint=Tint::Amber>
                    <span>
                        "This API does not ask for access tokens, so no client can be made for it. Switch on "
                        <code>"use_oauth2"</code>" in "
                        <a href=routes::api(&id.get_value())>"its definition"</a>
                        " and name the grants in "<code>"oauth_meta"</code>"."
                    </span>
                </Notice>
            }
            .into_any()
        })
    };
    view! {
        <Crumbs api=api.clone() />
        <PageHead title=Signal::derive(title) lead=LEAD>
            {live(move || only(asks(), || view! {
                <a class="btn btn-primary" href=routes::new_oauth_client(&id.get_value())>
                    <Icon glyph=Glyph::Plus />
                    "New client"
                </a>
            }.into_any()))}
        </PageHead>
        {live(caution)}
        {results(clients, "Loading the clients", shown)}
    }
    .into_any()
}

#[component]
fn Table(api: String, found: Vec<Client>, known: Known) -> impl IntoView {
    let row = move |client: Client| {
        view! { <Row api=api.clone() client=client known=known /> }.into_any()
    };
    view! {
        <DocumentTable caption="Clients" columns=&["Client", "Policy", "Redirect URI"]>
            {each(found, row)}
        </DocumentTable>
    }
}

#[component]
fn Row(api: String, client: Client, known: Known) -> impl IntoView {
    let about = Some(client.description).filter(|text| !text.is_empty());
    let policy = client.policy_id;
    let policy = move || match policy.as_str() {
        "" => view! { <span class="muted">"None"</span> }.into_any(),
        id => {
            let name = called(&known.policies(), id);
            view! { <a href=routes::policy(id)>{name}</a> }.into_any()
        }
    };
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=routes::oauth_client(&api, &client.id)>{client.id.clone()}</a>
                {maybe(about, |about| view! { <span class="cell-sub small">{about}</span> }.into_any())}
            </th>
            <td data-label="Policy">{live(policy)}</td>
            <td data-label="Redirect URI">
                {match client.redirect_uri.is_empty() {
                    true => view! { <span class="muted">"–"</span> }.into_any(),
                    false => view! { <code class="wraps">{client.redirect_uri}</code> }.into_any(),
                }}
            </td>
        </tr>
    }
}
