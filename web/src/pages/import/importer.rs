//! The shared state of the import: the document, the choices, and the result.

use gatewright_model::json::parse;
use gatewright_model::{Issue, Position};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::api::Api;
use crate::state::converter::Converter;
use crate::state::draft::{Draft, Tally, plural};
use crate::state::files;
use crate::state::import::{Choices, MAX_BYTES, Made, Outcome, Source};
use crate::state::{Memo, effect};

/// The shared state of the page.
#[derive(Clone, Copy)]
pub struct Importer {
    pub(super) api: Api,
    /// Receives what is to be opened: the id of an API, `None` for a new one, and its draft.
    on_draft: Callback<(Option<String>, Draft)>,
    /// Receives the document of a new OpenAPI API, to be opened as a draft.
    on_document: Callback<String>,
    pub(super) source: RwSignal<Source>,
    pub(super) choices: RwSignal<Choices>,
    pub(super) converter: Converter,
    /// The result of the import.
    outcome: Memo<Outcome>,
    /// Why a file couldn't be read; cleared with the next one.
    pub(super) trouble: RwSignal<Option<String>>,
    /// The validator's problems with the definition.
    pub(super) found: RwSignal<Vec<Issue>>,
    /// The position that the document is scrolled to.
    pub(super) goto: RwSignal<Option<Position>>,
    /// The position that the definition is scrolled to.
    pub(super) shown: RwSignal<Option<Position>>,
    /// Whether the merge dialog is open.
    pub(super) merging: RwSignal<bool>,
}

impl Importer {
    /// Creates the state without a document.
    #[must_use]
    pub fn new(
        api: Api,
        on_draft: Callback<(Option<String>, Draft)>,
        on_document: Callback<String>,
    ) -> Self {
        let converter = Converter::new();
        let outcome = Memo::new(move |_| {
            let answer = converter.imported.get().unwrap_or_default();
            Outcome::read(&answer).unwrap_or_default()
        });
        let importer = Self {
            api,
            on_draft,
            on_document,
            source: RwSignal::new(Source::default()),
            choices: RwSignal::new(Choices::first()),
            converter,
            outcome,
            trouble: RwSignal::new(None),
            found: RwSignal::new(Vec::new()),
            goto: RwSignal::new(None),
            shown: RwSignal::new(None),
            merging: RwSignal::new(false),
        };
        effect(move || {
            let options = importer
                .source
                .with(|source| importer.choices.get().to_json(source.url.as_deref()));
            importer.source.with(|source| {
                if usable(source) {
                    converter.import(&source.text, options);
                }
            });
        });
        importer
    }

    /// Replaces the document; the choices for the previous one are dropped.
    pub fn take(self, source: Source) {
        self.trouble.set(None);
        self.choices.set(Choices::first());
        self.source.set(source);
    }

    /// Sets the document to what was typed. An empty text also clears the file or address.
    pub(super) fn type_text(self, text: String) {
        self.trouble.set(None);
        if text.is_empty() {
            return self.take(Source::default());
        }
        self.source.update(|source| source.text = text);
    }

    /// Reads a file as the document.
    pub(super) fn open_file(self, file: File) {
        spawn_local(async move {
            match files::read(file).await {
                Ok(source) => self.take(source),
                Err(trouble) => drop(self.trouble.try_set(Some(trouble))),
            }
        });
    }

    /// Returns the result. The last good one stays while a newer one is being computed.
    pub(super) fn outcome(self) -> Outcome {
        if self.source.with(usable) {
            self.outcome.get()
        } else {
            Outcome::default()
        }
    }

    /// Reads something from the resulting definition.
    pub(super) fn with_made<T: Default>(self, read: impl FnOnce(&Made) -> T) -> T {
        if !self.source.with(usable) {
            return T::default();
        }
        self.outcome
            .with(|outcome| outcome.made.as_ref().map(read).unwrap_or_default())
    }

    /// Whether there is a definition.
    pub(super) fn has_made(self) -> bool {
        self.with_made(|_| true)
    }

    /// Whether the definition matches what is on screen.
    #[must_use]
    pub fn ready(self) -> bool {
        self.has_made() && !self.converter.busy.get()
    }

    /// The definition.
    pub(super) fn definition(self) -> String {
        self.with_made(|made| made.definition.clone())
    }

    /// Returns a text of the definition.
    pub(super) fn text_at(self, pointer: &str) -> String {
        self.with_made(|made| {
            let definition = parse(&made.definition).ok();
            let found = definition.as_ref().and_then(|value| value.pointer(pointer));
            let text = found.and_then(|value| value.as_str().map(str::to_owned));
            text.unwrap_or_default()
        })
    }

    /// Returns the problems of the document.
    pub(super) fn problems(self) -> Vec<Issue> {
        self.outcome().issues
    }

    /// Returns why the document can't be imported even though it may be valid.
    pub(super) fn why_not(self) -> Option<String> {
        let too_large = self.source.with(|source| {
            let size = source.text.len();
            (size > MAX_BYTES).then(|| files::too_large(&source.name, size as u64))
        });
        self.trouble.get().or(too_large)
    }

    /// Describes what has happened, for screen readers.
    pub(super) fn status(self) -> String {
        if self.converter.busy.get() {
            return "Reading the document".to_owned();
        }
        let problems = self.problems();
        if !problems.is_empty() {
            return format!("Not imported: {}", Tally::of(&problems));
        }
        self.with_made(|made| {
            let left = made.report.iter().filter(|note| !note.imported).count();
            let paths = plural(made.paths, "path");
            format!("Imported: {paths}, {} not imported", plural(left, "thing"))
        })
    }

    /// Whether the document becomes a classic definition rather than an OpenAPI API.
    #[must_use]
    pub fn classic(self) -> bool {
        self.choices.with(|choices| choices.classic)
    }

    /// Opens the result as the draft of a new API.
    pub fn finish(self) {
        if untrack(|| self.ready() && !self.merging.get()) {
            let text = untrack(|| self.definition());
            match untrack(|| self.classic()) {
                true => self.open_draft(None, Draft::with(None, text)),
                false => self.on_document.run(text),
            }
        }
    }

    /// Opens the merge dialog.
    pub fn merge(self) {
        self.merging.set(true);
    }

    /// Opens the text unchanged in the editor of a new API.
    pub(super) fn open_as_it_is(self) {
        let text = self.source.with_untracked(|source| source.text.clone());
        self.open_draft(None, Draft::with(None, text));
    }

    /// Opens a draft of an API, or of a new one.
    pub(super) fn open_draft(self, id: Option<String>, draft: Draft) {
        self.on_draft.run((id, draft));
    }
}

/// Whether there is a document, and it is short enough.
fn usable(source: &Source) -> bool {
    source.text.len() <= MAX_BYTES && !source.text.trim_start().is_empty()
}
