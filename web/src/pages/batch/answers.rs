//! The answers of a batch, each readable on its own.

use leptos::prelude::*;

use crate::api::BatchAnswer;
use crate::components::{CopyButton, Glyph, Icon, each, maybe, only};
use crate::state::clock::{bytes, duration};
use crate::state::draft::plural;
use crate::state::pretty::pretty;

/// Bodies longer than this are cut on screen; copying takes them whole.
const SHOWN_CHARACTERS: usize = 20_000;

/// All answers, in request order.
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
                {format!("{} good, {failed} not, in {}", total.saturating_sub(failed), duration(took_ms))}
            </p>
        </header>
        <ol class="answers">
            {each(numbered, |(index, answer)| view! { <AnswerCard number=index.saturating_add(1) answer=answer /> }.into_any())}
        </ol>
    }
}

/// How a status looks.
fn tone(answer: &BatchAnswer) -> &'static str {
    match answer.code {
        _ if answer.error.is_some() => "status status-red",
        200..=299 => "status status-green",
        300..=399 => "status status-blue",
        400..=499 => "status status-amber",
        _ => "status status-red",
    }
}

#[component]
fn AnswerCard(number: usize, answer: BatchAnswer) -> impl IntoView {
    let class = tone(&answer);
    let code = if answer.code == 0 {
        "–".to_owned()
    } else {
        answer.code.to_string()
    };
    let base64 = answer.body_encoding.as_deref() == Some("base64");
    let size = u64::try_from(answer.body.len()).unwrap_or(u64::MAX);
    let note = if base64 {
        format!("{} as base64", bytes(size))
    } else {
        bytes(size)
    };
    let body = if base64 {
        answer.body.clone()
    } else {
        pretty(&answer.body).unwrap_or_else(|| answer.body.clone())
    };
    view! {
        <li class="card answer">
            <div class="answer-line">
                <span class=class><span class="visually-hidden">"Status "</span>{code}</span>
                <span class="muted small">{format!("#{number}")}</span>
                <code class="answer-url">{answer.relative_url}</code>
                <span class="muted small">{note}</span>
            </div>
            {maybe(answer.error, |error| view! { <p class="answer-error"><Icon glyph=Glyph::Error />{error}</p> }.into_any())}
            {only(base64, || view! { <p class="muted small">"The body is not text; it is shown as base64."</p> }.into_any())}
            <Headers headers=answer.headers />
            <Body body=body />
        </li>
    }
}

#[component]
fn Headers(headers: Vec<(String, Vec<String>)>) -> impl IntoView {
    let count = plural(
        headers.iter().map(|(_, values)| values.len()).sum(),
        "header",
    );
    let row = |(name, values): (String, Vec<String>)| {
        let value = |value: String| view! { <dd>{value}</dd> }.into_any();
        view! {
            <div>
                <dt>{name}</dt>
                {each(values, value)}
            </div>
        }
        .into_any()
    };
    only(!headers.is_empty(), || {
        view! {
            <details class="answer-headers">
                <summary>{count}</summary>
                <dl>{each(headers, row)}</dl>
            </details>
        }
        .into_any()
    })
}

#[component]
fn Body(body: String) -> impl IntoView {
    if body.is_empty() {
        return view! { <p class="muted small">"No body."</p> }.into_any();
    }
    let shown: String = body.chars().take(SHOWN_CHARACTERS).collect();
    let cut = shown.len() < body.len();
    view! {
        <div class="answer-body">
            <pre class="code" tabindex="0" aria-label="Body">{shown}</pre>
            <CopyButton text=Signal::derive(move || body.clone()) label="Copy the body" />
        </div>
        {only(cut, || view! { <p class="muted small">"Cut here; copying takes the whole body."</p> }.into_any())}
    }
    .into_any()
}
