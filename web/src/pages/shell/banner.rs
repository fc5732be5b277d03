//! Connection problems, shown above every page.

use leptos::prelude::*;

use crate::components::{Notice, Tint, live, maybe};
use crate::state::use_console;

/// Reports that the browser is offline or that the gateway can't be reached.
#[component]
pub(super) fn ConnectionBanner() -> impl IntoView {
    let console = use_console();
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
