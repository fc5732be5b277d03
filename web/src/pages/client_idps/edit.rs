//! The page of one client identity provider.

use leptos::prelude::*;

use super::desk::Desk;
use super::details::Details;
use super::list::MEANS;
use super::patch::PatchSide;
use super::review::ReviewDialog;
use super::simulator::Simulator;
use super::table::MappingTable;
use crate::api::ApiError;
use crate::api::dashboard::Group;
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, LineDiff, Menu, MenuItem, Notice, PageHead, Shown, Tint,
    button, live, maybe,
};
use crate::pages::deletion::{Deletion, DeletionDialog, Doomed, no_warning};
use crate::pages::revisions::{Archive, FoldedRevisions};
use crate::routes;
use crate::state::draft::plural;
use crate::state::rebase::Rebased;
use crate::state::use_console;

/// The page.
#[component]
pub fn EditClientIdp(
    /// The internal id, from the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let desk = Desk::open(console, id.clone());
    let gone = Callback::new(move |()| {
        console.address.release();
        console.address.go(routes::CLIENT_IDPS);
    });
    let deletion = Deletion::new(console, gone);
    let archive = Archive {
        path: StoredValue::new(Group::ClientIdps.at(&id)),
        derived: &[],
        stored: Signal::derive(move || desk.text()),
        served: Signal::stored(None),
        restored: Callback::new(move |()| desk.fetch_again()),
    };
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::CLIENT_IDPS>"Client IdPs"</a>
            <Icon glyph=Glyph::Chevron />
            <code>{id}</code>
        </nav>
        <PageHead title=Signal::derive(move || desk.title())>
            <Actions desk=desk deletion=deletion />
        </PageHead>
        <Shown when=move || desk.ready() fallback=move || view! { <NotYet desk=desk /> }>
            <Notices desk=desk />
            <Details desk=desk />
            <div class="mappings">
                <MappingTable desk=desk />
                <PatchSide desk=desk />
            </div>
            <Simulator desk=desk />
        </Shown>
        <Shown when=move || desk.reviewing.get()>
            <ReviewDialog desk=desk />
        </Shown>
        <DeletionDialog deletion=deletion />
        <FoldedRevisions archive=archive />
    }
    .into_any()
}

#[component]
fn Actions(desk: Desk, deletion: Deletion) -> impl IntoView {
    let ask = Callback::new(move |()| {
        deletion.ask(Doomed {
            group: Group::ClientIdps,
            id: desk.id(),
            name: untrack(|| desk.title()),
            means: MEANS,
            warns: no_warning,
        });
    });
    view! {
        <Shown when=move || desk.ready()>
            <button
                type="button"
                class="btn btn-primary"
                disabled=move || desk.lacks().is_some()
                title=move || desk.lacks().unwrap_or("Ctrl or ⌘ and S")
                on:click=move |_| desk.review()
            >
                "Review & save"
            </button>
            <Shown when=move || !desk.console.only_reads()>
                <Menu label="More actions">
                    <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=ask />
                </Menu>
            </Shown>
        </Shown>
    }
}

#[component]
fn NotYet(desk: Desk) -> impl IntoView {
    live(move || match desk.failed() {
        None => view! { <Bones rows=10 label="Loading the provider" /> }.into_any(),
        Some(ApiError::Missing(_)) => view! {
            <Empty glyph=Glyph::Search title="There is no such provider">
                <p>"It was deleted, or it belongs to another organisation than your token."</p>
                <a class="btn btn-primary" href=routes::CLIENT_IDPS>"Go to the client IdPs"</a>
            </Empty>
        }
        .into_any(),
        Some(error) => {
            view! { <Failure error=error on_retry=move |()| desk.fetch_again() /> }.into_any()
        }
    })
}

/// Notices about the last save.
#[component]
fn Notices(desk: Desk) -> impl IntoView {
    let differs = move || {
        maybe(desk.difference.get(), |difference| {
            view! {
                <Notice tint=Tint::Red>
                    <div class="stack">
                    <strong>"What was stored differs from the preview."</strong>
                    <p>"The edge's answer differs from this page's preview. Please report it with both texts."</p>
                    <LineDiff before=difference.expected after=difference.stored label="From the preview to what was stored" />
                    </div>
                </Notice>
            }
            .into_any()
        })
    };
    let rebased = move || {
        maybe(desk.rebased.get(), |rebased| {
            view! { <RebaseNotice desk=desk rebased=rebased /> }.into_any()
        })
    };
    view! {
        <div class="notices" role="status">
            {live(differs)}
            {live(rebased)}
        </div>
    }
}

#[component]
fn RebaseNotice(desk: Desk, rebased: Rebased) -> impl IntoView {
    let carried = plural(
        rebased
            .carried
            .len()
            .saturating_add(rebased.overlapping.len())
            .saturating_add(rebased.dropped.len()),
        "change",
    );
    let both: Vec<String> = rebased
        .overlapping
        .into_iter()
        .chain(rebased.dropped)
        .collect();
    let clean = both.is_empty();
    view! {
        <Notice tint=if clean { Tint::Green } else { Tint::Amber }>
            <span>
                {format!("Your patch is now based on the stored revision, with {carried} of yours.")}
                {(!clean).then(|| format!(" Both of you changed {}: yours is in the patch, please check.", both.join(", ")))}
            </span>
            {button("btn btn-small", "Dismiss", move || desk.rebased.set(None))}
        </Notice>
    }
}
