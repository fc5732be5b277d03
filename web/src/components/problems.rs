//! The list of problems beside the editor.

use gatewright_model::{Issue, Position, Severity};
use leptos::prelude::*;

use super::{Glyph, Icon};

/// Problems in document order; choosing one goes to its place.
#[component]
pub fn ProblemList(
    /// The problems.
    #[prop(into)]
    issues: Signal<Vec<Issue>>,
    /// Goes to a place in the text.
    on_jump: Callback<Position>,
) -> impl IntoView {
    let rows = move || {
        issues
            .get()
            .into_iter()
            .map(|issue| row(issue, on_jump))
            .collect_view()
    };
    view! {
        <Show
            when=move || !issues.with(Vec::is_empty)
            fallback=|| {
                view! {
                    <p class="problems-none">
                        <Icon glyph=Glyph::Check />
                        "Nothing to complain about."
                    </p>
                }
            }
        >
            <ul class="problems">{rows}</ul>
        </Show>
    }
}

fn row(issue: Issue, on_jump: Callback<Position>) -> impl IntoView {
    let start = issue.start;
    let (class, glyph, word) = match issue.severity {
        Severity::Error => ("problem problem-error", Glyph::Error, "Error"),
        Severity::Warning => ("problem problem-warning", Glyph::Warning, "Warning"),
        Severity::Info => ("problem problem-info", Glyph::Info, "Note"),
    };
    view! {
        <li>
            <button type="button" class=class on:click=move |_| on_jump.run(start)>
                <Icon glyph=glyph />
                <span class="problem-text">
                    <span class="visually-hidden">{word}": "</span>
                    <span class="problem-message">{issue.message}</span>
                    <span class="problem-place">
                        {format!("Line {}", start.line)}
                        {(!issue.pointer.is_empty()).then(|| view! { " · " <code>{issue.pointer}</code> })}
                    </span>
                </span>
            </button>
        </li>
    }
}
