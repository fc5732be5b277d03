//! The content of the palette: the lists of both APIs as far as they may be read, pages and commands. It comes with the
//! custom element of `web/editor/command-palette.js`; the dialog is in the frame around the pages.

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::api::{Api, ApiError};
use crate::components::{Choice, FinderField, Glyph};
use crate::state::load::Load;
use crate::state::palette::called::Called;
use crate::state::palette::sources::{Answer, Source};
use crate::state::palette::{
    Act, Entry, Kind, Line, commands, find, offered, rank, recent, search_text, shorter,
};
use crate::state::session::Session;
use crate::state::storage;
use crate::state::{Memo, effect};

/// The name of the palette, for the field and for screen readers.
pub const LABEL: &str = "Find anything, or say what to do";

thread_local! {
    /// The lists as the palette last received them, with the credentials used then.
    static KNOWN: RefCell<Vec<(Source, Option<String>, Answer)>> = const { RefCell::new(Vec::new()) };
}

/// A list, as far as it is known.
#[derive(Clone, Copy)]
struct List {
    source: Source,
    /// What was known when the palette was opened.
    known: StoredValue<Option<Answer>>,
    /// Its first page.
    first: Load<Answer>,
    /// Its matches for the typed text, if the first page is not all of it.
    found: Load<Answer>,
    /// The text searched for; empty for none.
    wanted: Memo<String>,
}

impl List {
    fn open(source: Source, api: Api, session: Session, typed: RwSignal<String>) -> Self {
        let opened = session.opened_by(source.key());
        let known = KNOWN.with_borrow(|known| {
            let own = known
                .iter()
                .find(|(of, by, _)| *of == source && *by == opened);
            own.map(|(_, _, answer)| answer.clone())
        });
        let first = Load::new(move || async move { source.ask(api, "").await });
        effect(move || {
            let answer = first.get();
            KNOWN.with_borrow_mut(|known| {
                if answer.is_some() {
                    known.retain(|(of, ..)| *of != source);
                }
                if let Some(Ok(answer)) = answer {
                    known.push((source, opened.clone(), answer));
                }
            });
        });
        let more = Memo::new(move |_| first.good().is_some_and(|answer| answer.more));
        let wanted = Memo::new(move |_| match more.get() {
            true => typed.with(|typed| search_text(typed)),
            false => String::new(),
        });
        let found = Load::new(move || {
            let wanted = wanted.get();
            async move {
                if wanted.is_empty() {
                    return Ok(Answer::default());
                }
                if let (Source::Apis, Some(called)) = (source, Called::of(&wanted)) {
                    return serving(api, &called).await;
                }
                let found = source.ask(api, &wanted).await?;
                match shorter(&wanted).filter(|_| found.entries.is_empty()) {
                    Some(less) => source.ask(api, &less).await,
                    None => Ok(found),
                }
            }
        });
        Self {
            source,
            known: StoredValue::new(known),
            first,
            found,
            wanted,
        }
    }

    /// Returns its first page; nothing of what may not be read.
    fn answer(self) -> Option<Answer> {
        match self.first.get() {
            Some(answer) => answer.ok(),
            None => self.known.get_value(),
        }
    }

    fn entries(self) -> Vec<Entry> {
        let Some(mut answer) = self.answer() else {
            return Vec::new();
        };
        if answer.more {
            let found = self.found.good().unwrap_or_default().entries;
            let news = |entry: &Entry| !answer.entries.iter().any(|known| known.id == entry.id);
            let news: Vec<Entry> = found.into_iter().filter(news).collect();
            answer.entries.extend(news);
        }
        answer.entries
    }

    /// Whether an earlier choice may be offered again: the list can be read, and still has it.
    fn keeps(self, entry: &Entry) -> bool {
        match self.first.get() {
            Some(Ok(answer)) => {
                answer.more || answer.entries.iter().any(|known| known.id == entry.id)
            }
            Some(Err(_)) => false,
            None => true,
        }
    }

    fn busy(self) -> bool {
        let begins = self.first.busy() && self.known.with_value(Option::is_none);
        begins || (!self.wanted.with(String::is_empty) && self.found.busy())
    }
}

/// The palette's field and its results.
#[component]
pub fn PaletteView(
    /// The client.
    api: Api,
    /// The session, which decides which lists may be read.
    session: Session,
    /// What has been typed already.
    first: String,
    /// Whether Enter was pressed after that.
    entered: bool,
    /// Receives the chosen action.
    on_act: Callback<Act>,
) -> impl IntoView {
    let typed = RwSignal::new(first);
    let open = Source::ALL.into_iter();
    let open = open.filter(|source| session.has_untracked(source.key()));
    let lists: Vec<List> = open
        .map(|source| List::open(source, api, session, typed))
        .collect();
    let lists = StoredValue::new(lists);
    let chosen_before = recent::read(&storage::browser_get(recent::STORED).unwrap_or_default());
    let chosen_before = StoredValue::new(chosen_before);
    let may = move |entry: &Entry| offered(entry, &session.identity());
    let all = Memo::new(move |_| {
        let mut all = commands::all();
        all.retain(may);
        all.extend(lists.get_value().into_iter().flat_map(List::entries));
        all
    });
    let recent = Memo::new(move |_| {
        let lists = lists.get_value();
        let offered = |entry: &Entry| {
            let own = lists.iter().find(|list| list.source.has(entry.kind));
            let fixed = entry.kind <= Kind::Member && may(entry);
            fixed || own.is_some_and(|list| list.keeps(entry))
        };
        let mut recent = chosen_before.get_value();
        recent.retain(offered);
        recent
    });
    let lines = Memo::new(move |_| {
        let recent = recent.get();
        all.with(|all| typed.with(|typed| find(typed, all, &recent, &session.identity(), &fits)))
    });
    let waits = Memo::new(move |_| {
        let busy = lists.get_value().into_iter().any(List::busy);
        let sure = lines.with(|lines| lines.first().is_some_and(|line| line.rank < rank::SURE));
        busy && !sure
    });
    let run = Callback::new(move |index: usize| {
        let Some(Line { entry, .. }) = lines.with_untracked(|lines| lines.get(index).cloned())
        else {
            return;
        };
        if entry.url().is_some() {
            let stored = recent::write(&recent::with(&entry, chosen_before.get_value()));
            storage::browser_set(recent::STORED, Some(&stored));
        }
        on_act.run(entry.act);
    });
    let choices = Memo::new(move |_| lines.with(|lines| lines.iter().map(choice).collect()));
    view! { <FinderField label=LABEL typed=typed choices=choices on_choose=run waits=waits entered=entered /> }
}

/// Finds the APIs that serve a called path, in a list that is too long to be fetched completely.
async fn serving(api: Api, called: &Called) -> Result<Answer, ApiError> {
    for beginning in called.beginnings() {
        let found = Source::Apis.ask(api, beginning).await?;
        if called.server(&found.entries, &fits).is_some() {
            return Ok(found);
        }
    }
    Ok(Answer::default())
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = RegExp)]
    type Expression;

    #[wasm_bindgen(constructor, js_class = "RegExp", catch)]
    fn new(expression: &str, flags: &str) -> Result<Expression, JsValue>;

    #[wasm_bindgen(method)]
    fn test(this: &Expression, text: &str) -> bool;
}

/// Whether a text matches the expression of a template. One that only the gateway can read may match.
fn fits(pattern: &str, text: &str) -> bool {
    let expression = Expression::new(&format!("^(?:{pattern})$"), "u");
    expression.is_ok_and(|expression| expression.test(text))
        || Expression::new(pattern, "u").is_err()
}

fn choice(line: &Line) -> Choice {
    let entry = &line.entry;
    let detail = match entry.detail.as_str() {
        "" => entry.kind.label().to_owned(),
        detail => format!("{detail} · {}", entry.kind.label()),
    };
    Choice {
        glyph: glyph(entry),
        name: entry.name.clone(),
        detail,
        doc: String::new(),
    }
}

fn glyph(entry: &Entry) -> Glyph {
    match (entry.kind, &entry.act) {
        (Kind::Command, Act::Go(_)) => Glyph::Plus,
        (Kind::Command, Act::Help) => Glyph::Help,
        (Kind::Command, Act::SignOut) => Glyph::Leave,
        (Kind::Command, Act::Theme(_)) => Glyph::Screen,
        (Kind::Page, _) => Glyph::Chevron,
        (Kind::Member, _) => Glyph::Help,
        (Kind::Api, _) => Glyph::Apis,
        (Kind::OpenApi, _) => Glyph::Braces,
        (Kind::McpProxy, _) => Glyph::Plug,
        (Kind::Policy, _) => Glyph::Policy,
        (Kind::Key, _) => Glyph::Key,
        (Kind::Organisation, _) => Glyph::Organisation,
        (Kind::Certificate, _) => Glyph::Seal,
        (Kind::ClientIdp, _) => Glyph::Person,
        (Kind::Ruleset, _) => Glyph::Rules,
        (Kind::Webhook, _) => Glyph::Hook,
        (Kind::Credential, _) => Glyph::Badge,
    }
}
