//! One tool, resource or prompt: what it does, its arguments, whether the proxy lets it through, and who may use it.

use gatewright_model::mcp::Category;
use leptos::prelude::*;

use super::Item;
use super::found::Found;
use crate::components::{Glyph, Icon, Shown, each, maybe, only};
use crate::routes;
use crate::state::catalogue::{Caller, CallerKind, Permission};
use crate::state::pretty::pretty;

/// What a caller may do with it, for a list.
#[derive(Clone, Debug)]
struct Right {
    kind: CallerKind,
    name: String,
    url: String,
    answer: Permission,
}

/// An entry of the list.
pub(super) fn entry(id: StoredValue<String>, found: &Found, item: Item) -> AnyView {
    let Item {
        category,
        listed,
        is_listed,
        is_missing,
    } = item;
    let verdict = found.proxy.verdict(category, &listed.name);
    let rate = found.proxy.rate(category, &listed.name);
    let right = |caller: &Caller| Right {
        kind: caller.kind,
        name: caller.name.clone(),
        url: caller.url.clone(),
        answer: caller.may(category, &listed.name),
    };
    // If the proxy refuses it, or is open to everybody, rights decide nothing.
    let decides = verdict.passes && !found.is_open && !verdict.is_open;
    let opened = verdict.is_open && !found.is_open;
    let callers = found.callers.iter().filter(|_| decides);
    let rights: Vec<Right> = callers.map(right).collect();
    let name = listed.name.clone();
    let try_it = (category == Category::Tool && is_listed).then(|| {
        let href = routes::try_tool(&id.get_value(), &name);
        let which = format!(" {name}");
        view! {
            <a class="btn btn-small" href=href>
                <Icon glyph=Glyph::Play />
                "Try it"
                <span class="visually-hidden">{which}</span>
            </a>
        }
    });
    let (class, word) = match verdict.passes {
        true => ("badge badge-plain badge-added", "Passes"),
        false => ("badge badge-plain badge-deleted", "Refused"),
    };
    let takes = match category {
        Category::Prompt => "Arguments",
        _ => "Input schema",
    };
    let takes = (!listed.takes.is_empty()).then(|| {
        let schema = pretty(&listed.takes).unwrap_or_else(|| listed.takes.clone());
        let label = format!("{takes} of {name}");
        unfolds(takes.to_owned(), label, move || {
            view! { <pre class="offer-schema" tabindex="0">{schema.clone()}</pre> }.into_any()
        })
    });
    let who = (!rights.is_empty()).then(|| {
        let may = rights
            .iter()
            .filter(|right| matches!(right.answer, Permission::Yes(_)))
            .count();
        let label = format!("Who may use {name}");
        unfolds(
            format!("{may} of {} may use it", rights.len()),
            label,
            move || view! { <ul class="offer-rights">{each(rights.clone(), one)}</ul> }.into_any(),
        )
    });
    view! {
        <li class="offer card">
            <div class="offer-head">
                <h3><code>{name}</code></h3>
                <span class=class>{word}</span>
                {maybe(rate, |rate| view! { <span class="badge badge-plain" title="All callers together">{rate}</span> }.into_any())}
                {only(is_missing, || view! { <span class="badge badge-plain badge-modified" title="It has a rule, and the server does not list it">"Not listed"</span> }.into_any())}
                <span class="spacer"></span>
                {try_it}
            </div>
            {only(!listed.about.is_empty(), || view! { <p class="offer-about">{listed.about}</p> }.into_any())}
            <p class="muted small">{verdict.why}{opened.then_some(" No key is required.")}</p>
            {who}
            {takes}
        </li>
    }
    .into_any()
}

/// A button that shows or hides something below it.
fn unfolds(
    word: String,
    label: String,
    shown: impl Fn() -> AnyView + Send + Sync + Clone + 'static,
) -> AnyView {
    let open = RwSignal::new(false);
    let label = format!("{label}: {word}");
    view! {
        <div class="offer-more">
            <button type="button" class="btn btn-small" aria-label=label aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                {word}
            </button>
            <Shown when=open>{shown()}</Shown>
        </div>
    }
    .into_any()
}

/// The right of one caller.
fn one(right: Right) -> AnyView {
    let Right {
        kind,
        name,
        url,
        answer,
    } = right;
    let word = match kind {
        CallerKind::Policy => "Policy",
        CallerKind::Key => "Key",
    };
    let (class, may, why) = match answer {
        Permission::Yes(rates) => ("badge badge-plain badge-added", "Yes", rates.join(", ")),
        Permission::No(why) => ("badge badge-plain badge-deleted", "No", why),
    };
    view! {
        <li>
            <span class=class>{may}</span>
            <span class="muted small">{word}</span>
            <a href=url>{name}</a>
            {only(!why.is_empty(), || view! { <span class="muted small">{why}</span> }.into_any())}
        </li>
    }
    .into_any()
}
