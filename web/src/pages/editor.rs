//! The editor of one API: its definition, and the revisions behind it.

mod at_a_glance;
mod chain;
mod conflict;
mod definition;
mod desk;
mod playground;
mod review;

use leptos::prelude::*;

use crate::api::{ApiError, Summary, api_path};
use crate::components::{
    Bones, CopyButton, Empty, Failure, Glyph, Menu, MenuItem, MenuLink, PageHead, ProblemsJump,
    Shown, StateBadge, live, maybe, only,
};
use crate::pages::api_parts::{ApiCrumbs, ApiTabs, Tab};
use crate::pages::apis::{DeleteDialog, RowActions};
use crate::pages::needs::to_try;
use crate::pages::revisions::{Archive, RevisionList};
use crate::routes;
use crate::state::copies::copy_of;
use crate::state::draft::Draft;
use crate::state::plan::served_revision;
use crate::state::{Memo, effect, files, use_console};
use chain::ChainTab;
use definition::Definition;
pub(super) use definition::shows;
use desk::Desk;
pub(super) use desk::NO_LAYOUT;
use review::ReviewDialog;

/// The page for an API that isn't stored yet.
#[component]
pub fn NewApi() -> impl IntoView {
    let desk = Desk::new(use_console());
    view! {
        <PageHead title="New API" lead="Paste a definition, or change this one. It is checked while you type.">
            <EditorActions desk=desk />
        </PageHead>
        <Definition desk=desk />
        <Shown when=move || desk.reviewing.get()>
            <ReviewDialog desk=desk />
        </Shown>
    }
    .into_any()
}

/// The page for a stored API; all its tabs are one page, so that opening the revisions loses nothing.
#[component]
pub fn EditApi(
    /// The id in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let tab = Memo::new(move |_| Tab::of(&console.address.path()));
    let desk = Desk::open(console, id.clone());
    let id = StoredValue::new(id);
    let title = move || desk.title();
    let restored = Callback::new(move |()| {
        desk.fetch_again();
        console.board.again();
    });
    let archive = Archive {
        path: StoredValue::new(id.with_value(|id| api_path(id))),
        derived: &[],
        stored: Signal::stored(String::new()),
        served: Signal::derive(move || {
            let serves = ["live", "internal", "pending"];
            desk.state().filter(|state| serves.contains(state))?;
            let board = console.board.good()?;
            id.with_value(|id| served_revision(&board, id, desk.revision()?))
        }),
        restored,
    };
    let document = Memo::new(move |_| desk.document_kind());
    let classic = move || document.get().is_none();
    let known = move || !desk.unknown();
    effect(move || {
        if let (Some(kind), Tab::Definition) = (document.get(), tab.get()) {
            let page = id.with_value(|id| routes::api_page(id, Some(kind)));
            console.address.replace(&page);
        }
    });
    view! {
        <ApiCrumbs id=id />
        <PageHead title=Signal::derive(title) part=Signal::derive(move || tab.get().name())>
            <span class="head-state">{live(move || maybe(desk.state(), |state| {
                let pending = desk.outlook().filter(|_| desk.deleted()).map(|pending| pending.change);
                view! { <StateBadge state=state pending=pending /> }.into_any()
            }))}</span>
            <Shown when=known>{to_try(id.with_value(|id| routes::try_it(id)), "btn")}</Shown>
            <Shown when=classic>
                <EditorActions desk=desk />
                <MoreActions desk=desk id=id />
            </Shown>
        </PageHead>
        <Shown when=known>
            <ApiTabs id=id tab=tab.into() />
        </Shown>
        // The editor stays mounted behind the other tabs: it holds the unsaved text.
        <div class="tab-panel" hidden=move || tab.get() != Tab::Definition>
            <Shown when=classic fallback=|| view! { <Bones rows=12 label="Going to the document" /> }>
                <Stored desk=desk id=id />
            </Shown>
        </div>
        <Shown when=move || tab.get() == Tab::Revisions>
            <RevisionList archive=archive />
        </Shown>
        <Shown when=move || tab.get() == Tab::Chain>
            <ChainTab desk=desk id=id />
        </Shown>
        <Shown when=move || desk.reviewing.get()>
            <ReviewDialog desk=desk />
        </Shown>
    }
}

/// The definition tab, or why there is none.
#[component]
fn Stored(desk: Desk, id: StoredValue<String>) -> impl IntoView {
    // `Show` depends on whether there is a draft, not on its text: the editor is built once.
    view! {
        <Shown when=move || desk.ready() fallback=move || view! { <NotYet desk=desk id=id /> }>
            <Definition desk=desk />
        </Shown>
    }
}

#[component]
fn NotYet(desk: Desk, id: StoredValue<String>) -> impl IntoView {
    live(move || {
        match desk.failed() {
        None => view! { <Bones rows=12 label="Loading the definition" /> }.into_any(),
        Some(ApiError::Missing(_)) if desk.deleted() => view! {
            <Empty glyph=Glyph::Trash title="This API was deleted">
                <p>"Its revisions are still there: any of them can be restored."</p>
                <div class="row">
                    <a class="btn btn-primary" href=id.with_value(|id| routes::revisions(id))>"Look at its revisions"</a>
                    <a class="btn" href=routes::APIS>"Go to the APIs"</a>
                </div>
            </Empty>
        }
        .into_any(),
        Some(ApiError::Missing(_)) => view! {
            <Empty glyph=Glyph::Search title="There is no such API">
                <p>"Nothing was ever stored under this id."</p>
                <a class="btn btn-primary" href=routes::APIS>"Go to the APIs"</a>
            </Empty>
        }
        .into_any(),
        Some(error) => view! { <Failure error=error on_retry=move |()| desk.fetch_again() /> }.into_any(),
    }
    })
}

/// Copy as curl, and the button that opens the review.
#[component]
fn EditorActions(desk: Desk) -> impl IntoView {
    view! {
        <Shown when=move || desk.ready()>
            <ProblemsJump count=Signal::derive(move || desk.problems().len()) />
            <CopyButton text=Signal::derive(move || desk.curl()) label="Copy as curl" labelled=true />
            <button
                type="button"
                class="btn btn-primary"
                disabled=move || !desk.savable()
                title="Ctrl or ⌘ and S"
                on:click=move |_| desk.review()
            >
                {live(move || match (desk.savable(), desk.console.only_reads()) {
                    (true, _) => "Review & save",
                    (false, true) => "Read only",
                    (false, false) => "Saved",
                })}
            </button>
        </Shown>
    }
}

/// Rarely needed actions.
#[component]
fn MoreActions(desk: Desk, id: StoredValue<String>) -> impl IntoView {
    let console = use_console();
    let gone = Callback::new(move |()| {
        console.address.release();
        console.address.go(routes::APIS);
    });
    let actions = RowActions::new(console, gone);
    let stays = RowActions::new(console, Callback::new(move |()| desk.fetch_again()));
    let is_active = move || desk.state() != Some("inactive");
    let summary = move || Summary {
        api_id: id.get_value(),
        name: desk.stored_name(),
        revision: desk.revision().unwrap_or_default(),
        active: untrack(is_active),
        ..Summary::default()
    };
    let delete = Callback::new(move |()| actions.delete.run(summary()));
    let toggle = Callback::new(move |()| match untrack(|| desk.dirty()) {
        true => console
            .toasts
            .bad("Save or undo your changes first: this is saved at once."),
        false => stays.toggle.run(summary()),
    });
    let stored = move || desk.draft_untracked().base.map(|base| base.text);
    let download = Callback::new(move |()| {
        let name = format!("{}.json", id.get_value());
        let text = stored().unwrap_or_default();
        if !files::save(&name, "application/json", &text) {
            console.toasts.bad("The browser refused to save the file.");
        }
    });
    let duplicate = Callback::new(move |()| {
        if let Some(copy) = stored().and_then(|text| copy_of(&text)) {
            console.handover.give_draft(None, Draft::with(None, copy));
            console.address.go(routes::NEW_API);
        }
    });
    view! {
        <Shown when=move || desk.ready()>
            <Menu label="More actions">
                <MenuLink glyph=Glyph::History label="Revisions" href=id.with_value(|id| routes::revisions(id)) />
                {only(console.may_try(), || view! {
                    <MenuLink glyph=Glyph::Batch label="Run a batch" href=id.with_value(|id| routes::batch(id)) />
                }.into_any())}
                <MenuLink glyph=Glyph::Chart label="Charts" href=id.with_value(|id| routes::overview("24h", id)) />
                <MenuLink glyph=Glyph::Audit label="Audit entries" href=id.with_value(|id| routes::audit_of(id)) />
                <MenuItem glyph=Glyph::Export label="Download" on_choose=download />
                {only(!console.only_reads(), || view! {
                    <MenuItem glyph=Glyph::Copy label="Duplicate" on_choose=duplicate />
                    <MenuItem glyph=Glyph::Power label=if is_active() { "Deactivate" } else { "Activate" } on_choose=toggle />
                    <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=delete />
                }.into_any())}
            </Menu>
        </Shown>
        <DeleteDialog actions=actions />
    }
}
