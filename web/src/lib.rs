//! The Gatewright console: define, check, store, load and try API definitions in the browser.
//!
//! It runs in the browser only (client-side rendering). Definitions are validated by `gatewright-model`, the same code
//! that runs at the edge.
//!
//! - [`api`]: the client of the administration API
//! - [`state`]: values, transitions and the signals that outlive a page
//! - [`components`]: data in, callbacks out
//! - [`pages`]: what the router shows; they own their requests
//! - [`app`], [`routes`]: the route table and its addresses
#![recursion_limit = "256"]
#![allow(
    clippy::needless_pass_by_value,
    reason = "the properties of a component are its own"
)]
#![allow(
    unreachable_pub,
    reason = "the component macro writes `pub` items, however visible the component is"
)]

pub mod api;
pub mod app;
pub mod components;
pub mod pages;
pub mod routes;
pub mod state;

use leptos::prelude::*;

use routes::{Area, Page};

/// Mounts the console with the pages of one area and removes the static skeleton.
pub fn start(area: Area, pages: fn(Page) -> AnyView) {
    std::panic::set_hook(Box::new(|report| {
        leptos::logging::error!("{report}");
        app::show_crash();
    }));
    mount_to_body(move || view! { <app::App area=area pages=pages /> });
    if let Some(skeleton) = document().get_element_by_id("skeleton") {
        skeleton.remove();
    }
}
