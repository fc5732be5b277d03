//! A response to a request: its status, its headers, its body.

use leptos::prelude::*;

use super::{CopyButton, each, only};
use crate::state::draft::plural;
use crate::state::pretty::pretty;

/// Bodies longer than this are cut on screen; copying takes all of them.
const SHOWN_CHARACTERS: usize = 20_000;

/// A status, coloured by its class; red if it isn't the upstream's.
#[component]
pub fn Status(
    /// The status code; 0 if there is none.
    code: u16,
    /// Whether the upstream has not responded.
    #[prop(optional)]
    failed: bool,
) -> impl IntoView {
    let class = match code {
        _ if failed => "status status-red",
        200..=299 => "status status-green",
        300..=399 => "status status-blue",
        400..=499 => "status status-amber",
        _ => "status status-red",
    };
    let shown = match code {
        0 => "–".to_owned(),
        code => code.to_string(),
    };
    view! { <span class=class><span class="visually-hidden">"Status "</span>{shown}</span> }
}

/// The headers, collapsed.
#[component]
pub fn AnswerHeaders(
    /// Names and values.
    headers: Vec<(String, Vec<String>)>,
) -> impl IntoView {
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

/// The body: JSON pretty-printed, anything else unchanged.
#[component]
pub fn AnswerBody(
    /// The body.
    body: String,
    /// Whether `body` is the Base64 of binary content.
    base64: bool,
) -> impl IntoView {
    if body.is_empty() {
        return view! { <p class="muted small">"No body."</p> }.into_any();
    }
    let body = match base64 {
        true => body,
        false => pretty(&body).unwrap_or(body),
    };
    let shown: String = body.chars().take(SHOWN_CHARACTERS).collect();
    let cut = shown.len() < body.len();
    view! {
        {only(base64, || view! { <p class="muted small">"The body is not text; it is shown as base64."</p> }.into_any())}
        <div class="answer-body">
            <pre class="code" tabindex="0" aria-label="Body">{shown}</pre>
            <CopyButton text=Signal::derive(move || body.clone()) label="Copy the body" />
        </div>
        {only(cut, || view! { <p class="muted small">"Cut here; copying takes the whole body."</p> }.into_any())}
    }
    .into_any()
}
