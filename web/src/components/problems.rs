//! The list of problems beside the editor.

use gatewright_model::{Issue, Severity};
use leptos::html;
use leptos::prelude::*;

use super::{Glyph, Icon, Shown, each, live, only};

/// For how many problems the fixes are worked out at once; for a later one when it is
/// chosen. Each of them reads the whole text.
const OFFERED: usize = 20;

/// What the list can do with a problem.
#[derive(Clone, Copy)]
struct Actions {
    on_jump: Callback<Issue>,
    fixes: Callback<Issue, Vec<String>>,
    on_mend: Callback<(Issue, usize)>,
}

/// Problems in document order; choosing one goes to it in the text. What mends it is a button below it.
#[component]
pub fn ProblemList(
    /// The problems.
    #[prop(into)]
    issues: Signal<Vec<Issue>>,
    /// Goes to a problem in the text.
    on_jump: Callback<Issue>,
    /// The titles of the fixes of a problem; no title where nothing can be mended.
    #[prop(default = Callback::new(|_| Vec::new()))]
    fixes: Callback<Issue, Vec<String>>,
    /// Mends a problem by the fix of that index.
    #[prop(default = Callback::new(|_| ()))]
    on_mend: Callback<(Issue, usize)>,
) -> impl IntoView {
    let around = NodeRef::<html::Div>::new();
    let mend = Callback::new(move |what| {
        on_mend.run(what);
        // The button goes with its problem; the focus stays with the list.
        if let Some(around) = around.get_untracked() {
            let _ = around.focus();
        }
    });
    let actions = Actions {
        on_jump,
        fixes,
        on_mend: mend,
    };
    let rows = move || {
        let issues = issues.get().into_iter().enumerate();
        each(issues, |(index, issue)| {
            view! { <Row issue=issue offered={index < OFFERED} actions=actions /> }.into_any()
        })
    };
    view! {
        <div node_ref=around tabindex="-1" role="group" aria-label="Problems">
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
        </div>
    }
}

#[component]
fn Row(issue: Issue, offered: bool, actions: Actions) -> impl IntoView {
    let start = issue.start;
    let (class, glyph, word) = match issue.severity {
        Severity::Error => ("problem problem-error", Glyph::Error, "Error"),
        Severity::Warning => ("problem problem-warning", Glyph::Warning, "Warning"),
        Severity::Info => ("problem problem-info", Glyph::Info, "Note"),
    };
    let offered = RwSignal::new(offered);
    let (chosen, mended) = (issue.clone(), issue.clone());
    let choose = move |_| {
        offered.set(true);
        actions.on_jump.run(chosen.clone());
    };
    let button = move |(number, title): (usize, String)| {
        let issue = mended.clone();
        let mend = move |_| actions.on_mend.run((issue.clone(), number));
        view! { <button type="button" class="btn btn-small" on:click=mend>{title}</button> }
            .into_any()
    };
    let about = issue.clone();
    let fixes = move || {
        let fixes = if offered.get() {
            actions.fixes.run(about.clone())
        } else {
            Vec::new()
        };
        each(fixes.into_iter().enumerate(), &button)
    };
    view! {
        <li>
            <button type="button" class=class on:click=choose>
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
            <div class="problem-ways">{live(fixes)}</div>
        </li>
    }
}
