//! Which page an address shows.

use leptos::prelude::*;

use crate::components::live;
use crate::pages::{apis, batch, connect, editor, import, missing, reload, shell};
use crate::routes::{self, Page};
use crate::state::{Console, effect};

/// The console. Which page an address shows is a plain function, [`Page::of`]; a router with a table
/// would say the same at many times the size.
#[component]
pub fn App() -> impl IntoView {
    let address = Console::provide().address;
    let page = Memo::new(move |_| Page::of(&address.path()));
    let framed = Memo::new(move |_| page.with(|page| *page != Page::Connect));
    effect(move || {
        if page.with(|page| *page == Page::Home) {
            address.replace(routes::APIS);
        }
    });
    let inside = move || match page.get() {
        Page::Home | Page::Connect => ().into_any(),
        Page::Apis => view! { <apis::Apis /> }.into_any(),
        Page::NewApi => view! { <editor::NewApi /> }.into_any(),
        Page::Import => view! { <import::Import /> }.into_any(),
        Page::Api(id) => view! { <editor::EditApi id=id /> }.into_any(),
        Page::Reload => view! { <reload::Reload /> }.into_any(),
        Page::Batch => view! { <batch::BatchPage /> }.into_any(),
        Page::Missing => view! { <missing::Missing /> }.into_any(),
    };
    live(move || {
        if framed.get() {
            view! { <shell::Shell>{live(inside)}</shell::Shell> }.into_any()
        } else {
            view! { <connect::Connect /> }.into_any()
        }
    })
}

/// Says on the page that the console has stopped: after a panic nothing reacts any more.
pub fn show_crash() {
    let Some(body) = document().body() else {
        return;
    };
    let Ok(note) = document().create_element("div") else {
        return;
    };
    note.set_class_name("crash");
    note.set_text_content(Some(
        "The console stopped working. Load the page again to go on; what was stored is safe.",
    ));
    let _ = note.set_attribute("role", "alert");
    let _ = body.prepend_with_node_1(&note);
}
