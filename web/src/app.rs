//! Maps addresses to pages.
//!
//! The console is ten modules, each with the frame and the pages of one [`Area`], so that nobody loads pages they don't
//! open. Going from one area to another loads the document again; all they share is what is stored for the tab.

pub mod access;
pub mod dashboard;
pub mod described;
pub mod documents;
pub mod gateway;
pub mod offered;
pub mod overview;
pub mod reference;
pub mod traffic;
pub mod trust;

use leptos::prelude::*;

use crate::components::live;
use crate::pages::missing::Missing;
use crate::pages::{connect, shell};
use crate::routes::{Area, Page};
use crate::state::{Console, Memo, effect};

/// The console. [`Page::of`] maps an address to its page; it is a plain function because a router with a table would do
/// the same at many times the size.
#[component]
pub fn App(
    /// The area whose pages are in this module.
    area: Area,
    /// Shows one of its pages.
    pages: fn(Page) -> AnyView,
) -> impl IntoView {
    let Console {
        address, session, ..
    } = Console::provide(area);
    let page = Memo::new(move |_| Page::of(&address.path()));
    let framed = Memo::new(move |_| page.with(|page| *page != Page::Connect));
    effect(move || {
        // Until somebody is signed in, nothing says which page they may see.
        if page.with(|page| *page == Page::Home) && session.connected() {
            address.replace(shell::home(&session.identity()));
        }
    });
    let inside = move || match page.get() {
        Page::Home | Page::Connect => ().into_any(),
        Page::Missing => view! { <Missing /> }.into_any(),
        page => pages(page),
    };
    live(move || {
        if framed.get() {
            view! { <shell::Shell>{live(inside)}</shell::Shell> }.into_any()
        } else {
            view! { <connect::Connect /> }.into_any()
        }
    })
}

/// Shows on the page that the console has stopped: after a panic nothing reacts any more.
pub fn show_crash() {
    let Some(body) = document().body() else {
        return;
    };
    let Ok(note) = document().create_element("div") else {
        return;
    };
    note.set_class_name("crash");
    note.set_text_content(Some(
        "The console stopped working. Load the page again to continue; what was stored is safe.",
    ));
    let _ = note.set_attribute("role", "alert");
    let _ = body.prepend_with_node_1(&note);
}
