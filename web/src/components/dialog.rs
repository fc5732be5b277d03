//! Dialogs on the browser's own `<dialog>`: it traps the focus and makes the page behind it inert.
//!
//! The focus is where the hand goes next: in the field that is typed into, or on the button that the dialog is
//! for; never on the cross, where Enter would close. The keys that save in the editor press that button.

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

/// What has the focus where nothing asks for it: what is typed into, else what the dialog is for.
const FIRST: [&str; 3] = [
    "[autofocus]:not(:disabled)",
    ".dialog-body :is(input:not([type=checkbox], [type=radio]), select, textarea):not(:disabled)",
    MAIN,
];
/// The button that the dialog is for.
const MAIN: &str = ".dialog-foot .btn-primary:not(:disabled)";

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

/// Opens a dialog once it is in the document, and closes it before it goes: the browser then gives the
/// focus back to what had it. What lies behind an open dialog can't be focused.
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
        let taken = shown.try_update_value(Option::take).flatten();
        if let Some((dialog, watch)) = taken {
            watch.iter().for_each(|watch| watch.observer.disconnect());
            dialog.close();
        }
    });
}

/// Looks at what comes into a dialog later.
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

/// Gives the focus to what it is for, unless somebody has it somewhere already.
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
    // Fails only for an element that can't have it.
    let _ = match found {
        Some(found) => found.focus_with_options(&options),
        None => dialog.focus_with_options(&options),
    };
}

fn in_head(element: &Element) -> bool {
    matches!(element.closest(".dialog-head"), Ok(Some(_)))
}

/// Ctrl or Command with Enter or S, as in the editor.
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
