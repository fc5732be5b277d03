//! Empties the cache of an API.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::components::{Confirm, failed};
use crate::state::task::Task;
use crate::state::use_console;

/// The confirmation, and the result.
#[component]
pub(super) fn EmptyDialog(
    id: StoredValue<String>,
    /// The name of the API.
    name: String,
    on_close: Callback<()>,
    /// Receives the message once it is done.
    on_done: Callback<String>,
) -> impl IntoView {
    let console = use_console();
    let task = Task::new();
    let failure = RwSignal::new(None::<ApiError>);
    let confirm = Callback::new(move |()| {
        failure.set(None);
        task.run(async move {
            match console.api.forget_cache(&id.get_value()).await {
                Ok(()) => {
                    let at = js_sys::Date::new_0();
                    let time = String::from(at.to_locale_time_string("en-GB"));
                    on_done.run(format!(
                        "The cache was emptied at {time}. Nothing cached before that is served any more."
                    ));
                }
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    });
    view! {
        <Confirm
            title=format!("Empty the cache of “{name}”?")
            label="Empty it"
            danger=true
            busy=Signal::derive(move || task.busy())
            on_confirm=confirm
            on_cancel=on_close
        >
            <p>"Every cached answer of this API is dropped, everywhere: the next request for it goes to the upstream. The definition and all counters stay."</p>
            {failed(failure)}
        </Confirm>
    }
}
