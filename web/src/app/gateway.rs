//! The pages of the administration API that are in no area of their own. All of them require the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{apis, editor, import};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Apis => "APIs",
        Page::NewApi => "New API",
        Page::Import => "Import",
        _ => "API",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Apis => view! { <apis::Apis face=&apis::face::ALL /> }.into_any(),
        Page::NewApi => view! { <editor::NewApi /> }.into_any(),
        Page::Import => view! { <import::Import /> }.into_any(),
        Page::Api(id) => view! { <editor::EditApi id=id /> }.into_any(),
        _ => ().into_any(),
    })
}
