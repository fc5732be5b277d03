//! Whether another API is served where a draft would be: asked whenever its listen path or host changes.

use leptos::prelude::*;

use crate::api::{ApiError, Summary};
use crate::routes;
use crate::state::filters::{Filters, LARGEST_PAGE};
use crate::state::load::Load;
use crate::state::taken::Route;
use crate::state::{Console, Memo};

/// The APIs around a draft.
#[derive(Clone, Copy)]
pub(super) struct Neighbours {
    key: Memo<String>,
    found: Load<Vec<Summary>>,
}

impl Neighbours {
    /// Watches a draft. `key` is that of the route where it would be served ([`Route::key`]), and empty if what is
    /// stored is served there already.
    pub(super) fn watch(console: Console, key: Memo<String>) -> Self {
        let found = Load::new(move || {
            // Read here and not in the request: only then it is asked again.
            let route = Route::of_key(&key.get());
            async move {
                match route {
                    Some(route) => beside(console, &route).await,
                    None => Ok(Vec::new()),
                }
            }
        });
        Self { key, found }
    }

    /// Returns the API that is served exactly there.
    pub(super) fn owner(self) -> Option<Summary> {
        Route::of_key(&self.key.get())?.owner(self.found.good()?)
    }

    /// Asks again.
    pub(super) fn again(self) {
        self.found.again();
    }
}

/// Returns the APIs whose listen path contains that of a route; those with exactly that path are among the first.
async fn beside(console: Console, route: &Route) -> Result<Vec<Summary>, ApiError> {
    let filters = Filters {
        q: route.path.clone(),
        sort: "listen_path".to_owned(),
        per_page: LARGEST_PAGE,
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
