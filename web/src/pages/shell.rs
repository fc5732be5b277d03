//! The frame around every page: navigation, banners, palette, dialogs about leaving and connecting.

mod banner;
mod dialogs;
mod nav;
mod palette;

use std::time::Duration;

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement};

use crate::components::{PageTitle, Shown, ToastRegion, live, maybe};
use crate::routes::{self, Page};
use crate::state::listen::listen;
use crate::state::session::Key;
use crate::state::{Console, effect, use_console};
use banner::{ConnectionBanner, ask_if_lost};
use dialogs::{HelpDialog, LeaveDialog, ReconnectDialog};
pub use nav::home;
use nav::{SideBar, TopBar};
use palette::Palette;

/// How long a connection takes that the browser has just announced: requests that are sent at once may still fail.
const ONLINE: Duration = Duration::from_secs(1);

/// The frame around the pages; without a credential it shows none of them.
#[component]
pub fn Shell(
    /// The page.
    children: ChildrenFn,
) -> impl IntoView {
    let console = use_console();
    effect(move || {
        let next = console.address.url_untracked();
        if !console.session.connected() && Page::of(&next) != Page::Connect {
            console.address.replace(&routes::connect(&next));
        }
    });
    let children = StoredValue::new(children);
    view! {
        <Shown when=move || console.session.connected()>
            <Frame>{children.get_value()()}</Frame>
        </Shown>
    }
}

#[component]
fn Frame(children: Children) -> impl IntoView {
    let console = use_console();
    listen(ev::keydown, move |event| shortcut(console, &event));
    let title = announce();
    listen(ev::focus, move |_| console.board.again());
    listen(ev::online, move |_| {
        console.board.again();
        set_timeout(move || ask_if_lost(console), ONLINE);
    });
    view! {
        <a class="skip" href="#main" rel="external">"Skip to the content"</a>
        <div class="frame">
            <SideBar />
            <div class="column">
                <TopBar />
                <ConnectionBanner />
                <p class="visually-hidden" role="status">{live(move || title.get())}</p>
                <main id="main" tabindex="-1">
                    {children()}
                </main>
            </div>
        </div>
        <Shown when=move || console.palette.get()>
            <Palette />
        </Shown>
        <Shown when=move || console.help.get()>
            <HelpDialog />
        </Shown>
        <Shown when=move || console.address.wanted().is_some()>
            <LeaveDialog />
        </Shown>
        {live(move || maybe(refused(console), |key| view! { <ReconnectDialog key=key /> }.into_any()))}
        <ToastRegion toasts=console.toasts />
    }
}

/// Signs out, here or everywhere, unless the user wants to stay with unsaved changes: the page Connect does it, which
/// only opens once that is decided.
fn sign_out(console: Console, everywhere: bool) {
    console.session.leaving.set(Some(everywhere));
    console.address.go(routes::CONNECT);
}

/// Returns the credential that must be asked for again; one at a time.
fn refused(console: Console) -> Option<Key> {
    let mut keys = Key::ALL.into_iter();
    keys.find(|key| console.session.rejected(*key))
}

/// Announces a page by its title after navigation, and again if what was still loading gives it another one; moves the
/// focus if the link that had it is gone. Returns the announcement: empty for the page that was opened first.
fn announce() -> RwSignal<String> {
    let title = RwSignal::new(String::new());
    provide_context(PageTitle(title));
    let address = use_console().address;
    let announcement = RwSignal::new(String::new());
    let loading = StoredValue::new(false);
    effect(move || {
        let title = title.get();
        if loading.get_value() {
            loading.set_value(false);
            announcement.set(title);
        }
    });
    Effect::new(move |before: Option<String>| {
        let path = address.path();
        if before.is_some_and(|before| before != path) {
            request_animation_frame(move || {
                announcement.try_set(title.get_untracked());
                // Later titles are what somebody types.
                let bones = document().query_selector("main .bones");
                loading.try_set_value(matches!(bones, Ok(Some(_))));
                let lost = document()
                    .active_element()
                    .is_none_or(|active| active.tag_name() == "BODY");
                if let (true, Some(main)) = (lost, document().get_element_by_id("main")) {
                    let _ = main.unchecked_into::<HtmlElement>().focus();
                }
            });
        }
        path
    });
    announcement
}

/// Handles the shortcuts that work on every page. Single keys only count while nothing is being typed.
fn shortcut(console: Console, event: &KeyboardEvent) {
    let command = event.meta_key() || event.ctrl_key();
    match event.key().as_str() {
        "k" | "K" if command && !event.shift_key() => {
            event.prevent_default();
            console.palette.update(|open| *open = !*open);
        }
        "?" if !command && !typing(event) => console.help.set(true),
        "/" if !command && !typing(event) => {
            if let Some(search) = document().get_element_by_id("search") {
                event.prevent_default();
                if let Ok(search) = search.dyn_into::<HtmlInputElement>() {
                    let _ = search.focus();
                    search.select();
                }
            }
        }
        _ => {}
    }
}

fn typing(event: &KeyboardEvent) -> bool {
    // The composed path includes the editor's shadow root, where the real target is.
    let target = event.composed_path().get(0).dyn_into::<HtmlElement>().ok();
    target.is_some_and(|target| {
        matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || target.is_content_editable()
    }) || document()
        .query_selector("dialog[open]")
        .is_ok_and(|dialog| dialog.is_some())
}
