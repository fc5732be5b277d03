//! Refreshes while the page is visible.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::VisibilityState;

/// The refresh interval.
const EVERY: Duration = Duration::from_secs(10);

/// Calls `act(true)` every ten seconds while the page is visible, and `act(false)` when it becomes visible again, until
/// the page is left.
pub(super) fn while_seen(act: impl Fn(bool) + Clone + 'static) {
    let seen = || document().visibility_state() == VisibilityState::Visible;
    let look = act.clone();
    let timer = set_interval_with_handle(
        move || {
            if seen() {
                look(true);
            }
        },
        EVERY,
    );
    let back = window_event_listener_untyped("visibilitychange", move |_| {
        if seen() {
            act(false);
        }
    });
    on_cleanup(move || {
        timer.into_iter().for_each(|timer| timer.clear());
        back.remove();
    });
}
