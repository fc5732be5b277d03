//! The page of a document that is edited as JSON or as a form, for all kinds.

mod desk;
mod editor;
mod reload;
mod review;
mod secret;

use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;

use crate::api::ApiError;
use crate::api::dashboard::Group;
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, Menu, MenuItem, PageHead, ProblemsJump, Shown, live, maybe,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, verb_forms};
use crate::pages::revisions::{Archive, FoldedRevisions};
use crate::state::query_string::decode;
use crate::state::{Memo, use_console};
pub use desk::{Desk, fetch};
use editor::Editor;
pub use reload::ReloadCard;
use review::ReviewDialog;
pub use secret::{ShownSecret, secret_once};

/// A kind of document with such a page.
#[derive(Debug)]
pub struct Sort {
    /// Its endpoints.
    pub group: Group,
    /// Its name in the model.
    pub root: &'static str,
    /// The kind of OpenAPI document, which has a page of its own as YAML; `None` for other documents.
    pub document: Option<DocumentKind>,
    /// The noun for one.
    pub noun: &'static str,
    /// The plural, as a heading.
    pub plural: &'static str,
    /// The address of the list; documents are below it.
    pub list: &'static str,
    /// The address of the page for a new one.
    pub new: &'static str,
    /// The initial text of a new one.
    pub template: &'static str,
    /// Whether the template must be completed before it can be stored.
    pub unfinished: bool,
    /// Returns an initial text that another page has prepared.
    pub prepared: fn() -> Option<String>,
    /// Pointers to its name, the first that exists counts; without any its id is used.
    pub named: &'static [&'static str],
    /// What a new one will do, for its review; `None` if only its text says it.
    pub does: fn(Desk) -> Option<String>,
    /// What a deletion means for others.
    pub means: &'static str,
    /// Further warnings before a deletion.
    pub warns: fn(&str) -> AnyView,
    /// Members computed on reading, which can't be edited; see [`crate::api::Document::without`].
    pub derived: &'static [&'static str],
    /// Words in refusals that identify a field, with the pointer of that field.
    pub refusals: &'static [(&'static str, &'static str)],
    /// Content at the head of the page, before the button that saves.
    pub head: fn(Desk) -> AnyView,
    /// Further items of the menu at the head, before the deletion.
    pub actions: fn(Desk) -> AnyView,
    /// Content above the editor: the outcome of the document, and its state.
    pub above: fn(Desk) -> AnyView,
    /// Content below the list of problems, about the problems that the page itself finds ([`Desk::others`]).
    pub about_problems: fn(Desk) -> AnyView,
    /// Content beside the editor, below its problems.
    pub beside: fn(Desk) -> AnyView,
    /// Shows a secret, once.
    pub secret: fn(Desk, ShownSecret) -> AnyView,
    /// Content below the editor.
    pub below: fn(Desk) -> AnyView,
    /// Content at the end, also for a deleted document, which is why its id is passed.
    pub after: fn(Desk, String) -> AnyView,
}

impl Sort {
    /// Returns the noun with its article.
    #[must_use]
    pub fn one(&self) -> String {
        let vowel = self
            .noun
            .starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
        // In an abbreviation read letter by letter, M starts with a vowel sound, too.
        let article = if vowel || self.noun.starts_with("MCP") {
            "An"
        } else {
            "A"
        };
        format!("{article} {}", self.noun)
    }

    /// Returns the text that the editor doesn't check: a template that must be completed.
    const fn quiet(&self) -> &'static str {
        match self.unfinished {
            true => self.template,
            false => "",
        }
    }

    /// Returns the address of a document, by its internal id.
    #[must_use]
    pub fn address(&self, id: &str) -> String {
        format!("{}/{id}", self.list)
    }
}

/// The page of one document, stored or new.
#[component]
pub fn DocumentPage(
    /// Its kind.
    sort: &'static Sort,
    /// The internal id in the address; `None` for a new one.
    id: Option<String>,
) -> impl IntoView {
    let console = use_console();
    let crumb = id.clone().unwrap_or_else(|| "New".to_owned());
    let desk = Desk::open(console, sort, id);
    let gone = Callback::new(move |()| {
        console.address.release();
        console.address.go(sort.list);
    });
    let deletion = Deletion::new(console, gone);
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=sort.list>{sort.plural}</a>
            <Icon glyph=Glyph::Chevron />
            <code class="crumb-id">{decode(&crumb)}</code>
        </nav>
        <PageHead title=Signal::derive(move || desk.title())>
            {(sort.head)(desk)}
            <Actions desk=desk deletion=deletion />
        </PageHead>
        {live(move || maybe(desk.new_secret.get(), |shown| (sort.secret)(desk, shown)))}
        // Depends on whether there is a draft, not on its text: the editor is built once.
        <Shown when=move || desk.ready() fallback=move || view! { <NotYet desk=desk /> }>
            {(sort.above)(desk)}
            <Editor desk=desk />
            {(sort.below)(desk)}
        </Shown>
        <Shown when=move || desk.reviewing.get()>
            <ReviewDialog desk=desk />
        </Shown>
        <DeletionDialog deletion=deletion />
        {maybe(desk.id(), |id| (sort.after)(desk, id))}
    }
    .into_any()
}

/// Shows the revisions on demand; for [`Sort::after`] of documents that keep revisions.
pub fn history(desk: Desk, id: String) -> AnyView {
    history_served(desk, id, Signal::stored(None))
}

/// Like [`history`], with the revision that the gateway serves.
pub fn history_served(desk: Desk, id: String, served: Signal<Option<u64>>) -> AnyView {
    view! { <History desk=desk id=id served=served /> }.into_any()
}

/// Nothing, for [`Sort::head`], `actions`, `above`, `about_problems`, `beside` or `below` of documents that have nothing
/// there.
pub fn nothing_there(_: Desk) -> AnyView {
    ().into_any()
}

/// Nothing, for [`Sort::does`] of documents that are reviewed by their text.
#[must_use]
pub const fn nothing_said(_: Desk) -> Option<String> {
    None
}

/// Nothing, for [`Sort::prepared`] of documents that no other page prepares.
#[must_use]
pub const fn nothing_prepared() -> Option<String> {
    None
}

/// Nothing, for [`Sort::secret`] of documents that have no secret.
pub fn no_secret(_: Desk, _: ShownSecret) -> AnyView {
    ().into_any()
}

/// Nothing, for [`Sort::after`] of documents that don't.
pub fn nothing_after(_: Desk, _: String) -> AnyView {
    ().into_any()
}

#[component]
fn History(desk: Desk, id: String, served: Signal<Option<u64>>) -> impl IntoView {
    let stored = Memo::new(move |_| desk.base());
    let archive = Archive {
        path: StoredValue::new(desk.sort.group.past_of(&id)),
        derived: desk.sort.derived,
        stored: stored.into(),
        served,
        restored: Callback::new(move |()| {
            desk.fetch_again();
            desk.console.board.again();
        }),
    };
    view! { <FoldedRevisions archive=archive /> }
}

#[component]
fn Actions(desk: Desk, deletion: Deletion) -> impl IntoView {
    let doomed = move || {
        Some(Doomed {
            group: desk.sort.group,
            id: desk.id()?,
            name: untrack(|| desk.title()),
            means: desk.sort.means,
            warns: desk.sort.warns,
        })
    };
    let ask = Callback::new(move |()| doomed().into_iter().for_each(|doomed| deletion.ask(doomed)));
    // Nobody who has lost a key should have to look for this.
    let delete = move || {
        let label = format!("{}…", verb_forms(desk.sort.group).0);
        match desk.sort.group {
            Group::Keys => {
                view! { <button type="button" class="btn" on:click=move |_| ask.run(())>{label}</button> }.into_any()
            }
            _ => view! {
                <Menu label="More actions">
                    {(desk.sort.actions)(desk)}
                    <MenuItem glyph=Glyph::Trash label=label.clone() danger=true on_choose=ask />
                </Menu>
            }
            .into_any(),
        }
    };
    view! {
        <Shown when=move || desk.ready()>
            <ProblemsJump count=Signal::derive(move || desk.problems().len()) />
            <button
                type="button"
                class="btn btn-primary"
                disabled=move || !desk.savable()
                title="Ctrl or ⌘ and S"
                on:click=move |_| desk.review()
            >
                {live(move || match (desk.savable(), desk.console.only_reads()) {
                    (false, true) => "Read only",
                    (false, false) if desk.id().is_some() => "Saved",
                    _ => "Review & save",
                })}
            </button>
            <Shown when=move || desk.id().is_some() && !desk.console.only_reads()>
                {delete()}
            </Shown>
        </Shown>
    }
}

#[component]
fn NotYet(desk: Desk) -> impl IntoView {
    let sort = desk.sort;
    live(move || {
        match desk.failed() {
        None if desk.new_secret.with(Option::is_some) => ().into_any(),
        None => view! { <Bones rows=10 label="Loading the document" /> }.into_any(),
        Some(ApiError::Missing(_)) => view! {
            <Empty glyph=Glyph::Search title=format!("There is no such {}", sort.noun)>
                <p>{if sort.group.path().starts_with("/api/") { "It was deleted, or it belongs to another organisation than your token." } else { "It was deleted, or there never was one of this name." }}</p>
                <a class="btn btn-primary" href=sort.list>"Go to the list"</a>
            </Empty>
        }
        .into_any(),
        Some(error) => {
            view! { <Failure error=error on_retry=move |()| desk.fetch_again() /> }.into_any()
        }
    }
    })
}
