//! The pages of the dashboard API but for [its documents](super::documents). They take a dashboard token, but for the credentials, which are
//! issued with the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{audit, client_idps, credentials, notifications};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the key that it takes.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let (key, title) = match page {
        Page::NewClientIdp => (Key::Token, "New provider"),
        Page::ClientIdp(_) => (Key::Token, "Provider"),
        Page::Notifications => (Key::Token, "Notifications"),
        Page::Audit => (Key::Token, "Audit"),
        Page::Credentials => (Key::Secret, "Credentials"),
        Page::NewCredential => (Key::Secret, "New credential"),
        _ => (Key::Token, "Client IdPs"),
    };
    needs(key, title, move || match page.clone() {
        Page::ClientIdps => view! { <client_idps::ClientIdps /> }.into_any(),
        Page::NewClientIdp => view! { <client_idps::NewClientIdp /> }.into_any(),
        Page::ClientIdp(id) => view! { <client_idps::EditClientIdp id=id /> }.into_any(),
        Page::Notifications => view! { <notifications::Notifications /> }.into_any(),
        Page::Audit => view! { <audit::Audit /> }.into_any(),
        Page::Credentials => view! { <credentials::Credentials /> }.into_any(),
        Page::NewCredential => view! { <credentials::NewCredential /> }.into_any(),
        _ => ().into_any(),
    })
}
