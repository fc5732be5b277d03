//! Points in time.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::state::clock::{relative, until};

/// How long ago something was, or how long it is until then; the exact time is in its title.
#[component]
pub fn When(
    /// RFC 3339.
    #[prop(into)]
    at: String,
    /// Whether it lies ahead.
    #[prop(optional)]
    ahead: bool,
) -> impl IntoView {
    let then = Date::parse(&at);
    if then.is_nan() {
        return view! { <span class="muted">"–"</span> }.into_any();
    }
    let exact = String::from(
        Date::new(&JsValue::from_f64(then)).to_locale_string("en-GB", &JsValue::UNDEFINED),
    );
    let said = if ahead { until } else { relative };
    view! { <time class="when" datetime=at title=exact>{said(Date::now(), then)}</time> }.into_any()
}
