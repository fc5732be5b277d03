//! Who is affected by a change: the keys and policies that refer to an API, the keys that have a policy.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::access::{KeyRow, StoredPolicy};
use crate::components::live;
use crate::pages::used_by::explain;
use crate::routes;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::query_string::encode;
use crate::state::use_console;
use crate::state::used_by::policies_of;

/// The stored policies, shared by all rows.
pub(super) type Policies = Load<Vec<StoredPolicy>>;

/// The number of keys, without the keys themselves, and the number of policies.
#[component]
pub(super) fn Affected(
    /// Whether it is about a policy.
    policy: bool,
    /// The id of the API or the policy.
    id: String,
    /// The stored policies.
    policies: Policies,
) -> impl IntoView {
    let console = use_console();
    let (filter, href) = match policy {
        true => (format!("policy={}", encode(&id)), routes::keys_of(&id)),
        false => (format!("api_id={}", encode(&id)), routes::keys_at(&id)),
    };
    let query = format!("p=1&per_page=1&{filter}");
    let keys = Load::new(move || {
        let query = query.clone();
        async move { Ok::<_, ApiError>(console.api.listed::<KeyRow>(&query).await?.total) }
    });
    let named = move || {
        let found = policies.get()?.ok()?;
        Some(policies_of(&found, &id).len()).filter(|_| !policy)
    };
    let shown = move || match keys.get() {
        None => view! { <span class="muted">"Counting keys…"</span> }.into_any(),
        Some(Err(error)) => {
            let why = explain::<()>("Keys", Err(error)).err();
            view! { <span class="muted">{why}</span> }.into_any()
        }
        Some(Ok(count)) => {
            let keys = plural(usize::try_from(count).unwrap_or(usize::MAX), "key");
            let policies = named().filter(|count| *count > 0).map(|count| match count {
                1 => " and 1 policy".to_owned(),
                count => format!(" and {count} policies"),
            });
            let does = if policy { " with it" } else { " with access" };
            view! { <a href=href.clone()>{keys}</a>{policies}{does} }.into_any()
        }
    };
    view! { <span class="plan-keys">{live(shown)}</span> }
}
