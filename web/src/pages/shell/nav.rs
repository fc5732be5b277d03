//! Navigation: a sidebar on wide screens, a bar with a drawer on narrow ones.

use leptos::prelude::*;

use super::sign_out;
use crate::components::{
    Dialog, Glyph, Icon, IconButton, Menu, MenuItem, Shown, ThemeSwitch, When, each, live, maybe,
    only,
};
use crate::pages::connect::{Environment, Mark};
use crate::routes;
use crate::state::address::within;
use crate::state::plan::gateway_status;
use crate::state::session::Identity;
use crate::state::use_console;
use crate::state::{Memo, effect};

type Entry = (&'static str, &'static str, Glyph);

/// The pages in their groups; the first group needs no heading.
const GROUPS: [(&str, &[Entry]); 3] = [
    (
        "",
        &[
            (routes::OVERVIEW, "Overview", Glyph::Chart),
            (routes::APIS, "APIs", Glyph::Apis),
            (routes::OPENAPI, "OpenAPI APIs", Glyph::Braces),
            (routes::MCP, "MCP proxies", Glyph::Plug),
            (routes::RELOAD, "Reload", Glyph::Reload),
            (routes::TRY, "Try it", Glyph::Play),
            (routes::BATCH, "Batch", Glyph::Batch),
        ],
    ),
    (
        "Access",
        &[
            (routes::KEYS, "Keys", Glyph::Key),
            (routes::OAUTH, "OAuth clients", Glyph::Window),
            (routes::CERTIFICATES, "Certificates", Glyph::Seal),
            (routes::JWT, "Tokens", Glyph::Ticket),
            (routes::POLICIES, "Policies", Glyph::Policy),
            (routes::ORGANISATIONS, "Organisations", Glyph::Organisation),
        ],
    ),
    (
        "Administration",
        &[
            (routes::CLIENT_IDPS, "Client IdPs", Glyph::Person),
            (routes::RULESETS, "Rulesets", Glyph::Rules),
            (routes::WEBHOOKS, "Webhooks", Glyph::Hook),
            (routes::NOTIFICATIONS, "Notifications", Glyph::Bell),
            (routes::AUDIT, "Audit", Glyph::Audit),
            (routes::CREDENTIALS, "Credentials", Glyph::Badge),
        ],
    ),
];

/// Returns the page that the console itself opens: the first one of the menu that whoever is signed in may see.
#[must_use]
pub fn home(identity: &Identity) -> &'static str {
    let mut pages = GROUPS.iter().flat_map(|(_, pages)| *pages);
    let first = pages.find(|(href, ..)| identity.lacks(href).is_none());
    first.map_or(routes::OVERVIEW, |(href, ..)| href)
}

/// The sidebar.
#[component]
pub(super) fn SideBar() -> impl IntoView {
    let console = use_console();
    view! {
        <aside class="side">
            <a class="brand" href=routes::OVERVIEW>
                <Mark />
                <span>"Gatewright"</span>
            </a>
            <Environment />
            <button type="button" class="jump" on:click=move |_| console.palette.set(true)>
                <Icon glyph=Glyph::Search />
                <span>"Search"</span>
                <kbd>{if apple() { "⌘K" } else { "Ctrl K" }}</kbd>
            </button>
            <Pages />
            <div class="side-foot">
                <GatewayState />
                <Who />
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
    // Navigation closes the drawer.
    effect(move || {
        let _ = console.address.path();
        open.set(false);
    });
    view! {
        <header class="top">
            <IconButton glyph=Glyph::Bars label="Menu" on_press=Callback::new(move |()| open.set(true)) />
            <a class="brand" href=routes::OVERVIEW>
                <Mark />
                <span>"Gatewright"</span>
            </a>
            <Environment />
            <IconButton glyph=Glyph::Search label="Search" on_press=Callback::new(move |()| console.palette.set(true)) />
        </header>
        <Shown when=move || open.get()>
            <Dialog title="Menu" class="drawer" on_close=Callback::new(move |()| open.set(false))>
                <Pages />
                <div class="side-foot">
                    <GatewayState />
                    <Who />
                    <Tools name="theme-drawer" />
                </div>
            </Dialog>
        </Shown>
    }
}

#[component]
fn Pages() -> impl IntoView {
    let console = use_console();
    let pending = move || console.board.good().map_or(0, |board| board.pending_total);
    let entry = move |&(href, name, glyph): &Entry| {
        let current = move || {
            let path = console.address.path();
            let imports = href == routes::APIS && within(&path, routes::IMPORT);
            (imports || within(&path, href)).then_some("page")
        };
        let count = move || {
            let count = if href == routes::RELOAD { pending() } else { 0 };
            only(count > 0, || {
                view! {
                    <span class="count">
                        <span aria-hidden="true">{count}</span>
                        <span class="visually-hidden">{format!("{count} pending")}</span>
                    </span>
                }
                .into_any()
            })
        };
        let locked = Memo::new(move |_| console.session.identity().lacks(href));
        let lock = move || {
            only(locked.with(Option::is_some), || {
                view! { <Icon glyph=Glyph::Lock /> }.into_any()
            })
        };
        view! {
            <li>
                <a href=href aria-current=current class:locked=move || locked.with(Option::is_some) title=move || locked.get()>
                    <Icon glyph=glyph />
                    <span>{name}</span>
                    {live(count)}
                    {live(lock)}
                </a>
            </li>
        }
        .into_any()
    };
    let group = move |(name, pages): (&'static str, &'static [Entry])| {
        view! {
            {only(!name.is_empty(), || view! { <h2 class="pages-group">{name}</h2> }.into_any())}
            <ul aria-label=(!name.is_empty()).then_some(name)>{each(pages, entry)}</ul>
        }
        .into_any()
    };
    view! {
        <nav class="pages" aria-label="Pages">
            {each(GROUPS, group)}
        </nav>
    }
}

/// What the gateway serves now; while it can't be reached, nobody knows.
#[component]
fn GatewayState() -> impl IntoView {
    let console = use_console();
    let text = move || {
        if !console.link.online() || !console.link.reachable() {
            return view! {
                <p class="gateway-state">
                    <span class="dot dot-red" aria-hidden="true"></span>
                    <span>"No connection"</span>
                </p>
            }
            .into_any();
        }
        maybe(console.board.good(), |board| {
            let (class, word) = gateway_status(&board);
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
            .into_any()
        })
    };
    view! { <div class="gateway">{live(text)}</div> }
}

/// Who is signed in, and the button for signing out.
#[component]
fn Who() -> impl IntoView {
    let console = use_console();
    let who = move || {
        let identity = console.session.identity();
        let with = match (identity.kind.as_str(), identity.gateway) {
            ("credential", true) => "By a token and the secret",
            ("credential", false) => "By a token",
            ("gateway", _) => "By the gateway secret",
            _ => "By DASHBOARD_TOKEN",
        };
        view! {
            <span class="who-name">
                {identity.name}
                <span class="muted small block">{with}</span>
            </span>
        }
        .into_any()
    };
    let leave = move |everywhere| Callback::new(move |()| sign_out(console, everywhere));
    view! {
        <div class="who">
            <Icon glyph=Glyph::Person />
            {live(who)}
            <Menu label="Account">
                <MenuItem glyph=Glyph::Leave label="Sign out" on_choose=leave(false) />
                <MenuItem glyph=Glyph::Leave label="Sign out everywhere" on_choose=leave(true) />
            </Menu>
        </div>
    }
}

#[component]
fn Tools(name: &'static str) -> impl IntoView {
    let console = use_console();
    view! {
        <div class="tools">
            <ThemeSwitch theme=console.theme name=name />
            <IconButton glyph=Glyph::Help label="Keyboard shortcuts" on_press=Callback::new(move |()| console.help.set(true)) />
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

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn console_opens_first_page_that_may_be_seen() {
        let all = r#""apis":"read","keys":"read","figures":"read""#;
        for (identity, page) in [
            (
                format!(r#"{{"rights":{{"gateway":{{{all}}}}}}}"#),
                routes::OVERVIEW,
            ),
            (
                r#"{"rights":{"gateway":{"apis":"read","keys":"write"}}}"#.to_owned(),
                routes::APIS,
            ),
            (
                r#"{"rights":{"gateway":{"keys":"read","tools":"read"}}}"#.to_owned(),
                routes::KEYS,
            ),
            (
                r#"{"dashboard":true,"rights":{"hooks":"read"}}"#.to_owned(),
                routes::WEBHOOKS,
            ),
            (String::new(), routes::OVERVIEW),
        ] {
            assert_eq!(home(&Identity::read(&identity)), page, "{identity}");
        }
    }
}
