//! An address the console doesn't have.

use leptos::prelude::*;

use crate::components::{Empty, Glyph, PageHead};
use crate::routes;

/// The page for unknown addresses.
#[component]
pub fn Missing() -> impl IntoView {
    view! {
        <PageHead title="Page not found" />
        <Empty glyph=Glyph::Search title="There is no such page">
            <p>"The address may be mistyped, or from another version of the console."</p>
            <a class="btn btn-primary" href=routes::APIS>"Go to the APIs"</a>
        </Empty>
    }
    .into_any()
}
