//! A menu that a button opens, used with the arrow keys (WAI-ARIA menu button pattern).

use leptos::ev::{self, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;

use crate::state::effect;
use crate::state::listen::listen;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

use super::{Glyph, Icon, Shown, unique_id};

/// A button that opens a menu.
#[component]
pub fn Menu(
    /// The name of the button.
    #[prop(into)]
    label: String,
    /// [`MenuItem`]s and [`MenuLink`]s.
    children: ChildrenFn,
) -> impl IntoView {
    let id = unique_id("menu");
    let open = RwSignal::new(false);
    let root = NodeRef::<html::Div>::new();
    let toggle = move |_| open.update(|open| *open = !*open);
    listen(ev::mousedown, move |event| {
        if open.get_untracked() && !contains(root, event.target()) {
            open.set(false);
        }
    });
    effect(move || {
        if open.get() {
            step(root, 0);
        }
    });
    let menu_id = id.clone();
    view! {
        <div class="menu" node_ref=root on:keydown=move |event| steer(&event, root, open)>
            <button
                type="button"
                class="btn btn-icon btn-quiet"
                aria-haspopup="menu"
                aria-expanded=move || open.get().to_string()
                aria-controls=id
                on:click=toggle
            >
                <Icon glyph=Glyph::More />
                <span class="visually-hidden">{label}</span>
            </button>
            <Shown when=move || open.get()>
                // Choosing an item closes the menu. A dialog that it opens returns the focus to where it was before, which
                // has to be the button by then: the item is gone afterwards.
                <div
                    class="menu-list"
                    role="menu"
                    id=menu_id.clone()
                    on:click:capture=move |_| go_back(root)
                    on:click=move |_| open.set(false)
                >
                    {children()}
                </div>
            </Shown>
        </div>
    }
}

/// A command in a menu.
#[component]
pub fn MenuItem(
    /// An icon.
    glyph: Glyph,
    /// What it does.
    #[prop(into)]
    label: String,
    /// Whether it destroys something.
    #[prop(optional)]
    danger: bool,
    /// Runs when it is chosen.
    on_choose: Callback<()>,
) -> impl IntoView {
    view! {
        <button
            type="button"
            role="menuitem"
            tabindex="-1"
            class=if danger { "menu-item danger" } else { "menu-item" }
            on:click=move |_| on_choose.run(())
        >
            <Icon glyph=glyph />
            {label}
        </button>
    }
}

/// A link to a page in a menu.
#[component]
pub fn MenuLink(
    /// An icon.
    glyph: Glyph,
    /// Its name.
    #[prop(into)]
    label: String,
    /// Its address.
    href: String,
) -> impl IntoView {
    view! {
        <a role="menuitem" tabindex="-1" class="menu-item" href=href>
            <Icon glyph=glyph />
            {label}
        </a>
    }
}

fn contains(root: NodeRef<html::Div>, target: Option<web_sys::EventTarget>) -> bool {
    let node = target.and_then(|target| target.dyn_into::<Node>().ok());
    root.get_untracked()
        .zip(node)
        .is_some_and(|(root, node)| root.contains(Some(&node)))
}

fn steer(event: &KeyboardEvent, root: NodeRef<html::Div>, open: RwSignal<bool>) {
    match event.key().as_str() {
        "ArrowDown" if open.get_untracked() => step(root, 1),
        "ArrowUp" if open.get_untracked() => step(root, -1),
        "ArrowDown" => open.set(true),
        "Escape" if open.get_untracked() => {
            open.set(false);
            go_back(root);
        }
        "Tab" => return open.set(false),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// Focuses the button of the menu.
fn go_back(root: NodeRef<html::Div>) {
    let root = root.get_untracked();
    // The button is the first element of the menu.
    focus(root.and_then(|root| root.query_selector("button").ok().flatten()));
}

/// Moves the focus by `by` items, wrapping around; 0 focuses the first.
fn step(root: NodeRef<html::Div>, by: i32) {
    let Some(root) = root.get_untracked() else {
        return;
    };
    let Ok(items) = root.query_selector_all("[role=menuitem]") else {
        return;
    };
    let count = i32::try_from(items.length()).unwrap_or(0).max(1);
    let active = document().active_element();
    let here = (0..count).find(|index| {
        let item = u32::try_from(*index)
            .ok()
            .and_then(|index| items.item(index));
        active
            .as_ref()
            .is_some_and(|active| active.is_same_node(item.as_ref()))
    });
    let next = here.map_or(0, |here| here.saturating_add(by).rem_euclid(count));
    let item = u32::try_from(next).ok().and_then(|index| items.item(index));
    focus(item.and_then(|item| item.dyn_into::<Element>().ok()));
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}
