//! What every page begins with.

use leptos::prelude::*;

/// The heading of a page with its actions; it names the browser tab as well.
#[component]
pub fn PageHead(
    /// The heading.
    #[prop(into)]
    title: Signal<String>,
    /// One line below it.
    #[prop(optional)]
    lead: &'static str,
    /// The actions.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    Effect::new(move |_| document().set_title(&format!("{} · Gatewright", title.get())));
    view! {
        <header class="page-head">
            <div class="page-title">
                <h1 tabindex="-1">{move || title.get()}</h1>
                {(!lead.is_empty()).then(|| view! { <p>{lead}</p> })}
            </div>
            {children.map(|children| view! { <div class="page-actions">{children()}</div> })}
        </header>
    }
}
