//! Whether another API is served where a draft would be: asked whenever its listen path or host changes.

use leptos::prelude::*;

use crate::api::{ApiError, Summary};
use crate::routes;
use crate::state::Console;
use crate::state::filters::Filters;
use crate::state::load::Load;
use crate::state::taken::Route;

/// Returns the APIs that were found, and the one that is served exactly there. `route` is where the draft would be
/// served, unless what is stored is served there already.
pub(super) fn watch(
    console: Console,
    route: Memo<Option<Route>>,
) -> (Load<Vec<Summary>>, Memo<Option<Summary>>) {
    let found = Load::new(move || {
        // Read here and not in the request: only then it is asked again.
        let route = route.get();
        async move {
            match route {
                Some(route) => beside(console, &route).await,
                None => Ok(Vec::new()),
            }
        }
    });
    let owner = Memo::new(move |_| route.get()?.owner(found.good()?));
    (found, owner)
}

/// Returns the APIs whose listen path contains that of a route; those with exactly that path are among the first.
async fn beside(console: Console, route: &Route) -> Result<Vec<Summary>, ApiError> {
    let filters = Filters {
        q: route.path.clone(),
        sort: "listen_path".to_owned(),
        per_page: 200,
        ..Filters::default()
    };
    let found = console.api.summaries(&filters.to_request()).await?;
    Ok(found.apis)
}

/// Leads to the API that has the listen path, in another tab: this one has unsaved text.
pub(super) fn owner_link(owner: Summary) -> AnyView {
    let href = routes::api_page(&owner.api_id, owner.document);
    let name = owner.title().to_owned();
    view! { <p class="small">"Served under this listen path: "<a href=href target="_blank">{name}</a></p> }.into_any()
}
