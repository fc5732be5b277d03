//! A document as YAML, with its authors' comments: edited as text, tried at the edge, stored as YAML.

use gatewright_model::Issue;
use gatewright_model::openapi::DocumentKind;
use leptos::html;
use leptos::prelude::*;

use crate::api::group::Group;
use crate::api::{ApiError, Document};
use crate::components::{
    Bones, Dialog, Failure, Glyph, Icon, LineDiff, Notice, PageHead, Shown, Tint, button, each,
    live, maybe, only, task_label,
};
use crate::routes;
use crate::state::draft::Tally;
use crate::state::load::Load;
use crate::state::task::Task;
use crate::state::view::{self, View};
use crate::state::yaml::{in_field, offset, out_of_field};
use crate::state::{Console, Memo, effect, use_console};

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
struct Desk {
    console: Console,
    group: Group,
    id: StoredValue<String>,
    stored: Load<Document>,
    /// What is stored, as far as this page knows, as a text field holds it; `None` until it is loaded.
    base: RwSignal<Option<Document>>,
    /// Whether its line endings are CRLF.
    carriage: RwSignal<bool>,
    draft: RwSignal<String>,
    /// The edge's problems with the draft.
    issues: RwSignal<Vec<Issue>>,
    failure: RwSignal<Option<ApiError>>,
    reviewing: RwSignal<bool>,
    task: Task,
    field: NodeRef<html::Textarea>,
}

impl Desk {
    fn dirty(self) -> bool {
        let draft = self.draft.get();
        self.base
            .with(|base| base.as_ref().is_some_and(|base| base.text != draft))
    }

    /// Has the edge check the draft, and shows what would be stored if it accepts it.
    fn review(self) {
        if untrack(|| self.dirty()) {
            self.task.run(async move {
                if self.put(true).await {
                    self.reviewing.try_set(true);
                }
            });
        }
    }

    fn store(self) {
        self.task.run(async move {
            if self.put(false).await {
                self.reviewing.try_set(false);
                self.console.toasts.good("Saved as YAML.");
                self.console.board.again();
                self.stored.again();
            }
        });
    }

    /// Sends the draft; returns whether it was accepted, or would be.
    async fn put(self, dry_run: bool) -> bool {
        let (draft, etag) = (self.draft.get_untracked(), self.etag());
        self.failure.try_set(None);
        let id = self.id.get_value();
        let text = out_of_field(&draft, self.carriage.get_untracked());
        let put = self
            .console
            .api
            .put_yaml(self.group, &id, &text, &etag, dry_run);
        match put.await {
            Ok(stored) => {
                self.issues.try_set(stored.issues);
                if !dry_run {
                    // Fetching it again would include the gateway's own members; if the user types on meanwhile, the
                    // draft is compared with this text, and a save overwrites it.
                    self.base.try_update(|base| {
                        for base in base.iter_mut() {
                            base.text.clone_from(&draft);
                            base.etag.clone_from(&stored.etag);
                        }
                    });
                }
                true
            }
            Err(error) => {
                self.reviewing.try_set(false);
                self.issues.try_set(error.issues().to_vec());
                self.failure.try_set(Some(error));
                false
            }
        }
    }

    fn etag(self) -> String {
        let etag = |base: &Option<Document>| base.as_ref().map(|base| base.etag.clone());
        self.base.with_untracked(etag).unwrap_or_default()
    }

    /// Makes the stored document the base of comparison.
    fn take(self, mut document: Document) {
        let (text, carriage) = in_field(&document.text);
        document.text = text;
        self.carriage.try_set(carriage);
        self.base.try_set(Some(document));
    }

    /// Rebases the draft on what somebody else has stored meanwhile: the review then compares with that.
    fn rebase(self) {
        self.task.run(async move {
            let id = self.id.get_value();
            match self.console.api.yaml(self.group, &id).await {
                Ok(document) => {
                    self.take(document);
                    self.failure.try_set(None);
                }
                Err(error) => drop(self.failure.try_set(Some(error))),
            }
        });
    }

    /// Jumps to the position of an issue.
    fn show(self, issue: &Issue) {
        let Some(field) = self.field.get_untracked() else {
            return;
        };
        let draft = self.draft.get_untracked();
        let [from, to] = [issue.start, issue.end].map(|position| offset(&draft, position));
        // Fails only without the focus, which it has.
        let _ = field.focus();
        let _ = field.set_selection_range(from, to.max(from));
    }
}

/// The page.
#[component]
pub fn YamlPage(
    /// What the document is of.
    kind: DocumentKind,
    /// The id in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let (group, list, plural) = match kind {
        DocumentKind::Oas => (Group::OpenApis, routes::OPENAPI, "OpenAPI APIs"),
        DocumentKind::Mcp => (Group::McpProxies, routes::MCP, "MCP proxies"),
    };
    let page = routes::api_page(&id, Some(kind));
    let views = View::ALL.map(|view| (view::address(&page, view, ""), view.label()));
    let link = |(href, label): (String, &'static str)| {
        view! { <a class="switch-option switch-text" href=href>{label}</a> }.into_any()
    };
    let path = routes::yaml(&id, kind);
    let id = StoredValue::new(id);
    let desk = Desk {
        console,
        group,
        id,
        stored: Load::new(move || async move { console.api.yaml(group, &id.get_value()).await }),
        base: RwSignal::new(None),
        carriage: RwSignal::new(false),
        draft: RwSignal::new(String::new()),
        issues: RwSignal::new(Vec::new()),
        failure: RwSignal::new(None),
        reviewing: RwSignal::new(false),
        task: Task::new(),
        field: NodeRef::new(),
    };
    effect(move || {
        if let Some(document) = desk.stored.good()
            && !untrack(|| desk.dirty())
        {
            desk.draft.set(in_field(&document.text).0);
            desk.take(document);
        }
    });
    console.address.hold_while(path, move || desk.dirty());
    let ready = Memo::new(move |_| desk.base.with(Option::is_some));
    let again = Callback::new(move |()| desk.stored.again());
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=list>{plural}</a>
            <Icon glyph=Glyph::Chevron />
            <a href=page><code>{id.get_value()}</code></a>
            <Icon glyph=Glyph::Chevron />
            <span>"YAML"</span>
        </nav>
        <PageHead title="Document as YAML" lead="With its comments. A document stored as JSON becomes YAML once it is saved here.">
            <nav class="switch" aria-label="View">
                {each(views, link)}
                <span class="switch-option switch-text" aria-current="page">"YAML"</span>
            </nav>
            <button type="button" class="btn btn-primary" disabled=move || !desk.dirty() || desk.task.busy() || console.only_reads() on:click=move |_| desk.review()>
                {task_label(desk.task, "Review & save", "Asking the gateway…")}
            </button>
        </PageHead>
        <Shown when=ready fallback=move || view! { <NotYet desk=desk again=again /> }>
            <Editor desk=desk />
        </Shown>
        <Shown when=desk.reviewing>
            <Review desk=desk />
        </Shown>
    }
    .into_any()
}

#[component]
fn NotYet(desk: Desk, again: Callback<()>) -> impl IntoView {
    live(move || match desk.stored.failed() {
        None => view! { <Bones rows=10 label="Loading the document" /> }.into_any(),
        Some(error) => view! { <Failure error=error on_retry=again /> }.into_any(),
    })
}

#[component]
fn Editor(desk: Desk) -> impl IntoView {
    let is_stale = move || matches!(desk.failure.get(), Some(ApiError::Stale(_)));
    let stale = move || {
        view! {
            <Notice tint=Tint::Amber>
                <span role="alert">"Somebody else has saved the document since you began. What you have typed is still here."</span>
                {button("btn btn-small", "Compare with what is stored now", move || desk.rebase())}
            </Notice>
        }
        .into_any()
    };
    let failed = move || match desk.failure.get() {
        Some(_) if is_stale() => stale(),
        Some(error) => view! { <Failure error=error /> }.into_any(),
        None => ().into_any(),
    };
    view! {
        {live(failed)}
        <Problems desk=desk />
        <textarea
            node_ref=desk.field
            class="input mono yaml-text"
            aria-label="Document as YAML"
            rows="32"
            wrap="off"
            autocomplete="off"
            spellcheck="false"
            prop:value=move || desk.draft.get()
            on:input=move |event| desk.draft.set(event_target_value(&event))
        ></textarea>
    }
}

/// The edge's problems with the draft, each with a link to its position.
#[component]
fn Problems(desk: Desk) -> impl IntoView {
    let one = move |issue: Issue| {
        let position = format!("Line {}, column {}", issue.start.line, issue.start.column);
        let class = match issue.is_error() {
            true => "badge badge-plain badge-deleted",
            false => "badge badge-plain badge-modified",
        };
        let word = if issue.is_error() { "Error" } else { "Warning" };
        let message = issue.message.clone();
        view! {
            <li>
                <span class=class>{word}</span>
                <button type="button" class="link" on:click=move |_| desk.show(&issue)>{position}</button>
                <span>{message}</span>
            </li>
        }
        .into_any()
    };
    let list = move || {
        let issues = desk.issues.get();
        only(!issues.is_empty(), || {
            view! {
                <section class="card panel" aria-labelledby="yaml-problems">
                    <h2 id="yaml-problems">"Problems"</h2>
                    <p class="muted small" role="status">{Tally::of(&issues).to_string()}</p>
                    <ul class="offer-rights">{each(issues, one)}</ul>
                </section>
            }
            .into_any()
        })
    };
    live(list)
}

#[component]
fn Review(desk: Desk) -> impl IntoView {
    let close = Callback::new(move |()| desk.reviewing.set(false));
    let before = desk
        .base
        .with_untracked(|base| base.as_ref().map(|base| base.text.clone()));
    let before = before.unwrap_or_default();
    let warnings = desk.issues.with_untracked(Vec::len);
    let warned = maybe(
        (warnings > 0).then(|| desk.issues.get_untracked()),
        |issues| {
            view! { <Notice tint=Tint::Amber><span>{Tally::of(&issues).to_string()}</span></Notice> }.into_any()
        },
    );
    view! {
        <Dialog title="Save the document as YAML" on_close=close class="wide">
            <div class="dialog-body">
                {warned}
                <LineDiff before=before after=desk.draft.get_untracked() label="Line by line" />
            </div>
            <footer class="dialog-foot">
                <span class="foot-note">"The gateway adds its own members to it, and serves it from the next reload."</span>
                {button("btn", "Cancel", move || close.run(()))}
                <button type="button" class="btn btn-primary" disabled=move || desk.task.busy() on:click=move |_| desk.store()>"Save"</button>
            </footer>
        </Dialog>
    }
}
