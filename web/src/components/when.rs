//! Points in time.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::state::clock::{relative, until};

/// The locale of dates. Sweden writes them as ISO 8601 does, so nobody takes the month for the day.
const DATES: &str = "sv-SE";

/// A relative time, past or future; the exact time is in its title.
#[component]
pub fn When(
    /// RFC 3339.
    #[prop(into)]
    at: String,
    /// Whether it is in the future.
    #[prop(optional)]
    ahead: bool,
) -> impl IntoView {
    let then = Date::parse(&at);
    if then.is_nan() {
        return view! { <span class="muted">"–"</span> }.into_any();
    }
    let exact = local(then);
    let wording = if ahead { until } else { relative };
    view! { <time class="when" datetime=at title=exact>{wording(Date::now(), then)}</time> }
        .into_any()
}

/// Formats a point in time (RFC 3339) as date and time; empty if it is none.
#[must_use]
pub fn moment(at: &str) -> String {
    match Date::parse(at) {
        then if then.is_nan() => String::new(),
        then => local(then),
    }
}

fn local(ms: f64) -> String {
    Date::new(&JsValue::from_f64(ms))
        .to_locale_string(DATES, &JsValue::UNDEFINED)
        .into()
}

/// The last moment that a `Date` of the browser can represent, in Unix seconds.
const LAST: i64 = 8_640_000_000_000;

/// A point in time, past or future, as date and time.
#[component]
pub fn Moment(
    /// Unix seconds.
    seconds: i64,
    /// Whether it is only known to the minute.
    #[prop(optional)]
    minute: bool,
) -> impl IntoView {
    #[expect(
        clippy::cast_precision_loss,
        reason = "within the limits of a date every second is exact"
    )]
    let ms = seconds.clamp(0, LAST) as f64 * 1000.0;
    let at = Date::new(&JsValue::from_f64(ms));
    let shown = String::from(at.to_locale_string(DATES, &JsValue::UNDEFINED));
    let shown = match shown.strip_suffix(":00") {
        Some(shown) if minute => shown.to_owned(),
        _ => shown,
    };
    let exact = String::from(at.to_iso_string());
    view! { <time class="when" datetime=exact>{shown}</time> }
}
