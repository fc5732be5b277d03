//! The shared state of a document's page: the draft, its problems, and what is stored.

mod problems;

use gatewright_model::Issue;
use gatewright_model::json::{Value, edit, parse};
use leptos::prelude::*;

use super::{ShownSecret, Sort};
use crate::api::dashboard::hooks::NewSecret;
use crate::api::{ApiError, Document};
use crate::components::JumpTarget;
use crate::pages::editor::NO_LAYOUT;
use crate::state::draft::{Draft, Review, Tally, plural};
use crate::state::listen::on_save;
use crate::state::load::Load;
use crate::state::query_string::decode;
use crate::state::rebase::Rebased;
use crate::state::{Console, effect};

/// The shared state of a document's page.
#[derive(Clone, Copy)]
pub struct Desk {
    /// The console.
    pub console: Console,
    /// The kind of document.
    pub sort: &'static Sort,
    id: StoredValue<Option<String>>,
    stored: Option<Load<Document>>,
    draft: RwSignal<Option<Draft>>,
    /// The problems that the editor found; `None` until it has checked.
    pub(super) issues: RwSignal<Option<Vec<Issue>>>,
    /// Input in the form that is not in the text.
    pub(super) unread: RwSignal<Vec<Issue>>,
    /// The problems that the edge found in a text; dropped as soon as the text changes.
    edge_issues: RwSignal<Option<(String, Vec<Issue>)>>,
    /// Problems of the current text that the page of this kind finds itself.
    pub others: RwSignal<Vec<Issue>>,
    /// The location that the editor jumps to.
    pub goto: RwSignal<Option<JumpTarget>>,
    /// Whether the review is open.
    pub(super) reviewing: RwSignal<bool>,
    /// The ids known to the editor, see [`crate::components::JsonEditor`].
    pub ids: RwSignal<String>,
    /// Notified when the content around the document may have changed.
    pub again: Trigger,
    /// A secret that is shown only now.
    pub new_secret: RwSignal<Option<ShownSecret>>,
    /// The result of the last rebase.
    pub(super) rebased: RwSignal<Option<Rebased>>,
}

impl Desk {
    pub(super) fn open(console: Console, sort: &'static Sort, id: Option<String>) -> Self {
        let stored = id.clone().map(|id| {
            Load::new(move || {
                let id = id.clone();
                async move { fetch(console, sort, &id).await }
            })
        });
        let first = || {
            let prepared = (sort.prepared)();
            Draft::of(Document {
                text: prepared.unwrap_or_else(|| sort.template.to_owned()),
                ..Document::default()
            })
        };
        let desk = Self {
            console,
            sort,
            draft: RwSignal::new(id.is_none().then(first)),
            id: StoredValue::new(id),
            stored,
            issues: RwSignal::new(None),
            unread: RwSignal::new(Vec::new()),
            edge_issues: RwSignal::new(None),
            others: RwSignal::new(Vec::new()),
            goto: RwSignal::new(None),
            reviewing: RwSignal::new(false),
            ids: RwSignal::new(String::new()),
            again: Trigger::new(),
            new_secret: RwSignal::new(None),
            rebased: RwSignal::new(None),
        };
        desk.watch();
        desk
    }

    /// Applies fetched documents, blocks leaving the page while something is unsaved, and handles Ctrl and S.
    fn watch(self) {
        let Self { console, sort, .. } = self;
        effect(move || {
            if let Some(document) = self.stored.and_then(Load::good)
                && !untrack(|| self.dirty())
            {
                self.put(Draft::of(document));
            }
        });
        let id = self.id();
        let path = id.map_or_else(|| sort.new.to_owned(), |id| sort.address(&id));
        let unsaved = move || self.dirty() || self.new_secret.with(Option::is_some);
        console.address.hold_while(path, unsaved);
        on_save(move || self.review());
    }

    /// Returns the internal id; `None` for a document that isn't stored yet.
    #[must_use]
    pub fn id(self) -> Option<String> {
        self.id.get_value()
    }

    /// Whether there is a draft to show.
    pub(super) fn ready(self) -> bool {
        self.draft.with(Option::is_some)
    }

    /// Returns why there is no draft.
    pub(super) fn failed(self) -> Option<ApiError> {
        self.stored.and_then(Load::failed)
    }

    /// Fetches the document again; it replaces the draft unless that has changes.
    pub fn fetch_again(self) {
        self.stored.into_iter().for_each(Load::again);
    }

    /// The text being edited.
    #[must_use]
    pub fn text(self) -> String {
        let text = |draft: &Option<Draft>| draft.as_ref().map(|draft| draft.text.clone());
        self.draft.with(text).unwrap_or_default()
    }

    /// Returns the text that editing started from.
    #[must_use]
    pub fn base(self) -> String {
        let base = |draft: &Option<Draft>| Some(draft.as_ref()?.base.as_ref()?.text.clone());
        self.draft.with(base).unwrap_or_default()
    }

    /// Returns the stored document that editing started from; `None` if it isn't stored yet.
    #[must_use]
    pub fn stored(self) -> Option<Document> {
        self.id()?;
        self.draft.with(|draft| draft.as_ref()?.base.clone())
    }

    /// Returns the draft as it would be saved.
    #[must_use]
    pub fn saves(self) -> String {
        let saves = |draft: &Option<Draft>| draft.as_ref().map(|draft| draft.saves().to_owned());
        self.draft.with(saves).unwrap_or_default()
    }

    /// Returns what saving would do, given what is stored now.
    pub(super) fn compare(self, stored: Option<Document>) -> Review {
        let draft = self.draft.get_untracked().unwrap_or_default();
        match self.id() {
            None => Review::Create,
            Some(_) => draft.review(stored),
        }
    }

    /// Returns the display name of the document.
    #[must_use]
    pub fn title(self) -> String {
        if let Some(shown) = self.new_secret.get() {
            return shown.name;
        }
        let text = self.text();
        let document = parse(&text).ok();
        let at = |document: &Value<'_>, pointer: &str| {
            let name = document.pointer(pointer)?.as_str()?;
            (!name.trim().is_empty()).then(|| name.to_owned())
        };
        let named = |document| {
            self.sort
                .named
                .iter()
                .find_map(|pointer| at(document, pointer))
        };
        let name = document.as_ref().and_then(named);
        let id = || self.id().filter(|_| self.sort.named.is_empty());
        let id = || id().map(|id| decode(&id));
        name.or_else(id).unwrap_or_else(|| self.sort.one())
    }

    /// Whether leaving would lose changes.
    #[must_use]
    pub fn dirty(self) -> bool {
        let dirty = |draft: &Option<Draft>| draft.as_ref().is_some_and(Draft::dirty);
        self.draft.with(dirty)
    }

    /// Whether there is something to store; a template may be stored unchanged, unless it must be completed.
    pub(super) fn savable(self) -> bool {
        let complete = self.id.with_value(Option::is_none) && !self.sort.unfinished;
        let changed = complete || self.dirty();
        changed && !self.console.only_reads()
    }

    /// Sets the text to what was typed.
    pub fn type_text(self, text: String) {
        self.draft.update(|draft| {
            if let Some(draft) = draft {
                draft.text = text;
            }
        });
    }

    /// Sets one member; every other byte stays. A text that isn't valid JSON yet is refused with a toast.
    pub fn set(self, pointer: &str, value: &str) {
        match edit::set(&untrack(|| self.text()), pointer, value) {
            Ok(text) => self.type_text(text),
            Err(error) => self.console.toasts.bad(error.to_string()),
        }
    }

    /// Replaces the draft.
    pub(super) fn put(self, draft: Draft) {
        self.draft.set(Some(draft));
    }

    /// Formats the text.
    pub(super) fn format(self) {
        let done = self
            .draft
            .try_update(|draft| draft.as_mut().is_some_and(Draft::format));
        if done != Some(true) {
            self.console.toasts.bad(NO_LAYOUT);
        }
    }

    /// Whether it is stored on one line, but shown on several.
    pub(super) fn stored_on_one_line(self) -> bool {
        let one = |draft: &Option<Draft>| draft.as_ref().is_some_and(Draft::stored_on_one_line);
        self.id().is_some() && self.draft.with(one)
    }

    /// Opens the review, or jumps to the first error if there is one.
    pub(super) fn review(self) {
        if self.reviewing.get_untracked() || !untrack(|| self.savable()) {
            return;
        }
        // What the edge refused earlier, such as a name in use, may be fine by now.
        let mut problems = self.unread.get_untracked();
        problems.extend(self.issues.get_untracked().unwrap_or_default());
        problems.extend(self.others.get_untracked());
        match problems.iter().find(|issue| issue.is_error()) {
            None => self.reviewing.set(true),
            Some(first) => {
                let errors = plural(Tally::of(&problems).errors, "error");
                let toasts = self.console.toasts;
                toasts.bad(format!("{errors} to fix before this can be saved."));
                self.goto.set(Some(JumpTarget::of(first)));
                // What others have may have become free.
                self.again.notify();
            }
        }
    }

    /// Opens the page of a document that was stored for the first time.
    pub(super) fn go_to(self, id: &str) {
        self.console.address.release();
        self.console.address.go(&self.sort.address(id));
    }

    /// Shows the secret of a new document, with this internal id, before its page.
    pub fn show_secret(self, secret: String, made: String) {
        self.new_secret.set(Some(ShownSecret {
            secret: NewSecret {
                secret,
                previous_until: None,
            },
            name: untrack(|| self.title()),
            made: Some(made),
        }));
        self.reviewing.set(false);
        // Clears the draft, so that it can't be edited or stored twice.
        self.draft.set(None);
    }

    /// Makes the stored document the draft.
    pub(super) fn saved(self, stored: Document) {
        self.put(Draft::of(stored));
        self.rebased.set(None);
        self.reviewing.set(false);
    }
}

/// Fetches the stored document, without the members computed on reading.
///
/// # Errors
/// See [`ApiError`].
pub async fn fetch(console: Console, sort: &'static Sort, id: &str) -> Result<Document, ApiError> {
    let document = console.api.written(sort.group, id).await?;
    Ok(document.without(sort.derived))
}
