//! The head of the page of a stored OpenAPI API or MCP proxy: how far it has got, and what else can be done with it.

use leptos::prelude::*;

use super::kind;
use crate::api::Summary;
use crate::components::{
    CopyButton, Glyph, MenuItem, MenuLink, Shown, StateBadge, live, maybe, only,
};
use crate::pages::apis::RowActions;
use crate::pages::documents::Desk;
use crate::routes;
use crate::state::copies::copy_of_document;
use crate::state::curl::Curl;
use crate::state::handover::give_document;
use crate::state::plan::{is_pending, served_revision, state_of};
use crate::state::rules::Reach;
use crate::state::{Memo, files};

/// The state of what is stored, and the request that stores what is being edited.
pub(super) fn head(desk: Desk) -> AnyView {
    let state = Memo::new(move |_| state(desk));
    let badge = move || {
        maybe(state.get(), |state| {
            view! { <StateBadge state=state /> }.into_any()
        })
    };
    view! {
        <span class="head-state">{live(badge)}</span>
        <Shown when=move || !desk.text().is_empty()>
            <CopyButton text=Signal::derive(move || curl(desk)) label="Copy as curl" labelled=true />
        </Shown>
    }
    .into_any()
}

/// Returns the state, in the words of the list; `None` if it isn't stored yet.
pub(super) fn state(desk: Desk) -> Option<&'static str> {
    let stored = desk.stored()?;
    let reach = Reach::of(&stored.text)?;
    let board = desk.console.board.good();
    let switches = (reach.active, reach.internal);
    Some(state_of(
        board.as_ref(),
        &desk.id()?,
        stored.pending,
        switches,
    ))
}

/// Whether the next reload changes what is served of it.
pub(super) fn waits(desk: Desk) -> bool {
    let Some((id, stored)) = desk.id().zip(desk.stored()) else {
        return true;
    };
    is_pending(desk.console.board.good().as_ref(), &id, stored.pending)
}

/// Returns the revision that is served, if that is known.
pub(super) fn served(desk: Desk) -> Option<u64> {
    let serves = ["live", "internal", "pending"];
    state(desk).filter(|state| serves.contains(state))?;
    let board = desk.console.board.good()?;
    served_revision(&board, &desk.id()?, desk.stored()?.revision()?)
}

fn curl(desk: Desk) -> String {
    let origin = window().location().origin().unwrap_or_default();
    let group = desk.sort.group;
    let request = match (desk.id(), desk.stored()) {
        (Some(id), Some(stored)) => {
            Curl::new("PUT", &format!("{origin}{}", group.at(&id))).header("If-Match", &stored.etag)
        }
        _ => Curl::new("POST", &format!("{origin}{}", group.path())).header("If-None-Match", "*"),
    };
    request.secret().json(&desk.saves()).command()
}

/// Says what a new one does, for its review.
pub(super) fn does(desk: Desk) -> Option<String> {
    let reach = Reach::of(&desk.text())?;
    let (at, to) = (
        format!("{}{}", reach.domain, reach.listen_path),
        reach.upstream,
    );
    if at.is_empty() || to.is_empty() {
        return None;
    }
    let asks = match reach.schemes.as_slice() {
        [] => "without credentials".to_owned(),
        schemes => format!("with credentials ({})", schemes.join(", ")),
    };
    Some(match (reach.active, reach.internal) {
        (false, _) => "It is inactive, so it is not served.".to_owned(),
        (true, true) => format!("From the next reload on, other APIs reach {to} through it."),
        (true, false) => format!("From the next reload on, {at} forwards requests {asks} to {to}."),
    })
}

/// Items of the menu.
pub(super) fn actions(desk: Desk) -> AnyView {
    maybe(desk.id(), |id| {
        view! { <Items desk=desk id=id /> }.into_any()
    })
}

#[component]
fn Items(desk: Desk, id: String) -> impl IntoView {
    let console = desk.console;
    let actions = RowActions::new(console, Callback::new(move |()| desk.fetch_again()));
    let stored = move || {
        untrack(|| desk.stored())
            .map(|stored| stored.text)
            .unwrap_or_default()
    };
    let is_active = move || state(desk) != Some("inactive");
    let of = StoredValue::new(id.clone());
    let toggle = Callback::new(move |()| match untrack(|| desk.dirty()) {
        true => console
            .toasts
            .bad("Save or undo your changes first: this is saved at once."),
        false => actions.toggle.run(Summary {
            api_id: of.get_value(),
            name: untrack(|| desk.title()),
            active: untrack(is_active),
            document: Some(kind(desk)),
            ..Summary::default()
        }),
    });
    let download = Callback::new(move |()| {
        let name = of.with_value(|id| format!("{id}.json"));
        if !files::save(&name, "application/json", &stored()) {
            console.toasts.bad("The browser refused to save the file.");
        }
    });
    let duplicate = Callback::new(move |()| match copy_of_document(&stored()) {
        Some(copy) if give_document(&copy) => {
            console.address.go(desk.sort.new);
        }
        _ => console
            .toasts
            .bad("The browser can't keep a document of this size for the new page."),
    });
    view! {
        <MenuLink glyph=Glyph::Chart label="Charts" href=routes::overview("24h", &id) />
        <MenuLink glyph=Glyph::Audit label="Audit entries" href=routes::audit_of(&id) />
        <MenuItem glyph=Glyph::Export label="Download" on_choose=download />
        {only(!console.only_reads(), || view! {
            <MenuItem glyph=Glyph::Copy label="Duplicate" on_choose=duplicate />
            <MenuItem glyph=Glyph::Power label=if is_active() { "Deactivate" } else { "Activate" } on_choose=toggle />
        }.into_any())}
    }
}
