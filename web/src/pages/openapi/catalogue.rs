//! The tools, resources and prompts of an MCP proxy that have rules, and a field that adds one.

use gatewright_model::json::edit;
use gatewright_model::json::pointer::push_token;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::subjects::{Kind, Subjects};
use crate::components::{Shown, each};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::rules::{OF_PRIMITIVES, PRIMITIVES, Subject, in_extension, of_primitives};

type Primitive = (&'static str, &'static str, &'static str);

/// The card.
#[component]
pub(super) fn Catalogue(desk: Desk) -> impl IntoView {
    view! {
        <section class="card panel below" aria-labelledby="catalogue-title">
            <h2 id="catalogue-title">"Catalogue"</h2>
            <p class="muted small">
                "What has a rule. Everything else that the server offers is let through, unless something of the same kind is allowed explicitly: then only that is."
            </p>
            <div class="catalogue">{each(PRIMITIVES, |of| view! { <Primitives desk=desk of=of /> }.into_any())}</div>
        </section>
    }
}

#[component]
fn Primitives(desk: Desk, of: Primitive) -> impl IntoView {
    let (_, word, heading) = of;
    let all = Memo::new(move |_| of_primitives(&desk.text(), of, &[]));
    let kind = Kind {
        offered: OF_PRIMITIVES,
        several: heading,
        search: "Search by name",
    };
    let id = format!("catalogue-{word}");
    let heading_id = id.clone();
    let some_allowed =
        move || all.with(|all| all.iter().any(|subject: &Subject| subject.has("allow")));
    view! {
        <section class="catalogue-kind" aria-labelledby=id>
            <h3 id=heading_id>{heading}</h3>
            <Subjects desk=desk kind=kind all=all />
            <Shown when=some_allowed>
                <p class="muted small">{format!("Only what is allowed here can be used; every other {word} is refused.")}</p>
            </Shown>
            <Add desk=desk of=of />
        </section>
    }
}

/// Adds a primitive by its name, without a rule yet.
#[component]
fn Add(desk: Desk, of: Primitive) -> impl IntoView {
    let (list, word, _) = of;
    let typed = RwSignal::new(String::new());
    let add = move |event: SubmitEvent| {
        event.prevent_default();
        let name = typed.get_untracked().trim().to_owned();
        if name.is_empty() {
            return;
        }
        let text = untrack(|| desk.text());
        let known = of_primitives(&text, of, &[]);
        if !known.iter().any(|subject| subject.name == name) {
            let mut pointer = in_extension(&text, &format!("/middleware/{list}"));
            push_token(&mut pointer, &name);
            match edit::set(&text, &pointer, "{}") {
                Ok(text) => desk.type_text(text),
                Err(error) => return desk.console.toasts.bad(error.to_string()),
            }
        }
        typed.set(String::new());
    };
    let hint = match word {
        "resource" => "file:///reports/*",
        _ => "name",
    };
    view! {
        <form class="add-line" on:submit=add>
            <input
                type="text"
                class="input"
                aria-label=format!("Name of a {word}")
                placeholder=hint
                autocomplete="off"
                spellcheck="false"
                prop:value=typed
                on:input=move |event| typed.set(event_target_value(&event))
            />
            <button type="submit" class="btn btn-small">{format!("Add a {word}")}</button>
        </form>
    }
}
