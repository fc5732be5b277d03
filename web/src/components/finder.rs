//! A search field with its results, chosen with the arrow keys and Enter or with the mouse (WAI-ARIA combobox pattern).
//! Used by the palette and by the form to find fields.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::{Glyph, Icon, Shown, each, live, modal, only};
use crate::state::draft::plural;
use crate::state::{Memo, effect};

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The icon before its name.
    pub glyph: Glyph,
    /// Its name.
    pub name: String,
    /// At the end of the line.
    pub detail: String,
    /// A line below the name; not shown if empty.
    pub doc: String,
}

/// The field and its results, without a dialog. It takes the focus.
#[component]
pub fn FinderField(
    /// What is searched for.
    label: &'static str,
    /// What is typed.
    typed: RwSignal<String>,
    /// The results.
    choices: Memo<Vec<Choice>>,
    /// Receives the index of the chosen result.
    on_choose: Callback<usize>,
    /// Whether more results are being loaded that may be better: Enter then waits for them, unless one was selected
    /// with the arrow keys.
    #[prop(into, default = false.into())]
    waits: Signal<bool>,
    /// Whether Enter was pressed before the field was there.
    #[prop(optional)]
    entered: bool,
) -> impl IntoView {
    let chosen = RwSignal::new(0_usize);
    let field = NodeRef::<html::Input>::new();
    effect(move || {
        if let Some(field) = field.get() {
            // Fails only for an element that can't have the focus.
            let _ = field.focus();
        }
    });
    // Enter was pressed while better results may come.
    let hasty = RwSignal::new(entered);
    effect(move || {
        if !waits.get() && hasty.get_untracked() {
            hasty.set(false);
            on_choose.run(chosen.get_untracked());
        }
    });
    let typing = move |event| {
        chosen.set(0);
        hasty.set(false);
        typed.set(event_target_value(&event));
    };
    let steer = move |event: KeyboardEvent| {
        let count = choices.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|index| {
                *index = if index.saturating_add(1) < count {
                    index.saturating_add(1)
                } else {
                    0
                }
            }),
            "ArrowUp" => chosen
                .update(|index| *index = index.checked_sub(1).unwrap_or(count.saturating_sub(1))),
            "Enter" if waits.get_untracked() && chosen.get_untracked() == 0 => hasty.set(true),
            "Enter" => on_choose.run(chosen.get_untracked()),
            _ => return,
        }
        event.prevent_default();
    };
    // The selected result, as long as there are any.
    let active = move || {
        choices
            .with(|choices| !choices.is_empty())
            .then(|| format!("palette-{}", chosen.get()))
    };
    view! {
        <div class="palette-field">
            <Icon glyph=Glyph::Search />
            <input
                type="text"
                role="combobox"
                autofocus
                placeholder=label
                aria-label=label
                aria-expanded="true"
                aria-autocomplete="list"
                aria-controls="palette-list"
                aria-activedescendant=active
                autocomplete="off"
                spellcheck="false"
                node_ref=field
                prop:value=typed.get_untracked()
                on:input=typing
                on:keydown=steer
            />
        </div>
        <Choices choices=choices chosen=chosen waits=waits on_choose=on_choose />
        <p class="visually-hidden" role="status">{live(move || plural(choices.with(Vec::len), "result"))}</p>
    }
}

/// The dialog around a finder, open as long as it is mounted.
#[component]
pub fn FinderFrame(
    /// What is searched for.
    label: &'static str,
    /// Runs on Escape and on a click outside.
    on_close: Callback<()>,
    /// What is in it.
    children: Children,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    modal(node);
    let cancel = move |event: leptos::ev::Event| {
        event.prevent_default();
        on_close.run(());
    };
    view! {
        // The frame fills the dialog, so a click on the dialog itself is outside.
        <dialog class="palette" aria-label=label node_ref=node on:cancel=cancel on:mousedown=move |_| on_close.run(())>
            <div class="palette-frame" on:mousedown=|event| event.stop_propagation()>{children()}</div>
        </dialog>
    }
}

#[component]
fn Choices(
    choices: Memo<Vec<Choice>>,
    chosen: RwSignal<usize>,
    waits: Signal<bool>,
    on_choose: Callback<usize>,
) -> impl IntoView {
    effect(move || {
        let id = format!("palette-{}", chosen.get());
        if let Some(option) = document().get_element_by_id(&id) {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
    let option = move |(index, choice): (usize, Choice)| {
        view! {
            <li
                role="option"
                id=format!("palette-{index}")
                aria-selected=move || (chosen.get() == index).to_string()
                on:mousemove=move |_| chosen.set(index)
                on:click=move |_| on_choose.run(index)
            >
                <Icon glyph=choice.glyph />
                <span class="palette-name">{choice.name}</span>
                <span class="palette-detail">{choice.detail}</span>
                {only(!choice.doc.is_empty(), || view! { <span class="palette-doc">{choice.doc}</span> }.into_any())}
            </li>
        }
        .into_any()
    };
    view! {
        <ul id="palette-list" class="palette-list" role="listbox" aria-label="Results">
            {live(move || each(choices.get().into_iter().enumerate(), option))}
        </ul>
        <Shown when=move || choices.with(Vec::is_empty)>
            <p class="palette-none">{live(move || if waits.get() { "Searching…" } else { "Nothing found." })}</p>
        </Shown>
    }
}
