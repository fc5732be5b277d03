//! A field for a line of text with its label and a hint.

use leptos::prelude::*;

use super::unique_id;

/// The field; it says what is typed and is told nothing.
#[component]
pub fn TextField(
    /// What is asked for.
    label: &'static str,
    /// What it is, in a sentence.
    hint: &'static str,
    /// The type of the input.
    #[prop(default = "text")]
    kind: &'static str,
    /// Whether it has to be filled in.
    #[prop(optional)]
    needed: bool,
    /// Gets what is typed.
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
                on:input=move |event| on_text.run(event_target_value(&event))
            />
            <p id=about class="muted small">{hint}</p>
        </div>
    }
}
