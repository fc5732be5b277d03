//! The JSON that is sent for a delivery, read when somebody opens it.

use leptos::prelude::*;

use crate::api::dashboard::hooks::Payload;
use crate::components::{Bones, Failure, live, only};
use crate::state::load::Load;
use crate::state::use_console;

/// A disclosure.
#[component]
pub(super) fn PayloadView(
    /// The number of the notification.
    seq: u64,
    /// Its id.
    notice_id: String,
    /// Distinguishes this disclosure from the others.
    name: String,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let content = move || {
        let notice_id = notice_id.clone();
        only(open.get(), || {
            view! { <Content seq=seq notice_id=notice_id /> }.into_any()
        })
    };
    view! {
        <details class="whole" on:toggle=move |_| open.set(true)>
            <summary>"Payload"<span class="visually-hidden">{name}</span></summary>
            {live(content)}
        </details>
    }
}

#[component]
fn Content(seq: u64, notice_id: String) -> impl IntoView {
    let console = use_console();
    let load = Load::new(move || {
        let notice_id = notice_id.clone();
        async move { console.api.payload(seq, &notice_id).await }
    });
    live(move || {
        match load.get() {
        None => view! { <Bones rows=2 label="Loading the payload" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| load.again() /> }.into_any()
        }
        Some(Ok(None)) => {
            view! { <p class="muted small">"The notification is no longer stored, or you may not read those of this type."</p> }.into_any()
        }
        Some(Ok(Some(Payload { text, cut }))) => view! {
            <pre class="code" tabindex="0" aria-label="Payload">{text}</pre>
            {only(cut, || view! { <p class="muted small">"It is too long: it is sent without its lists, with truncated set."</p> }.into_any())}
        }
        .into_any(),
    }
    })
}
