//! The list of problems beside the editor.

use gatewright_model::{Issue, Position, Severity};
use leptos::prelude::*;

use super::{Glyph, Icon, Shown, each, live, only};

/// Problems in document order; choosing one goes to its place.
#[component]
pub fn ProblemList(
    /// The problems.
    #[prop(into)]
    issues: Signal<Vec<Issue>>,
    /// Goes to a place in the text.
    on_jump: Callback<Position>,
) -> impl IntoView {
    let rows = move || each(issues.get(), |issue| row(issue, on_jump));
    view! {
        <Shown
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
            <ul class="problems">{live(rows)}</ul>
        </Shown>
    }
}

fn row(issue: Issue, on_jump: Callback<Position>) -> AnyView {
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
                        {only(!issue.pointer.is_empty(), || view! { " · " <code>{issue.pointer}</code> }.into_any())}
                    </span>
                </span>
            </button>
        </li>
    }
    .into_any()
}
