//! The responses of a batch, each shown separately.

use leptos::prelude::*;

use crate::api::BatchAnswer;
use crate::components::{AnswerBody, AnswerHeaders, Glyph, Icon, Status, each, maybe};
use crate::state::clock::{bytes, duration};
use crate::state::draft::plural;

/// All responses, in request order.
#[component]
pub(super) fn Answers(answers: Vec<BatchAnswer>, took_ms: f64) -> impl IntoView {
    let failed = answers
        .iter()
        .filter(|answer| answer.error.is_some() || answer.code >= 400)
        .count();
    let total = answers.len();
    let numbered = answers.into_iter().enumerate();
    view! {
        <header class="answers-head">
            <h2>{plural(total, "answer")}</h2>
            <p class="muted">
                {format!("{} succeeded, {failed} failed, in {}", total.saturating_sub(failed), duration(took_ms))}
            </p>
        </header>
        <ol class="answers">
            {each(numbered, |(index, answer)| view! { <AnswerCard number=index.saturating_add(1) answer=answer /> }.into_any())}
        </ol>
    }
}

#[component]
fn AnswerCard(number: usize, answer: BatchAnswer) -> impl IntoView {
    let base64 = answer.body_encoding.as_deref() == Some("base64");
    let size = u64::try_from(answer.body.len()).unwrap_or(u64::MAX);
    let note = if base64 {
        format!("{} as base64", bytes(size))
    } else {
        bytes(size)
    };
    view! {
        <li class="card answer">
            <div class="answer-line">
                <Status code=answer.code failed=answer.error.is_some() />
                <span class="muted small">{format!("#{number}")}</span>
                <code class="answer-url">{answer.relative_url}</code>
                <span class="muted small">{note}</span>
            </div>
            {maybe(answer.error, |error| view! { <p class="answer-error"><Icon glyph=Glyph::Error />{error}</p> }.into_any())}
            <AnswerHeaders headers=answer.headers />
            <AnswerBody body=answer.body base64=base64 />
        </li>
    }
}
