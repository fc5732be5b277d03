//! Connection problems, shown above every page.

use leptos::prelude::*;

use crate::components::{Notice, Tint, live, maybe};
use crate::pages::seen::while_seen;
use crate::state::{Console, use_console};

/// Asks the gateway whether it can be reached again, if it could not.
pub(super) fn ask_if_lost(console: Console) {
    if !untrack(|| console.link.reachable()) {
        console.board.again();
    }
}

/// Reports that the browser is offline or that the gateway can't be reached, which is found out every few seconds.
#[component]
pub(super) fn ConnectionBanner() -> impl IntoView {
    let console = use_console();
    while_seen(move |_| ask_if_lost(console));
    let text = move || match (console.link.online(), console.link.reachable()) {
        (false, _) => {
            Some("You are offline. What you see may be out of date; nothing you typed is lost.")
        }
        (true, false) => {
            Some("The gateway does not respond. Nothing you typed is lost; try again in a moment.")
        }
        (true, true) => None,
    };
    view! {
            <div class="banner" role="status">
                {live(move || {
                    maybe(text(), |text| {
                            view! {
                                <Notice tint=Tint::Amber>
                                    <span>{text}</span>
                                    <button type="button" class="btn btn-small" on:click=move |_| console.board.again()>
                                        "Check again"
                                    </button>
                                </Notice>
                            }
    .into_any()
    })
                })}
            </div>
        }
}
