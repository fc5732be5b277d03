//! The command palette: pages, commands, and APIs by name.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use crate::api::Summary;
use crate::components::{Glyph, Icon, Shown, each, live, modal};
use crate::routes;
use crate::state::effect;
use crate::state::filters::Filters;
use crate::state::load::Load;
use crate::state::theme::{Theme, choose};
use crate::state::use_console;

/// APIs that are offered at once.
const APIS_SHOWN: u32 = 25;

/// What an entry does.
#[derive(Clone, Debug, PartialEq)]
enum Command {
    Go(String),
    Theme(Theme),
    Help,
}

/// One line of the palette.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    glyph: Glyph,
    name: String,
    detail: String,
    command: Command,
}

fn entry(glyph: Glyph, name: &str, detail: &str, command: Command) -> Entry {
    Entry {
        glyph,
        name: name.to_owned(),
        detail: detail.to_owned(),
        command,
    }
}

fn fixed() -> Vec<Entry> {
    let go = |path: &str| Command::Go(path.to_owned());
    vec![
        entry(Glyph::Plus, "New API", "Command", go(routes::NEW_API)),
        entry(Glyph::Apis, "APIs", "Page", go(routes::APIS)),
        entry(
            Glyph::Reload,
            "Review and reload",
            "Page",
            go(routes::RELOAD),
        ),
        entry(Glyph::Batch, "Batch", "Page", go(routes::BATCH)),
        entry(
            Glyph::Sun,
            "Light theme",
            "Command",
            Command::Theme(Theme::Light),
        ),
        entry(
            Glyph::Moon,
            "Dark theme",
            "Command",
            Command::Theme(Theme::Dark),
        ),
        entry(
            Glyph::Screen,
            "Theme as the system says",
            "Command",
            Command::Theme(Theme::System),
        ),
        entry(Glyph::Info, "Keyboard shortcuts", "Command", Command::Help),
    ]
}

fn of_api(api: &Summary) -> Entry {
    let name = if api.name.is_empty() {
        &api.api_id
    } else {
        &api.name
    };
    let detail = format!("{}{}", api.domain, api.listen_path);
    Entry {
        glyph: Glyph::Apis,
        name: name.clone(),
        detail,
        command: Command::Go(routes::api(&api.api_id)),
    }
}

/// Whether an API is what was asked for, by the rule of the gateway's search.
fn answers(api: &Summary, wanted: &str) -> bool {
    let texts = [
        &api.name,
        &api.api_id,
        &api.listen_path,
        &api.domain,
        &api.target_url,
    ];
    texts
        .into_iter()
        .chain(&api.tags)
        .any(|text| text.to_lowercase().contains(wanted))
}

/// The palette. It is open as long as it is mounted.
#[component]
pub(super) fn Palette() -> impl IntoView {
    let console = use_console();
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    let found = Load::new(move || {
        let filters = Filters {
            q: typed.get(),
            per_page: APIS_SHOWN,
            ..Filters::default()
        };
        async move { console.api.summaries(&filters.to_request()).await }
    });
    let entries = Memo::new(move |_| {
        let wanted = typed.get().trim().to_lowercase();
        let matches = fixed()
            .into_iter()
            .filter(|entry| entry.name.to_lowercase().contains(&wanted));
        // What came last may answer an older question: Enter must never go to an API that doesn't match.
        let found = found.good().unwrap_or_default().apis;
        let apis = found.iter().filter(|api| answers(api, &wanted)).map(of_api);
        matches.chain(apis).collect::<Vec<_>>()
    });
    let run = Callback::new(move |index: usize| {
        let command =
            entries.with_untracked(|entries| entries.get(index).map(|entry| entry.command.clone()));
        console.palette.set(false);
        match command {
            Some(Command::Go(path)) => {
                console.address.go(&path);
            }
            Some(Command::Theme(theme)) => choose(console.theme, theme),
            Some(Command::Help) => console.help.set(true),
            None => {}
        }
    });
    let typing = move |event| {
        chosen.set(0);
        typed.set(event_target_value(&event));
    };
    let steer = move |event: KeyboardEvent| {
        let count = entries.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|index| {
                *index = if index.saturating_add(1) < count {
                    index.saturating_add(1)
                } else {
                    0
                }
            }),
            "ArrowUp" => chosen
                .update(|index| *index = index.checked_sub(1).unwrap_or(count.saturating_sub(1))),
            "Enter" => run.run(chosen.get_untracked()),
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <PaletteFrame on_close=Callback::new(move |()| console.palette.set(false))>
            <div class="palette-field">
                <Icon glyph=Glyph::Search />
                <input
                    type="text"
                    role="combobox"
                    autofocus
                    placeholder="Search APIs, pages and commands"
                    aria-label="Search APIs, pages and commands"
                    aria-expanded="true"
                    aria-controls="palette-list"
                    aria-activedescendant=move || format!("palette-{}", chosen.get())
                    autocomplete="off"
                    spellcheck="false"
                    on:input=typing
                    on:keydown=steer
                />
            </div>
            <PaletteList entries=entries chosen=chosen run=run />
            <p class="visually-hidden" role="status">{live(move || format!("{} results", entries.with(Vec::len)))}</p>
        </PaletteFrame>
    }
}

#[component]
fn PaletteFrame(on_close: Callback<()>, children: Children) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    modal(node);
    let cancel = move |event: leptos::ev::Event| {
        event.prevent_default();
        on_close.run(());
    };
    view! {
        // The frame fills the dialog, so a press on the dialog itself is one outside.
        <dialog class="palette" aria-label="Command palette" node_ref=node on:cancel=cancel on:mousedown=move |_| on_close.run(())>
            <div class="palette-frame" on:mousedown=|event| event.stop_propagation()>{children()}</div>
        </dialog>
    }
}

#[component]
fn PaletteList(
    entries: Memo<Vec<Entry>>,
    chosen: RwSignal<usize>,
    run: Callback<usize>,
) -> impl IntoView {
    effect(move || {
        let id = format!("palette-{}", chosen.get());
        if let Some(option) = document().get_element_by_id(&id) {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
    let option = move |(index, entry): (usize, Entry)| {
        view! {
            <li
                role="option"
                id=format!("palette-{index}")
                aria-selected=move || (chosen.get() == index).to_string()
                on:mousemove=move |_| chosen.set(index)
                on:click=move |_| run.run(index)
            >
                <Icon glyph=entry.glyph />
                <span class="palette-name">{entry.name}</span>
                <span class="palette-detail">{entry.detail}</span>
            </li>
        }
        .into_any()
    };
    view! {
        <ul id="palette-list" class="palette-list" role="listbox" aria-label="Results">
            {live(move || each(entries.get().into_iter().enumerate(), option))}
        </ul>
        <Shown when=move || entries.with(Vec::is_empty)>
            <p class="palette-none">"Nothing found."</p>
        </Shown>
    }
}
