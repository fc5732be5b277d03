//! Views without their types.
//!
//! `view!` gives every element a type of its own, and lists, options and conditions around it are then compiled once
//! per type. All callers of these functions share one copy, which keeps the console's first load small.

use std::sync::Arc;

use leptos::children::ViewFn;
use leptos::prelude::*;

use crate::state::Memo;

/// Builds one view per item.
pub fn each<T>(items: impl IntoIterator<Item = T>, view: impl FnMut(T) -> AnyView) -> Vec<AnyView> {
    items.into_iter().map(view).collect()
}

/// Builds a view of a value, or nothing.
pub fn maybe<T>(value: Option<T>, view: impl FnOnce(T) -> AnyView) -> AnyView {
    value.map_or_else(|| ().into_any(), view)
}

/// Builds a view if `holds` is true, or nothing.
pub fn only(holds: bool, view: impl FnOnce() -> AnyView) -> AnyView {
    if holds { view() } else { ().into_any() }
}

/// Builds a view that is reactive to the signals it reads.
pub fn live<V: IntoAny>(view: impl Fn() -> V + Send + Sync + 'static) -> AnyView {
    erased(Box::new(view))
}

fn erased(view: Box<dyn Live>) -> AnyView {
    (move || view.build()).into_any()
}

/// What [`live`] builds. A `dyn Fn` would do, but has entries for `FnOnce` and `FnMut`, too, and those are compiled for
/// every closure without ever being called.
trait Live: Send + Sync {
    fn build(&self) -> AnyView;
}

impl<V: IntoAny, F: Fn() -> V + Send + Sync> Live for F {
    fn build(&self) -> AnyView {
        self().into_any()
    }
}

/// Shows its children while a condition holds; it rebuilds them when the condition changes, not on every change of its
/// inputs.
#[component]
pub fn Shown(
    /// The condition.
    #[prop(into)]
    when: Signal<bool>,
    /// What is shown while the condition doesn't hold.
    #[prop(optional, into)]
    fallback: ViewFn,
    /// What is shown while it holds.
    children: ChildrenFn,
) -> impl IntoView {
    let holds = Memo::new(move |_| when.get());
    live(move || {
        if holds.get() {
            children()
        } else {
            fallback.run()
        }
    })
}

/// Builds one view per key; a view stays as long as its key, whatever happens to the others.
pub fn keyed(
    keys: impl Fn() -> Vec<String> + Send + Sync + 'static,
    view: impl Fn(String) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    fn boxed(
        keys: Box<dyn Fn() -> Vec<String> + Send + Sync>,
        view: Arc<dyn Fn(String) -> AnyView + Send + Sync>,
    ) -> AnyView {
        view! { <For each=keys key=String::clone children=move |key| view(key) /> }.into_any()
    }
    boxed(Box::new(keys), Arc::new(view))
}
