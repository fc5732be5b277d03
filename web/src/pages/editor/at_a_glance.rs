//! A summary of the definition in words.

use gatewright_model::ApiDefinition;
use leptos::prelude::*;

use super::desk::Desk;
use crate::components::{Shown, each, live};
use crate::state::Memo;
use crate::state::served::served;

/// The facts of the draft, as the gateway would read them.
#[component]
pub(super) fn AtAGlance(desk: Desk) -> impl IntoView {
    let facts = Memo::new(move |_| read_facts(desk));
    view! {
        <section class="card panel" aria-labelledby="glance-title">
            <h2 id="glance-title">"At a glance"</h2>
            <Shown when=move || facts.with(Option::is_some) fallback=|| view! { <p class="muted">"This is not JSON yet."</p> }>
                {live(move || list(facts.get().unwrap_or_default()))}
            </Shown>
        </section>
    }
}

/// The same as a plain list, from the current draft.
pub(super) fn glance(desk: Desk) -> AnyView {
    untrack(|| read_facts(desk)).map_or_else(|| ().into_any(), list)
}

fn read_facts(desk: Desk) -> Option<Vec<Fact>> {
    let definition = desk.definition()?;
    let issues = desk.looked_at().then(|| desk.problems());
    let served = served(&definition, issues.as_deref(), &desk.stage());
    Some(facts(&definition, served))
}

fn list(facts: Vec<Fact>) -> AnyView {
    let row = |(name, value, code): Fact| {
        let value = if code {
            view! { <code>{value}</code> }.into_any()
        } else {
            value.into_any()
        };
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
        .into_any()
    };
    view! { <dl class="facts">{each(facts, row)}</dl> }.into_any()
}

/// Name, value, and whether the value is code.
type Fact = (&'static str, String, bool);

fn facts(definition: &ApiDefinition, served: String) -> Vec<Fact> {
    let or_dash = |text: &str| {
        if text.is_empty() {
            "–".to_owned()
        } else {
            text.to_owned()
        }
    };
    let host = if definition.domain.is_empty() {
        "any host"
    } else {
        &definition.domain
    };
    let access = if definition.keyless {
        "Open: no key is required"
    } else {
        "Protected: a key is required"
    };
    let strip = if definition.proxy.strip_listen_path {
        "Removed before forwarding"
    } else {
        "Kept when forwarding"
    };
    vec![
        ("Served publicly", served, false),
        ("Listen path", or_dash(&definition.proxy.listen_path), true),
        ("Host", host.to_owned(), !definition.domain.is_empty()),
        ("Target", or_dash(&definition.proxy.target_url), true),
        ("Listen path upstream", strip.to_owned(), false),
        ("Access", access.to_owned(), false),
        (
            "Batch requests",
            if definition.batch {
                "Answered"
            } else {
                "Not answered"
            }
            .to_owned(),
            false,
        ),
    ]
}
