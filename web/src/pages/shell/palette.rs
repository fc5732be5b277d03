//! The command palette: pages, commands, and APIs by name.

use leptos::prelude::*;

use crate::api::Summary;
use crate::components::{Choice, Finder, Glyph};
use crate::routes;
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

/// A line of the palette and what it does.
type Entry = (Choice, Command);

fn entry(glyph: Glyph, name: &str, detail: &str, command: Command) -> Entry {
    let choice = Choice {
        glyph,
        name: name.to_owned(),
        detail: detail.to_owned(),
        doc: String::new(),
    };
    (choice, command)
}

fn fixed() -> Vec<Entry> {
    let go = |path: &str| Command::Go(path.to_owned());
    let theme = |theme| Command::Theme(theme);
    vec![
        entry(Glyph::Plus, "New API", "Command", go(routes::NEW_API)),
        entry(
            Glyph::Import,
            "Import from OpenAPI",
            "Command",
            go(routes::IMPORT),
        ),
        entry(Glyph::Chart, "Overview", "Page", go(routes::OVERVIEW)),
        entry(Glyph::Apis, "APIs", "Page", go(routes::APIS)),
        entry(Glyph::Braces, "OpenAPI APIs", "Page", go(routes::OPENAPI)),
        entry(
            Glyph::Plus,
            "New OpenAPI API",
            "Command",
            go(routes::NEW_OPENAPI),
        ),
        entry(Glyph::Plug, "MCP proxies", "Page", go(routes::MCP)),
        entry(Glyph::Plus, "New MCP proxy", "Command", go(routes::NEW_MCP)),
        entry(
            Glyph::Reload,
            "Review and reload",
            "Page",
            go(routes::RELOAD),
        ),
        entry(Glyph::Play, "Try an API", "Page", go(routes::TRY)),
        entry(Glyph::Batch, "Batch", "Page", go(routes::BATCH)),
        entry(Glyph::Key, "Keys", "Page", go(routes::KEYS)),
        entry(Glyph::Plus, "New key", "Command", go(routes::NEW_KEY)),
        entry(Glyph::Window, "OAuth clients", "Page", go(routes::OAUTH)),
        entry(
            Glyph::Seal,
            "Certificates",
            "Page",
            go(routes::CERTIFICATES),
        ),
        entry(
            Glyph::Ticket,
            "Look into a token (JWT)",
            "Page",
            go(routes::JWT),
        ),
        entry(Glyph::Policy, "Policies", "Page", go(routes::POLICIES)),
        entry(Glyph::Plus, "New policy", "Command", go(routes::NEW_POLICY)),
        entry(
            Glyph::Organisation,
            "Organisations",
            "Page",
            go(routes::ORGANISATIONS),
        ),
        entry(
            Glyph::Person,
            "Client IdPs",
            "Page",
            go(routes::CLIENT_IDPS),
        ),
        entry(Glyph::Rules, "Rulesets", "Page", go(routes::RULESETS)),
        entry(
            Glyph::Plus,
            "New ruleset",
            "Command",
            go(routes::NEW_RULESET),
        ),
        entry(Glyph::Hook, "Webhooks", "Page", go(routes::WEBHOOKS)),
        entry(
            Glyph::Plus,
            "New webhook",
            "Command",
            go(routes::NEW_WEBHOOK),
        ),
        entry(
            Glyph::Bell,
            "Notifications",
            "Page",
            go(routes::NOTIFICATIONS),
        ),
        entry(Glyph::Audit, "Audit", "Page", go(routes::AUDIT)),
        entry(Glyph::Badge, "Credentials", "Page", go(routes::CREDENTIALS)),
        entry(Glyph::Sun, "Light theme", "Command", theme(Theme::Light)),
        entry(Glyph::Moon, "Dark theme", "Command", theme(Theme::Dark)),
        entry(
            Glyph::Screen,
            "Theme as the system says",
            "Command",
            theme(Theme::System),
        ),
        entry(Glyph::Info, "Keyboard shortcuts", "Command", Command::Help),
    ]
}

fn of_api(api: &Summary) -> Entry {
    let detail = format!("{}{}", api.domain, api.listen_path);
    let go = Command::Go(routes::api_page(&api.api_id, api.document));
    entry(Glyph::Apis, api.title(), &detail, go)
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
            .filter(|(choice, _)| choice.name.to_lowercase().contains(&wanted));
        // What came last may answer an older question: Enter must never go to an API that doesn't match.
        let found = found.good().unwrap_or_default().apis;
        let apis = found.iter().filter(|api| answers(api, &wanted)).map(of_api);
        matches.chain(apis).collect::<Vec<_>>()
    });
    let run = Callback::new(move |index: usize| {
        let command = entries
            .with_untracked(|entries| entries.get(index).map(|(_, command)| command.clone()));
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
    let choices = Memo::new(move |_| {
        let choice = |(choice, _): &Entry| choice.clone();
        entries.with(|entries| entries.iter().map(choice).collect())
    });
    let close = Callback::new(move |()| console.palette.set(false));
    view! {
        <Finder label="Search APIs, pages and commands" typed=typed choices=choices on_choose=run on_close=close />
    }
}
