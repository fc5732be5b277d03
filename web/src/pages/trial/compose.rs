//! The request.

use leptos::prelude::*;

use super::Desk;
use crate::components::{HeaderFields, Shown, each, live};
use crate::state::batch::METHODS;
use crate::state::trial::Trial;

/// Method, path, headers and body.
#[component]
pub(super) fn Compose(desk: Desk) -> impl IntoView {
    let trial = desk.trial;
    let change = move |act: &dyn Fn(&mut Trial)| trial.update(|trial| act(trial));
    let headers = Signal::derive(move || trial.with(|trial| trial.headers.clone()));
    let on_headers = Callback::new(move |headers: Vec<(String, String)>| {
        change(&|trial| trial.headers.clone_from(&headers));
    });
    let takes_body = move || trial.with(Trial::takes_body);
    let hint = move || {
        let api = desk.chosen.api.good().flatten();
        api.map(|api| api.listen_path.trim_end_matches('/').to_owned())
    };
    view! {
        <section class="card panel" aria-labelledby="request-title">
            <h2 id="request-title">"Request"</h2>
            <div class="item-line">
                <Method desk=desk />
                <code class="try-base muted">{live(hint)}</code>
                <input
                    type="text"
                    class="input mono item-url"
                    aria-label="Path below the listen path"
                    placeholder="/path?query"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || trial.with(|trial| trial.path.clone())
                    on:input=move |event| change(&|trial| trial.path = event_target_value(&event))
                />
            </div>
            <HeaderFields headers=headers on_change=on_headers />
            <Shown when=takes_body>
                <label class="field">
                    <span>"Body"</span>
                    <textarea
                        class="input mono"
                        rows="6"
                        spellcheck="false"
                        prop:value=move || trial.with(|trial| trial.body.clone())
                        on:input=move |event| change(&|trial| trial.body = event_target_value(&event))
                    ></textarea>
                </label>
            </Shown>
        </section>
    }
}

#[component]
fn Method(desk: Desk) -> impl IntoView {
    let trial = desk.trial;
    let option = move |method: &&'static str| {
        let method = *method;
        let chosen = trial.with_untracked(|trial| trial.method == method);
        view! { <option value=method selected=chosen>{method}</option> }.into_any()
    };
    view! {
        <select
            class="input item-method"
            aria-label="Method"
            prop:value=move || trial.with(|trial| trial.method.clone())
            on:change=move |event| trial.update(|trial| trial.method = event_target_value(&event))
        >
            {each(METHODS.iter(), option)}
        </select>
    }
}
