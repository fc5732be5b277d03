//! Toasts: short messages at the edge of the screen.

use leptos::prelude::*;

use super::{Glyph, Icon, IconButton, each, live, maybe};
use crate::state::toasts::{Toast, Toasts, Tone};

/// The region where toasts appear. It is always in the document, so that screen readers announce new ones.
#[component]
pub fn ToastRegion(
    /// The toasts.
    toasts: Toasts,
) -> impl IntoView {
    view! {
        <div class="toasts" role="status" aria-live="polite">
            {live(move || each(toasts.list(), |toast| view! { <ToastCard toast=toast toasts=toasts /> }.into_any()))}
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
            {maybe(toast.undo, |undo| {
                let run = move |_| {
                    undo();
                    toasts.dismiss(id);
                };
                view! { <button type="button" class="btn btn-small" on:click=run>"Undo"</button> }.into_any()
            })}
            <IconButton glyph=Glyph::Close label="Dismiss" class="btn-small" on_press=Callback::new(move |()| toasts.dismiss(id)) />
        </div>
    }
}
