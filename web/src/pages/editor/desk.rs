//! The shared state of the editor: the draft, its problems, and what is stored.

mod facts;

use gatewright_model::Issue;
use gatewright_model::json::parse;
use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::{ApiError, Document, Modified, ReloadStatus, api_path};
use crate::components::JumpTarget;
use crate::pages::neighbours::Neighbours;
use crate::routes;
use crate::state::draft::{Draft, Tally, plural};
use crate::state::effect;
use crate::state::listen::on_save;
use crate::state::load::Load;
use crate::state::rebase::Rebased;
use crate::state::taken::{self, Route};
use crate::state::{Console, Memo};

/// The message when a text can't be formatted.
pub(in crate::pages) const NO_LAYOUT: &str = "This is not JSON yet, so it can't be laid out.";

/// The shared state of one editor page.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    pub(super) console: Console,
    /// The id in the address; `None` for a new API.
    id: StoredValue<Option<String>>,
    stored: Option<Load<Document>>,
    /// Whether an API that is not stored has revisions.
    existed: Option<Load<bool>>,
    draft: RwSignal<Option<Draft>>,
    /// The problems that the editor found; `None` until it has checked.
    pub(super) issues: RwSignal<Option<Vec<Issue>>>,
    /// Input in the form that is not in the text.
    pub(super) unread: RwSignal<Vec<Issue>>,
    /// The problems that the gateway found in a text; dropped as soon as the text changes.
    gateway_issues: RwSignal<Option<(String, Vec<Issue>)>>,
    /// The APIs that were found where the draft would be served.
    pub(super) neighbours: Neighbours,
    /// The location that the editor jumps to.
    pub(super) goto: RwSignal<Option<JumpTarget>>,
    /// Whether the review is open.
    pub(super) reviewing: RwSignal<bool>,
    /// The result of the last rebase.
    pub(super) rebased: RwSignal<Option<Rebased>>,
}

impl Desk {
    /// Creates a desk with the draft that another page prepared, or a template.
    pub(super) fn new(console: Console) -> Self {
        let draft = console.handover.take_draft(None).unwrap_or_default();
        Self::with(console, None, None, Some(draft))
    }

    /// Creates a desk for a stored API, whose definition is being fetched.
    pub(super) fn open(console: Console, id: String) -> Self {
        let wanted = id.clone();
        let stored = Load::new(move || {
            let id = wanted.clone();
            async move { console.api.document(&id).await }
        });
        let prepared = console.handover.take_draft(Some(&id));
        let path = api_path(&id);
        let missing = Memo::new(move |_| matches!(stored.failed(), Some(ApiError::Missing(_))));
        let existed = Load::new(move || {
            let (path, missing) = (path.clone(), missing.get());
            async move { Ok(missing && console.api.revisions(&path, None).await.is_ok()) }
        });
        let mut desk = Self::with(console, Some(id), Some(stored), prepared);
        desk.existed = Some(existed);
        effect(move || {
            if let Some(document) = stored.good() {
                desk.arrived(document);
            }
        });
        desk
    }

    fn with(
        console: Console,
        id: Option<String>,
        stored: Option<Load<Document>>,
        draft: Option<Draft>,
    ) -> Self {
        let draft = RwSignal::new(draft);
        let neighbours = Neighbours::watch(console, new_route(draft, id.clone()));
        let desk = Self {
            console,
            id: StoredValue::new(id),
            stored,
            existed: None,
            draft,
            issues: RwSignal::new(None),
            unread: RwSignal::new(Vec::new()),
            gateway_issues: RwSignal::new(None),
            neighbours,
            goto: RwSignal::new(None),
            reviewing: RwSignal::new(false),
            rebased: RwSignal::new(None),
        };
        let path = desk
            .id()
            .map_or_else(|| routes::NEW_API.to_owned(), |id| routes::api(&id));
        console.address.hold_while(path, move || desk.dirty());
        on_save(move || desk.review());
        desk
    }

    /// Makes the fetched document the draft, unless that would overwrite unsaved edits.
    fn arrived(self, document: Document) {
        let typed = self
            .draft
            .with_untracked(|draft| draft.as_ref().is_some_and(Draft::dirty));
        if !typed {
            self.draft.set(Some(Draft::of(document)));
        }
    }

    pub(super) fn id(self) -> Option<String> {
        self.id.get_value()
    }

    /// Whether there is a draft to show.
    pub(super) fn ready(self) -> bool {
        self.draft.with(Option::is_some)
    }

    /// Returns the kind of OpenAPI document that the API is administered as: a definition must not be stored over it.
    pub(super) fn document_kind(self) -> Option<DocumentKind> {
        let stored = self.stored?.good()?;
        let definition = parse(&stored.text).ok()?;
        let kind = match definition.str("application_protocol") {
            Some("mcp") => DocumentKind::Mcp,
            _ => DocumentKind::Oas,
        };
        (definition.bool("is_oas") == Some(true)).then_some(kind)
    }

    /// Returns why there is no draft.
    pub(super) fn failed(self) -> Option<ApiError> {
        self.stored.and_then(Load::failed)
    }

    /// Fetches the definition again; it replaces the draft unless that has changes.
    pub(super) fn fetch_again(self) {
        if let Some(stored) = self.stored {
            stored.again();
        }
    }

    pub(super) fn text(self) -> String {
        self.draft.with(|draft| {
            draft
                .as_ref()
                .map(|draft| draft.text.clone())
                .unwrap_or_default()
        })
    }

    pub(super) fn draft_untracked(self) -> Draft {
        self.draft.get_untracked().unwrap_or_default()
    }

    /// Whether leaving would lose changes.
    pub(super) fn dirty(self) -> bool {
        self.draft
            .with(|draft| draft.as_ref().is_some_and(Draft::dirty))
    }

    /// Whether there is something to store; a template may be stored unchanged.
    pub(super) fn savable(self) -> bool {
        let changed = self.draft.with(|draft| {
            draft
                .as_ref()
                .is_some_and(|draft| draft.base.is_none() || draft.dirty())
        });
        changed && !self.console.only_reads()
    }

    /// Sets the text to what was typed.
    pub(super) fn type_text(self, text: String) {
        self.draft.update(|draft| {
            if let Some(draft) = draft {
                draft.text = text;
            }
        });
    }

    /// Replaces the draft.
    pub(super) fn put(self, draft: Draft) {
        self.draft.set(Some(draft));
    }

    /// Returns the problems that the editor doesn't find itself: the gateway's with exactly this text, and a listen
    /// path that another API has.
    pub(super) fn gateway_issues(self) -> Vec<Issue> {
        let text = self.text();
        let gateway_issues = self
            .gateway_issues
            .get()
            .filter(|(about, _)| *about == text);
        let known = self.issues.get().unwrap_or_default();
        let gateway_issues = gateway_issues.map(|(_, issues)| issues).unwrap_or_default();
        let taken = self.neighbours.owner();
        let taken = taken.and_then(|owner| taken::problem(&text, taken::LISTEN_PATH, &owner));
        gateway_issues
            .into_iter()
            .chain(taken)
            .filter(|issue| !known.contains(issue))
            .collect()
    }

    /// Whether the editor has checked the text.
    pub(super) fn looked_at(self) -> bool {
        self.issues.with(Option::is_some)
    }

    /// Returns the problems of the text: the validator's, followed by the gateway's.
    pub(super) fn found(self) -> Vec<Issue> {
        let mut issues = self.issues.get().unwrap_or_default();
        issues.extend(self.gateway_issues());
        issues
    }

    /// Returns all problems: of input that is not in the text, and of the text.
    pub(super) fn problems(self) -> Vec<Issue> {
        let mut issues = self.unread.get();
        issues.extend(self.found());
        issues
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

    /// Records the problems that the gateway found.
    pub(super) fn gateway_says(self, text: String, issues: Vec<Issue>) {
        self.gateway_issues.set(Some((text, issues)));
    }

    /// Opens the review, or jumps to the first error if there is one.
    pub(super) fn review(self) {
        if self.reviewing.get_untracked() || !untrack(|| self.savable()) {
            return;
        }
        let problems = untrack(|| self.problems());
        match problems.iter().find(|issue| issue.is_error()) {
            None => self.reviewing.set(true),
            Some(first) => {
                let errors = plural(Tally::of(&problems).errors, "error");
                self.console
                    .toasts
                    .bad(format!("{errors} to fix before this can be saved."));
                self.goto.set(Some(JumpTarget::of(first)));
                // The listen path may have become free.
                self.neighbours.again();
            }
        }
    }

    /// Makes the stored text the base of the draft.
    pub(super) fn saved(self, text: String, done: &Modified) {
        let base_api = self.draft_untracked().base.and_then(|base| base.base_api);
        let base = Document {
            text,
            etag: done.etag.clone(),
            pending: true,
            base_api,
        };
        self.draft.update(|draft| {
            if let Some(draft) = draft {
                draft.store(base);
            }
        });
        self.rebased.set(None);
        self.reviewing.set(false);
        self.console.board.again();
    }

    /// Returns the revision that the draft started from.
    pub(super) fn revision(self) -> Option<u64> {
        self.draft.with_untracked(|draft| {
            draft
                .as_ref()
                .and_then(|draft| draft.base.as_ref().and_then(Document::revision))
        })
    }

    /// Reloads, and reports the outcome for this API.
    pub(super) fn reload(self, busy: RwSignal<bool>) {
        let console = self.console;
        busy.set(true);
        spawn_local(async move {
            let outcome = match console.api.reload().await {
                Ok(()) => console.api.reload_status().await,
                Err(error) => Err(error),
            };
            let id = self.id.try_get_value().flatten();
            let left_out = |status: &ReloadStatus| {
                let mut skipped = status.skipped.iter();
                let own = skipped.find(|skipped| Some(&skipped.api_id) == id.as_ref());
                own.map(|skipped| skipped.reason.clone())
            };
            match outcome.map(|status| left_out(&status)) {
                Ok(None) => console.toasts.good("Reloaded."),
                Ok(Some(why)) => {
                    let text = format!("Reloaded, but this API was skipped: {why}");
                    console.toasts.bad(text);
                }
                Err(error) => console.toasts.failed(&error),
            }
            console.board.again();
            busy.try_set(false);
        });
    }
}

/// Where the draft would be served, unless what is stored is served there already.
fn new_route(draft: RwSignal<Option<Draft>>, id: Option<String>) -> Memo<String> {
    let route = move |draft: &Option<Draft>| {
        let draft = draft.as_ref()?;
        let base = draft.base.as_ref();
        let stored = base.and_then(|base| Route::of(&base.text, id.clone()));
        let route = Route::of(&draft.text, id.clone());
        Some(route.filter(|route| Some(route) != stored.as_ref())?.key())
    };
    Memo::new(move |_| draft.with(&route).unwrap_or_default())
}
