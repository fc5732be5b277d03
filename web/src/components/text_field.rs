//! A field for a line of text with its label and a hint.

use leptos::prelude::*;

use super::unique_id;

/// The field.
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
    /// What stands in it, where that is not only what is typed.
    #[prop(optional, into)]
    value: Signal<String>,
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
                prop:value=move || value.get()
                on:input=move |event| on_text.run(event_target_value(&event))
            />
            <p id=about class="muted small">{hint}</p>
        </div>
    }
}
