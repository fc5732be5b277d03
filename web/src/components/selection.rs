//! The selection in a list: a box in each row, the number selected, and the actions on it. Those come with the custom
//! element of `web/editor/bulk-actions.js`, which is loaded when something is first selected.

use std::cell::RefCell;

use leptos::ev::{self, KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Element, HtmlElement};

use super::assist::{Code, load, on_detail};
use super::{button, live, only};
use crate::state::bulk::Kind;
use crate::state::bulk::matching::Matching;
use crate::state::bulk::selection::{Pick, Selected, Shown, picks};
use crate::state::listen::listen;
use crate::state::{Memo, effect};

const TAG: &str = "bulk-actions";
/// Where typing is possible; `x` is a letter there.
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

    #[wasm_bindgen(method, setter)]
    fn set_matching(this: &ActionsElement, text: &str);
}

/// The selected documents, and those that the list shows.
#[derive(Default)]
struct State {
    selected: Selected,
    shown: Vec<Pick>,
    /// Everything that the list finds, including other pages.
    all: Matching,
}

impl State {
    /// Returns what else can be selected once everything shown is, in the element's format; empty for nothing.
    fn matching(&self) -> String {
        let more = u64::try_from(self.shown.len()).is_ok_and(|shown| shown < self.all.total);
        let all_shown =
            more && self.selected.of(&self.shown) == Shown::All && !self.shown.is_empty();
        if all_shown {
            self.all.text()
        } else {
            String::new()
        }
    }
}

thread_local! {
    /// A page has only one list of documents, so this is global: a signal of its own type would be more code.
    static STATE: RefCell<State> = RefCell::default();
}

/// The selection in the list of a page.
#[derive(Clone, Copy)]
pub struct Selection {
    kind: Kind,
    changed: Trigger,
}

impl Selection {
    /// Creates an empty selection.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        STATE.take();
        Self {
            kind,
            changed: Trigger::new(),
        }
    }

    /// Sets the documents that the list shows from now on, and all that it finds.
    pub fn show(self, shown: Vec<Pick>, all: Matching) {
        self.write(|state| (state.shown, state.all) = (shown, all));
    }

    fn read<T>(self, read: impl FnOnce(&State) -> T) -> T {
        self.changed.track();
        STATE.with_borrow(read)
    }

    fn write(self, write: impl FnOnce(&mut State)) {
        STATE.with_borrow_mut(write);
        self.changed.notify();
    }

    /// Returns the first cell of a row: a box that selects its document.
    pub fn cell(self, pick: Pick) -> AnyView {
        let label = format!("Select {}", pick.name);
        let id = StoredValue::new(pick.id);
        let has = move || self.read(|state| id.with_value(|id| state.selected.has(id)));
        let press = move |event: MouseEvent| {
            let on = event_target_checked(&event);
            let range = event.shift_key();
            self.write(
                |State {
                     selected, shown, ..
                 }| {
                    id.with_value(|id| selected.press(shown, id, on, range));
                },
            );
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
        self.read(|state| state.selected.of(&state.shown))
    }
}

/// Returns the heading of the column with the boxes.
#[must_use]
pub fn select_heading() -> AnyView {
    view! { <th scope="col" class="col-select"><span class="visually-hidden">"Selected"</span></th> }
        .into_any()
}

/// The line above a list: how much is selected, and the actions on it.
#[component]
pub fn SelectionBar(
    /// The selection.
    selection: Selection,
    /// Runs after documents were changed.
    on_change: Callback<()>,
) -> impl IntoView {
    let any = Memo::new(move |_| selection.read(|state| !state.selected.is_empty()));
    // Once loaded, the element stays: a report may be open when nothing is selected any more.
    let wanted = Memo::new(move |before: Option<&bool>| before == Some(&true) || any.get());
    let verbs = move || {
        only(wanted.get(), || {
            view! { <Verbs selection=selection on_change=on_change /> }.into_any()
        })
    };
    listen(ev::keydown, press_x);
    let idle = move || !any.get() && selection.read(|state| state.shown.is_empty());
    let words = move || selection.read(|state| state.selected.words(&state.shown));
    let set = move |event| {
        let on = event_target_checked(&event);
        selection.write(
            |State {
                 selected, shown, ..
             }| selected.set(shown, on),
        );
    };
    let clear = move || {
        let clear = move || selection.write(|state| state.selected.clear());
        button("btn btn-small btn-quiet", "Clear", clear)
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

/// The actions on the selection.
#[component]
fn Verbs(selection: Selection, on_change: Callback<()>) -> impl IntoView {
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    effect(move || {
        let (picks, matching) = selection.read(|state| (state.selected.json(), state.matching()));
        let (Code::Ready, Some(host)) = (code.get(), host.get()) else {
            return;
        };
        if host.first_element_child().is_none()
            && let Some(new) = create(selection, on_change)
        {
            let _ = host.append_child(&new);
        }
        if let Some(element) = host.first_element_child() {
            let element = element.unchecked_into::<ActionsElement>();
            element.set_picks(&picks);
            element.set_matching(&matching);
        }
    });
    let note = move || match code.get() {
        Code::Ready => "",
        Code::Loading => "Loading the actions…",
        Code::Failed => {
            "The actions could not be loaded. Check the connection, then load the page again."
        }
    };
    view! {
        <span class="selection-note muted small">{live(note)}</span>
        <div node_ref=host class="selection-verbs"></div>
    }
}

/// Creates the element, which owns its listeners.
fn create(selection: Selection, on_change: Callback<()>) -> Option<ActionsElement> {
    let element: ActionsElement = document().create_element(TAG).ok()?.unchecked_into();
    element.set_kind(selection.kind.noun());
    on_detail(&element, "bulk-changed", move |gone| {
        if !gone.is_empty() {
            let gone: Vec<&str> = gone.lines().collect();
            selection.write(|state| state.selected.forget(&gone));
        }
        on_change.try_run(());
    });
    on_detail(&element, "bulk-selected", move |json| {
        selection.write(|state| state.selected.set(&picks(&json), true));
    });
    Some(element)
}

/// Selects the focused row on the key `x`, as in other lists.
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
