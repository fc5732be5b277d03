//! The finder for fields: finds a field by its words, to go to it or to add it.

use leptos::prelude::*;

use super::page::Found;
use super::row::support;
use super::state::{Adding, Form};
use crate::components::{Choice, FinderField, FinderFrame, Glyph};
use crate::state::{Memo, storage};

const LABEL: &str = "Find a field, set or not";
/// The storage key for whether only enforced fields are offered.
const ONLY: &str = "gatewright.only-enforced";

/// The finder for fields, open as long as it is mounted.
#[component]
pub(super) fn AddField(form: Form, adding: Adding) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let works = RwSignal::new(storage::browser_get(ONLY).is_some());
    let found = Memo::new(move |_| {
        let mut found = form.find(&adding, &typed.get());
        let only = works.get();
        found.retain(|found| !only || found.set || found.support == "enforced");
        found
    });
    let only = move |event| {
        let on = event_target_checked(&event);
        works.set(on);
        storage::browser_set(ONLY, on.then_some("true"));
    };
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
    view! {
        <FinderFrame label=LABEL on_close=close>
            <FinderField label=LABEL typed=typed choices=choices on_choose=choose />
            <label class="check palette-only">
                <input type="checkbox" prop:checked=move || works.get() on:change=only />
                <span>"Only what the gateway enforces"</span>
            </label>
        </FinderFrame>
    }
}

fn choice(found: &Found) -> Choice {
    let (_, support) = support(&found.support);
    // Below an empty list or map nothing is set: choosing it leads to that list or map.
    let leaf = found.title.rsplit('.').next();
    let set = found.set && found.pointer.rsplit('/').next() == leaf;
    let state = if set { "Set" } else { support };
    let mut doc = found.doc.clone();
    if !found.reason.is_empty() {
        doc = format!("{doc}. It can't work here: {}", found.reason);
    }
    Choice {
        glyph: if set { Glyph::Check } else { Glyph::Plus },
        name: found.title.clone(),
        detail: match found.section.as_str() {
            "" => state.to_owned(),
            section => format!("{section} · {state}"),
        },
        doc,
    }
}
