//! Finding a field by its words, to go to it or to add it.

use leptos::prelude::*;

use super::page::Found;
use super::row::support;
use super::state::{Adding, Form};
use crate::components::{Choice, Finder, Glyph};

/// The finder for fields. It is open as long as it is mounted.
#[component]
pub(super) fn AddField(form: Form, adding: Adding) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let found = Memo::new(move |_| form.find(&adding, &typed.get()));
    let choices = Memo::new(move |_| found.with(|found| found.iter().map(choice).collect()));
    let close = Callback::new(move |()| form.adding.set(None));
    let choose = Callback::new(move |index: usize| {
        let chosen = found.with_untracked(|found| found.get(index).cloned());
        let Some(chosen) = chosen else { return };
        close.run(());
        if chosen.set {
            form.go(&chosen.pointer);
        } else if let Some((pointer, _)) = form.press("add", &chosen.pointer, "") {
            form.fold(&pointer, true);
            form.go_new(&pointer);
        }
    });
    view! { <Finder label="Find a field, set or not" typed=typed choices=choices on_choose=choose on_close=close /> }
}

fn choice(found: &Found) -> Choice {
    let (_, support) = support(&found.support);
    let state = if found.set { "Set" } else { support };
    let mut doc = found.doc.clone();
    if !found.reason.is_empty() {
        doc = format!("{doc}. It can't work here: {}", found.reason);
    }
    Choice {
        glyph: if found.set { Glyph::Check } else { Glyph::Plus },
        name: found.title.clone(),
        detail: match found.section.as_str() {
            "" => state.to_owned(),
            section => format!("{section} · {state}"),
        },
        doc,
    }
}
