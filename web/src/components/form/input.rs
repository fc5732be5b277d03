//! The controls of values. Each edit goes into the text at once; input that can't be put there stays in the control,
//! with the reason below it.

use std::sync::Arc;

use leptos::prelude::*;

use super::focus::{focus_new, focus_soon};
use super::page::Node;
use super::state::Form;
use super::unread::Typed;
use crate::components::{each, live, only};
use crate::state::Memo;
use crate::state::offers::Offer;
use crate::state::span::{UNITS, in_seconds, in_unit, words};

/// The input in the control of one field.
#[derive(Clone, Copy)]
pub(super) struct Typing {
    form: Form,
    node: Memo<Arc<Node>>,
    id: StoredValue<String>,
    /// What the control shows instead of the value: the input as typed, not as stored.
    typed: RwSignal<Option<String>>,
    /// The input that is not in the text, also from before the field was last on the page.
    unread: Memo<Option<Typed>>,
}

/// The choice that opens a field for another text.
const OTHER: &str = "\u{1}";

impl Typing {
    pub(super) fn new(form: Form, node: Memo<Arc<Node>>, id: String) -> Self {
        let unread = Memo::new(move |_| {
            node.with(|node| form.unread.with(|unread| unread.of(&node.pointer).cloned()))
        });
        Self {
            form,
            node,
            id: StoredValue::new(id),
            typed: RwSignal::new(None),
            unread,
        }
    }

    fn shown(self) -> String {
        let typed = self.typed.get();
        let unread = || {
            self.unread
                .with(|unread| unread.as_ref().map(|typed| typed.input.clone()))
        };
        typed.or_else(unread).unwrap_or_else(|| {
            self.node
                .with(|node| node.value.clone().unwrap_or_default())
        })
    }

    fn put(self, input: String) {
        let written = input.clone();
        self.put_as(input, &written);
    }

    /// Puts the input into the text, written as `written`.
    fn put_as(self, input: String, written: &str) {
        let (pointer, json) =
            (self.node).with_untracked(|node| (node.pointer.clone(), node.control == "json"));
        let how = if json { "json" } else { "put" };
        self.typed.set(Some(input.clone()));
        let outcome = self.form.change(how, &pointer, written);
        let Self { form, .. } = self;
        let known = form
            .unread
            .with_untracked(|unread| unread.of(&pointer).is_some());
        match outcome {
            Err(error) => form.subject.text.with_untracked(|text| {
                form.unread
                    .update(|unread| unread.note(text, &pointer, &input, &error));
            }),
            Ok(_) if known => form.unread.update(|unread| unread.forget(&pointer)),
            Ok(_) => {}
        }
    }

    /// Keeps the control of a field while it has the focus, even if the value would call for another one.
    fn enter(self) {
        let held = (self.node).with_untracked(|node| (node.pointer.clone(), node.control.clone()));
        self.form.held.set(Some(held));
    }

    fn leave(self) {
        self.form.held.set(None);
        self.typed.set(None);
    }

    fn invalid(self) -> Option<&'static str> {
        let wrong = self.unread.with(Option::is_some)
            || self.node.with(|node| {
                self.form.issues.with(|issues| {
                    let issues = issues.get(&node.pointer);
                    issues
                        .is_some_and(|issues| issues.iter().any(gatewright_model::Issue::is_error))
                })
            });
        wrong.then_some("true")
    }

    fn id(self) -> String {
        self.id.get_value()
    }

    fn described(self) -> String {
        let id = self.id();
        format!("{id}-doc {id}-issues {id}-error")
    }

    fn pointer(self) -> String {
        self.node.with(|node| node.pointer.clone())
    }

    /// Returns the name for screen readers if there is no label.
    fn label(self) -> Option<String> {
        self.node.with(|node| match node.role.as_str() {
            "item" => Some(format!("Entry {}", node.name)),
            "entry" => Some(format!("Value of {}", node.name)),
            _ => None,
        })
    }

    /// Shows why the input is not in the text.
    pub(super) fn problem(self) -> AnyView {
        let message = move || {
            self.unread.with(|unread| match unread {
                None => String::new(),
                Some(typed) => format!("{}. The document keeps its old value.", typed.error),
            })
        };
        view! { <p class="field-problem" id=format!("{}-error", self.id()) role="alert">{live(message)}</p> }
            .into_any()
    }
}

/// The control of a field.
#[component]
pub(super) fn Input(typing: Typing) -> impl IntoView {
    let sort = Memo::new(move |_| {
        let sort = |node: &Arc<Node>| (node.control.clone(), node.value.is_some(), node.seconds);
        typing.node.with(sort)
    });
    live(move || {
        let (control, set, seconds) = sort.get();
        match control.as_str() {
            _ if !set => unset(typing),
            "switch" => switch(typing),
            "choice" => choice(typing),
            "integer" | "number" if seconds => time(typing),
            "lines" => lines(typing, "input"),
            "json" => lines(typing, "input mono"),
            "integer" => line(typing, "numeric"),
            "number" => line(typing, "decimal"),
            "long" => long(typing),
            _ => line(typing, "text"),
        }
    })
}

fn unset(typing: Typing) -> AnyView {
    let add = move |_| {
        let pointer = typing.node.with_untracked(|node| node.pointer.clone());
        if let Some((pointer, _)) = typing.form.press("add", &pointer, "") {
            focus_new(pointer);
        }
    };
    view! {
        <span class="form-unset">
            <span class="muted">"Not set"</span>
            <button
                type="button"
                class="btn btn-small"
                id=typing.id()
                data-pointer=move || typing.pointer()
                aria-describedby=typing.described()
                on:click=add
            >
                "Set"
            </button>
        </span>
    }
    .into_any()
}

fn switch(typing: Typing) -> AnyView {
    view! {
        <label class="check form-switch">
            <input
                type="checkbox"
                role="switch"
                id=typing.id()
                data-pointer=move || typing.pointer()
                aria-label=move || typing.label()
                aria-describedby=typing.described()
                prop:checked=move || typing.shown() == "true"
                on:change=move |event| typing.put(event_target_checked(&event).to_string())
                on:blur=move |_| typing.leave()
            />
            <code aria-hidden="true">{live(move || typing.shown())}</code>
        </label>
    }
    .into_any()
}

fn line(typing: Typing, mode: &'static str) -> AnyView {
    let list = format!("{}-values", typing.id());
    let values = typing.node.with_untracked(|node| node.values.clone());
    let ids = Offer::for_value(&untrack(|| typing.pointer()));
    let offers = !values.is_empty() || ids.is_some();
    let known = move || {
        let own = values.iter().cloned().map(|value| (value, String::new()));
        let ids = ids.map(|ids| typing.form.subject.ids.run((ids, typing.shown())));
        own.chain(ids.unwrap_or_default()).collect::<Vec<_>>()
    };
    view! {
        <input
            type="text"
            class="input"
            id=typing.id()
            list=offers.then(|| list.clone())
            inputmode=mode
            autocomplete="off"
            spellcheck="false"
            data-pointer=move || typing.pointer()
            aria-label=move || typing.label()
            aria-describedby=typing.described()
            aria-invalid=move || typing.invalid()
            prop:value=move || typing.shown()
            on:input=move |event| typing.put(event_target_value(&event))
            on:focus=move |_| typing.enter()
            on:blur=move |_| typing.leave()
        />
        {only(offers, || {
            let option = |(value, name): (String, String)| view! { <option value=value>{name}</option> }.into_any();
            view! { <datalist id=list>{live(move || each(known(), option))}</datalist> }.into_any()
        })}
    }
    .into_any()
}

/// A duration: the number, in a unit that can be chosen, and the same in words. The document has seconds.
fn time(typing: Typing) -> AnyView {
    let unit = RwSignal::new(1_u32);
    let seconds = move || {
        typing
            .node
            .with(|node| node.value.clone().unwrap_or_default())
    };
    let shown = move || match typing.typed.get() {
        Some(typed) => typed,
        None => in_unit(&typing.shown(), unit.get()),
    };
    let put = move |event| {
        let input = event_target_value(&event);
        let written = in_seconds(&input, unit.get_untracked());
        typing.put_as(input, &written);
    };
    let choose = move |event| {
        typing.typed.set(None);
        unit.set(event_target_value(&event).parse().unwrap_or(1));
    };
    let option = |(length, name): (u32, &'static str)| {
        view! { <option value=length.to_string()>{name}</option> }.into_any()
    };
    let in_words = move || match unit.get() {
        1 => words(&seconds()).unwrap_or_default(),
        _ => format!("{} seconds", seconds()),
    };
    view! {
        <span class="form-time">
            <input
                type="text"
                class="input"
                id=typing.id()
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                data-pointer=move || typing.pointer()
                aria-label=move || typing.label()
                aria-describedby=typing.described()
                aria-invalid=move || typing.invalid()
                prop:value=shown
                on:input=put
                on:focus=move |_| typing.enter()
                on:blur=move |_| typing.leave()
            />
            <select class="input" aria-label=move || typing.node.with(|node| format!("Unit of {}", node.name)) on:change=choose>
                {each(UNITS, option)}
            </select>
            <span class="form-said" role="status">{live(in_words)}</span>
        </span>
    }
    .into_any()
}

fn lines(typing: Typing, class: &'static str) -> AnyView {
    let count = typing.shown().lines().count();
    view! {
        <textarea
            class=class
            id=typing.id()
            rows=count.clamp(2, 12).to_string()
            spellcheck="false"
            data-pointer=move || typing.pointer()
            aria-label=move || typing.label()
            aria-describedby=typing.described()
            aria-invalid=move || typing.invalid()
            prop:value=move || typing.shown()
            on:input=move |event| typing.put(event_target_value(&event))
            on:focus=move |_| typing.enter()
            on:blur=move |_| typing.leave()
        ></textarea>
    }
    .into_any()
}

/// A list to choose from, or a field for a text that is not on it.
fn choice(typing: Typing) -> AnyView {
    let (values, closed, value) = typing.node.with_untracked(|node| {
        let value = node.value.clone().unwrap_or_default();
        (node.values.clone(), node.closed, value)
    });
    let free = RwSignal::new(!closed && !values.contains(&value));
    let mut texts = values;
    if closed && !texts.contains(&value) {
        texts.push(value);
    }
    let choose = move |event| {
        let chosen = event_target_value(&event);
        if chosen == OTHER {
            free.set(true);
            focus_soon(
                "data-pointer",
                typing.node.with_untracked(|node| node.pointer.clone()),
            );
        } else {
            typing.put(chosen);
        }
    };
    let option = move |value: String| {
        let name = if value.is_empty() {
            "(empty)".to_owned()
        } else {
            value.clone()
        };
        let own = value.clone();
        view! { <option value=value prop:selected=move || typing.shown() == own>{name}</option> }
            .into_any()
    };
    live(move || {
        if free.get() {
            return line(typing, "text");
        }
        view! {
            <select
                class="input"
                id=typing.id()
                data-pointer=move || typing.pointer()
                aria-label=move || typing.label()
                aria-describedby=typing.described()
                aria-invalid=move || typing.invalid()
                on:change=choose
                on:blur=move |_| typing.leave()
            >
                {each(texts.clone(), option)}
                {only(!closed, || view! { <option value=OTHER>"Another value…"</option> }.into_any())}
            </select>
        }
        .into_any()
    })
}

fn long(typing: Typing) -> AnyView {
    let summary = typing.node.with_untracked(|node| node.summary.clone());
    view! {
        <p class="muted small" id=typing.id() tabindex="-1" data-pointer=move || typing.pointer()>
            {format!("{summary}: too long to edit here. It stays unchanged; the JSON view shows it.")}
        </p>
    }
    .into_any()
}
