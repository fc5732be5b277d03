//! Organisations that have a session: limits over all their keys, and whether they are active.

mod list;

use leptos::prelude::*;

use super::deletion::no_warning;
use super::documents::{
    Desk, DocumentPage, Sort, no_secret, nothing_after, nothing_prepared, nothing_said,
    nothing_there,
};
use super::keys::COUNTED;
use super::sessions::{Known, QuotaCard, SessionCard};
use crate::api::dashboard::Group;
use crate::routes;
pub use list::Organisations;

/// The page of an organisation's session.
static ORGANISATION: Sort = Sort {
    group: Group::Organisations,
    root: "organisation",
    document: None,
    noun: "organisation",
    plural: "Organisations",
    list: routes::ORGANISATIONS,
    new: routes::ORGANISATIONS,
    template: "{}\n",
    unfinished: false,
    prepared: nothing_prepared,
    named: &[],
    does: nothing_said,
    means: "Its limits are gone from the next request on, and an inactive organisation is active again. Its keys and APIs stay.",
    warns: no_warning,
    derived: COUNTED,
    refusals: &[],
    head: nothing_there,
    actions: nothing_there,
    above,
    about_problems: nothing_there,
    beside: nothing_there,
    secret: no_secret,
    below: nothing_there,
    after: nothing_after,
};

/// The page of one organisation.
#[component]
pub fn OrganisationPage(
    /// Its id, as written in the address.
    id: String,
) -> impl IntoView {
    view! { <DocumentPage sort=&ORGANISATION id=Some(id) /> }
}

fn above(desk: Desk) -> AnyView {
    let known = Known::load(desk.console);
    view! {
        <div class="above">
            <SessionCard desk=desk />
            <QuotaCard desk=desk known=known />
        </div>
    }
    .into_any()
}
