//! Keys: the list, the page that makes one, and the page of one of them.

mod filters;
mod form;
mod list;
mod new;
mod picks;
mod row;
mod token;

use leptos::prelude::*;

use super::deletion::no_warning;
use super::documents::{Desk, DocumentPage, Sort, no_secret, nothing_after};
use super::sessions::{Known, OutcomeView, QuotaCard, SessionCard, outcome};
use crate::api::dashboard::Group;
use crate::components::{Notice, Tint};
use crate::routes;
use crate::state::access::Outcome;
pub use list::Keys;
pub use new::NewKey;

/// What the gateway writes into sessions that it answers; a write that has it would not change it.
pub(super) const COUNTED: &[&str] = &[
    "quota_remaining",
    "quota_renews",
    "access_rights/*/limit/quota_remaining",
    "access_rights/*/limit/quota_renews",
];

/// What a key is on its page.
static KEY: Sort = Sort {
    group: Group::Keys,
    root: "session",
    noun: "key",
    plural: "Keys",
    list: routes::KEYS,
    new: routes::NEW_KEY,
    template: "{}\n",
    named: "alias",
    means: "Whoever uses this key is refused from the next request on. It can't be brought back: its holder needs a new one.",
    warns: no_warning,
    derived: COUNTED,
    refusals: &[],
    beside,
    secret: no_secret,
    below,
    after: nothing_after,
};

/// The page of one key.
#[component]
pub fn KeyPage(
    /// Its hash, as it stands in the address.
    hash: String,
) -> impl IntoView {
    view! { <DocumentPage sort=&KEY id=Some(hash) /> }
}

/// What comes of a session with the stored policies.
fn of_session(text: &str, known: Known) -> Result<Outcome, String> {
    outcome(text, &known.all())
}

fn beside(desk: Desk) -> AnyView {
    let known = Known::load(desk.console);
    view! {
        <SessionCard desk=desk />
        <QuotaCard desk=desk known=known />
    }
    .into_any()
}

fn below(desk: Desk) -> AnyView {
    let known = Known::load(desk.console);
    let text = Memo::new(move |_| desk.text());
    view! {
        <section class="card panel below" aria-labelledby="outcome-title">
            <h2 id="outcome-title">"What it gives"</h2>
            <Notice tint=Tint::Blue>
                <span>"Shown with its policies applied: a limit that a policy sets is changed in the policy. Saving leaves the counters as they are."</span>
            </Notice>
            <OutcomeView outcome=of_session text=text known=known nothing="It opens no API: name policies or access rights." />
        </section>
    }
    .into_any()
}
