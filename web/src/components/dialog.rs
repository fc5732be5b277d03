//! Dialogs on the browser's own `<dialog>`: it traps the focus and makes the page behind it inert.
//!
//! The focus goes where the user will act next: to the field to type into, or to the primary button; never to the close
//! button, where Enter would close the dialog. The editor's shortcuts for saving press the primary button.

use leptos::html;
use leptos::prelude::*;

use crate::state::effect;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, FocusOptions, HtmlDialogElement, HtmlElement, KeyboardEvent, MutationObserver,
    MutationObserverInit,
};

use super::{Glyph, IconButton, live, unique_id};

/// What gets the focus, in this order, if nothing in the dialog has it: an element with `autofocus`, a field, the
/// primary button.
const FIRST: [&str; 3] = [
    "[autofocus]:not(:disabled)",
    ".dialog-body :is(input:not([type=checkbox], [type=radio]), select, textarea):not(:disabled)",
    MAIN,
];
/// The primary button.
const MAIN: &str = ".dialog-foot .btn-primary:not(:disabled)";

/// A modal dialog, open as long as it is mounted; afterwards the focus returns to where it was.
#[component]
pub fn Dialog(
    /// Its heading.
    #[prop(into)]
    title: Signal<String>,
    /// Runs on Escape, on the close button and on a click outside.
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
            tabindex="-1"
            aria-labelledby=heading
            on:keydown=move |event| press_main(node, event)
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

/// Opens a dialog once it is in the document, and closes it before it is removed, so that the browser returns the focus
/// to where it was. Nothing behind an open dialog can get the focus.
pub fn modal(node: NodeRef<html::Dialog>) {
    let shown = StoredValue::new_local(None::<(HtmlDialogElement, Option<Watch>)>);
    effect(move || {
        if let Some(dialog) = node.get()
            && !dialog.open()
        {
            // Fails only for an element that is not in the document.
            let _ = dialog.show_modal();
            settle(&dialog);
            let watch = Watch::on(&dialog);
            shown.set_value(Some((dialog, watch)));
        }
    });
    on_cleanup(move || {
        let opened = shown.try_update_value(Option::take).flatten();
        if let Some((dialog, watch)) = opened {
            watch.iter().for_each(|watch| watch.observer.disconnect());
            dialog.close();
        }
    });
}

/// Watches for content that is added to a dialog later.
struct Watch {
    observer: MutationObserver,
    _look: Closure<dyn FnMut()>,
}

impl Watch {
    fn on(dialog: &HtmlDialogElement) -> Option<Self> {
        let own = dialog.clone();
        let look = Closure::<dyn FnMut()>::new(move || settle(&own));
        let observer = MutationObserver::new(look.as_ref().unchecked_ref()).ok()?;
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_subtree(true);
        observer.observe_with_options(dialog, &options).ok()?;
        Some(Self {
            observer,
            _look: look,
        })
    }
}

/// Moves the focus to where the user will act next, unless it is inside the dialog already.
fn settle(dialog: &HtmlDialogElement) {
    let active = document().active_element();
    let idle = active.as_ref().is_none_or(|active| {
        let around: &Element = dialog.as_ref();
        active == around || !around.contains(Some(active)) || in_head(active)
    });
    if !idle {
        return;
    }
    let found = FIRST
        .iter()
        .find_map(|wanted| dialog.query_selector(wanted).ok().flatten());
    let found = found.and_then(|found| found.dyn_into::<HtmlElement>().ok());
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // Fails only for an element that can't have the focus.
    let _ = match found {
        Some(found) => found.focus_with_options(&options),
        None => dialog.focus_with_options(&options),
    };
}

fn in_head(element: &Element) -> bool {
    matches!(element.closest(".dialog-head"), Ok(Some(_)))
}

/// Presses the primary button on Ctrl or Command with Enter or S, as in the editor.
fn press_main(node: NodeRef<html::Dialog>, event: KeyboardEvent) {
    let command = event.ctrl_key() || event.meta_key();
    let key = event.key();
    if !command || !(key == "Enter" || key.eq_ignore_ascii_case("s")) {
        return;
    }
    event.prevent_default();
    event.stop_propagation();
    let dialog = node.get_untracked();
    let main = dialog.and_then(|dialog| dialog.query_selector(MAIN).ok().flatten());
    if let Some(main) = main.and_then(|main| main.dyn_into::<HtmlElement>().ok()) {
        main.click();
    }
}

/// A yes-or-no question; the focus is on the safe answer.
#[component]
pub fn Confirm(
    /// The question.
    #[prop(into)]
    title: Signal<String>,
    /// The label of the confirming button.
    #[prop(into)]
    label: String,
    /// Whether it destroys something.
    #[prop(optional)]
    danger: bool,
    /// Whether the action is under way.
    #[prop(into, default = false.into())]
    busy: Signal<bool>,
    /// Runs on confirmation.
    on_confirm: Callback<()>,
    /// Runs on cancellation.
    on_cancel: Callback<()>,
    /// What confirming will do.
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
