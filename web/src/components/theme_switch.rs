//! The choice between light, dark and the system's theme.

use leptos::prelude::*;

use super::{Glyph, Icon, each};
use crate::state::theme::{Theme, choose};

/// Three radio buttons that look like one switch.
#[component]
pub fn ThemeSwitch(
    /// The choice.
    theme: RwSignal<Theme>,
    /// The name of the group of radio buttons; two switches on one page need two names.
    name: &'static str,
) -> impl IntoView {
    let option = move |choice: Theme| {
        let glyph = match choice {
            Theme::System => Glyph::Screen,
            Theme::Light => Glyph::Sun,
            Theme::Dark => Glyph::Moon,
        };
        view! {
            <label class="switch-option" title=choice.label()>
                <input
                    type="radio"
                    name=name
                    prop:checked=move || theme.get() == choice
                    on:change=move |_| choose(theme, choice)
                />
                <Icon glyph=glyph />
                <span class="visually-hidden">{choice.label()}</span>
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset class="switch">
            <legend class="visually-hidden">"Theme"</legend>
            {each(Theme::ALL, option)}
        </fieldset>
    }
}
