//! What every page begins with.

use leptos::prelude::*;

/// What the page is called, for whoever announces it.
#[derive(Clone, Copy)]
pub struct PageTitle(pub RwSignal<String>);

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
    let announced = use_context::<PageTitle>();
    Effect::new(move |_| {
        let title = title.get();
        document().set_title(&format!("{title} · Gatewright"));
        if let Some(PageTitle(announced)) = announced {
            announced.set(title);
        }
    });
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
