//! The list of organisations that have a session.

use gatewright_model::json::quote;
use gatewright_model::session::Session;
use leptos::prelude::*;

use super::ORGANISATION;
use crate::api::ApiError;
use crate::api::dashboard::Group;
use crate::components::{Glyph, Icon, PageHead, each, failed, live, unique_id};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed};
use crate::pages::list::{DocumentTable, First, RowMenu, active_badge, results};
use crate::pages::needs::writes;
use crate::routes;
use crate::state::access::{quota_words, rate_words};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::query_string::encode;
use crate::state::task::Task;
use crate::state::use_console;

const FIRST: First = First {
    glyph: Glyph::Organisation,
    title: "No organisation has limits",
    text: "Give one a session to limit all its keys together, or to deactivate it with all its APIs at once.",
    link: None,
};

/// The page.
#[component]
pub fn Organisations() -> impl IntoView {
    let console = use_console();
    let stored = Load::new(move || async move { console.api.organisations().await });
    let deletion = Deletion::new(console, Callback::new(move |()| stored.again()));
    let shown = move |found: Vec<String>| {
        if found.is_empty() {
            return FIRST.view();
        }
        let count = plural(found.len(), "organisation");
        view! {
            <Table found=found deletion=deletion />
            <p class="muted small">{count}</p>
        }
        .into_any()
    };
    view! {
        <PageHead title="Organisations" lead="Limits over all keys of an organisation. What is stored takes effect at once." />
        {writes(|| view! { <Add /> }.into_any())}
        {results(stored, "Loading the organisations", shown)}
        <DeletionDialog deletion=deletion />
    }
    .into_any()
}

/// Gives an organisation a session, and opens its page.
#[component]
fn Add() -> impl IntoView {
    let console = use_console();
    let id = unique_id("organisation");
    let typed = RwSignal::new(String::new());
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    let named = move || !typed.with(|text| text.trim().is_empty());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !untrack(named) {
            return;
        }
        failure.set(None);
        let org = typed.get_untracked().trim().to_owned();
        task.run(async move {
            let session = format!("{{\n  \"org_id\": {}\n}}\n", quote(&org));
            let added = console.api.add_organisation(&encode(&org), &session).await;
            match added {
                // An organisation that has a session already is fine, too.
                Ok(()) | Err(ApiError::Stale(_)) => {
                    console.address.go(&routes::organisation(&org));
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    };
    view! {
        <form class="toolbar add-line" on:submit=submit novalidate>
            <label class="visually-hidden" for=id.clone()>"Organisation"</label>
            <input
                id=id
                type="text"
                class="input"
                placeholder="Id of an organisation"
                autocomplete="off"
                spellcheck="false"
                on:input=move |event| typed.set(event_target_value(&event))
            />
            <button type="submit" class="btn btn-primary" disabled=move || task.busy() || !named()>
                <Icon glyph=Glyph::Plus />
                "Set limits"
            </button>
        </form>
        {failed(failure)}
    }
}

#[component]
fn Table(found: Vec<String>, deletion: Deletion) -> impl IntoView {
    let row = move |id| view! { <Row id=id deletion=deletion /> }.into_any();
    view! {
        <DocumentTable caption="Organisations" columns=&["Organisation", "State", "Rate", "Quota", "Actions"]>
            {each(found, row)}
        </DocumentTable>
    }
}

/// A row. The list has ids only, so each row fetches its own session; organisations are few.
#[component]
fn Row(id: String, deletion: Deletion) -> impl IntoView {
    let console = use_console();
    let encoded = encode(&id);
    let session = Load::new(move || {
        let encoded = encoded.clone();
        async move {
            let document = console.api.fetch(Group::Organisations, &encoded).await?;
            Ok(Session::parse(&document.text).unwrap_or_default())
        }
    });
    let of = move |words: fn(&Session) -> AnyView| {
        live(move || match session.get() {
            None => view! { <span class="muted">"…"</span> }.into_any(),
            Some(Err(error)) => view! { <span class="muted">{error.title()}</span> }.into_any(),
            Some(Ok(session)) => words(&session),
        })
    };
    let href = routes::organisation(&id);
    let edit = href.clone();
    let doomed = Doomed {
        group: Group::Organisations,
        id: encode(&id),
        name: id.clone(),
        means: ORGANISATION.means,
        warns: ORGANISATION.warns,
    };
    view! {
        <tr>
            <th scope="row" class="cell-name"><a href=href>{id}</a></th>
            <td data-label="State">{of(|session| active_badge(!session.is_inactive, "Inactive"))}</td>
            <td data-label="Rate">{of(|session| rate_words(session.limit.rate).into_any())}</td>
            <td data-label="Quota">{of(|session| quota_words(&session.limit).into_any())}</td>
            <td class="col-actions">
                <RowMenu doomed=doomed href=edit deletion=deletion />
            </td>
        </tr>
    }
}
