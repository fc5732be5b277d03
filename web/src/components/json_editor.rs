//! The JSON editor: the custom element of `web/editor/json-editor.js`, loaded when it is first needed.

use gatewright_model::{Issue, Position};
use js_sys::Promise;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CustomEvent, HtmlElement, HtmlMetaElement, HtmlScriptElement};

use super::Bones;

const TAG: &str = "json-editor";

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    #[derive(Clone)]
    type EditorElement;

    #[wasm_bindgen(method, setter)]
    fn set_value(this: &EditorElement, text: &str);

    #[wasm_bindgen(method, setter = readOnly)]
    fn set_read_only(this: &EditorElement, locked: bool);

    #[wasm_bindgen(method, setter)]
    fn set_label(this: &EditorElement, label: &str);

    #[wasm_bindgen(method, js_name = setProblems)]
    fn set_problems(this: &EditorElement, json: &str);

    #[wasm_bindgen(method)]
    fn reveal(this: &EditorElement, line: u32, column: u32);
}

/// Whether the editor's code is here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Loading,
    Ready,
    Failed,
}

/// A JSON text being edited. If the editor's code can't be loaded, a plain text field takes its place.
#[component]
pub fn JsonEditor(
    /// The text; what the person types comes back through `on_edit`.
    #[prop(into)]
    text: Signal<String>,
    /// Takes the whole text after each edit.
    on_edit: Callback<String>,
    /// Problems to mark.
    #[prop(into, default = Vec::new().into())]
    problems: Signal<Vec<Issue>>,
    /// A place to go to; each new value goes there.
    #[prop(into, default = None.into())]
    goto: Signal<Option<Position>>,
    /// Whether it only shows the text.
    #[prop(into, default = false.into())]
    read_only: Signal<bool>,
    /// What the text is, for a screen reader.
    label: &'static str,
) -> impl IntoView {
    let code = RwSignal::new(if defined() {
        Code::Ready
    } else {
        Code::Loading
    });
    if code.get_untracked() == Code::Loading {
        spawn_local(async move {
            let outcome = if define().await.is_some() {
                Code::Ready
            } else {
                Code::Failed
            };
            code.try_set(outcome);
        });
    }
    let host = NodeRef::<html::Div>::new();
    let element = StoredValue::new_local(None::<EditorElement>);
    let mounted = RwSignal::new(false);
    Effect::new(move |_| {
        if let (Code::Ready, Some(host), None) = (code.get(), host.get(), element.get_value()) {
            element.set_value(create(&host, label, on_edit));
            mounted.set(true);
        }
    });
    // One effect each, in this order: problems and places are about the text that was set before.
    let with = move |act: &dyn Fn(&EditorElement)| {
        if mounted.get() {
            element.with_value(|element| element.iter().for_each(act));
        }
    };
    Effect::new(move |_| with(&|element| element.set_read_only(read_only.get())));
    Effect::new(move |_| text.with(|text| with(&|element| element.set_value(text))));
    Effect::new(move |_| {
        problems.with(|problems| with(&|element| element.set_problems(&to_json(problems))))
    });
    Effect::new(move |_| {
        if let Some(place) = goto.get() {
            with(&|element| element.reveal(place.line, place.column));
        }
    });
    let edit = move |event| on_edit.run(event_target_value(&event));
    view! {
        <div class="editor" node_ref=host>
            {move || match code.get() {
                Code::Ready => ().into_any(),
                Code::Loading => view! { <Bones rows=12 label="Loading the editor" /> }.into_any(),
                Code::Failed => {
                    view! {
                        <textarea
                            class="editor-plain"
                            aria-label=label
                            spellcheck="false"
                            prop:value=move || text.get()
                            prop:readOnly=move || read_only.get()
                            on:input=edit
                        ></textarea>
                    }
                        .into_any()
                }
            }}
        </div>
    }
}

fn to_json(issues: &[Issue]) -> String {
    serde_json::to_string(issues).unwrap_or_else(|_| "[]".to_owned())
}

fn create(host: &HtmlElement, label: &str, on_edit: Callback<String>) -> Option<EditorElement> {
    let element: EditorElement = document().create_element(TAG).ok()?.unchecked_into();
    element.set_label(label);
    let listener = Closure::<dyn FnMut(CustomEvent)>::new(move |event: CustomEvent| {
        if let Some(text) = event.detail().as_string() {
            on_edit.try_run(text);
        }
    });
    // The element owns the listener from here on; both go with the page.
    element
        .add_event_listener_with_callback("editor-change", listener.into_js_value().unchecked_ref())
        .ok()?;
    host.append_child(&element).ok()?;
    Some(element)
}

fn defined() -> bool {
    !window().custom_elements().get(TAG).is_undefined()
}

/// Loads the module whose hashed name the build wrote into the page.
async fn define() -> Option<()> {
    let meta = document()
        .query_selector("meta[name=gatewright-editor]")
        .ok()??;
    let url = meta.dyn_into::<HtmlMetaElement>().ok()?.content();
    let head = document().head()?;
    let script: HtmlScriptElement = document().create_element("script").ok()?.dyn_into().ok()?;
    script.set_type("module");
    let loaded = Promise::new(&mut |resolve, reject| {
        script.set_onload(Some(&resolve));
        script.set_onerror(Some(&reject));
    });
    script.set_src(&url);
    head.append_child(&script).ok()?;
    let _: JsValue = JsFuture::from(loaded).await.ok()?;
    defined().then_some(())
}
