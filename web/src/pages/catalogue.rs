//! The catalogue of an MCP proxy: what its server offers, what of it the proxy lets through, and who may use it.

mod entry;
mod found;
mod server;

use std::sync::Arc;

use gatewright_model::mcp::Category;
use leptos::prelude::*;

use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, IconButton, Notice, PageHead, SearchField, Shown, Tint,
    button, each, live, maybe, only,
};
use crate::routes;
use crate::state::catalogue::Offer;
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::mcp::Listed;
use crate::state::sought::Sought;
use crate::state::task::Task;
use crate::state::{Console, Memo, use_console};
use entry::entry;
use found::{Found, KEYS, find};
use server::fetch;

/// A search is offered above this number of entries.
const FEW: usize = 8;

/// The shared state of the page's parts.
#[derive(Clone, Copy)]
struct Desk {
    id: StoredValue<String>,
    found: Load<Arc<Found>>,
    /// The same with more keys, once they were requested.
    further: RwSignal<Option<Arc<Found>>>,
    offer: Load<Arc<Offer>>,
    typed: RwSignal<String>,
}

/// The display data of one tool, resource or prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    category: Category,
    listed: Listed,
    /// Whether the server lists it.
    is_listed: bool,
    /// Whether it has a rule but is missing from the server's complete list: it may be a mistake.
    is_missing: bool,
}

impl Desk {
    /// Returns the proxy, with all callers read so far.
    fn known(self) -> Option<Arc<Found>> {
        self.further.get().or_else(|| self.found.good())
    }

    /// Reads more keys.
    fn look_further(self, console: Console, task: Task) {
        let Some(before) = untrack(|| self.known()) else {
            return;
        };
        task.run(async move {
            let id = self.id.get_value();
            let found = Found::clone(&before).further(console.api, &id).await;
            // The page may be gone, or everything was fetched again.
            let Some(further) = self.further.try_get_untracked() else {
                return;
            };
            let now = further.or_else(|| self.found.good_untracked());
            match found {
                Ok(found) if now.is_some_and(|now| Arc::ptr_eq(&now, &before)) => {
                    self.further.try_set(Some(Arc::new(found)));
                }
                Ok(_) => {}
                Err(error) => console.toasts.failed(&error),
            }
        });
    }

    /// Returns what the server lists of a category, followed by what only has rules.
    fn items(self, category: Category) -> Vec<Item> {
        let offer = self.offer.good();
        let own = offer.iter().flat_map(|offer| offer.listed.iter());
        let mut items: Vec<Item> = own
            .filter(|(of, _)| *of == category)
            .map(|(_, listed)| Item {
                category,
                listed: listed.clone(),
                is_listed: true,
                is_missing: false,
            })
            .collect();
        let is_whole = offer.is_some_and(|offer| offer.is_complete(category));
        let found = self.known();
        for name in found.iter().flat_map(|found| found.proxy.ruled(category)) {
            // A rule for a prefix of addresses covers everything below it.
            if !name.ends_with("/*") && !items.iter().any(|item| item.listed.name == name) {
                items.push(Item {
                    category,
                    listed: Listed {
                        name: name.to_owned(),
                        ..Listed::default()
                    },
                    is_listed: false,
                    is_missing: is_whole,
                });
            }
        }
        items
    }
}

/// The page.
#[component]
pub fn CataloguePage(
    /// The id in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let id = StoredValue::new(id);
    let desk = Desk {
        id,
        found: Load::new(
            move || async move { find(console.api, &id.get_value()).await.map(Arc::new) },
        ),
        offer: Load::new(
            move || async move { fetch(console.api, &id.get_value()).await.map(Arc::new) },
        ),
        further: RwSignal::new(None),
        typed: RwSignal::new(String::new()),
    };
    let title = move || {
        desk.found
            .good()
            .map_or_else(|| "Catalogue".to_owned(), |found| found.title())
    };
    let again = Callback::new(move |()| {
        desk.further.set(None);
        desk.found.again();
        desk.offer.again();
    });
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::MCP>"MCP proxies"</a>
            <Icon glyph=Glyph::Chevron />
            <a href=routes::mcp(&id.get_value())><code>{id.get_value()}</code></a>
            <Icon glyph=Glyph::Chevron />
            <span>"Catalogue"</span>
        </nav>
        <PageHead title=Signal::derive(title) lead="What its server offers now, what of it the stored proxy lets through, and who may use it.">
            <IconButton glyph=Glyph::Reload label="Ask again" on_press=again />
        </PageHead>
        {live(move || maybe(desk.found.failed(), |error| view! { <Failure error=error on_retry=again /> }.into_any()))}
        <Shown when=move || desk.found.good().is_some() fallback=move || view! {
            <Shown when=move || desk.found.failed().is_none()><Bones rows=6 label="Loading the proxy" /></Shown>
        }>
            <Callers desk=desk />
            <Trouble desk=desk again=again />
            <Parts desk=desk />
        </Shown>
    }
    .into_any()
}

/// Which callers are covered, and what could not be read.
#[component]
fn Callers(desk: Desk) -> impl IntoView {
    let console = use_console();
    let task = Task::new();
    let summary = move || {
        let Some(found) = desk.known() else {
            return ().into_any();
        };
        let notes = found.notes.clone();
        let note = |note: String| view! { <p class="muted small">{note}</p> }.into_any();
        let further = move |left: u64| {
            let look = move |_| desk.look_further(console, task);
            let more = left.min(KEYS.into());
            view! {
                <button type="button" class="btn btn-small" disabled=move || task.busy() on:click=look>
                    {live(move || if task.busy() { "Looking…".to_owned() } else { format!("Check the next {more}") })}
                </button>
            }
            .into_any()
        };
        let tint = if found.is_open {
            Tint::Amber
        } else {
            Tint::Blue
        };
        view! {
            <Notice tint=tint>
                <span role="status">{found.summary()}</span>
                {only(found.left() > 0, || further(found.left()))}
            </Notice>
            {each(notes, note)}
        }
        .into_any()
    };
    live(summary)
}

/// The requests that the server did not answer.
#[component]
fn Trouble(desk: Desk, again: Callback<()>) -> impl IntoView {
    let one = move |(what, why): (String, String)| {
        view! {
            <Notice tint=Tint::Red>
                <span role="alert"><strong>{what}</strong>" "{why}</span>
                {button("btn btn-small", "Ask again", move || again.run(()))}
            </Notice>
        }
        .into_any()
    };
    live(move || match desk.offer.get() {
        Some(Err(error)) => view! { <Failure error=error on_retry=again /> }.into_any(),
        Some(Ok(offer)) => each(offer.troubles.clone(), one).into_any(),
        None => ().into_any(),
    })
}

#[component]
fn Parts(desk: Desk) -> impl IntoView {
    let asking = move || desk.offer.get().is_none();
    let total = Memo::new(move |_| {
        let all = Category::ALL.into_iter();
        all.map(|category| desk.items(category).len())
            .sum::<usize>()
    });
    let clear = move || {
        desk.offer
            .good()
            .is_some_and(|offer| offer.troubles.is_empty())
    };
    let search = Callback::new(move |text| desk.typed.set(text));
    view! {
        <Shown when=asking>
            <Bones rows=6 label="Asking the server" />
        </Shown>
        <Shown when=move || { total.get() > FEW }>
            <SearchField label="Search the catalogue" placeholder="Name or description" value=desk.typed on_input=search />
        </Shown>
        {each(Category::ALL, |category| view! { <Part desk=desk category=category /> }.into_any())}
        <Shown when=move || total.get() == 0 && clear()>
            <Empty glyph=Glyph::Plug title="The server offers nothing">
                <p>"It lists no tools, no resources and no prompts."</p>
            </Empty>
        </Shown>
    }
}

/// The entries of one category.
#[component]
fn Part(desk: Desk, category: Category) -> impl IntoView {
    let items = Memo::new(move |_| desk.items(category));
    let shown = Memo::new(move |_| {
        let sought = desk.typed.with(|typed| Sought::of(typed));
        let answers = |item: &&Item| sought.is_in([&item.listed.name, &item.listed.about]);
        items.with(|items| items.iter().filter(answers).cloned().collect::<Vec<_>>())
    });
    let heading = match category {
        Category::Tool => "Tools",
        Category::Resource => "Resources",
        Category::Prompt => "Prompts",
    };
    let id = format!("offer-{}", category.plural());
    let labelled = id.clone();
    let count = move || plural(items.with(Vec::len), category.name());
    let list = move || {
        maybe(desk.known(), |found| {
            let one = |item| entry(desk.id, &found, item);
            each(shown.get(), one).into_any()
        })
    };
    let none = move || {
        only(shown.with(Vec::is_empty), || {
            view! { <p class="muted">"Nothing matches."</p> }.into_any()
        })
    };
    view! {
        <Shown when=move || items.with(|items| !items.is_empty())>
            <section class="offered-part" aria-labelledby=id.clone()>
                <div class="offered-head">
                    <h2 id=labelled.clone()>{heading}</h2>
                    <span class="muted small">{live(count)}</span>
                </div>
                <ul class="offers">{live(list)}</ul>
                {live(none)}
            </section>
        </Shown>
    }
}
