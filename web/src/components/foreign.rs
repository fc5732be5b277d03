//! Actions for a text in the editor that isn't a JSON document of the gateway.

use gatewright_model::assist::{Foreign, foreign};
use gatewright_model::json::laid_out;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Assist, Notice, Tint, button, live, maybe, only};
use crate::state::Memo;
use crate::state::toasts::Toasts;

/// Offers to convert YAML and, where possible, to import the description of an API.
#[component]
pub fn ForeignText(
    /// The text.
    text: Signal<String>,
    /// Receives the converted text.
    on_edit: Callback<String>,
    /// Imports the text.
    on_import: Option<Callback<String>>,
    /// Where the outcome is reported.
    toasts: Toasts,
) -> impl IntoView {
    let yaml = move || text.with_untracked(|text| !text.trim_start().starts_with('{'));
    let found = Memo::new(move |_| {
        let found = text.with(|text| foreign(text));
        found.filter(|_| on_import.is_some() || yaml())
    });
    let convert = move || {
        spawn_local(async move {
            let yaml = text.get_untracked();
            let Some(assist) = Assist::here() else { return };
            match assist.json_of_yaml(&yaml).await {
                // The text may have been edited meanwhile.
                Ok(json) if text.try_with_untracked(|now| *now == yaml) == Some(true) => {
                    on_edit.run(laid_out(&json).unwrap_or(json));
                    toasts.offer_back("Converted to JSON.", text, on_edit, yaml);
                }
                Ok(_) => {}
                Err(why) => toasts.bad(format!("This can't be converted. {why}.")),
            }
        });
    };
    let import = move || {
        on_import
            .iter()
            .for_each(|import| import.run(text.get_untracked()))
    };
    let offer = move |what: Foreign| {
        let described = what == Foreign::OpenApi && on_import.is_some();
        let label = match what {
            Foreign::OpenApi => "This is an OpenAPI document. ",
            Foreign::Yaml => "This is YAML. ",
        };
        view! {
            <Notice tint=Tint::Blue>
                <span>{label}</span>
                {only(described, || button("btn btn-small", "Import it", import))}
                {only(!described, || button("btn btn-small", "Convert to JSON", convert))}
            </Notice>
        }
        .into_any()
    };
    view! { <div class="editor-foreign" role="status">{live(move || maybe(found.get(), offer))}</div> }
}
