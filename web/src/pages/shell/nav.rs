//! Navigation: a side bar where there is room, a bar with a drawer where there isn't.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::components::{Dialog, Glyph, Icon, ThemeSwitch, When};
use crate::pages::connect::Mark;
use crate::routes;
use crate::state::guard::within;
use crate::state::use_console;

const PAGES: [(&str, &str, Glyph); 3] = [
    (routes::APIS, "APIs", Glyph::Apis),
    (routes::RELOAD, "Reload", Glyph::Reload),
    (routes::BATCH, "Batch", Glyph::Batch),
];

/// The side bar.
#[component]
pub(super) fn SideBar() -> impl IntoView {
    let console = use_console();
    view! {
        <aside class="side">
            <a class="brand" href=routes::APIS>
                <Mark />
                <span>"Gatewright"</span>
            </a>
            <button type="button" class="jump" on:click=move |_| console.palette.set(true)>
                <Icon glyph=Glyph::Search />
                <span>"Search or jump to"</span>
                <kbd>{if apple() { "⌘K" } else { "Ctrl K" }}</kbd>
            </button>
            <Pages />
            <div class="side-foot">
                <GatewayState />
                <Tools name="theme-side" />
            </div>
        </aside>
    }
}

/// The bar of narrow screens.
#[component]
pub(super) fn TopBar() -> impl IntoView {
    let console = use_console();
    let open = RwSignal::new(false);
    let path = use_location().pathname;
    // Going somewhere closes the drawer.
    Effect::new(move |_| {
        path.track();
        open.set(false);
    });
    view! {
        <header class="top">
            <button type="button" class="btn btn-icon btn-quiet" aria-haspopup="dialog" on:click=move |_| open.set(true)>
                <Icon glyph=Glyph::Bars />
                <span class="visually-hidden">"Menu"</span>
            </button>
            <a class="brand" href=routes::APIS>
                <Mark />
                <span>"Gatewright"</span>
            </a>
            <button type="button" class="btn btn-icon btn-quiet" on:click=move |_| console.palette.set(true)>
                <Icon glyph=Glyph::Search />
                <span class="visually-hidden">"Search or jump to"</span>
            </button>
        </header>
        <Show when=move || open.get()>
            <Dialog title="Menu" class="drawer" on_close=Callback::new(move |()| open.set(false))>
                <Pages />
                <div class="side-foot">
                    <GatewayState />
                    <Tools name="theme-drawer" />
                </div>
            </Dialog>
        </Show>
    }
}

#[component]
fn Pages() -> impl IntoView {
    let console = use_console();
    let path = use_location().pathname;
    let pending = move || console.board.good().map_or(0, |board| board.pending_total);
    let entry = move |(href, name, glyph): (&'static str, &'static str, Glyph)| {
        let current = move || path.with(|path| within(path, href)).then_some("page");
        let count = move || {
            let count = if href == routes::RELOAD { pending() } else { 0 };
            (count > 0).then(|| {
                view! {
                    <span class="count">
                        <span aria-hidden="true">{count}</span>
                        <span class="visually-hidden">{format!("{count} pending")}</span>
                    </span>
                }
            })
        };
        view! {
            <li>
                <a href=href aria-current=current>
                    <Icon glyph=glyph />
                    <span>{name}</span>
                    {count}
                </a>
            </li>
        }
    };
    view! {
        <nav class="pages" aria-label="Pages">
            <ul>{PAGES.map(entry).collect_view()}</ul>
        </nav>
    }
}

/// What the gateway serves at this moment.
#[component]
fn GatewayState() -> impl IntoView {
    let board = use_console().board;
    let text = move || {
        board.good().map(|board| {
            let (class, word) = match (board.state.as_str(), board.pending_total) {
                ("failed", _) => ("dot dot-red", "Reload failed".to_owned()),
                ("reloading", _) => ("dot dot-amber", "Reloading".to_owned()),
                (_, 0) => ("dot dot-green", format!("{} loaded", board.loaded_total)),
                (_, pending) => (
                    "dot dot-amber",
                    format!("{} loaded, {pending} pending", board.loaded_total),
                ),
            };
            view! {
                <p class="gateway-state">
                    <span class=class aria-hidden="true"></span>
                    <span>
                        {word}
                        <span class="muted small block">
                            {match board.reloaded_at {
                                Some(at) => view! { "Reloaded "<When at=at /> }.into_any(),
                                None => "Never reloaded".into_any(),
                            }}
                        </span>
                    </span>
                </p>
            }
        })
    };
    view! { <div class="gateway">{text}</div> }
}

#[component]
fn Tools(name: &'static str) -> impl IntoView {
    let console = use_console();
    view! {
        <div class="tools">
            <ThemeSwitch theme=console.theme name=name />
            <button type="button" class="btn btn-icon btn-quiet" title="Keyboard shortcuts" on:click=move |_| console.help.set(true)>
                <span aria-hidden="true" class="glyph-text">"?"</span>
                <span class="visually-hidden">"Keyboard shortcuts"</span>
            </button>
            <a class="btn btn-icon btn-quiet" title="Disconnect" href=routes::CONNECT on:click=move |_| console.session.forget()>
                <Icon glyph=Glyph::Leave />
                <span class="visually-hidden">"Disconnect"</span>
            </a>
        </div>
    }
}

/// Whether the keyboard has a ⌘ key.
pub(super) fn apple() -> bool {
    window()
        .navigator()
        .user_agent()
        .is_ok_and(|agent| agent.contains("Mac") || agent.contains("iPhone"))
}
