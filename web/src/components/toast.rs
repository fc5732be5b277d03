//! Notes at the edge of the screen.

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::state::toasts::{Toast, Toasts, Tone};

/// Where notes appear. It is always in the document, so that screen readers announce what comes.
#[component]
pub fn ToastRegion(
    /// The notes.
    toasts: Toasts,
) -> impl IntoView {
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || toasts.list() key=|toast| toast.id let:toast>
                <ToastCard toast=toast toasts=toasts />
            </For>
        </div>
    }
}

#[component]
fn ToastCard(toast: Toast, toasts: Toasts) -> impl IntoView {
    let id = toast.id;
    let (class, glyph) = match toast.tone {
        Tone::Good => ("toast toast-good", Glyph::Check),
        Tone::Bad => ("toast toast-bad", Glyph::Error),
    };
    view! {
        <div class=class>
            <Icon glyph=glyph />
            <p>{toast.text}</p>
            {toast
                .action
                .map(|(label, action)| {
                    let run = move |_| {
                        action.run(());
                        toasts.dismiss(id);
                    };
                    view! { <button type="button" class="btn btn-small" on:click=run>{label}</button> }
                })}
            <button type="button" class="btn btn-icon btn-quiet btn-small" on:click=move |_| toasts.dismiss(id)>
                <Icon glyph=Glyph::Close />
                <span class="visually-hidden">"Dismiss"</span>
            </button>
        </div>
    }
}
