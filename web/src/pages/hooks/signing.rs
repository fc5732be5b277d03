//! Sends a sample at once, and rotates the signing secret.

use leptos::prelude::*;

use super::deliveries::outcome;
use crate::api::ApiError;
use crate::api::dashboard::hooks::Attempt;
use crate::components::{Confirm, Failure, Notice, Shown, Tint, button, live, maybe, task_label};
use crate::pages::documents::{Desk, ShownSecret};
use crate::state::task::Task;

/// The card.
#[component]
pub(super) fn Signing(desk: Desk, id: String) -> impl IntoView {
    let console = desk.console;
    let id = StoredValue::new(id);
    let task = Task::new();
    let last = RwSignal::new(None::<Result<Attempt, ApiError>>);
    let asking = RwSignal::new(false);
    let test = move |_| {
        task.run(async move {
            let tested = console.api.test_hook(&id.get_value()).await;
            last.try_set(Some(tested));
            desk.again.notify();
        });
    };
    view! {
        <section class="card panel" aria-labelledby="signing-title">
            <h2 id="signing-title">"Test and secret"</h2>
            <p class="muted small">"A sample goes to the target that is stored, signed as every notification is."</p>
            <div>
                <div class="row">
                    <button type="button" class="btn" disabled=move || task.busy() on:click=test>
                        {task_label(task, "Send a test", "Sending…")}
                    </button>
                    {button("btn", "New secret…", move || asking.set(true))}
                </div>
                <div class="said-below" role="status">{live(move || maybe(last.get(), tested))}</div>
            </div>
        </section>
        <Shown when=move || asking.get()>
            <Rotation desk=desk id=id asking=asking />
        </Shown>
    }
}

/// Shows the result of a sample.
fn tested(came: Result<Attempt, ApiError>) -> AnyView {
    let attempt = match came {
        Ok(attempt) => attempt,
        Err(error) => return view! { <Failure error=error /> }.into_any(),
    };
    let outcome = outcome(&attempt);
    let (tint, word) = if attempt.error.is_none() {
        (Tint::Green, "Delivered")
    } else {
        (Tint::Red, "Not delivered")
    };
    let why = attempt.error.map(|error| format!(" {error}"));
    view! {
        <Notice tint=tint>
            <span><strong>{word}</strong>{format!(": {outcome}.")}{why}</span>
        </Notice>
    }
    .into_any()
}

/// The confirmation before a new secret is created.
#[component]
fn Rotation(desk: Desk, id: StoredValue<String>, asking: RwSignal<bool>) -> impl IntoView {
    let console = desk.console;
    let task = Task::new();
    let rotate = Callback::new(move |()| {
        task.run(async move {
            match console.api.rotate_secret(&id.get_value()).await {
                Ok(secret) => {
                    let shown = ShownSecret {
                        secret,
                        name: untrack(|| desk.title()),
                        made: None,
                    };
                    desk.new_secret.try_set(Some(shown));
                }
                Err(error) => console.toasts.failed(&error),
            }
            asking.try_set(false);
        });
    });
    view! {
        <Confirm
            title="Create a new signing secret?"
            label="Create it"
            busy=Signal::derive(move || task.busy())
            on_confirm=rotate
            on_cancel=Callback::new(move |()| asking.set(false))
        >
            <p>"The current one signs, too, for another day, so that the receiver can switch over."</p>
        </Confirm>
    }
}
