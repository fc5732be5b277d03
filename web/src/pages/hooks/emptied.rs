//! The stored members that a save will empty: the update of a webhook replaces it completely.

use gatewright_model::json::{Kind, Value, parse};
use leptos::prelude::*;

use crate::components::{Notice, Shown, Tint, each, live};
use crate::pages::documents::Desk;
use crate::state::Memo;

/// Members that the dashboard writes, regardless of what is sent.
const WRITTEN: [&str; 2] = ["id", "org_id"];

/// The notice, shown while there are any.
#[component]
pub(super) fn Emptied(desk: Desk) -> impl IntoView {
    let members = Memo::new(move |_| emptied(&desk.base(), &desk.text()));
    let row = |name: String| view! { <li><code>{name}</code></li> }.into_any();
    view! {
        <div class="said-above" role="status">
            <Shown when=move || !members.with(Vec::is_empty)>
                <Notice tint=Tint::Amber>
                    <div class="stack">
                        <strong>"Saving will empty these stored members:"</strong>
                        <ul class="plain emptied">{live(move || each(members.get(), row))}</ul>
                        <p class="small">"A webhook is replaced completely. What is not in the document is lost."</p>
                    </div>
                </Notice>
            </Shown>
        </div>
    }
}

/// Returns the members of a stored document that have a value now and none once `text` replaces it. Returns none for a
/// text that isn't JSON: it can't be stored.
pub(super) fn emptied(stored: &str, text: &str) -> Vec<String> {
    let (Ok(stored), Ok(new)) = (parse(stored), parse(text)) else {
        return Vec::new();
    };
    let goes = |name: &str| new.get(name).is_none_or(is_empty);
    let members = stored.members().iter();
    members
        .filter(|member| !is_empty(&member.value) && goes(&member.name))
        .map(|member| member.name.to_string())
        .filter(|name| !WRITTEN.contains(&name.as_str()))
        .collect()
}

fn is_empty(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::Bool(on) => !on,
        Kind::String(text) => text.is_empty(),
        Kind::Number(_) => value.as_int() == Some(0),
        Kind::Array(items) => items.is_empty(),
        Kind::Object(_) => value.members().is_empty(),
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::emptied;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn emptied_members_are_found() {
        let stored = r#"{"id":"1","name":"n","header_map":{"a":"b"},"event_timeout":5,"template_path":"","subscriptions":["*"]}"#;
        for (text, expected) in [
            (stored, &[][..]),
            ("{", &[]),
            (
                "{}",
                &["name", "header_map", "event_timeout", "subscriptions"],
            ),
            (
                r#"{"name":"","header_map":{},"event_timeout":0,"subscriptions":["ApiAdded"]}"#,
                &["name", "header_map", "event_timeout"],
            ),
        ] {
            assert_eq!(emptied(stored, text), expected, "{text}");
        }
    }
}
