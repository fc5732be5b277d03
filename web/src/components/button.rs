//! Icon-only buttons.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// An icon button. Its name is read by screen readers and shown as a tooltip.
#[component]
pub fn IconButton(
    /// The icon.
    glyph: Glyph,
    /// What it does.
    #[prop(into)]
    label: String,
    /// Whether it is disabled.
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
