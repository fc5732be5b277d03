//! Rulesets: the list, and the page of one of them.

mod categories;
mod definition;
mod filters;
mod list;

use leptos::prelude::*;

use super::deletion::no_warning;
use super::documents::{
    Desk, DocumentPage, Sort, history, no_secret, nothing_prepared, nothing_said, nothing_there,
};
use crate::api::dashboard::Group;
use crate::routes;
use categories::Categories;
use definition::Definition;
pub use list::Rulesets;

/// The page of a ruleset.
static RULESET: Sort = Sort {
    group: Group::Rulesets,
    root: "ruleset",
    document: None,
    noun: "ruleset",
    plural: "Rulesets",
    list: routes::RULESETS,
    new: routes::NEW_RULESET,
    template: r#"{
  "name": "New ruleset",
  "description": "",
  "active": false,
  "resource_type": "oas-api",
  "action": "none",
  "categories": [],
  "definition": "{\n  \"rules\": {}\n}\n"
}
"#,
    unfinished: false,
    prepared: nothing_prepared,
    named: &["/name"],
    warns: no_warning,
    does: nothing_said,
    means: "Tools that fetch it no longer find it. It can be restored: the list shows deleted ones.",
    derived: &["applied_rules"],
    refusals: &[
        ("with the name", "/name"),
        ("ruleset_id", "/ruleset_id"),
        ("unknown categories", "/categories"),
    ],
    head: nothing_there,
    actions: nothing_there,
    above: nothing_there,
    about_problems: nothing_there,
    beside,
    secret: no_secret,
    below,
    after: history,
};

fn beside(desk: Desk) -> AnyView {
    view! { <Categories desk=desk /> }.into_any()
}

fn below(desk: Desk) -> AnyView {
    view! { <Definition desk=desk /> }.into_any()
}

/// The page of one ruleset.
#[component]
pub fn RulesetPage(
    /// The internal id, from the address; `None` for a new one.
    id: Option<String>,
) -> impl IntoView {
    view! { <DocumentPage sort=&RULESET id=id /> }
}
