//! The shared state of a provider's page: what is stored, the patch being edited, and its effect.

use std::collections::BTreeMap;

use gatewright_model::json::parse;
use gatewright_model::{Issue, Position};
use leptos::prelude::*;

use super::fields::{Edits, Form};
use crate::api::access::StoredPolicy;
use crate::api::dashboard::Group;
use crate::api::{ApiError, Document};
use crate::routes;
use crate::state::curl::Curl;
use crate::state::draft::plural;
use crate::state::filters::{Filters, LARGEST_PAGE};
use crate::state::listen::on_save;
use crate::state::load::Load;
use crate::state::mappings::{Edit, NOTHING, Plan, edited};
use crate::state::rebase::Rebased;
use crate::state::session::Key;
use crate::state::{Console, Memo, effect};

/// APIs by id, with their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Apis {
    pub(super) names: BTreeMap<String, String>,
    /// Whether these are all APIs.
    complete: bool,
}

/// A stored document that differs from the preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) expected: String,
    pub(super) stored: String,
}

/// The shared state of a provider's page.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    pub(super) console: Console,
    id: StoredValue<String>,
    stored: Load<Document>,
    /// The stored document, as far as this page knows.
    base: RwSignal<Option<Document>>,
    /// The text of the merge patch.
    pub(super) patch: RwSignal<String>,
    /// The effect of the patch.
    pub(super) plan: Memo<Plan>,
    /// The fields other than the mappings.
    pub(super) form: Form,
    /// The gateway's APIs, if the secret is available.
    pub(super) apis: Load<Apis>,
    /// The gateway's policies, if the secret is available; `None` until they are known.
    pub(super) policies: Load<Option<Vec<StoredPolicy>>>,
    /// The position that the editor of the patch jumps to.
    pub(super) goto: RwSignal<Option<Position>>,
    /// Whether the review is open.
    pub(super) reviewing: RwSignal<bool>,
    /// The result of the last rebase.
    pub(super) rebased: RwSignal<Option<Rebased>>,
    /// How the last stored document differs from its preview, if it does.
    pub(super) difference: RwSignal<Option<Difference>>,
}

impl Desk {
    pub(super) fn open(console: Console, id: String) -> Self {
        let wanted = id.clone();
        let stored = Load::new(move || {
            let id = wanted.clone();
            async move { console.api.fetch(Group::ClientIdps, &id).await }
        });
        let base = RwSignal::new(None::<Document>);
        let patch = RwSignal::new(NOTHING.to_owned());
        let apis = Load::new(move || known_apis(console));
        let text = Signal::derive(move || base.with(text_of));
        let plan = Memo::new(move |last: Option<&Plan>| {
            let apis = apis.good().filter(|apis| apis.complete);
            let known = |id: &str| {
                apis.as_ref()
                    .is_some_and(|apis| apis.names.contains_key(id))
            };
            let known = apis.is_some().then_some(&known as &dyn Fn(&str) -> bool);
            patch.with(|patch| Plan::of(&text.read(), patch, known, last))
        });
        let form = Form {
            stored: text,
            edits: RwSignal::new(Edits::default()),
            failure: RwSignal::new(None),
        };
        let desk = Self {
            console,
            id: StoredValue::new(id),
            stored,
            base,
            patch,
            plan,
            form,
            apis,
            policies: Load::new(move || known_policies(console)),
            goto: RwSignal::new(None),
            reviewing: RwSignal::new(false),
            rebased: RwSignal::new(None),
            difference: RwSignal::new(None),
        };
        desk.watch();
        desk
    }

    /// Applies fetched documents, blocks leaving the page while something is unsaved, and handles Ctrl and S.
    fn watch(self) {
        let Self { console, .. } = self;
        effect(move || {
            if let Some(document) = self.stored.good()
                && !untrack(|| self.dirty())
            {
                self.base.set(Some(document));
            }
        });
        let path = routes::client_idp(&self.id());
        console.address.hold_while(path, move || self.dirty());
        on_save(move || self.review());
    }

    pub(super) fn id(self) -> String {
        self.id.get_value()
    }

    /// Whether there is a document to show.
    pub(super) fn ready(self) -> bool {
        self.base.with(Option::is_some)
    }

    /// Returns why there is no document.
    pub(super) fn failed(self) -> Option<ApiError> {
        self.stored.failed()
    }

    pub(super) fn fetch_again(self) {
        self.stored.again();
    }

    /// Returns the stored document, as far as this page knows.
    pub(super) fn base(self) -> Document {
        self.base.get_untracked().unwrap_or_default()
    }

    /// Returns the stored document's text.
    pub(super) fn text(self) -> String {
        self.base.with(text_of)
    }

    /// Returns the display name of the provider.
    pub(super) fn title(self) -> String {
        let text = self.text();
        let document = parse(&text).ok();
        let name = document.as_ref().and_then(|document| document.str("name"));
        name.unwrap_or("Provider").to_owned()
    }

    /// Whether leaving would lose changes.
    pub(super) fn dirty(self) -> bool {
        let patched = self.patch.with(|patch| patch.trim() != NOTHING);
        patched || self.form.edits.with(|edits| !edits.is_empty())
    }

    /// Returns why the patch can't be saved.
    pub(super) fn lacks(self) -> Option<&'static str> {
        match self.console.only_reads() {
            true => Some("You may only read it"),
            false => self.plan.with(Plan::lacks),
        }
    }

    /// Whether the patch is invalid.
    pub(super) fn wrong(self) -> bool {
        self.plan.with(|plan| plan.result.is_none())
    }

    /// Applies an edit of the table.
    pub(super) fn edit(self, edit: &Edit) {
        let text = untrack(|| self.text());
        self.patch
            .update(|patch| *patch = edited(&text, patch, edit));
    }

    /// Opens the review, or jumps to the first error of the patch.
    pub(super) fn review(self) {
        let wrong = self
            .plan
            .with_untracked(|plan| plan.issues.iter().find(|issue| issue.is_error()).cloned());
        if let Some(Issue { start, message, .. }) = wrong {
            self.console
                .toasts
                .bad(format!("The patch is not valid yet: {message}."));
            self.goto.set(Some(start));
        } else if untrack(|| self.lacks()).is_none() {
            self.reviewing.set(true);
        }
    }

    /// Discards the patch.
    pub(super) fn discard(self) {
        self.patch.set(NOTHING.to_owned());
        self.rebased.set(None);
    }

    /// Rebases on a newly stored document. The patch and the fields stay: they say what to change.
    pub(super) fn begin_from(self, document: Document) {
        self.base.set(Some(document));
    }

    /// Returns the request that sends the patch, as a curl command with the token as a variable.
    pub(super) fn curl(self) -> String {
        let origin = window().location().origin().unwrap_or_default();
        let path = format!("{}/{}/mappings", Group::ClientIdps.path(), self.id());
        let etag = self.base.with(|base| {
            base.as_ref()
                .map(|base| base.etag.clone())
                .unwrap_or_default()
        });
        self.patch.with(|patch| {
            Curl::new("PATCH", &format!("{origin}{path}"))
                .token()
                .header("If-Match", &etag)
                .body("application/merge-patch+json", patch)
                .command()
        })
    }

    /// Summarises the effect of the patch in one line.
    pub(super) fn summary(self) -> String {
        self.plan.with(|plan| {
            if plan.result.is_none() {
                return "The patch is not valid yet.".to_owned();
            }
            let counts = plan.counts();
            format!(
                "{} changed, {} added, {} deleted, {} left untouched",
                plural(counts.changed, "scope"),
                counts.added,
                counts.removed,
                counts.same
            )
        })
    }
}

fn text_of(document: &Option<Document>) -> String {
    document
        .as_ref()
        .map(|document| document.text.clone())
        .unwrap_or_default()
}

/// Fetches the policies of the gateway; `None` without the secret.
async fn known_policies(console: Console) -> Result<Option<Vec<StoredPolicy>>, ApiError> {
    if !console.session.has_untracked(Key::Secret) {
        return Ok(None);
    }
    console.api.policies().await.map(Some)
}

/// Fetches the APIs of the gateway. Without the secret there are none to offer, which is no error.
async fn known_apis(console: Console) -> Result<Apis, ApiError> {
    if !console.session.has_untracked(Key::Secret) {
        return Ok(Apis::default());
    }
    let filters = Filters {
        per_page: LARGEST_PAGE,
        ..Filters::default()
    };
    let page = console.api.summaries(&filters.to_request()).await?;
    let complete = u64::try_from(page.apis.len()).is_ok_and(|count| count == page.total);
    let mut names = BTreeMap::new();
    for api in page.apis {
        names.insert(api.api_id, api.name);
    }
    Ok(Apis { names, complete })
}
