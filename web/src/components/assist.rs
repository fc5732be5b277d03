//! The model's help from the editor's module, `web/src/editor.rs`, which loads when it is first needed.
//!
//! It comes with the custom element of `web/editor/json-editor.js`, whose class exposes the module's functions. They
//! take and return text; JSON is parsed where it is used.

use gatewright_model::Issue;
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::policy::Named;
use js_sys::{Array, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CustomEvent, CustomEventInit, HtmlElement, HtmlMetaElement, HtmlScriptElement};

/// The custom element of the JSON editor, whose class exposes the functions.
pub const TAG: &str = "json-editor";

#[wasm_bindgen]
extern "C" {
    /// The functions of the editor's module.
    #[wasm_bindgen]
    pub type Assist;

    /// Returns a page of a form, see `form_page` there.
    #[wasm_bindgen(method, js_name = formPage)]
    pub fn form_page(this: &Assist, root: &str, text: &str, view: &str) -> String;

    /// Applies a change to a text, see `change` there.
    #[wasm_bindgen(method)]
    pub fn change(
        this: &Assist,
        root: &str,
        text: &str,
        how: &str,
        pointer: &str,
        input: &str,
    ) -> String;

    /// Finds fields by their words, see `find` there.
    #[wasm_bindgen(method)]
    pub fn find(
        this: &Assist,
        root: &str,
        text: &str,
        at: &str,
        near: &str,
        section: &str,
        query: &str,
    ) -> String;

    /// Locates a value of the document in a form, see `locate` there.
    #[wasm_bindgen(method)]
    pub fn locate(this: &Assist, root: &str, text: &str, pointer: &str) -> String;

    #[wasm_bindgen(method)]
    fn yaml(this: &Assist, text: &str) -> Promise;

    #[wasm_bindgen(method)]
    fn apply(this: &Assist, session: &str, policies: &str) -> String;

    #[wasm_bindgen(method, js_name = fixes)]
    fn fixes_json(this: &Assist, root: &str, text: &str, issue: &str) -> String;

    #[wasm_bindgen(method, js_name = fixAll)]
    fn fix_all_json(this: &Assist, root: &str, text: &str) -> String;

    #[wasm_bindgen(method, js_name = applyFix)]
    fn apply_fix_json(this: &Assist, root: &str, text: &str, issue: &str, index: usize) -> String;
}

/// A fix for a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// What it does, in a few words.
    pub title: String,
    /// Whether it is the only plausible one, so that it needs no decision.
    pub plain: bool,
    /// Whether it removes something.
    pub removes: bool,
}

impl Assist {
    /// Returns the module once it is loaded, otherwise `None`.
    #[must_use]
    pub fn here() -> Option<Self> {
        let class = window().custom_elements().get(TAG);
        let assist = Reflect::get(&class, &"assist".into()).ok()?;
        (!assist.is_falsy()).then(|| assist.unchecked_into())
    }

    /// Applies the policies that a session names to it.
    ///
    /// # Errors
    /// Why they can't be applied, in the same words as at the edge.
    pub fn applied(&self, session: &str, policies: &[Named<'_>]) -> Result<String, String> {
        let policy = |policy: &Named<'_>| {
            let text = policy.text.map_or_else(|| "null".to_owned(), quote);
            format!("{{\"id\":{},\"text\":{text}}}", quote(policy.id))
        };
        let policies: Vec<String> = policies.iter().map(policy).collect();
        let answer = self.apply(session, &format!("[{}]", policies.join(",")));
        let answer = parse(&answer);
        let member = |name: &str| answer.as_ref().ok()?.str(name).map(str::to_owned);
        member("session").ok_or_else(|| member("error").unwrap_or_default())
    }

    /// Converts a YAML text to JSON.
    ///
    /// # Errors
    /// Why it can't be converted.
    pub async fn json_of_yaml(&self, text: &str) -> Result<String, String> {
        let answer = JsFuture::from(self.yaml(text)).await.ok();
        let answer = answer.and_then(|answer| answer.as_string());
        let answer = answer.unwrap_or_default();
        let answer = parse(&answer).ok();
        let member = |name: &str| answer.as_ref()?.str(name).map(str::to_owned);
        let unread = || "The YAML parser could not be loaded".to_owned();
        member("json").ok_or_else(|| member("error").unwrap_or_else(unread))
    }

    /// Returns the fixes of an issue, the most likely first.
    #[must_use]
    pub fn fixes(&self, root: &str, text: &str, issue: &Issue) -> Vec<Remedy> {
        let fixes = self.fixes_json(root, text, &issue_json(issue));
        let fixes = parse(&fixes);
        let fixes = fixes.as_ref().map(Value::items).unwrap_or_default();
        let remedy = |fix: &Value<'_>| {
            Some(Remedy {
                title: fix.str("title")?.to_owned(),
                plain: fix.str("way") == Some("plain"),
                removes: fix.str("way") == Some("removal"),
            })
        };
        fixes.iter().filter_map(remedy).collect()
    }

    /// Applies every fix that needs no decision, and returns the text with their number.
    #[must_use]
    pub fn fix_all(&self, root: &str, text: &str) -> Option<(String, usize)> {
        let answer = self.fix_all_json(root, text);
        let answer = parse(&answer).ok()?;
        let count = usize::try_from(answer.int("count")?).ok()?;
        Some((answer.str("text")?.to_owned(), count))
    }

    /// Applies the fix at that index.
    #[must_use]
    pub fn apply_fix(&self, root: &str, text: &str, issue: &Issue, index: usize) -> String {
        self.apply_fix_json(root, text, &issue_json(issue), index)
    }
}

/// Serialises an issue in the gateway's format.
fn issue_json(issue: &Issue) -> String {
    let Issue {
        pointer,
        code,
        severity,
        message,
        start,
        end,
    } = issue;
    format!(
        "{{\"pointer\":{},\"code\":\"{}\",\"severity\":\"{}\",\"message\":{},\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{}}}",
        quote(pointer),
        code.as_str(),
        severity.as_str(),
        quote(message),
        start.line,
        start.column,
        end.line,
        end.column,
    )
}

/// The loading state of the editor's code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Being loaded.
    Loading,
    /// Loaded.
    Ready,
    /// Can't be loaded.
    Failed,
}

/// Loads the code of a custom element unless it is loaded already, and reports its state.
#[must_use]
pub fn load(tag: &'static str) -> RwSignal<Code> {
    let here = !window().custom_elements().get(tag).is_undefined();
    let code = RwSignal::new(if here { Code::Ready } else { Code::Loading });
    if !here {
        spawn_local(async move {
            let outcome = match define(tag).await {
                Some(()) => Code::Ready,
                None => Code::Failed,
            };
            code.try_set(outcome);
        });
    }
    code
}

/// Loads the module whose hashed name the build wrote into the page.
async fn define(tag: &str) -> Option<()> {
    let meta = document()
        .query_selector(&format!("meta[name=gatewright-{tag}]"))
        .ok()??;
    let url = meta.dyn_into::<HtmlMetaElement>().ok()?.content();
    let head = document().head()?;
    let script: HtmlScriptElement = document().create_element("script").ok()?.dyn_into().ok()?;
    script.set_type("module");
    let failed = Promise::new(&mut |_, reject| script.set_onerror(Some(&reject)));
    let defined = window().custom_elements().when_defined(tag).ok()?;
    script.set_src(&url);
    head.append_child(&script).ok()?;
    let first = Promise::race(&Array::of2(&defined, &failed));
    JsFuture::from(first).await.ok().map(drop)
}

/// Calls `take` with the text of each event of a custom element, which owns the listener from then on.
pub fn on_detail(element: &HtmlElement, event: &str, take: impl FnMut(String) + 'static) {
    listen(element, event, Box::new(take));
}

/// All listeners share one compiled copy.
fn listen(element: &HtmlElement, event: &str, mut take: Box<dyn FnMut(String)>) {
    let listener = Closure::<dyn FnMut(CustomEvent)>::new(move |event: CustomEvent| {
        if let Some(text) = event.detail().as_string() {
            take(text);
        }
    });
    let listener = listener.into_js_value();
    // Fails only if the listener is no function.
    let _ = element.add_event_listener_with_callback(event, listener.unchecked_ref());
}

/// Dispatches an event of a custom element, with a text.
pub fn tell(element: &HtmlElement, event: &str, detail: &str) {
    let options = CustomEventInit::new();
    options.set_detail(&JsValue::from_str(detail));
    // Fails only for an event that is already being dispatched.
    let _ = CustomEvent::new_with_event_init_dict(event, &options)
        .and_then(|event| element.dispatch_event(&event));
}

/// Serialises issues in the gateway's format.
#[must_use]
pub fn issues_json(issues: &[Issue]) -> String {
    let issues: Vec<String> = issues.iter().map(issue_json).collect();
    format!("[{}]", issues.join(","))
}
