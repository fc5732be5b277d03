//! The shared state of a form: the text, the page that is shown, and the operations on both.

use std::collections::BTreeMap;
use std::sync::Arc;

use gatewright_model::json::parse;
use gatewright_model::{Issue, IssueCode, Position};
use leptos::prelude::*;

use super::focus::{focus_new, focus_soon};
use super::page::{Found, Node, PAGE, Page, found, number, text, texts};
use super::unread::Unread;
use super::view::{Folds, Sheet, view_json};
use crate::components::Assist;
use crate::components::assist::Code;
use crate::state::Memo;
use crate::state::offers::Offer;

/// Where a field is to be added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Adding {
    /// The pointer of the object.
    pub(super) at: String,
    /// The section whose fields come first.
    pub(super) section: String,
}

/// The document of a form, and its callbacks.
#[derive(Clone, Copy)]
pub struct Subject {
    /// The kind of document, by its name in the model's `Root`.
    pub root: StoredValue<String>,
    /// The text.
    pub text: Signal<String>,
    /// The pointer of the page that is shown.
    pub at: Signal<String>,
    /// What is wrong with the document.
    pub problems: Signal<Vec<Issue>>,
    /// A field to go to; each new pointer jumps there.
    pub goto: Signal<String>,
    /// Receives the full text after each edit.
    pub on_edit: Callback<String>,
    /// Receives the input that is not in the text, as issues at the fields.
    pub on_unread: Callback<Vec<Issue>>,
    /// Goes to another page.
    pub on_at: Callback<String>,
    /// Announces what was removed, after the edit.
    pub on_removed: Callback<Removed>,
    /// Reports why something can't be done.
    pub on_refused: Callback<String>,
    /// Goes to a position in the text while it has no form.
    pub on_json: Callback<Position>,
    /// Returns ids to choose from, with their display names, for what is typed; reactive to the signals that it reads.
    pub ids: Callback<(Offer, String), Vec<(String, String)>>,
}

/// Something that was removed, with what is needed to restore it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Where it was.
    pub pointer: String,
    /// What it is called.
    pub name: String,
    /// Its JSON text.
    pub json: String,
}

/// The form; small and freely copied.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) subject: Subject,
    folds: RwSignal<Folds>,
    pub(super) sheet: RwSignal<Sheet>,
    /// Pointer and control of the focused field, which must keep its control.
    pub(super) held: RwSignal<Option<(String, String)>>,
    pub(super) page: Memo<Page>,
    pub(super) issues: Memo<BTreeMap<String, Vec<Issue>>>,
    pub(super) adding: RwSignal<Option<Adding>>,
    /// The input that is not in the text, by the pointers of the fields.
    pub(super) unread: RwSignal<Unread>,
}

impl Form {
    pub(super) fn new(subject: Subject, code: RwSignal<Code>) -> Self {
        let folds = RwSignal::new(Folds::default());
        let sheet = RwSignal::new(Sheet::default());
        let held = RwSignal::new(None);
        // Only these matter to the page; it isn't computed again for every other problem.
        let missing = Memo::new(move |_| {
            let issues = subject.problems.get();
            let missing = issues
                .into_iter()
                .filter(|issue| issue.code == IssueCode::Required);
            missing.map(|issue| issue.pointer).collect::<Vec<_>>()
        });
        let page = Memo::new(move |_| {
            if code.get() != Code::Ready {
                return Page::default();
            }
            let at = subject.at.get();
            let Sheet { from, filter, .. } = sheet.with(|sheet| sheet.on(&at));
            let view = folds.with(|folds| {
                missing.with(|missing| view_json(&at, folds, from, &filter, held.get(), missing))
            });
            let page = |assist: Assist| {
                subject.root.with_value(|root| {
                    subject
                        .text
                        .with(|text| assist.form_page(root, text, &view))
                })
            };
            Page::read(&Assist::here().map(page).unwrap_or_default())
        });
        let issues = Memo::new(move |_| by_pointer(subject.problems.get()));
        let unread = RwSignal::new(Unread::default());
        Effect::new(move |had_issues: Option<bool>| {
            let current = subject
                .text
                .with(|text| unread.with(|unread| unread.still(text)));
            unread
                .with_untracked(|before| *before != current)
                .then(|| unread.set(current.clone()));
            let issues = subject.text.with_untracked(|text| current.issues(text));
            let some = !issues.is_empty();
            if some || had_issues == Some(true) {
                subject.on_unread.run(issues);
            }
            some
        });
        Self {
            subject,
            folds,
            sheet,
            held,
            page,
            issues,
            adding: RwSignal::new(None),
            unread,
        }
    }

    /// Passes the current text and view to a function of the module.
    fn ask(self, question: impl Fn(&Assist, &str, &str) -> String) -> String {
        let assist = Assist::here();
        let answer = assist.map(|assist| {
            let ask = |text: &String| {
                let root = self.subject.root;
                root.with_value(|root| question(&assist, root, text))
            };
            self.subject.text.with_untracked(ask)
        });
        answer.unwrap_or_default()
    }

    /// Returns one field of the page, reactively.
    pub(super) fn node(self, key: String) -> Memo<Arc<Node>> {
        Memo::new(move |_| self.page.with(|page| page.node(&key)))
    }

    /// Returns the page itself, reactively.
    pub(super) fn page_node(self) -> Memo<Arc<Node>> {
        self.node(PAGE.to_owned())
    }

    /// Changes the text; see `web/src/editor/change.rs` for `how`. Returns the pointer of what was changed and the JSON
    /// text that was removed.
    ///
    /// # Errors
    /// Why it can't be done.
    pub(super) fn change(
        self,
        how: &str,
        pointer: &str,
        input: &str,
    ) -> Result<(String, String), String> {
        let answer = self.ask(|assist, root, text| assist.change(root, text, how, pointer, input));
        let read = parse(&answer);
        let Some((value, after)) = read
            .as_ref()
            .ok()
            .and_then(|value| Some((value, value.str("text")?)))
        else {
            let error = read.ok().map(|value| text(&value, "error"));
            return Err(error.unwrap_or_else(|| "The form does not respond".to_owned()));
        };
        if self.subject.text.with_untracked(|before| before != after) {
            self.subject.on_edit.run(after.to_owned());
        }
        Ok((text(value, "pointer"), text(value, "was")))
    }

    /// Does the same for a button: an error is shown as a toast.
    pub(super) fn press(self, how: &str, pointer: &str, input: &str) -> Option<(String, String)> {
        let outcome = self.change(how, pointer, input);
        outcome
            .map_err(|error| self.subject.on_refused.run(error))
            .ok()
    }

    /// Removes a field, with an undo. The focus moves to its container.
    pub(super) fn remove(self, pointer: &str, name: &str) {
        let Some((_, json)) = self.press("remove", pointer, "") else {
            return;
        };
        self.subject.on_removed.run(Removed {
            pointer: pointer.to_owned(),
            name: name.to_owned(),
            json,
        });
        let around = pointer.rsplit_once('/').map_or("", |(around, _)| around);
        focus_soon("data-adds", around.to_owned());
    }

    /// Goes to a field: to its page, unfolding what contains it.
    pub(super) fn go(self, pointer: &str) {
        let pointer = self.show(pointer);
        focus_soon("data-pointer", pointer);
    }

    /// Goes to a field that was just added: typing replaces its initial value.
    pub(super) fn go_new(self, pointer: &str) {
        let pointer = self.show(pointer);
        focus_new(pointer);
    }

    /// Shows the page of a field. Returns the pointer of the closest part of it that exists.
    fn show(self, pointer: &str) -> String {
        let answer = self.ask(|assist, root, text| assist.locate(root, text, pointer));
        let Ok(value) = parse(&answer) else {
            return String::new();
        };
        let at = text(&value, "at");
        self.folds.update(|folds| {
            let open = texts(value.get("open"));
            open.iter().for_each(|pointer| folds.set(pointer, true));
        });
        self.turn(Sheet {
            at: at.clone(),
            from: number(&value, "from"),
            filter: String::new(),
        });
        if self.subject.at.get_untracked() != at {
            self.subject.on_at.run(at);
        }
        text(&value, "pointer")
    }

    /// Opens a page and moves the focus there.
    pub(super) fn open(self, pointer: &str) {
        self.subject.on_at.run(pointer.to_owned());
        focus_soon("data-page", String::new());
    }

    /// Shows other entries of a list page.
    pub(super) fn turn(self, sheet: Sheet) {
        if self.sheet.with_untracked(|old| *old != sheet) {
            self.sheet.set(sheet);
        }
    }

    pub(super) fn fold(self, pointer: &str, open: bool) {
        self.folds.update(|folds| folds.set(pointer, open));
    }

    /// Finds fields by their words, see `web/src/editor/find.rs`.
    pub(super) fn find(self, adding: &Adding, query: &str) -> Vec<Found> {
        let near = self.page.with_untracked(|page| page.at.clone());
        let Adding { at, section } = adding;
        let answer =
            self.ask(|assist, root, text| assist.find(root, text, at, &near, section, query));
        found(&answer)
    }

    /// Returns the fixes of a problem for its field, with their indices; removal has its own button there.
    pub(super) fn remedies(self, issue: &Issue) -> Vec<(usize, String)> {
        let root = self.subject.root;
        let text = self.subject.text.get_untracked();
        let fixes = Assist::here()
            .map(|assist| root.with_value(|root| assist.fixes(root, &text, issue)))
            .unwrap_or_default();
        let stays = fixes
            .into_iter()
            .enumerate()
            .filter(|(_, fix)| !fix.removes);
        stays.map(|(index, fix)| (index, fix.title)).collect()
    }

    /// Applies the fix at that index; the focus moves to the problem's field.
    pub(super) fn fix(self, issue: &Issue, index: usize) {
        let root = self.subject.root;
        let text = self.subject.text.get_untracked();
        if let Some(assist) = Assist::here() {
            let fixed = root.with_value(|root| assist.apply_fix(root, &text, issue, index));
            self.subject.on_edit.run(fixed);
            focus_soon("data-pointer", issue.pointer.clone());
        }
    }

    /// Counts the problems inside something.
    pub(super) fn inside(self, pointer: &str) -> usize {
        let below = format!("{pointer}/");
        self.issues.with(|issues| {
            let from = issues.range(below.clone()..);
            from.take_while(|(pointer, _)| pointer.starts_with(&below))
                .map(|(_, issues)| issues.len())
                .sum()
        })
    }
}

fn by_pointer(issues: Vec<Issue>) -> BTreeMap<String, Vec<Issue>> {
    let mut by_pointer: BTreeMap<String, Vec<Issue>> = BTreeMap::new();
    for issue in issues {
        let pointer = issue.pointer.clone();
        by_pointer.entry(pointer).or_default().push(issue);
    }
    by_pointer
}

/// Returns the name of a value for messages: the last token of its pointer.
pub(super) fn called(value: &Node) -> String {
    match value.role.as_str() {
        "item" => format!("entry {}", value.name),
        _ => value.name.clone(),
    }
}
