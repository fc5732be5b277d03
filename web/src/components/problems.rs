//! The list of problems beside the editor.

use gatewright_model::{Issue, Severity};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{Assist, Glyph, Icon, Remedy, Shown, each, live, only};
use crate::state::Memo;
use crate::state::draft::plural;
use crate::state::toasts::Toasts;

/// For how many problems the fixes are computed at once; for later ones when they are chosen. Each computation reads
/// the full text.
const OFFERED: usize = 20;

/// The fixes of problems, and how to apply them.
#[derive(Clone, Copy)]
pub struct QuickFixes {
    /// Returns the fixes of a problem, the most likely first.
    pub remedies: Callback<Issue, Vec<Remedy>>,
    /// Applies the fix of a problem at that index.
    pub on_fix: Callback<(Issue, usize)>,
    /// Applies every fix that needs no decision.
    pub on_all: Callback<()>,
}

impl QuickFixes {
    /// Returns the fixes for a text of the kind `root`. `on_edit` receives the fixed text; how many were fixed at once
    /// is announced with an undo.
    #[must_use]
    pub fn of(
        root: &'static str,
        text: Signal<String>,
        on_edit: Callback<String>,
        toasts: Toasts,
    ) -> Self {
        let remedies = Callback::new(move |issue: Issue| {
            let text = text.get_untracked();
            let assist = Assist::here();
            assist.map_or_else(Vec::new, |assist| assist.fixes(root, &text, &issue))
        });
        let on_fix = Callback::new(move |(issue, index): (Issue, usize)| {
            let text = text.get_untracked();
            if let Some(assist) = Assist::here() {
                on_edit.run(assist.apply_fix(root, &text, &issue, index));
            }
        });
        let on_all = Callback::new(move |()| {
            let before = text.get_untracked();
            let fixed = Assist::here().and_then(|assist| assist.fix_all(root, &before));
            if let Some((fixed, count)) = fixed.filter(|(_, count)| *count > 0) {
                on_edit.run(fixed);
                let report = format!("Fixed {}.", plural(count, "problem"));
                toasts.offer_back(report, text, on_edit, before);
            }
        });
        Self {
            remedies,
            on_fix,
            on_all,
        }
    }
}

/// A link to the list of problems, for layouts where it is below the editor instead of beside it.
#[component]
pub fn ProblemsJump(
    /// How many there are.
    #[prop(into)]
    count: Signal<usize>,
) -> impl IntoView {
    let jump = move |_| {
        let list = document().query_selector(".problems-around").ok().flatten();
        if let Some(list) = list.and_then(|list| list.dyn_into::<HtmlElement>().ok()) {
            list.scroll_into_view();
            // Fails only for an element that can't have the focus.
            let _ = list.focus();
        }
    };
    view! {
        <Shown when=move || { count.get() > 0 }>
            <button type="button" class="btn problems-jump" on:click=jump>
                {live(move || plural(count.get(), "problem"))}
            </button>
        </Shown>
    }
}

/// Problems in document order; choosing one goes to it in the text. Buttons below each apply its fixes.
#[component]
pub fn ProblemList(
    /// The problems.
    #[prop(into)]
    issues: Signal<Vec<Issue>>,
    /// Goes to a problem in the text.
    on_jump: Callback<Issue>,
    /// The fixes, where problems can be fixed here.
    #[prop(optional)]
    quick_fixes: Option<QuickFixes>,
) -> impl IntoView {
    let around = NodeRef::<html::Div>::new();
    // The button disappears with its problem; the focus stays with the list.
    let stay = move || {
        if let Some(around) = around.get_untracked() {
            let _ = around.focus();
        }
    };
    let fix = Callback::new(move |what: (Issue, usize)| {
        if let Some(quick_fixes) = quick_fixes {
            quick_fixes.on_fix.run(what);
        }
        stay();
    });
    let rows = Memo::new(move |_| {
        let row = |(index, issue): (usize, Issue)| {
            let known = (index < OFFERED).then(|| match quick_fixes {
                Some(quick_fixes) => quick_fixes.remedies.run(issue.clone()),
                None => Vec::new(),
            });
            (issue, known)
        };
        let issues = issues.get().into_iter().enumerate();
        issues.map(row).collect::<Vec<_>>()
    });
    let plain = move || {
        rows.with(|rows| {
            let known = rows.iter().filter_map(|(_, known)| known.as_ref());
            known.flatten().any(|remedy| remedy.plain)
        })
    };
    let actions = Actions {
        on_jump,
        quick_fixes,
        on_fix: fix,
    };
    let all = move |_| {
        if let Some(quick_fixes) = quick_fixes {
            quick_fixes.on_all.run(());
        }
        stay();
    };
    view! {
        <div node_ref=around class="problems-around" tabindex="-1" role="group" aria-label="Problems">
            <Shown when=plain>
                <button type="button" class="btn btn-small problems-all" title="Applies every fix that is unambiguous and removes nothing" on:click=all>
                    "Fix all"
                </button>
            </Shown>
            <Shown
                when=move || !issues.with(Vec::is_empty)
                fallback=|| {
                    view! {
                        <p class="problems-none">
                            <Icon glyph=Glyph::Check />
                            "No problems found."
                        </p>
                    }
                }
            >
                <ul class="problems">
                    {live(move || each(rows.get(), |(issue, known)| view! { <Row issue=issue known=known actions=actions /> }.into_any()))}
                </ul>
            </Shown>
        </div>
    }
}

/// What the list can do with a problem.
#[derive(Clone, Copy)]
struct Actions {
    on_jump: Callback<Issue>,
    quick_fixes: Option<QuickFixes>,
    on_fix: Callback<(Issue, usize)>,
}

#[component]
fn Row(issue: Issue, known: Option<Vec<Remedy>>, actions: Actions) -> impl IntoView {
    let start = issue.start;
    let (class, glyph, word) = match issue.severity {
        Severity::Error => ("problem problem-error", Glyph::Error, "Error"),
        Severity::Warning => ("problem problem-warning", Glyph::Warning, "Warning"),
        Severity::Info => ("problem problem-info", Glyph::Info, "Note"),
    };
    let known = RwSignal::new(known);
    let (chosen, fixed) = (issue.clone(), issue.clone());
    let choose = move |_| {
        if let (None, Some(quick_fixes)) = (known.get_untracked(), actions.quick_fixes) {
            known.set(Some(quick_fixes.remedies.run(chosen.clone())));
        }
        actions.on_jump.run(chosen.clone());
    };
    let button = move |(number, remedy): (usize, Remedy)| {
        let issue = fixed.clone();
        let fix = move |_| actions.on_fix.run((issue.clone(), number));
        view! { <button type="button" class="btn btn-small" on:click=fix>{remedy.title}</button> }
            .into_any()
    };
    let fixes = move || {
        each(
            known.get().unwrap_or_default().into_iter().enumerate(),
            &button,
        )
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
