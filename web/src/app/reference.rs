//! The reference, whose members of documents are built into the module and require no particular credential, and the
//! comparison of revisions.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{compare, reference};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the credential that it requires.
#[must_use]
pub fn page(page: Page) -> AnyView {
    match page {
        Page::Reference => view! { <reference::Reference /> }.into_any(),
        Page::Compare(kind, id) => {
            let key = match kind.path.starts_with("/gateway/") {
                true => Key::Secret,
                false => Key::Token,
            };
            needs(key, "Compare revisions", move || {
                view! { <compare::ComparePage kind=kind id=id.clone() /> }.into_any()
            })
        }
        _ => ().into_any(),
    }
}
