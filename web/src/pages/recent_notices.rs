//! The latest notifications about one API: a card on its page.

use gatewright_model::json::{Value, parse};
use leptos::prelude::*;

use crate::api::ApiError;
use crate::components::{Bones, When, each, live};
use crate::pages::used_by::explain;
use crate::routes;
use crate::state::Console;
use crate::state::load::Load;

/// How many of the newest notifications are searched.
const AMONG: i64 = 100;
/// How many are shown.
const SHOWN: usize = 5;

/// What is shown of a notification: its type, time and text. The notifications page reads more of them; all that code
/// would be part of this page's first load.
#[derive(Clone)]
struct Recent {
    kind: String,
    at: String,
    says: String,
}

/// Fetches the latest notifications about an API, newest first.
async fn latest(console: Console, id: String) -> Result<Vec<Recent>, ApiError> {
    let newest = page(console, 0, 1).await?;
    let newest = parse(&newest).ok().and_then(|page| page.int("last"));
    let newest = newest.unwrap_or_default();
    let mut after = newest.saturating_sub(AMONG).max(0);
    let mut found = Vec::new();
    // A page ends early when it is large.
    while after < newest {
        let text = page(console, after, newest.saturating_sub(after)).await?;
        let parsed = parse(&text).ok();
        let notices = parsed.as_ref().and_then(|page| page.get("notifications"));
        let notices = notices.map(Value::items).unwrap_or_default();
        let Some(last) = notices.last().and_then(|notice| notice.int("seq")) else {
            break;
        };
        after = last;
        found.extend(notices.iter().filter_map(|notice| about(notice, &id)));
    }
    found.reverse();
    found.truncate(SHOWN);
    Ok(found)
}

/// Reads a notification, if it is about this API.
fn about(notice: &Value<'_>, id: &str) -> Option<Recent> {
    let data = notice.get("data")?;
    let says = data.str("message").or_else(|| data.str("action"));
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    (data.str("api_id") == Some(id)).then(|| Recent {
        kind: text(notice.str("type")),
        at: text(notice.str("at")),
        says: text(says),
    })
}

async fn page(console: Console, after: i64, limit: i64) -> Result<String, ApiError> {
    let path = format!("/api/notifications?after={after}&limit={limit}");
    Ok(console.api.stored(&path).await?.text)
}

/// The card.
#[component]
pub(super) fn RecentNotices(
    /// The console.
    console: Console,
    /// The id of the API.
    id: String,
) -> impl IntoView {
    let all = routes::notifications_about(&id);
    let found = Load::new(move || latest(console, id.clone()));
    let one = |notice: Recent| {
        view! {
            <li>
                <code>{notice.kind}</code>" "<span class="muted small"><When at=notice.at />" "{notice.says}</span>
            </li>
        }
        .into_any()
    };
    let shown = move || match found.get() {
        None => view! { <Bones rows=2 label="Loading the notifications" /> }.into_any(),
        Some(Err(error)) => {
            let why = explain::<()>("Notifications", Err(error)).err();
            view! { <p class="muted small">{why}</p> }.into_any()
        }
        Some(Ok(found)) if found.is_empty() => {
            view! { <p class="muted">{format!("None among the latest {AMONG}.")}</p> }.into_any()
        }
        Some(Ok(found)) => view! { <ul class="recent-notices">{each(found, one)}</ul> }.into_any(),
    };
    view! {
        <section class="card panel" aria-labelledby="notices-title">
            <h2 id="notices-title">"Notifications"</h2>
            {live(shown)}
            <p><a href=all>"All notifications of this API"</a></p>
        </section>
    }
}
