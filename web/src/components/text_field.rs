//! A field for a line of text with its label and a hint.

use leptos::prelude::*;

use super::unique_id;

/// The field.
#[component]
pub fn TextField(
    /// The label.
    label: &'static str,
    /// A hint of one sentence.
    hint: &'static str,
    /// The type of the input.
    #[prop(default = "text")]
    kind: &'static str,
    /// Whether it is required.
    #[prop(optional)]
    needed: bool,
    /// Its value, if it can change other than by typing.
    #[prop(optional, into)]
    value: Signal<String>,
    /// Receives the typed text.
    on_text: Callback<String>,
) -> impl IntoView {
    let id = unique_id("field");
    let about = format!("{id}-about");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input
                id=id
                type=kind
                class="input"
                autocomplete="off"
                spellcheck="false"
                aria-required=needed.to_string()
                aria-describedby=about.clone()
                prop:value=move || value.get()
                on:input=move |event| on_text.run(event_target_value(&event))
            />
            <p id=about class="muted small">{hint}</p>
        </div>
    }
}
