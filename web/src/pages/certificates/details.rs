//! One certificate: its content, the APIs and keys that refer to it, and its removal.

use leptos::prelude::*;

use super::Validity;
use crate::api::ApiError;
use crate::api::access::KeyRow;
use crate::api::certificates::Details;
use crate::api::group::Page;
use crate::components::{
    Bones, Confirm, CopyButton, Empty, Failure, Glyph, Icon, PageHead, Shown, each, live, only,
};
use crate::pages::find_api::short;
use crate::routes;
use crate::state::certificates::{User, with_colons};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::query_string::decode;
use crate::state::task::Task;
use crate::state::{Console, use_console};

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
struct Desk {
    console: Console,
    id: StoredValue<String>,
    stored: Load<Details>,
    users: Load<Vec<User>>,
    /// The first page of keys bound to it.
    keys: Load<Page<KeyRow>>,
    asking: RwSignal<bool>,
}

/// The page.
#[component]
pub fn CertificatePage(
    /// Its id, as written in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let id = StoredValue::new(decode(&id));
    let desk = Desk {
        console,
        id,
        stored: Load::new(move || {
            let id = id.get_value();
            async move { console.api.certificate(&id).await }
        }),
        users: Load::new(move || {
            let id = id.get_value();
            async move { console.api.users_of(&id).await }
        }),
        keys: Load::new(move || {
            let id = id.get_value();
            async move { console.api.keys_bound_to(&id).await }
        }),
        asking: RwSignal::new(false),
    };
    let title = move || {
        let subject = desk.stored.good().map(|found| found.certificate.subject);
        match subject.unwrap_or_default().as_str() {
            "" => "Certificate".to_owned(),
            subject => subject.to_owned(),
        }
    };
    let shown = move || match desk.stored.get() {
        None => view! { <Bones rows=6 label="Loading the certificate" /> }.into_any(),
        Some(Err(ApiError::Missing(_))) => view! {
            <Empty glyph=Glyph::Search title="There is no such certificate">
                <p>"It was deleted, or there never was one with this fingerprint."</p>
                <a class="btn btn-primary" href=routes::CERTIFICATES>"Go to the list"</a>
            </Empty>
        }
        .into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| desk.stored.again() /> }.into_any()
        }
        Some(Ok(found)) => view! { <Facts found=found id=desk.id.get_value() /> }.into_any(),
    };
    let there = move || desk.stored.good().is_some();
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::CERTIFICATES>"Certificates"</a>
            <Icon glyph=Glyph::Chevron />
            <code class="crumb-id">{id.get_value()}</code>
        </nav>
        <PageHead title=Signal::derive(title)>
            <Shown when=move || there() && !console.only_reads()>
                <button type="button" class="btn" on:click=move |_| desk.asking.set(true)>
                    <Icon glyph=Glyph::Trash />
                    "Delete…"
                </button>
            </Shown>
        </PageHead>
        <div class="stack">
            {live(shown)}
            <Shown when=there>
                <Users desk=desk />
            </Shown>
        </div>
        <Shown when=move || desk.asking.get()>
            <Removal desk=desk />
        </Shown>
    }
    .into_any()
}

#[component]
fn Facts(found: Details, id: String) -> impl IntoView {
    let Details {
        certificate,
        fingerprint,
        subject,
        issuer,
    } = found;
    let name = |name: Vec<(&'static str, String)>| {
        let line = |(label, text): (&'static str, String)| {
            view! { <div><dt>{label}</dt><dd>{text}</dd></div> }.into_any()
        };
        match name.is_empty() {
            true => view! { <p class="muted">"Not given."</p> }.into_any(),
            false => view! { <dl class="facts">{each(name, line)}</dl> }.into_any(),
        }
    };
    let word = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no };
    let names = certificate.dns_names.join(", ");
    let copied = id.clone();
    view! {
        <section class="card panel" aria-labelledby="facts-title">
            <h2 id="facts-title">"What it says"</h2>
            <dl class="facts">
                <div>
                    <dt>"State"</dt>
                    <dd><Validity not_before=certificate.not_before.clone() not_after=certificate.not_after.clone() /></dd>
                </div>
                <div><dt>"From"</dt><dd><Instant at=certificate.not_before /></dd></div>
                <div><dt>"Until"</dt><dd><Instant at=certificate.not_after /></dd></div>
                {only(!names.is_empty(), || view! { <div><dt>"Servers"</dt><dd>{names}</dd></div> }.into_any())}
                <div><dt>"Authority"</dt><dd>{word(certificate.is_ca, "Yes: it may issue others", "No")}</dd></div>
                <div><dt>"Private key"</dt><dd>{word(certificate.has_private, "Stored; never shown again", "None")}</dd></div>
                <div><dt>"SHA-256"</dt><dd><code class="wraps">{with_colons(&fingerprint)}</code></dd></div>
                <div>
                    <dt>"Id"</dt>
                    <dd class="row">
                        <code class="wraps">{id}</code>
                        <CopyButton text=Signal::stored(copied) label="Copy the id" />
                    </dd>
                </div>
            </dl>
        </section>
        <div class="two">
            <section class="card panel" aria-labelledby="subject-title">
                <h2 id="subject-title">"Issued to"</h2>
                {name(subject)}
            </section>
            <section class="card panel" aria-labelledby="issuer-title">
                <h2 id="issuer-title">"Issued by"</h2>
                {name(issuer)}
            </section>
        </div>
    }
}

/// A time as written in the certificate; empty for a public key.
#[component]
fn Instant(at: String) -> impl IntoView {
    let written = if at.is_empty() || at.starts_with("0001-") {
        "–".to_owned()
    } else {
        at.replace('T', " ").replace('Z', " UTC")
    };
    view! { <span>{written}</span> }
}

/// The APIs that refer to it.
#[component]
fn Users(desk: Desk) -> impl IntoView {
    let line = |user: User| {
        let name = match user.name.as_str() {
            "" => user.api_id.clone(),
            name => name.to_owned(),
        };
        view! {
            <li>
                <a href=routes::api(&user.api_id)>{name}</a>
                <span class="muted small">{format!(" {}", user.uses.join(", "))}</span>
            </li>
        }
        .into_any()
    };
    let shown = move || match desk.users.get() {
        None => view! { <Bones rows=2 label="Searching the APIs" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| desk.users.again() /> }.into_any()
        }
        Some(Ok(users)) if users.is_empty() => {
            view! { <p class="muted">"No API names it."</p> }.into_any()
        }
        Some(Ok(users)) => view! { <ul class="plain-list">{each(users, line)}</ul> }.into_any(),
    };
    let key = |row: KeyRow| {
        let hash = row.hash.clone();
        let name = Some(row.alias).filter(|alias| !alias.is_empty());
        view! { <li><a href=routes::key(&hash)>{name.unwrap_or_else(|| short(&hash).to_owned())}</a></li> }.into_any()
    };
    let keys = move || match desk.keys.get() {
        None => view! { <Bones rows=1 label="Searching the keys" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| desk.keys.again() /> }.into_any()
        }
        Some(Ok(page)) if page.documents.is_empty() => {
            view! { <p class="muted">"No key is bound to it."</p> }.into_any()
        }
        Some(Ok(Page {
            documents, total, ..
        })) => {
            let shown = documents.len();
            let more = usize::try_from(total)
                .unwrap_or_default()
                .saturating_sub(shown);
            view! {
                <ul class="plain-list">{each(documents, key)}</ul>
                {only(more > 0, || view! { <p class="muted small">{format!("and {}", plural(more, "other key"))}</p> }.into_any())}
            }
            .into_any()
        }
    };
    view! {
        <section class="card panel" aria-labelledby="users-title">
            <h2 id="users-title">"Used by"</h2>
            {live(shown)}
            <h3>"Keys bound to it"</h3>
            {live(keys)}
        </section>
    }
}

#[component]
fn Removal(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let task = Task::new();
    let remove = Callback::new(move |()| {
        task.run(async move {
            match console.api.remove_certificate(&desk.id.get_value()).await {
                Ok(()) => {
                    console.toasts.good("Deleted.");
                    console.address.go(routes::CERTIFICATES);
                }
                Err(error) => {
                    console.toasts.failed(&error);
                    desk.asking.try_set(false);
                }
            }
        });
    });
    let names = move || {
        let users = desk.users.good().unwrap_or_default();
        let names: Vec<String> = users.into_iter().map(|user| user.name).collect();
        let keys = desk.keys.good().map_or(0, |page| page.total);
        let of_keys = match usize::try_from(keys).unwrap_or_default() {
            0 => String::new(),
            count => format!(
                " {} bound to it can't be used any more.",
                plural(count, "key")
            ),
        };
        match names.is_empty() {
            true => format!("No API names it.{of_keys}"),
            false => format!("APIs that name it: {}.{of_keys}", names.join(", ")),
        }
    };
    view! {
        <Confirm
            title="Delete this certificate?"
            label="Delete"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=remove
            on_cancel=Callback::new(move |()| desk.asking.set(false))
        >
            <p>"From now on it lets nobody in, and nothing is signed with it. It can't be restored; its private key is deleted, too."</p>
            <p>{live(names)}</p>
        </Confirm>
    }
}
