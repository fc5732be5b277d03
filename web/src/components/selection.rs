//! What is selected in a list: a box in each row, how much it is, and what can be done with it. That comes with the
//! custom element of `web/editor/bulk-actions.js`, which is loaded when something is first selected.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Element, HtmlElement};

use super::assist::{Code, load, on_detail};
use super::{live, only};
use crate::state::bulk::Kind;
use crate::state::bulk::selection::{Pick, Selected, Shown};
use crate::state::effect;

const TAG: &str = "bulk-actions";
/// What is typed into; `x` is a letter there.
const TYPED: &str = "input:not([type=checkbox]), textarea, select, dialog, [contenteditable]";

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    type ActionsElement;

    #[wasm_bindgen(method, setter)]
    fn set_kind(this: &ActionsElement, noun: &str);

    #[wasm_bindgen(method, setter)]
    fn set_picks(this: &ActionsElement, json: &str);
}

/// What is selected in a list, and what the list shows.
#[derive(Clone, Copy)]
pub struct Selection {
    kind: Kind,
    selected: RwSignal<Selected>,
    shown: RwSignal<Vec<Pick>>,
}

impl Selection {
    /// Nothing is selected.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            selected: RwSignal::new(Selected::default()),
            shown: RwSignal::new(Vec::new()),
        }
    }

    /// The list shows these from here on.
    pub fn show(self, shown: Vec<Pick>) {
        self.shown.set(shown);
    }

    /// The first cell of a row: a box that selects its document.
    pub fn cell(self, pick: Pick) -> AnyView {
        let label = format!("Select {}", pick.name);
        let id = StoredValue::new(pick.id);
        let selected = self.selected;
        let has = move || selected.with(|selected| id.with_value(|id| selected.has(id)));
        let press = move |event: MouseEvent| {
            let on = event_target_checked(&event);
            let shown = self.shown.get_untracked();
            let range = event.shift_key();
            selected.update(|selected| id.with_value(|id| selected.press(&shown, id, on, range)));
        };
        view! {
            <td class="col-select">
                <label class="select-box">
                    <input type="checkbox" aria-label=label prop:checked=has on:click=press />
                </label>
            </td>
        }
        .into_any()
    }

    fn all(self) -> Shown {
        self.shown
            .with(|shown| self.selected.with(|selected| selected.of(shown)))
    }
}

/// The heading of the column with the boxes.
#[must_use]
pub fn select_heading() -> AnyView {
    view! { <th scope="col" class="col-select"><span class="visually-hidden">"Selected"</span></th> }
        .into_any()
}

/// The line above a list: how much is selected, and what can be done with it.
#[component]
pub fn SelectionBar(
    /// What is selected.
    selection: Selection,
    /// Runs when something was changed.
    on_change: Callback<()>,
) -> impl IntoView {
    let Selection {
        selected, shown, ..
    } = selection;
    let any = Memo::new(move |_| selected.with(|selected| !selected.is_empty()));
    // Once it has been loaded it stays: a report may be open when nothing is selected any more.
    let wanted = Memo::new(move |before: Option<&bool>| before == Some(&true) || any.get());
    let verbs = move || {
        only(wanted.get(), || {
            view! { <Verbs selection=selection on_change=on_change /> }.into_any()
        })
    };
    let keys = window_event_listener(leptos::ev::keydown, press_x);
    on_cleanup(move || keys.remove());
    let idle = move || !any.get() && shown.with(Vec::is_empty);
    let words = move || shown.with(|shown| selected.with(|selected| selected.words(shown)));
    let set = move |event| {
        let on = event_target_checked(&event);
        let shown = shown.get_untracked();
        selected.update(|selected| selected.set(&shown, on));
    };
    let clear = move || {
        view! {
            <button type="button" class="btn btn-small btn-quiet" on:click=move |_| selected.update(Selected::clear)>"Clear"</button>
        }
        .into_any()
    };
    view! {
        <div class="selection" class:idle=idle role="group" aria-label="Selection">
            <label class="select-box select-all">
                <input
                    type="checkbox"
                    prop:checked=move || selection.all() == Shown::All
                    prop:indeterminate=move || selection.all() == Shown::Some
                    on:change=set
                />
                "Select all shown"
            </label>
            <span class="selection-count" role="status">{live(words)}</span>
            {live(move || only(any.get(), clear))}
            {live(verbs)}
        </div>
    }
}

/// What can be done with what is selected.
#[component]
fn Verbs(selection: Selection, on_change: Callback<()>) -> impl IntoView {
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    let element = StoredValue::new_local(None::<ActionsElement>);
    effect(move || {
        if let (Code::Ready, Some(host)) = (code.get(), host.get())
            && element.with_value(Option::is_none)
            && let Some(new) = create(selection, on_change)
        {
            let _ = host.append_child(&new);
            element.set_value(Some(new));
        }
        let picks = selection.selected.with(Selected::json);
        element.with_value(|element| element.iter().for_each(|element| element.set_picks(&picks)));
    });
    let note = move || match code.get() {
        Code::Ready => "",
        Code::Loading => "Loading what can be done…",
        Code::Failed => {
            "What can be done with it could not be loaded. Check the connection, then load the page again."
        }
    };
    view! {
        <span class="selection-note muted small">{live(note)}</span>
        <div node_ref=host class="selection-verbs"></div>
    }
}

/// Makes the element, which owns its listeners.
fn create(selection: Selection, on_change: Callback<()>) -> Option<ActionsElement> {
    let element: ActionsElement = document().create_element(TAG).ok()?.unchecked_into();
    element.set_kind(selection.kind.noun());
    on_detail(&element, "bulk-changed", move |gone| {
        if !gone.is_empty() {
            let gone: Vec<&str> = gone.lines().collect();
            selection
                .selected
                .try_update(|selected| selected.forget(&gone));
        }
        on_change.try_run(());
    });
    Some(element)
}

/// The key `x` selects the row that has the focus, as in other lists.
fn press_x(event: KeyboardEvent) {
    if event.key() != "x" || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let target = event.target();
    let Some(target) = target.and_then(|target| target.dyn_into::<Element>().ok()) else {
        return;
    };
    let inside = |of: &str| target.closest(of).ok().flatten();
    if inside(TYPED).is_some() {
        return;
    }
    let row = inside("tr");
    let found = row.and_then(|row| row.query_selector(".col-select input").ok().flatten());
    if let Some(found) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        found.click();
    }
}
