//! The issued credentials, which can be revoked.

use js_sys::Date;
use leptos::prelude::*;

use crate::api::dashboard::credentials::{self, ACCESSES, Accesses, Credential, GROUPS};
use crate::components::{Confirm, Glyph, PageHead, When, each, live, maybe, moment, only};
use crate::pages::list::{DocumentTable, First, results};
use crate::pages::needs::to_new;
use crate::routes;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::task::Task;
use crate::state::use_console;

const FIRST: First = First {
    glyph: Glyph::Badge,
    title: "No credentials yet",
    text: "DASHBOARD_TOKEN opens everything of its organisation. Create credentials for people and scripts that need less, or another organisation.",
    link: Some((routes::NEW_CREDENTIAL, "New credential")),
};

/// The page.
#[component]
pub fn Credentials() -> impl IntoView {
    let console = use_console();
    let issued = Load::new(move || async move { console.api.credentials().await });
    let doomed = RwSignal::new(None::<Credential>);
    let shown = move |found: credentials::Credentials| {
        if found.0.is_empty() {
            return FIRST.view();
        }
        let count = plural(found.0.len(), "credential");
        view! {
            <Table found=found.0 doomed=doomed />
            <p class="muted small">{count}</p>
        }
        .into_any()
    };
    let revoked = Callback::new(move |()| issued.again());
    view! {
        <PageHead title="Credentials" lead="Named tokens, each limited to its permissions and to one organisation at the dashboard API.">
            {to_new(routes::NEW_CREDENTIAL, "New credential")}
        </PageHead>
        {results(issued, "Loading the credentials", shown)}
        {live(move || maybe(doomed.get(), |credential| {
            view! { <Revocation credential=credential doomed=doomed on_revoked=revoked /> }.into_any()
        }))}
    }
    .into_any()
}

#[component]
fn Table(found: Vec<Credential>, doomed: RwSignal<Option<Credential>>) -> impl IntoView {
    let row = move |credential| view! { <Row credential=credential doomed=doomed /> }.into_any();
    view! {
        <DocumentTable caption="Credentials" columns=&["Name", "Organisation", "Permissions", "State", "Created", "Actions"]>
            {each(found, row)}
        </DocumentTable>
    }
}

/// Returns the current state of a credential: the class of its badge, its label, and since or until when.
fn state(credential: &Credential) -> (&'static str, &'static str, Option<(&'static str, String)>) {
    if let Some(at) = &credential.revoked_at {
        return ("deleted", "Revoked", Some(("", at.clone())));
    }
    match &credential.expires_at {
        Some(at) if Date::parse(at) <= Date::now() => {
            ("inactive", "Expired", Some(("", at.clone())))
        }
        Some(at) => ("live", "Active", Some(("until ", at.clone()))),
        None => ("live", "Active", None),
    }
}

#[component]
fn Row(credential: Credential, doomed: RwSignal<Option<Credential>>) -> impl IntoView {
    let (class, word, when) = state(&credential);
    let ended = class != "live";
    let dated = |(before, at): (&'static str, String)| {
        let shown = if before.is_empty() {
            view! { <When at=at /> }.into_any()
        } else {
            view! { <time datetime=at.clone()>{moment(&at)}</time> }.into_any()
        };
        view! { <span class="muted small credential-when">{before}{shown}</span> }.into_any()
    };
    let label = format!("Revoke {}", credential.name);
    let to_revoke = StoredValue::new(credential.clone());
    let button = || {
        view! {
            <button type="button" class="btn btn-small" aria-label=label on:click=move |_| doomed.set(Some(to_revoke.get_value()))>
                "Revoke…"
            </button>
        }
        .into_any()
    };
    view! {
        <tr class:gone=ended>
            <th scope="row" class="cell-name">
                <span>{credential.name}</span>
                <span class="cell-sub"><code class="api-id">{credential.id}</code></span>
            </th>
            <td data-label="Organisation"><code>{credential.org_id}</code></td>
            <td data-label="Permissions"><Permissions access=credential.access /></td>
            <td data-label="State" class="cell-state">
                <span class=format!("badge badge-{class}")>
                    <span class="badge-dot" aria-hidden="true"></span>
                    {word}
                </span>
                {maybe(when, dated)}
            </td>
            <td data-label="Created" class="cell-when"><When at=credential.created_at /></td>
            <td class="col-actions">{only(!ended, button)}</td>
        </tr>
    }
}

/// The rights of a credential; denied ones aren't listed.
#[component]
fn Permissions(access: Accesses) -> impl IntoView {
    let allowed = GROUPS
        .into_iter()
        .zip(access)
        .filter(|(_, access)| access != "deny");
    let one = |((_, group), access): ((&'static str, &'static str), String)| {
        let word = ACCESSES.iter().find(|(known, _)| *known == access);
        let word = word.map_or(access.clone(), |(_, word)| word.to_ascii_lowercase());
        view! { <li class=format!("permission permission-{access}")>{group}" "<strong>{word}</strong></li> }.into_any()
    };
    view! { <ul class="permissions">{each(allowed, one)}</ul> }
}

/// Asks for confirmation of a revocation; open as long as it is mounted.
#[component]
fn Revocation(
    credential: Credential,
    doomed: RwSignal<Option<Credential>>,
    on_revoked: Callback<()>,
) -> impl IntoView {
    let console = use_console();
    let task = Task::new();
    let (id, name) = (credential.id, credential.name);
    let shown_name = name.clone();
    let revoke = Callback::new(move |()| {
        let (id, name) = (id.clone(), shown_name.clone());
        task.run(async move {
            match console.api.revoke(&id).await {
                Ok(()) => console.toasts.good(format!("Revoked “{name}”.")),
                Err(error) => console.toasts.failed(&error),
            }
            doomed.try_set(None);
            on_revoked.try_run(());
        });
    });
    view! {
        <Confirm
            title=format!("Revoke “{name}”?")
            label="Revoke"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=revoke
            on_cancel=Callback::new(move |()| doomed.set(None))
        >
            <p>
                "Requests with the token of "<strong>{name}</strong>" (organisation "<code>{credential.org_id}</code>
                ") are refused from now on. A revoked credential can't be restored: create another one instead."
            </p>
        </Confirm>
    }
}
