//! A notice for what is stored but not in effect yet: documents of the administration API take effect with a reload.

use leptos::prelude::*;

use super::desk::Desk;
use crate::components::task_label;
use crate::routes;
use crate::state::task::Task;

/// The notice, with a button that reloads.
#[component]
pub fn ReloadCard(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let task = Task::new();
    let reload = move |_| {
        task.run(async move {
            match console.api.reload().await {
                Ok(()) => console
                    .toasts
                    .good("Reloaded. What is stored is in effect."),
                Err(error) => console.toasts.failed(&error),
            }
            console.board.again();
        });
    };
    let text = format!(
        "{} that is stored takes effect with the next reload, which also publishes every other change.",
        desk.sort.one()
    );
    view! {
        <section class="card panel" aria-labelledby="effect-title">
            <h2 id="effect-title">"Taking effect"</h2>
            <p class="muted small">{text}</p>
            <div class="row">
                <button type="button" class="btn btn-small" disabled=move || task.busy() || !console.may_reload() on:click=reload>
                    {task_label(task, "Reload now", "Reloading…")}
                </button>
                <a class="btn btn-small" href=routes::RELOAD>"What is pending"</a>
            </div>
        </section>
    }
}
