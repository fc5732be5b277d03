//! Whether another API is served where the draft would be: asked whenever its listen path or host changes.

use leptos::prelude::*;

use crate::api::{ApiError, Summary};
use crate::state::Console;
use crate::state::draft::Draft;
use crate::state::filters::Filters;
use crate::state::load::Load;
use crate::state::taken::Route;

/// Returns the APIs that were found, and the one that is served exactly there.
pub(super) fn watch(
    console: Console,
    draft: RwSignal<Option<Draft>>,
    id: Option<String>,
) -> (Load<Vec<Summary>>, Memo<Option<Summary>>) {
    let route = new_route(draft, id);
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

/// Where the draft would be served, unless what is stored is served there already.
fn new_route(draft: RwSignal<Option<Draft>>, id: Option<String>) -> Memo<Option<Route>> {
    Memo::new(move |_| {
        draft.with(|draft| {
            let draft = draft.as_ref()?;
            let base = draft.base.as_ref();
            let stored = base.and_then(|base| Route::of(&base.text, id.clone()));
            Route::of(&draft.text, id.clone()).filter(|route| Some(route) != stored.as_ref())
        })
    })
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
