//! What is stored and not served yet, with the reload button.

use leptos::prelude::*;

use crate::components::{Notice, Shown, Tint, live, maybe, task_label};
use crate::routes;
use crate::state::draft::plural;
use crate::state::plan::failure;
use crate::state::task::Task;
use crate::state::{Memo, use_console};

/// Reports what waits for a reload, and that the last one failed.
#[component]
pub(super) fn ReloadNotice() -> impl IntoView {
    let console = use_console();
    let board = console.board;
    let task = Task::new();
    let pending = Memo::new(move |_| board.good().map_or(0, |board| board.pending_total));
    let error = Memo::new(move |_| board.good().as_ref().and_then(failure));
    let reload = move |_| {
        task.run(async move {
            let outcome = match console.api.reload().await {
                Ok(()) => console.api.reload_status().await,
                Err(error) => Err(error),
            };
            match outcome.map(|status| status.skipped.len()) {
                Ok(0) => console.toasts.good("Reloaded."),
                Ok(skipped) => console
                    .toasts
                    .bad(format!("Reloaded, {} skipped.", plural(skipped, "API"))),
                Err(error) => console.toasts.failed(&error),
            }
            board.again();
        });
    };
    let failed = move |error: String| {
        view! {
            <Notice tint=Tint::Red>
                <span>{error}</span>
                <a class="btn btn-small" href=routes::RELOAD>"Look at it"</a>
            </Notice>
        }
        .into_any()
    };
    view! {
        {live(move || maybe(error.get(), failed))}
        <Shown when=move || pending.get().ne(&0)>
            <Notice tint=Tint::Amber>
                <span>
                    {live(move || match pending.get() {
                        1 => "1 change is pending.".to_owned(),
                        count => format!("{count} changes are pending."),
                    })}
                </span>
                <a class="btn btn-small" href=routes::RELOAD>"Review"</a>
                <button type="button" class="btn btn-small btn-primary" disabled=move || task.busy() || !console.may_reload() on:click=reload>
                    {task_label(task, "Reload now", "Reloading…")}
                </button>
            </Notice>
        </Shown>
    }
}
