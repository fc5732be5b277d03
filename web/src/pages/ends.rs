//! The fields that choose the two sides of a comparison.

use leptos::prelude::*;

use crate::components::{each, live};
use crate::state::Memo;
use crate::state::ends::Ends;

/// The choices: number and label, newest first.
pub(super) type Options = Vec<(u64, String)>;

/// Two fields, and the button that swaps them.
#[component]
pub(super) fn EndsPicker(
    /// The choices.
    #[prop(into)]
    options: Signal<Options>,
    /// The two chosen ones.
    ends: Memo<Ends>,
    /// Changes the choice.
    on_choose: Callback<Ends>,
) -> impl IntoView {
    let from = Memo::new(move |_| ends.get().from);
    let to = Memo::new(move |_| ends.get().to);
    let set_from = Callback::new(move |from| {
        on_choose.run(Ends {
            from,
            ..ends.get_untracked()
        });
    });
    let set_to = Callback::new(move |to| {
        on_choose.run(Ends {
            to,
            ..ends.get_untracked()
        });
    });
    view! {
        <div class="ends">
            {field("From", options, from, set_from)}
            {field("To", options, to, set_to)}
            <button
                type="button"
                class="btn"
                disabled=move || ends.get().both().is_none()
                on:click=move |_| on_choose.run(ends.get_untracked().swapped())
            >
                "Swap"
            </button>
        </div>
    }
    .into_any()
}

/// The options only change with the list, so that a field keeps the focus while choosing.
fn field(
    label: &'static str,
    options: Signal<Options>,
    number: Memo<Option<u64>>,
    set: Callback<Option<u64>>,
) -> AnyView {
    let all = Memo::new(move |_| {
        let mut all = options.get();
        // The address may name one that is not in the list.
        let other = number
            .get()
            .filter(|own| all.iter().all(|(one, _)| one != own));
        all.extend(other.map(|other| (other, format!("#{other}"))));
        all
    });
    let option = move |(value, label): (u64, String)| {
        let selected = move || number.get() == Some(value);
        view! { <option value=value.to_string() prop:selected=selected>{label}</option> }.into_any()
    };
    view! {
        <label class="field">
            <span>{label}</span>
            <select class="input" on:change=move |event| set.run(event_target_value(&event).parse().ok())>
                <option value="" disabled=true prop:selected=move || number.get().is_none()>"Choose"</option>
                {live(move || each(all.get(), option))}
            </select>
        </label>
    }
    .into_any()
}
