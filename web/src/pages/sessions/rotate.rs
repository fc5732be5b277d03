//! Replaces the token of a key.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::components::{Confirm, failed};
use crate::pages::documents::{Desk, fetch};
use crate::state::query_string::encode;
use crate::state::task::Task;

/// The confirmation; the new token is shown once, in place of the key's page.
#[component]
pub(super) fn RotateDialog(
    /// The key's page.
    desk: Desk,
    on_close: Callback<()>,
) -> impl IntoView {
    let Desk { console, sort, .. } = desk;
    let task = Task::new();
    let failure = RwSignal::new(None::<ApiError>);
    let rotate = Callback::new(move |()| {
        failure.set(None);
        let id = desk.id().unwrap_or_default();
        task.run(async move {
            let made = match fetch(console, sort, &id).await {
                Ok(stored) => console.api.rotate_key(&id, &stored.etag).await,
                Err(error) => Err(error),
            };
            match made {
                Ok(made) => {
                    on_close.try_run(());
                    desk.show_secret(made.token, encode(&made.hash));
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    });
    let name = untrack(|| desk.title());
    view! {
        <Confirm
            title=format!("Give “{name}” a new token?")
            label="Create the new token"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=rotate
            on_cancel=on_close
        >
            <p>"The old token is refused from the next request on, everywhere, and can't be restored. The new one is shown once."</p>
            <p>"Rights, limits and counters stay as they are, under the new hash."</p>
            {failed(failure)}
        </Confirm>
    }
}
