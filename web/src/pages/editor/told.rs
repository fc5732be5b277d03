//! The latest notifications about one API.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::dashboard::notices::Notice;
use crate::components::{Bones, When, each, live};
use crate::pages::used_by::told;
use crate::routes;
use crate::state::Console;
use crate::state::load::Load;

/// How many of the newest notifications are looked through.
const AMONG: u64 = 100;
/// How many are shown.
const SHOWN: usize = 5;

/// The newest ones about an API, the newest first.
async fn latest(console: Console, id: String) -> Result<Vec<Notice>, ApiError> {
    let newest = console.api.notices(0, 1).await?.last;
    let before = newest.saturating_sub(AMONG);
    let mut found = console.api.notices(before, AMONG).await?.notices;
    found.reverse();
    found.retain(|notice| notice.subject == "api" && notice.about == id);
    found.truncate(SHOWN);
    Ok(found)
}

/// The card.
#[component]
pub(super) fn Notifications(
    /// The console.
    console: Console,
    /// The id of the API.
    id: String,
) -> impl IntoView {
    let all = routes::notifications_about(&id);
    let found = Load::new(move || latest(console, id.clone()));
    let one = |notice: Notice| {
        view! {
            <li>
                <code>{notice.kind}</code>" "<span class="muted small"><When at=notice.at /></span>
                <span class="block small">{notice.detail}</span>
            </li>
        }
        .into_any()
    };
    let shown = move || match found.get() {
        None => view! { <Bones rows=2 label="Loading the notifications" /> }.into_any(),
        Some(Err(error)) => {
            let why = told::<()>("Notifications", Err(error)).err();
            view! { <p class="muted small">{why}</p> }.into_any()
        }
        Some(Ok(found)) if found.is_empty() => {
            view! { <p class="muted">{format!("None among the latest {AMONG}.")}</p> }.into_any()
        }
        Some(Ok(found)) => view! { <ul class="told">{each(found, one)}</ul> }.into_any(),
    };
    view! {
        <section class="card panel" aria-labelledby="notices-title">
            <h2 id="notices-title">"Notifications"</h2>
            {live(shown)}
            <p><a href=all>"All notifications of this API"</a></p>
        </section>
    }
}
