//! Buttons that are only an icon.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// An icon to press. Its name is for screen readers, and for whoever waits over it.
#[component]
pub fn IconButton(
    /// The icon.
    glyph: Glyph,
    /// What it does.
    #[prop(into)]
    label: String,
    /// Whether it can't be pressed.
    #[prop(into, default = false.into())]
    disabled: Signal<bool>,
    /// More classes.
    #[prop(default = "")]
    class: &'static str,
    /// Runs when it is pressed.
    on_press: Callback<()>,
) -> impl IntoView {
    let title = label.clone();
    view! {
        <button
            type="button"
            class=format!("btn btn-icon btn-quiet {class}")
            title=title
            disabled=move || disabled.get()
            on:click=move |_| on_press.run(())
        >
            <Icon glyph=glyph />
            <span class="visually-hidden">{label}</span>
        </button>
    }
}
