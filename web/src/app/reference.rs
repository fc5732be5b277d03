//! The reference. The members of documents take no particular key: they are in the module itself.

use leptos::prelude::*;

use crate::pages::reference;
use crate::routes::Page;

/// Shows the page.
#[must_use]
pub fn page(page: Page) -> AnyView {
    match page {
        Page::Reference => view! { <reference::Reference /> }.into_any(),
        _ => ().into_any(),
    }
}
