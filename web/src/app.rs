//! The route table.

use leptos::prelude::*;
use leptos_router::components::{ParentRoute, Redirect, Route, Router, Routes};
use leptos_router::path;

use crate::pages::{apis, batch, connect, editor, missing, reload, shell};
use crate::routes;
use crate::state::Console;

/// The console.
#[component]
pub fn App() -> impl IntoView {
    Console::provide();
    view! {
        <Router>
            <Routes fallback=|| view! { <Redirect path=routes::APIS /> }>
                <Route path=path!("/console/connect") view=connect::Connect />
                <ParentRoute path=path!("/console") view=shell::Shell>
                    <Route path=path!("") view=|| view! { <Redirect path=routes::APIS /> } />
                    <Route path=path!("apis") view=apis::Apis />
                    <Route path=path!("apis/new") view=editor::NewApi />
                    <Route path=path!("apis/:id/:tab?") view=editor::EditApi />
                    <Route path=path!("reload") view=reload::Reload />
                    <Route path=path!("batch") view=batch::BatchPage />
                    <Route path=path!("/*any") view=missing::Missing />
                </ParentRoute>
            </Routes>
        </Router>
    }
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
