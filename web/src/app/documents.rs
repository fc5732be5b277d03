//! The pages of the dashboard API whose documents are edited as a text or a form. They take a dashboard
//! token.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{hooks, rulesets};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the token.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::NewRuleset | Page::Ruleset(_) => "Ruleset",
        Page::Webhooks => "Webhooks",
        Page::NewWebhook | Page::Webhook(_) => "Webhook",
        _ => "Rulesets",
    };
    needs(Key::Token, title, move || match page.clone() {
        Page::Rulesets => view! { <rulesets::Rulesets /> }.into_any(),
        Page::NewRuleset => view! { <rulesets::RulesetPage id=None /> }.into_any(),
        Page::Ruleset(id) => view! { <rulesets::RulesetPage id=Some(id) /> }.into_any(),
        Page::Webhooks => view! { <hooks::Hooks /> }.into_any(),
        Page::NewWebhook => view! { <hooks::HookPage id=None /> }.into_any(),
        Page::Webhook(id) => view! { <hooks::HookPage id=Some(id) /> }.into_any(),
        _ => ().into_any(),
    })
}
