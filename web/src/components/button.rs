//! Buttons.

use leptos::prelude::*;

use super::{Glyph, Icon, live};
use crate::state::task::Task;

/// A button with a text. Most buttons differ in nothing else but what they do, so all of them share one compiled copy.
pub fn button(class: &'static str, text: &'static str, press: impl FnMut() + 'static) -> AnyView {
    fn boxed(class: &'static str, text: &'static str, mut press: Box<dyn FnMut()>) -> AnyView {
        view! { <button type="button" class=class on:click=move |_| press()>{text}</button> }
            .into_any()
    }
    boxed(class, text, Box::new(press))
}

/// The label of a button that starts a task: what it does or, meanwhile, what it is doing.
pub fn task_label(task: Task, does: &'static str, doing: &'static str) -> AnyView {
    live(move || if task.busy() { doing } else { does })
}

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
