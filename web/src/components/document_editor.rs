//! A document as JSON or as a form: two views of one text.

use gatewright_model::{Issue, Position};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::document_form::{DocumentForm, Parts};
use super::foreign::ForeignText;
use super::json_editor::formats;
use super::{JsonEditor, Shown, each, maybe, unique_id};
use crate::state::toasts::Toasts;
use crate::state::view::View;
use crate::state::{Memo, storage};

/// The storage key for whether long lines are not wrapped.
const UNWRAPPED: &str = "gatewright.unwrapped";

/// A location that either view of a document can go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JumpTarget {
    /// Its position in the text.
    pub position: Position,
    /// Its JSON Pointer.
    pub pointer: String,
}

impl JumpTarget {
    /// Returns the location of an issue.
    #[must_use]
    pub fn of(issue: &Issue) -> Self {
        Self {
            position: issue.start,
            pointer: issue.pointer.clone(),
        }
    }
}

/// Which view is shown, and which page of the form.
#[derive(Clone, Copy)]
pub struct Shows {
    /// The view that is shown.
    pub view: Signal<View>,
    /// Switches to another view.
    pub on_view: Callback<View>,
    /// The pointer of the form's page.
    pub at: Signal<String>,
    /// Goes to another page.
    pub on_at: Callback<String>,
}

/// The editor of a document, with the switch between its views. The JSON editor stays mounted behind the form: it
/// checks the text, and keeps its cursor, its folds and its undo history.
#[component]
pub fn DocumentEditor(
    /// The kind of document, by its name in the model's `Root`.
    root: &'static str,
    /// What the document is, for screen readers.
    label: &'static str,
    /// The text; edits come back through `on_edit`.
    text: Signal<String>,
    /// Receives the full text after each edit.
    on_edit: Callback<String>,
    /// Receives the problems after each check.
    on_issues: Callback<Vec<Issue>>,
    /// Problems found elsewhere, to be marked in the JSON as well.
    external: Signal<Vec<Issue>>,
    /// All problems of the text, shown in the form.
    problems: Signal<Vec<Issue>>,
    /// Receives the input in the form that can't be put into the text.
    on_unread: Callback<Vec<Issue>>,
    /// Formats the text.
    on_format: Callback<()>,
    /// Imports the text if it describes an API in another format.
    #[prop(optional, into)]
    on_import: Option<Callback<String>>,
    /// Whether the document is stored on one line but shown on several.
    one_line: Signal<bool>,
    /// A position to go to; each new value jumps there.
    goto: RwSignal<Option<JumpTarget>>,
    /// The view that is shown, and how to change it.
    shows: Shows,
    /// The address of the page that shows the document as YAML.
    #[prop(optional_no_strip)]
    yaml: Option<String>,
    /// A text that is not checked: the initial text of a new document.
    #[prop(default = "")]
    quiet: &'static str,
    /// Known ids, see [`JsonEditor`].
    #[prop(into, default = String::new().into())]
    ids: Signal<String>,
    /// Where removals are announced, with an undo.
    toasts: Toasts,
) -> impl IntoView {
    let active = Memo::new(move |_| shows.view.get() == View::Form);
    // Once opened, the form stays mounted too, with what is folded and unfolded.
    let opened = Memo::new(move |before: Option<&bool>| before == Some(&true) || active.get());
    let wrap = RwSignal::new(storage::browser_get(UNWRAPPED).is_none());
    let toggle_wrap = move |_| {
        wrap.update(|wrap| *wrap = !*wrap);
        storage::browser_set(UNWRAPPED, (!wrap.get_untracked()).then_some("true"));
    };
    let position = Signal::derive(move || goto.get().map(|target| target.position));
    let to_json = Callback::new(move |position| {
        shows.on_view.run(View::Json);
        goto.set(Some(JumpTarget {
            position,
            pointer: String::new(),
        }));
    });
    let parts = Parts {
        root,
        text,
        on_edit,
        on_unread,
        problems,
        at: shows.at,
        on_at: shows.on_at,
        goto,
        on_json: to_json,
        toasts,
        active: active.into(),
    };
    let keys = move |event: KeyboardEvent| {
        if formats(&event) {
            event.prevent_default();
            on_format.run(());
        }
    };
    view! {
        <section class="card editor-card" aria-label=label on:keydown=keys>
            <div class="editor-bar">
                <Switch view=shows.view on_view=shows.on_view yaml=yaml />
                <Shown when=move || one_line.get()>
                    <span class="editor-note muted small" title="It stays as stored unless you change something or press Format.">
                        "Stored on one line, shown formatted"
                    </span>
                </Shown>
                // A form has no formatting.
                <button
                    type="button"
                    class="btn btn-small btn-quiet editor-wrap"
                    hidden=move || active.get()
                    aria-pressed=move || wrap.get().to_string()
                    on:click=toggle_wrap
                >
                    "Wrap lines"
                </button>
                <button
                    type="button"
                    class="btn btn-small editor-format"
                    hidden=move || active.get()
                    title="Shift Alt F"
                    aria-keyshortcuts="Shift+Alt+F"
                    on:click=move |_| on_format.run(())
                >
                    "Format"
                </button>
            </div>
            <ForeignText text=text on_edit=on_edit on_import=on_import toasts=toasts />
            <div hidden=move || active.get()>
                <JsonEditor
                    text=text
                    on_edit=on_edit
                    on_format=on_format
                    root=root
                    on_issues=on_issues
                    problems=external
                    goto=position
                    wrap=wrap
                    quiet=quiet
                    ids=ids
                    label=label
                />
            </div>
            <Shown when=move || opened.get()>
                <div hidden=move || !active.get()>
                    <DocumentForm parts=parts />
                </div>
            </Shown>
        </section>
    }
}

/// Two radio buttons that look like one switch, and a link beside them.
#[component]
fn Switch(view: Signal<View>, on_view: Callback<View>, yaml: Option<String>) -> impl IntoView {
    let name = unique_id("view");
    let option = move |choice: View| {
        view! {
            <label class="switch-option switch-text">
                <input
                    type="radio"
                    name=name.clone()
                    prop:checked=move || view.get() == choice
                    on:change=move |_| on_view.run(choice)
                />
                <span>{choice.label()}</span>
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset class="switch">
            <legend class="visually-hidden">"View"</legend>
            {each(View::ALL, option)}
            {maybe(yaml, |yaml| view! { <a class="switch-option switch-text" href=yaml>"YAML"</a> }.into_any())}
        </fieldset>
    }
}
