//! Which keys have a policy.

use leptos::prelude::*;

use crate::api::access::KeyRow;
use crate::api::group::Page;
use crate::components::{Bones, Failure, Notice, Tint, each, live, only};
use crate::pages::documents::Desk;
use crate::routes;
use crate::state::Console;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::query_string::encode;
use crate::state::use_console;

/// How many keys are named.
const SHOWN: usize = 8;

/// Asks for the first keys that have a policy.
fn users(console: Console, id: &str) -> Load<Page<KeyRow>> {
    let query = format!(
        "view=summary&sort=alias&p=1&per_page={SHOWN}&policy={}",
        encode(id)
    );
    Load::new(move || {
        let query = query.clone();
        async move { console.api.listed::<KeyRow>(&query).await }
    })
}

fn total(page: &Page<KeyRow>) -> usize {
    usize::try_from(page.total).unwrap_or(usize::MAX)
}

/// The card.
#[component]
pub(super) fn Users(
    /// The policy's page.
    desk: Desk,
    /// Its id.
    id: String,
) -> impl IntoView {
    let users = users(desk.console, &id);
    let href = StoredValue::new(routes::keys_of(&id));
    let key = |key: KeyRow| {
        let name = if key.alias.trim().is_empty() {
            key.hash.chars().take(12).chain(['…']).collect()
        } else {
            key.alias
        };
        view! { <li><a href=routes::key(&key.hash)>{name}</a></li> }.into_any()
    };
    let shown = move || match users.get() {
        None => view! { <Bones rows=2 label="Loading the keys" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| users.again() /> }.into_any()
        }
        Some(Ok(page)) if page.total == 0 => {
            view! { <p class="muted">"No key has it."</p> }.into_any()
        }
        Some(Ok(page)) => {
            let count = total(&page);
            view! {
                <ul class="category-list">{each(page.documents, key)}</ul>
                {only(count > SHOWN, || view! { <a href=href.get_value()>{format!("All {count} keys")}</a> }.into_any())}
            }
            .into_any()
        }
    };
    let title = move || match users.good() {
        Some(page) if page.total > 0 => format!("Used by {}", plural(total(&page), "key")),
        _ => "Used by".to_owned(),
    };
    view! {
        <section class="card panel" aria-labelledby="users-title">
            <h2 id="users-title">{live(title)}</h2>
            {live(shown)}
        </section>
    }
}

/// How many keys a deletion is about, before it.
pub(super) fn warning(id: &str) -> AnyView {
    let users = users(use_console(), id);
    let said = move || match users.get() {
        None => view! { <p role="status">"Counting the keys that have it…"</p> }.into_any(),
        Some(Err(error)) => {
            let why = format!(
                "How many keys have it is not known. {}: {error}",
                error.title()
            );
            view! { <p>{why}</p> }.into_any()
        }
        Some(Ok(page)) => {
            let text = match total(&page) {
                0 => "No key has it.".to_owned(),
                1 => "1 key has it.".to_owned(),
                count => format!("{count} keys have it."),
            };
            let tint = if page.total == 0 {
                Tint::Green
            } else {
                Tint::Red
            };
            view! { <Notice tint=tint><strong>{text}</strong></Notice> }.into_any()
        }
    };
    live(said)
}
