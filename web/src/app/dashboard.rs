//! The pages of the dashboard API except [its documents and credentials](super::documents). They require a dashboard
//! token.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{audit, client_idps, notifications};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the token.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::NewClientIdp => "New provider",
        Page::ClientIdp(_) => "Provider",
        Page::Notifications => "Notifications",
        Page::Audit => "Audit",
        _ => "Client IdPs",
    };
    needs(Key::Token, title, move || match page.clone() {
        Page::ClientIdps => view! { <client_idps::ClientIdps /> }.into_any(),
        Page::NewClientIdp => view! { <client_idps::NewClientIdp /> }.into_any(),
        Page::ClientIdp(id) => view! { <client_idps::EditClientIdp id=id /> }.into_any(),
        Page::Notifications => view! { <notifications::Notifications /> }.into_any(),
        Page::Audit => view! { <audit::Audit /> }.into_any(),
        _ => ().into_any(),
    })
}
