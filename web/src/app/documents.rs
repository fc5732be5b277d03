//! The pages for documents of the dashboard API that are edited as text or as a form, which require a dashboard token,
//! and for the credentials of that API, which are issued with the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{credentials, hooks, rulesets};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the credential that it requires.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let (key, title) = match page {
        Page::NewRuleset | Page::Ruleset(_) => (Key::Token, "Ruleset"),
        Page::Webhooks => (Key::Token, "Webhooks"),
        Page::NewWebhook | Page::Webhook(_) => (Key::Token, "Webhook"),
        Page::Credentials => (Key::Secret, "Credentials"),
        Page::NewCredential => (Key::Secret, "New credential"),
        _ => (Key::Token, "Rulesets"),
    };
    needs(key, title, move || match page.clone() {
        Page::Rulesets => view! { <rulesets::Rulesets /> }.into_any(),
        Page::NewRuleset => view! { <rulesets::RulesetPage id=None /> }.into_any(),
        Page::Ruleset(id) => view! { <rulesets::RulesetPage id=Some(id) /> }.into_any(),
        Page::Webhooks => view! { <hooks::Hooks /> }.into_any(),
        Page::NewWebhook => view! { <hooks::HookPage id=None /> }.into_any(),
        Page::Webhook(id) => view! { <hooks::HookPage id=Some(id) /> }.into_any(),
        Page::Credentials => view! { <credentials::Credentials /> }.into_any(),
        Page::NewCredential => view! { <credentials::NewCredential /> }.into_any(),
        _ => ().into_any(),
    })
}
