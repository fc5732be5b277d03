//! The head of every page.

use leptos::prelude::*;

use crate::state::effect;
use crate::state::session::Session;

use super::{live, maybe, only};

/// The title of the page, for announcing it.
#[derive(Clone, Copy)]
pub struct PageTitle(pub RwSignal<String>);

/// The heading of a page with its actions; it titles the browser tab as well.
#[component]
pub fn PageHead(
    /// The heading.
    #[prop(into)]
    title: Signal<String>,
    /// One line below it.
    #[prop(optional)]
    lead: &'static str,
    /// The part of the document that is shown, if it has several pages: they share the heading.
    #[prop(optional, into)]
    part: Signal<&'static str>,
    /// The actions.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let announced = use_context::<PageTitle>();
    let session = use_context::<Session>();
    effect(move || {
        let part = part.get();
        let mut title = title.get();
        if !part.is_empty() {
            title = format!("{title} · {part}");
        }
        let at = session.map(|session| session.identity().environment);
        let at = at.filter(|at| !at.is_empty()).map(|at| format!("{at} · "));
        let at = at.unwrap_or_default();
        document().set_title(&format!("{title} · {at}Gatewright"));
        if let Some(PageTitle(announced)) = announced {
            announced.set(title);
        }
    });
    view! {
        <header class="page-head">
            <div class="page-title">
                <h1 tabindex="-1">{live(move || title.get())}</h1>
                {only(!lead.is_empty(), || view! { <p>{lead}</p> }.into_any())}
            </div>
            {maybe(children, |children| view! { <div class="page-actions">{children()}</div> }.into_any())}
        </header>
    }
}
