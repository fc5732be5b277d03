//! The result of a request: its response, and its steps.

use leptos::prelude::*;

use super::{Desk, Sent};
use crate::api::debug::{Answered, Debugged};
use crate::components::{
    AnswerBody, AnswerHeaders, CopyButton, Empty, Failure, Glyph, Status, Trace, live, only,
};
use crate::state::clock::{bytes, duration};
use crate::state::{Memo, effect};

/// The request that is shown, or how to send one.
#[component]
pub(super) fn Outcome(desk: Desk) -> impl IntoView {
    let shown = Memo::new(move |_| (desk.shown.get(), desk.sent.with(Vec::len)));
    let sent = move || {
        let (number, _) = shown.get();
        desk.sent.with_untracked(|sent| sent.get(number).cloned())
    };
    let status = move || match sent() {
        Some(Sent {
            outcome: Ok(debugged),
            took_ms,
            ..
        }) => {
            format!("Status {} in {}", debugged.answer.status, duration(took_ms))
        }
        Some(Sent {
            outcome: Err(error),
            ..
        }) => error.title().to_owned(),
        None => String::new(),
    };
    let inside = move || {
        match sent() {
        None => view! {
            <Empty glyph=Glyph::Play title="Nothing sent yet">
                <p>"Choose an API and send a request. The answer appears here, with each step of the request."</p>
            </Empty>
        }
        .into_any(),
        Some(Sent { outcome: Err(error), .. }) => view! { <Failure error=error /> }.into_any(),
        Some(Sent { outcome: Ok(debugged), took_ms, .. }) => view! {
            <Answer debugged=debugged.clone() took_ms=took_ms />
            <Trace steps=debugged.trace />
        }
        .into_any(),
    }
    };
    // On a narrow screen the response is below the request.
    effect(move || {
        let (_, count) = shown.get();
        let head = document().query_selector(".try-result .answer-line, .try-result .failure");
        if let (1.., Ok(Some(head))) = (count, head) {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            head.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
    view! {
        <p class="visually-hidden" role="status">{live(status)}</p>
        <div class="results try-result" class:stale=move || desk.task.busy()>{live(inside)}</div>
    }
}

#[component]
fn Answer(debugged: Debugged, took_ms: f64) -> impl IntoView {
    let Debugged { answer, dump, .. } = debugged;
    let note = size(&answer);
    let base64 = answer.body_encoding.as_deref() == Some("base64");
    view! {
        <section class="card answer" aria-labelledby="answer-title">
            <div class="answer-line">
                <h2 id="answer-title" class="visually-hidden">"Answer"</h2>
                <Status code=answer.status />
                <span class="answer-url muted small">{format!("{note}, {} in all", duration(took_ms))}</span>
                <CopyButton text=Signal::stored(dump) label="Copy as text" />
            </div>
            {only(answer.truncated, || view! { <p class="muted small">"This is only the beginning of the body."</p> }.into_any())}
            <AnswerHeaders headers=answer.headers />
            <AnswerBody body=answer.body base64=base64 />
        </section>
    }
}

fn size(answer: &Answered) -> String {
    let length = bytes(u64::try_from(answer.body.len()).unwrap_or(u64::MAX));
    match answer.body_encoding {
        Some(_) => format!("{length} as base64"),
        None => length,
    }
}
