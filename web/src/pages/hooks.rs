//! Webhooks: the list, and the page of one of them.

mod deliveries;
mod emptied;
mod list;
mod payload;
mod signing;
mod subscriptions;

use leptos::prelude::*;

use super::documents::{
    Desk, DocumentPage, Sort, history, nothing_prepared, nothing_there, secret_once,
};
use super::needs::writes;
use super::used_by::{self, Used};
use crate::api::dashboard::Group;
use crate::components::maybe;
use crate::routes;
use crate::state::in_short::of_hook;
use crate::state::texts::texts;
use deliveries::Deliveries;
use emptied::Emptied;
pub use list::Hooks;
use signing::Signing;
use subscriptions::{MEMBER, Subscriptions, described};

/// The page of a webhook. The target of a new one must be filled in: any default would be called.
static HOOK: Sort = Sort {
    group: Group::Hooks,
    root: "webhook",
    document: None,
    noun: "webhook",
    plural: "Webhooks",
    list: routes::WEBHOOKS,
    new: routes::NEW_WEBHOOK,
    template: r#"{
  "name": "New webhook",
  "method": "POST",
  "target_path": "https://",
  "subscriptions": ["*"]
}
"#,
    unfinished: true,
    prepared: nothing_prepared,
    named: &["/name"],
    does,
    warns: |id| used_by::warning(Used::Hook, id),
    means: "Nothing is sent to it any more. It can be restored from its revisions.",
    derived: &[],
    refusals: &[("webhook_id", "/webhook_id")],
    head: nothing_there,
    actions: nothing_there,
    above: nothing_there,
    about_problems: nothing_there,
    beside,
    secret: secret_once,
    below,
    after: history,
};

fn does(desk: Desk) -> Option<String> {
    let text = desk.text();
    of_hook(&text, &texts(&text, MEMBER), described)
}

fn beside(desk: Desk) -> AnyView {
    view! {
        <div>
            <Emptied desk=desk />
            <Subscriptions desk=desk />
        </div>
        {used_by::beside(desk, Used::Hook, "No handler of an API names it: only its subscriptions call it.")}
        {maybe(desk.id(), |id| writes(move || view! { <Signing desk=desk id=id.clone() /> }.into_any()))}
    }
    .into_any()
}

fn below(desk: Desk) -> AnyView {
    maybe(desk.id(), |id| {
        view! { <Deliveries desk=desk id=id /> }.into_any()
    })
}

/// The page of one webhook.
#[component]
pub fn HookPage(
    /// The internal id, from the address; `None` for a new one.
    id: Option<String>,
) -> impl IntoView {
    view! { <DocumentPage sort=&HOOK id=id /> }
}
