//! The reference of members and of the administration API: browsed, searched, and linked from other pages.

use gatewright_model::shape::Root;
use leptos::prelude::*;

use crate::components::{
    Bones, Empty, Failure, Glyph, PageHead, SearchField, each, live, maybe, only,
};
use crate::state::draft::plural;
use crate::state::load::Load;
use crate::state::reference::{API, Entry, Operation, Place, about, entries, operations};
use crate::state::{Memo, use_console};

/// The address of the administration API's document.
const DOCUMENT: &str = "/openapi/gateway.json";

/// The page.
#[component]
pub fn Reference() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let place = Memo::new(move |_| Place::parse(&address.query()));
    let show = move |place: Place| address.replace(&place.url());
    let search = Callback::new(move |q: String| {
        show(Place {
            q,
            at: String::new(),
            ..place.get_untracked()
        });
    });
    let choose = move |event| {
        let (of, q) = (event_target_value(&event), place.get_untracked().q);
        show(Place {
            of,
            q,
            ..Place::default()
        });
    };
    let of_api = Memo::new(move |_| place.with(|place| place.of == API));
    let shown = move || {
        if of_api.get() {
            view! { <Operations place=place /> }.into_any()
        } else {
            view! { <Members place=place /> }.into_any()
        }
    };
    view! {
        <PageHead title="Reference" lead="Every member of every document, and every operation of the administration API, as this release has them.">
            <a class="btn" href=DOCUMENT target="_blank">"OpenAPI document"</a>
        </PageHead>
        <div class="toolbar" role="search" aria-label="Reference">
            <SearchField
                label="Search the reference"
                placeholder="Search names and what they do"
                value=Signal::derive(move || place.get().q)
                on_input=search
            />
            <select class="input" aria-label="Of" prop:value=move || place.get().of on:change=choose>
                {each(documents(), |(word, title)| view! { <option value=word>{title}</option> }.into_any())}
            </select>
        </div>
        {live(shown)}
    }
    .into_any()
}

/// Returns the documents of the reference: names in the address, and titles.
fn documents() -> Vec<(&'static str, String)> {
    let title = |root: Root| {
        let (_, title) = root.title().split_once(' ').unwrap_or_default();
        let first = title.chars().next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(title.chars().skip(1)).collect()
    };
    let roots = Root::ALL.into_iter().map(|root| (root.word(), title(root)));
    roots
        .chain([(API, "Administration API".to_owned())])
        .collect()
}

#[component]
fn Members(place: Memo<Place>) -> impl IntoView {
    let head = move || {
        let place = place.get();
        maybe(place.shown().filter(|_| place.q.trim().is_empty()), |of| {
            view! {
                <div>
                    {maybe(place.top(), |(name, url)| view! { <p class="small"><a href=url>{name}</a></p> }.into_any())}
                    <h2>{of.name}</h2>
                    <p class="muted">{about(of)}</p>
                </div>
            }
            .into_any()
        })
    };
    let table = move || {
        let place = place.get();
        let found = entries(&place);
        if found.is_empty() {
            return nothing(Some(&place));
        }
        let count = plural(found.len(), "member");
        let row = |entry: Entry| row(entry, &place.at);
        view! {
            <div class="card table-card">
                <table class="table reference-table">
                    <caption class="visually-hidden">"Members"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Member"</th>
                            <th scope="col">"Value"</th>
                            <th scope="col">"What it does"</th>
                            <th scope="col">"Support"</th>
                        </tr>
                    </thead>
                    <tbody>{each(found, row)}</tbody>
                </table>
            </div>
            <p class="muted small" role="status">{count}</p>
        }
        .into_any()
    };
    view! {
        {live(head)}
        {live(table)}
    }
}

/// The empty state; another document may have what was searched for in one.
fn nothing(place: Option<&Place>) -> AnyView {
    let there = |(of, title): (&'static str, String)| {
        let there = Place {
            of: of.to_owned(),
            q: place?.q.clone(),
            ..Place::default()
        };
        (!entries(&there).is_empty()).then(|| (title, there.url()))
    };
    let others: Vec<_> = documents().into_iter().filter_map(there).collect();
    let link = |(title, url): (String, String)| {
        view! { <a class="btn btn-small" href=url>{title}</a> }.into_any()
    };
    view! {
        <Empty glyph=Glyph::Search title="Nothing matches">
            <p>"Every word has to be in the name, the path, or the description."</p>
            {only(!others.is_empty(), || {
                view! {
                    <p>"It is found in:"</p>
                    <div class="row">{each(others, link)}</div>
                }
                .into_any()
            })}
        </Empty>
    }
    .into_any()
}

fn row(entry: Entry, at: &str) -> AnyView {
    let pointed = entry.name == at && !at.is_empty();
    // The target of the address is scrolled into view once it is there.
    let node = NodeRef::<leptos::html::Tr>::new();
    if pointed {
        crate::state::effect(move || {
            if let Some(row) = node.get() {
                row.scroll_into_view();
            }
        });
    }
    let Entry {
        name,
        value,
        types,
        presence,
        default,
        doc,
        support,
        reason,
        url,
    } = entry;
    let name = if url.is_empty() {
        view! { <code>{name}</code> }.into_any()
    } else {
        view! { <a href=url><code>{name}</code></a> }.into_any()
    };
    let of_type =
        |(name, url): (&'static str, String)| view! { " "<a href=url>{name}</a> }.into_any();
    view! {
        <tr node_ref=node class:pointed=pointed aria-current=pointed.then_some("true")>
            <th scope="row" class="cell-name">
                {name}
                {only(!presence.is_empty(), || view! { <span class="cell-sub muted small">{presence}</span> }.into_any())}
            </th>
            <td data-label="Value">
                <span>
                    {value}
                    {each(types, of_type)}
                    {only(!default.is_empty(), || view! { <span class="cell-sub muted small">"default "<code>{default}</code></span> }.into_any())}
                </span>
            </td>
            <td data-label="What it does"><span>{doc}</span></td>
            <td data-label="Support">
                <span>
                    {support}
                    {only(!reason.is_empty(), || view! { <span class="muted small block">{reason}</span> }.into_any())}
                </span>
            </td>
        </tr>
    }
    .into_any()
}

#[component]
fn Operations(place: Memo<Place>) -> impl IntoView {
    let api = use_console().api;
    let document = Load::new(move || async move { api.public(DOCUMENT).await });
    live(move || match document.get() {
        None => view! { <Bones rows=8 label="Loading the document" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Failure error=error on_retry=move |()| document.again() /> }.into_any()
        }
        Some(Ok(text)) => {
            let found = place.with(|place| operations(&text, &place.q));
            if found.is_empty() {
                return nothing(None);
            }
            let count = plural(found.len(), "operation");
            view! {
                <ul class="operations">{each(found, one)}</ul>
                <p class="muted small" role="status">{count}</p>
            }
            .into_any()
        }
    })
}

fn one(operation: Operation) -> AnyView {
    let Operation {
        method,
        path,
        summary,
        description,
        parameters,
    } = operation;
    let any = !parameters.is_empty();
    let parameter = |(name, place, doc): (String, String, String)| {
        view! {
            <div>
                <dt><code>{name}</code>" "<span class="muted small">{place}</span></dt>
                <dd>{marked(&doc)}</dd>
            </div>
        }
        .into_any()
    };
    let parameters = each(parameters, parameter);
    view! {
        <li class="card operation">
            <h2><code>{method}" "{path}</code></h2>
            <p>{marked(&summary)}</p>
            {only(!description.is_empty(), || view! { <p class="muted small">{marked(&description)}</p> }.into_any())}
            {only(any, || view! {
                <details>
                    <summary>"Parameters"</summary>
                    <dl class="operation-parameters">{parameters}</dl>
                </details>
            }.into_any())}
        </li>
    }
    .into_any()
}

/// Shows a text with what is between backticks as code.
fn marked(text: &str) -> AnyView {
    let part = |(at, part): (usize, &str)| {
        let part = part.to_owned();
        match at % 2 {
            0 => part.into_any(),
            _ => view! { <code>{part}</code> }.into_any(),
        }
    };
    each(text.split('`').enumerate(), part).into_any()
}
