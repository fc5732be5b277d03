//! The requests of this page. They are in memory only, and gone with the page.

use leptos::prelude::*;

use super::{Desk, Sent};
use crate::components::{Status, each, live, only};
use crate::state::clock::duration;
use crate::state::trial::Sender;

/// The requests so far, the newest first; choosing one shows its result and fills it in again.
#[component]
pub(super) fn History(desk: Desk) -> impl IntoView {
    let entry = move |(number, sent): (usize, Sent)| {
        view! { <Entry desk=desk number=number sent=sent /> }.into_any()
    };
    live(move || {
        let sent = desk.sent.get();
        only(sent.len() > 1, || {
            let newest_first = sent.into_iter().enumerate().rev();
            view! {
                <section class="card panel" aria-labelledby="history-title">
                    <h2 id="history-title">"Sent from this page"</h2>
                    <ol class="try-history">{each(newest_first, entry)}</ol>
                </section>
            }
            .into_any()
        })
    })
}

#[component]
fn Entry(desk: Desk, number: usize, sent: Sent) -> impl IntoView {
    let code = sent.outcome.as_ref().map_or(0, |done| done.answer.status);
    let failed = sent.outcome.is_err();
    let line = format!("{} {}", sent.trial.method, sent.trial.path);
    let by = match &sent.trial.sender {
        Sender::Stored { name, .. } if !name.is_empty() => name.clone(),
        Sender::Nobody | Sender::Stored { .. } => "no key".to_owned(),
        Sender::Token(_) => "a token".to_owned(),
    };
    let note = format!("{by}, {}", duration(sent.took_ms));
    let again = move |_| {
        desk.trial.set(sent.trial.clone());
        desk.shown.set(number);
    };
    view! {
        <li>
            <button type="button" class="try-entry" aria-current=move || (desk.shown.get() == number).then_some("true") on:click=again>
                <Status code=code failed=failed />
                <code class="answer-url">{line}</code>
                <span class="muted small">{note}</span>
            </button>
        </li>
    }
}
