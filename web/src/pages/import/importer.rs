//! What the parts of the import share: the document, the choices, and what became of both.

use gatewright_model::json::parse;
use gatewright_model::{Issue, Position};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::api::Api;
use crate::state::converter::Converter;
use crate::state::draft::{Draft, Tally, plural};
use crate::state::effect;
use crate::state::files;
use crate::state::import::{Choices, MAX_BYTES, Made, Outcome, Source};

/// The shared state of the page.
#[derive(Clone, Copy)]
pub struct Importer {
    pub(super) api: Api,
    /// Takes what is to be opened: an API, or none for a new one, and its draft.
    on_draft: Callback<(Option<String>, Draft)>,
    /// Takes the document of a new OpenAPI API, to be opened as a draft.
    on_document: Callback<String>,
    pub(super) source: RwSignal<Source>,
    pub(super) choices: RwSignal<Choices>,
    pub(super) converter: Converter,
    /// What became of the document.
    outcome: Memo<Outcome>,
    /// Why a file is no document; forgotten with the next one.
    pub(super) trouble: RwSignal<Option<String>>,
    /// What the validator finds in the definition.
    pub(super) found: RwSignal<Vec<Issue>>,
    /// Where the document is to be shown.
    pub(super) goto: RwSignal<Option<Position>>,
    /// Where the definition is to be shown.
    pub(super) shown: RwSignal<Option<Position>>,
    /// Whether the dialog is open that merges.
    pub(super) merging: RwSignal<bool>,
}

impl Importer {
    /// Begins without a document.
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

    /// Takes another document; the choices for the last one go.
    pub fn take(self, source: Source) {
        self.trouble.set(None);
        self.choices.set(Choices::first());
        self.source.set(source);
    }

    /// Takes what is typed. Without a text there is no file and no address either.
    pub(super) fn type_text(self, text: String) {
        self.trouble.set(None);
        if text.is_empty() {
            return self.take(Source::default());
        }
        self.source.update(|source| source.text = text);
    }

    /// Reads a file and takes it.
    pub(super) fn open_file(self, file: File) {
        spawn_local(async move {
            match files::read(file).await {
                Ok(source) => self.take(source),
                Err(trouble) => drop(self.trouble.try_set(Some(trouble))),
            }
        });
    }

    /// What the document has become. The last good one stays while a newer one is being worked on.
    pub(super) fn outcome(self) -> Outcome {
        if self.source.with(usable) {
            self.outcome.get()
        } else {
            Outcome::default()
        }
    }

    /// Reads something from the definition that was made.
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

    /// Whether the definition is the one of what is on screen.
    #[must_use]
    pub fn ready(self) -> bool {
        self.has_made() && !self.converter.busy.get()
    }

    /// The definition.
    pub(super) fn definition(self) -> String {
        self.with_made(|made| made.definition.clone())
    }

    /// A text of the definition.
    pub(super) fn text_at(self, pointer: &str) -> String {
        self.with_made(|made| {
            let definition = parse(&made.definition).ok();
            let found = definition.as_ref().and_then(|value| value.pointer(pointer));
            let text = found.and_then(|value| value.as_str().map(str::to_owned));
            text.unwrap_or_default()
        })
    }

    /// What is wrong with the document.
    pub(super) fn problems(self) -> Vec<Issue> {
        self.outcome().issues
    }

    /// Why the document can't be imported although it may be in order.
    pub(super) fn why_not(self) -> Option<String> {
        let too_large = self.source.with(|source| {
            let size = source.text.len();
            (size > MAX_BYTES).then(|| files::too_large(&source.name, size as u64))
        });
        self.trouble.get().or(too_large)
    }

    /// What has happened, for a screen reader.
    pub(super) fn said(self) -> String {
        if self.converter.busy.get() {
            return "Reading the document".to_owned();
        }
        let problems = self.problems();
        if !problems.is_empty() {
            return format!("Not imported: {}", Tally::of(&problems));
        }
        self.with_made(|made| {
            let left = made.report.iter().filter(|note| !note.taken).count();
            let paths = plural(made.paths, "path");
            format!("Imported: {paths}, {} not taken", plural(left, "thing"))
        })
    }

    /// Whether the document becomes a classic definition, no OpenAPI API.
    #[must_use]
    pub fn classic(self) -> bool {
        self.choices.with(|choices| choices.classic)
    }

    /// Opens what was made as the draft of a new API.
    pub fn finish(self) {
        if untrack(|| self.ready() && !self.merging.get()) {
            let text = untrack(|| self.definition());
            match untrack(|| self.classic()) {
                true => self.open_draft(None, Draft::with(None, text)),
                false => self.on_document.run(text),
            }
        }
    }

    /// Opens the dialog that merges.
    pub fn merge(self) {
        self.merging.set(true);
    }

    /// Opens a text in the editor of a new API as it is.
    pub(super) fn open_as_it_is(self) {
        let text = self.source.with_untracked(|source| source.text.clone());
        self.open_draft(None, Draft::with(None, text));
    }

    /// Opens a draft of an API, or of a new one.
    pub(super) fn open_draft(self, id: Option<String>, draft: Draft) {
        self.on_draft.run((id, draft));
    }
}

/// Whether there is a document that is short enough.
fn usable(source: &Source) -> bool {
    source.text.len() <= MAX_BYTES && !source.text.trim_start().is_empty()
}
