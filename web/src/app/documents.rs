//! The pages of the dashboard API whose documents are edited as a text or a form. They take a dashboard
//! token.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::rulesets;
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the token.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::NewRuleset | Page::Ruleset(_) => "Ruleset",
        _ => "Rulesets",
    };
    needs(Key::Token, title, move || match page.clone() {
        Page::Rulesets => view! { <rulesets::Rulesets /> }.into_any(),
        Page::NewRuleset => view! { <rulesets::RulesetPage id=None /> }.into_any(),
        Page::Ruleset(id) => view! { <rulesets::RulesetPage id=Some(id) /> }.into_any(),
        _ => ().into_any(),
    })
}
