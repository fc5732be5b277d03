//! Dialogs on the browser's own `<dialog>`: it traps the focus and makes the page behind it inert.

use leptos::html;
use leptos::prelude::*;

use crate::state::effect;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use super::{Glyph, IconButton, live, unique_id};

/// A modal dialog. It is open as long as it is mounted; the focus goes back to where it was.
#[component]
pub fn Dialog(
    /// Its heading.
    #[prop(into)]
    title: Signal<String>,
    /// Runs on Escape, on the cross and on a click outside.
    on_close: Callback<()>,
    /// More classes: "wide", "full".
    #[prop(default = "")]
    class: &'static str,
    /// Its content.
    children: Children,
) -> impl IntoView {
    let id = unique_id("dialog");
    let heading = id.clone();
    let node = NodeRef::<html::Dialog>::new();
    modal(node);
    let outside = move |event: leptos::ev::MouseEvent| {
        let on_itself = event
            .target()
            .zip(node.get_untracked())
            .is_some_and(|(target, dialog)| {
                target
                    .dyn_ref::<web_sys::Element>()
                    .is_some_and(|target| target.is_same_node(Some(dialog.as_ref())))
            });
        if on_itself {
            on_close.run(());
        }
    };
    view! {
        <dialog
            node_ref=node
            class=format!("dialog {class}")
            aria-labelledby=heading
            on:cancel=move |event: leptos::ev::Event| {
                event.prevent_default();
                on_close.run(());
            }
            on:mousedown=outside
        >
            <div class="dialog-frame">
                <header class="dialog-head">
                    <h2 id=id>{live(move || title.get())}</h2>
                    <IconButton glyph=Glyph::Close label="Close" on_press=on_close />
                </header>
                {children()}
            </div>
        </dialog>
    }
}

/// Opens a dialog once it is in the document, and closes it before it goes: the browser then gives the
/// focus back to what had it. What lies behind an open dialog can't be focused.
pub fn modal(node: NodeRef<html::Dialog>) {
    let shown = StoredValue::new_local(None::<HtmlDialogElement>);
    effect(move || {
        if let Some(dialog) = node.get()
            && !dialog.open()
        {
            // Fails only for an element that is not in the document.
            let _ = dialog.show_modal();
            shown.set_value(Some(dialog));
        }
    });
    on_cleanup(move || {
        if let Some(Some(dialog)) = shown.try_get_value() {
            dialog.close();
        }
    });
}

/// A question with two answers; the careful one has the focus.
#[component]
pub fn Confirm(
    /// The question.
    #[prop(into)]
    title: Signal<String>,
    /// What the button that does it is called.
    #[prop(into)]
    label: String,
    /// Whether it destroys something.
    #[prop(optional)]
    danger: bool,
    /// Whether it is under way.
    #[prop(into, default = false.into())]
    busy: Signal<bool>,
    /// Runs if the answer is yes.
    on_confirm: Callback<()>,
    /// Runs if the answer is no.
    on_cancel: Callback<()>,
    /// What happens then.
    children: Children,
) -> impl IntoView {
    view! {
        <Dialog title=title on_close=on_cancel>
            <div class="dialog-body">{children()}</div>
            <footer class="dialog-foot">
                <button type="button" class="btn" autofocus on:click=move |_| on_cancel.run(())>"Cancel"</button>
                <button
                    type="button"
                    class=if danger { "btn btn-danger" } else { "btn btn-primary" }
                    disabled=move || busy.get()
                    on:click=move |_| on_confirm.run(())
                >
                    {label}
                </button>
            </footer>
        </Dialog>
    }
}
