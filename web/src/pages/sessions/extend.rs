//! Sets a new expiry for a key.

use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::actions::set;
use crate::components::{Dialog, button, each, live, unique_id};
use crate::pages::documents::Desk;
use crate::state::clock::unix_seconds;

/// A day in seconds.
const DAY: i64 = 86_400;
/// The offered extensions: days after the current expiry, or after now if that is past.
const OFFERED: [(i64, &str); 3] = [(30, "30 days"), (90, "90 days"), (365, "1 year")];

/// The dialog, open as long as it is mounted.
#[component]
pub(super) fn ExtendDialog(
    /// The key's page.
    desk: Desk,
    /// The current expiry, in Unix seconds; 0 for never.
    expires: i64,
    /// Closes it.
    on_close: Callback<()>,
) -> impl IntoView {
    let id = unique_id("ends");
    let typed = RwSignal::new(String::new());
    let at = move || local_seconds(&typed.get());
    let choose = move |end: i64| {
        on_close.run(());
        let message = if end == 0 {
            "It never expires now."
        } else {
            "It has a new expiry."
        };
        set(desk, "/expires", end.to_string(), message);
    };
    let now = unix_seconds(Date::now()).unwrap_or_default();
    let offer = move |(days, label): (i64, &'static str)| {
        let end = expires.max(now).saturating_add(days.saturating_mul(DAY));
        view! { <button type="button" class="btn" on:click=move |_| choose(end)>{format!("{label} more")}</button> }.into_any()
    };
    let change = move |event| typed.set(event_target_value(&event));
    view! {
        <Dialog title=format!("When does “{}” expire?", untrack(|| desk.title())) on_close=on_close>
            <div class="dialog-body">
                <div class="row">
                    {each(OFFERED, offer)}
                    {button("btn", "Never", move || choose(0))}
                </div>
                <div class="field">
                    <label for=id.clone()>"Or at, in your local time"</label>
                    <input id=id type="datetime-local" class="input" on:input=change />
                    <p class="muted small" role="status">
                        {live(move || match at() {
                            Some(at) if at <= now => "That is past; deactivate the key, or revoke it, instead.",
                            _ => "",
                        })}
                    </p>
                </div>
            </div>
            <footer class="dialog-foot">
                {button("btn", "Cancel", move || on_close.run(()))}
                <button
                    type="button"
                    class="btn btn-primary"
                    disabled=move || at().is_none_or(|at| at <= now)
                    on:click=move |_| untrack(at).into_iter().for_each(choose)
                >
                    "Set the expiry"
                </button>
            </footer>
        </Dialog>
    }
}

/// Converts the value of a field for local date and time to Unix seconds.
pub(in crate::pages) fn local_seconds(text: &str) -> Option<i64> {
    let ms = Date::new(&JsValue::from_str(text)).get_time();
    if ms.is_nan() { None } else { unix_seconds(ms) }
}
