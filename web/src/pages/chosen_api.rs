//! The API that a page sends requests to: its id is in the address, and another one is found by a few letters.

use leptos::prelude::*;

use crate::api::{Document, Summary};
use crate::components::{StateBadge, button, live};
use crate::pages::find_api::{FindApi, summary};
use crate::routes;
use crate::state::load::Load;
use crate::state::{Console, Memo};

/// What is known about it.
#[derive(Clone, Copy)]
pub(super) struct ChosenApi {
    pub(super) console: Console,
    /// Its id, as in the address; empty for none.
    pub(super) id: Memo<String>,
    pub(super) api: Load<Option<Summary>>,
    /// Its stored document.
    pub(super) document: Load<Option<Document>>,
}

impl ChosenApi {
    pub(super) fn of_address(console: Console) -> Self {
        let id = Memo::new(move |_| routes::tried(&console.address.path()));
        Self {
            console,
            id,
            api: Load::new(move || {
                let id = id.get();
                async move { summary(console.api, &id).await }
            }),
            document: Load::new(move || {
                let id = id.get();
                async move {
                    match id.is_empty() {
                        true => Ok(None),
                        false => console.api.document(&id).await.map(Some),
                    }
                }
            }),
        }
    }

    /// Whether an API is chosen.
    pub(super) fn is_chosen(self) -> bool {
        !self.id.with(String::is_empty)
    }
}

/// The chosen API with further content below it, or a field that finds one.
#[component]
pub(super) fn ApiPicker(
    /// The choice.
    of: ChosenApi,
    /// Which APIs are offered.
    only: fn(&Summary) -> bool,
    /// The text if there is none.
    nothing: &'static str,
    /// Receives the id of another one.
    pick: Callback<String>,
    /// The content below it.
    children: ChildrenFn,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let pick = Callback::new(move |id: String| {
        open.set(false);
        pick.run(id);
    });
    let chosen = move || match of.api.good().flatten() {
        Some(found) => view! { <Chosen api=found /> }.into_any(),
        None => view! { <code>{of.id.get()}</code> }.into_any(),
    };
    let shown = move || {
        match of.is_chosen() && !open.get() {
        true => view! {
            <div class="picked">
                {live(chosen)}
                {button("btn btn-small", "Change", move || open.set(true))}
            </div>
            {children()}
        }
        .into_any(),
        false => view! { <FindApi api=of.console.api label="Find an API" only=only nothing=nothing pick=pick /> }.into_any(),
    }
    };
    view! {
        <section class="card panel" aria-labelledby="api-title">
            <h2 id="api-title">"API"</h2>
            {live(shown)}
        </section>
    }
}

#[component]
fn Chosen(api: Summary) -> impl IntoView {
    let name = api.title().to_owned();
    view! {
        <div class="chosen">
            <span class="chosen-name">
                <a href=routes::api_page(&api.api_id, api.document)><strong>{name}</strong></a>
                <StateBadge state=api.state.clone() pending=api.pending.clone() problem=api.problem.clone() />
            </span>
            <code class="muted">{api.listen_path}</code>
        </div>
    }
}
