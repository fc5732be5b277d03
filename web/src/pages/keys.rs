//! Keys: the list, the page that creates one, and the page of one of them.

mod filters;
mod form;
mod list;
mod new;
mod picks;
mod row;
mod token;

use leptos::prelude::*;

use super::deletion::no_warning;
use super::documents::{
    Desk, DocumentPage, ShownSecret, Sort, nothing_after, nothing_prepared, nothing_said,
    nothing_there,
};
use super::sessions::{Known, OutcomeView, QuotaCard, SessionCard, outcome};
use crate::api::access::Made;
use crate::api::dashboard::Group;
use crate::routes;
use crate::state::Memo;
use crate::state::access::Outcome;
use crate::state::query_string::decode;
pub use list::Keys;
pub use new::NewKey;
pub(super) use row::pick;
use token::Token;

/// Members that the gateway adds to the sessions it returns; writing them would have no effect.
pub(super) const COUNTED: &[&str] = &[
    "quota_remaining",
    "quota_renews",
    "access_rights/*/limit/quota_remaining",
    "access_rights/*/limit/quota_renews",
];

/// The page of a key.
static KEY: Sort = Sort {
    group: Group::Keys,
    root: "session",
    document: None,
    noun: "key",
    plural: "Keys",
    list: routes::KEYS,
    new: routes::NEW_KEY,
    template: "{}\n",
    unfinished: false,
    prepared: nothing_prepared,
    named: &["/alias"],
    does: nothing_said,
    means: "Whoever uses this key is refused from the next request on. It can't be restored: its holder needs a new one.",
    warns: no_warning,
    derived: COUNTED,
    refusals: &[],
    head: nothing_there,
    actions: nothing_there,
    above,
    about_problems: nothing_there,
    beside: nothing_there,
    secret: new_token,
    below: nothing_there,
    after: nothing_after,
};

/// The page of one key.
#[component]
pub fn KeyPage(
    /// Its hash, as written in the address.
    hash: String,
) -> impl IntoView {
    view! { <DocumentPage sort=&KEY id=Some(hash) /> }
}

/// Shows the new token of a key.
fn new_token(_: Desk, shown: ShownSecret) -> AnyView {
    let made = Made {
        token: shown.secret.secret,
        hash: decode(&shown.made.unwrap_or_default()),
        issues: Vec::new(),
    };
    let note = "The old one has expired. Limits and counters continue with this one.";
    view! { <Token made=made alias=shown.name note=note /> }.into_any()
}

/// Returns the outcome of a session with the stored policies.
fn of_session(text: &str, known: Known) -> Result<Outcome, String> {
    outcome(text, &known.all())
}

fn above(desk: Desk) -> AnyView {
    let known = Known::load(desk.console);
    known.tell(desk);
    let text = Memo::new(move |_| desk.text());
    view! {
        <div class="above">
            <SessionCard desk=desk />
            <QuotaCard desk=desk known=known />
            <section class="card panel" aria-labelledby="outcome-title">
                <h2 id="outcome-title">"What it gives"</h2>
                <OutcomeView outcome=of_session text=text known=known nothing="It opens no API: name policies or access rights." />
                <p class="muted small">"A limit that a policy sets is changed in the policy. Saving leaves the counters as they are."</p>
            </section>
        </div>
    }
    .into_any()
}
