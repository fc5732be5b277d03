//! The shared parts of lists of documents: the state of the response, the table, and the actions on a row.

use leptos::prelude::*;

use crate::api::group::{Listed, Page};
use crate::components::{
    Bones, Empty, Failure, Glyph, ListSteps, Menu, MenuItem, MenuLink, button, each, live, only,
    select_heading,
};
use crate::pages::deletion::{Deletion, Doomed, verb_forms};
use crate::pages::needs::to_new;
use crate::state::draft::plural;
use crate::state::listing::{Listing, Orders};
use crate::state::load::Load;
use crate::state::{Console, Memo, use_console};

/// The texts around a list of one kind of document.
pub(super) struct Words {
    /// The noun for one of them.
    pub(super) noun: &'static str,
    /// The text while the list is being loaded.
    pub(super) loading: &'static str,
    /// Which fields an unsuccessful search has covered; empty if that goes without saying.
    pub(super) searched: &'static str,
    /// The empty state before there is any.
    pub(super) first: First,
}

/// The empty state of a list.
#[derive(Clone, Copy)]
pub(super) struct First {
    /// An icon.
    pub(super) glyph: Glyph,
    /// The heading: what is missing.
    pub(super) title: &'static str,
    /// What it is for.
    pub(super) text: &'static str,
    /// The address of the page for a new one, and the label of the link; `None` if the page has a form for it.
    pub(super) link: Option<(&'static str, &'static str)>,
}

impl First {
    /// Builds the view.
    pub(super) fn view(self) -> AnyView {
        view! {
            <Empty glyph=self.glyph title=self.title>
                <p>{self.text}</p>
                {self.link.map(|(href, label)| to_new(href, label))}
            </Empty>
        }
        .into_any()
    }
}

/// A paginated list, whose state is in the address.
pub(super) struct Paged<T> {
    /// The current page.
    pub(super) page: Load<Page<T>>,
    /// The current search, filters, order and page number.
    pub(super) listing: Memo<Listing>,
    /// The query string that asks for it.
    pub(super) request: Memo<String>,
    /// Applies a change.
    pub(super) show: Callback<Listing>,
}

impl<T> Clone for Paged<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Paged<T> {}

impl<T: Listed + Clone + Send + Sync + 'static> Paged<T> {
    /// Fetches what the address says; `path` is that of the page.
    pub(super) fn open(console: Console, path: &'static str, orders: Orders) -> Self {
        Self::open_as(console, path, orders, |listing| listing)
    }

    /// Like [`Self::open`]; `asked` puts what the address says into the gateway's terms.
    pub(super) fn open_as(
        console: Console,
        path: &'static str,
        orders: Orders,
        asked: impl Fn(Listing) -> Listing + Send + Sync + 'static,
    ) -> Self {
        let address = console.address;
        let listing = Memo::new(move |_| Listing::parse(orders, &address.query()));
        let request = Memo::new(move |_| asked(listing.get()).to_request());
        Self {
            page: Load::new(move || {
                let request = request.get();
                async move { console.api.listed::<T>(&request).await }
            }),
            listing,
            request,
            show: Callback::new(move |wanted: Listing| {
                let turns = listing.with_untracked(|shown| wanted.is_page_of(shown));
                address.show(&wanted.to_url(path), turns);
            }),
        }
    }

    /// Returns how many there are on all pages, with their noun; `None` until that is known.
    pub(super) fn count(self, noun: &str) -> Option<String> {
        let total = self.page.good()?.total;
        Some(plural(usize::try_from(total).unwrap_or(usize::MAX), noun))
    }

    /// Shows the page of the list with `table`, or the state that replaces it.
    pub(super) fn results(
        self,
        words: &'static Words,
        table: impl Fn(Vec<T>) -> AnyView + Send + Sync + 'static,
    ) -> AnyView {
        let Self { listing, show, .. } = self;
        results(self.page, words.loading, move |found| {
            if found.total == 0 {
                return none(words, listing, show);
            }
            let count = self.count(words.noun).unwrap_or_default();
            view! {
                {table(found.documents)}
                <ListSteps count=count page=found.page pages=found.pages listing=listing on_change=show />
            }
            .into_any()
        })
    }
}

/// Shows the state of a response: a placeholder until it has arrived, its error, or its content.
pub(super) fn results<T: Clone + Send + Sync + 'static>(
    load: Load<T>,
    loading: &'static str,
    view: impl Fn(T) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let shown = move || match load.get() {
        None => view! { <Bones rows=6 label=loading /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| load.again() /> }.into_any()
        }
        Some(Ok(found)) => view(found),
    };
    view! {
        <section aria-label="Results" class="results" class:stale=move || load.busy() && load.good().is_some()>
            {live(shown)}
        </section>
    }
    .into_any()
}

/// Shows the empty state: because of the search, or because there is nothing yet.
fn none(words: &'static Words, listing: Memo<Listing>, show: Callback<Listing>) -> AnyView {
    if !listing.with_untracked(Listing::narrowed) {
        return words.first.view();
    }
    let clear = move || show.run(Listing::new(listing.get_untracked().orders));
    view! {
        <Empty glyph=Glyph::Search title=format!("No {} matches", words.noun)>
            {only(!words.searched.is_empty(), || view! { <p>{words.searched}</p> }.into_any())}
            {button("btn", "Clear search and filters", clear)}
        </Empty>
    }
    .into_any()
}

/// The heading of the column with the actions on a row; its cells have the same class.
const ACTIONS: &str = "Actions";
/// The heading of the column with the selection boxes.
pub(super) const SELECTED: &str = "Selected";

/// A table of documents; on narrow screens a list of cards.
#[component]
pub(super) fn DocumentTable(
    /// What is listed, for screen readers.
    caption: &'static str,
    /// The headings of its columns.
    columns: &'static [&'static str],
    /// Its rows.
    children: Children,
) -> impl IntoView {
    let heading = |name: &&'static str| match *name {
        ACTIONS => view! {
            <th scope="col" class="col-actions">
                <span class="visually-hidden">{ACTIONS}</span>
            </th>
        }
        .into_any(),
        SELECTED => select_heading(),
        name => view! { <th scope="col">{name}</th> }.into_any(),
    };
    view! {
        <div class="card table-card">
            <table class="table docs-table">
                <caption class="visually-hidden">{caption}</caption>
                <thead>
                    <tr>{each(columns, heading)}</tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

/// The menu of a row: to open the document, and to delete it if that is allowed.
#[component]
pub(super) fn RowMenu(
    /// The document.
    doomed: Doomed,
    /// The address of its page.
    href: String,
    /// The label of the item that opens it.
    #[prop(default = "Edit")]
    open: &'static str,
    /// Deletes it.
    deletion: Deletion,
    /// Further actions.
    #[prop(optional)]
    children: Option<ChildrenFn>,
) -> impl IntoView {
    let label = format!("Actions for {}", doomed.name);
    let delete = format!("{}…", verb_forms(doomed.group).0);
    let doomed = StoredValue::new(doomed);
    let ask = Callback::new(move |()| deletion.ask(doomed.get_value()));
    let children = StoredValue::new(children);
    let console = use_console();
    let items = move || {
        let reads = console.only_reads();
        view! {
            <MenuLink glyph=Glyph::Edit label=if reads { "Open" } else { open } href=href.clone() />
            {children.with_value(|children| children.as_ref().map(|more| more()))}
            {only(!reads, || view! { <MenuItem glyph=Glyph::Trash label=delete.clone() danger=true on_choose=ask /> }.into_any())}
        }
        .into_any()
    };
    view! { <Menu label=label>{items()}</Menu> }
}

/// The badge for whether a document is in effect; `off` is the label if not.
pub(super) fn active_badge(active: bool, off: &'static str) -> AnyView {
    let (class, word) = if active {
        ("badge badge-plain badge-live", "Active")
    } else {
        ("badge badge-plain", off)
    };
    view! { <span class=class>{word}</span> }.into_any()
}
