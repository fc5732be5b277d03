//! Policies: the list, and the page of one of them.

mod list;

use gatewright_model::json::{Value, parse};
use leptos::prelude::*;

use super::documents::{
    Desk, DocumentPage, ReloadCard, Sort, history, no_secret, nothing_prepared, nothing_there,
};
use super::sessions::{Known, OutcomeView, outcome};
use super::used_by::{self, Used};
use crate::api::dashboard::Group;
use crate::routes;
use crate::state::Memo;
use crate::state::access::{Names, Outcome, opens_nothing, session_with_policy};
use crate::state::in_short::of_policy;
pub use list::Policies;

/// The page of a policy.
static POLICY: Sort = Sort {
    group: Group::Policies,
    root: "policy",
    document: None,
    noun: "policy",
    plural: "Policies",
    list: routes::POLICIES,
    new: routes::NEW_POLICY,
    template: r#"{
  "id": "new-policy",
  "name": "New policy",
  "rate": 60,
  "per": 60,
  "quota_max": 10000,
  "quota_renewal_rate": 86400,
  "access_rights": {}
}
"#,
    unfinished: false,
    prepared: nothing_prepared,
    named: &["/name"],
    does,
    means: "Keys that have it lose what it gives with the next reload. It can be restored from its revisions.",
    warns: |id| used_by::warning(Used::Policy, id),
    derived: &[],
    refusals: &[("condition", "/id"), ("belongs to another policy", "/_id")],
    head: nothing_there,
    actions: nothing_there,
    above,
    about_problems: nothing_there,
    beside,
    secret: no_secret,
    below: nothing_there,
    after: history,
};

/// The page of one policy.
#[component]
pub fn PolicyPage(
    /// Its id, from the address; `None` for a new one.
    id: Option<String>,
) -> impl IntoView {
    view! { <DocumentPage sort=&POLICY id=id /> }
}

fn beside(desk: Desk) -> AnyView {
    view! {
        <ReloadCard desk=desk />
        {used_by::beside(desk, Used::Policy, "Nothing that you can see uses it.")}
    }
    .into_any()
}

/// Says what it gives, with the names of the APIs that are known.
fn does(desk: Desk) -> Option<String> {
    let outcome = match gives(&desk.text()) {
        Ok(outcome) if outcome.given.is_empty() => return None,
        Ok(outcome) => outcome,
        Err(why) => return Some(why),
    };
    Some(of_policy(&outcome, &named(&desk.ids.get())))
}

/// Returns ids and names of the APIs among the ids known to the editor.
fn named(ids: &str) -> Names {
    let ids = parse(ids).ok();
    let apis = ids.as_ref().and_then(|ids| ids.pointer("/apis/ids"));
    let pair = |api: &Value<'_>| match api.items() {
        [id, name] => Some((id.as_str()?.to_owned(), name.as_str()?.to_owned())),
        _ => None,
    };
    let apis = apis.map(Value::items).unwrap_or_default();
    apis.iter().filter_map(pair).collect()
}

fn alone(text: &str, _: Known) -> Result<Outcome, String> {
    gives(text)
}

/// Returns the outcome of a policy by itself.
fn gives(text: &str) -> Result<Outcome, String> {
    let (session, policy) =
        session_with_policy(text).ok_or_else(|| "This is not valid JSON yet.".to_owned())?;
    if let Some(why) = opens_nothing(text) {
        return Err(why.to_owned());
    }
    outcome(&session, &[policy])
}

fn above(desk: Desk) -> AnyView {
    let known = Known::load(desk.console);
    known.tell(desk);
    let text = Memo::new(move |_| desk.text());
    view! {
        <section class="card panel" aria-labelledby="outcome-title">
            <h2 id="outcome-title">"What this policy gives"</h2>
            <p class="muted small">"To a key that has it and nothing else."</p>
            <OutcomeView outcome=alone text=text known=known nothing="It opens no API: name some in access_rights." />
        </section>
    }
    .into_any()
}
