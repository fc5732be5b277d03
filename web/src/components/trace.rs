//! The steps of a request through the chain.

use leptos::prelude::*;

use super::{Glyph, Icon, each, maybe, only};
use crate::api::debug::{Step, StepChange};
use crate::state::draft::plural;
use crate::state::trial::{PhaseSteps, by_phase, change_words, step_name};

/// The steps, each with its decision in words, its reason, its time and what it changed; steps that didn't apply are
/// collapsed.
#[component]
pub fn Trace(
    /// The steps in their order.
    steps: Vec<Step>,
) -> impl IntoView {
    let total = steps
        .iter()
        .map(|step| step.at_ms)
        .max()
        .unwrap_or_default();
    let row = move |step: Step| view! { <Row step=step total=total /> }.into_any();
    let (phases, folded) = by_phase(steps);
    let several = phases.iter().any(|part| part.phase == "response");
    let phase = move |part: PhaseSteps| {
        let title = match part.phase.as_str() {
            "response" => "On the way back",
            _ => "On the way to the upstream",
        };
        view! {
            {only(several, || view! { <h3 class="trace-way">{title}</h3> }.into_any())}
            <ol class="trace" aria-label=title>{each(part.concerned, row)}</ol>
        }
        .into_any()
    };
    let count = folded.len();
    view! {
        <section class="card panel" aria-labelledby="trace-title">
            <div class="panel-head">
                <h2 id="trace-title">"Steps"</h2>
                <span class="muted small">{format!("{total} ms at the gateway")}</span>
            </div>
            {each(phases, phase)}
            {only(count > 0, || {
                view! {
                    <details class="trace-folded">
                        <summary>{plural(count, "link")}" not concerned"</summary>
                        <ol class="trace">{each(folded, row)}</ol>
                    </details>
                }
                .into_any()
            })}
        </section>
    }
}

#[component]
fn Row(step: Step, total: u64) -> impl IntoView {
    // An upstream doesn't refuse a request: it fails, or passes on a failure behind it.
    let upstream = step.name == "upstream";
    let fault = upstream && step.decision == "passed" && step.detail.starts_with('5');
    let (class, glyph, word) = match step.decision.as_str() {
        "refused" if upstream => ("trace-step trace-refused", Glyph::Close, "Failed"),
        "passed" if fault => ("trace-step trace-refused", Glyph::Close, "Error"),
        "refused" => ("trace-step trace-refused", Glyph::Close, "Refused"),
        "skipped" => ("trace-step trace-skipped", Glyph::More, "Skipped"),
        "deferred" => (
            "trace-step trace-deferred",
            Glyph::Close,
            "Would have refused",
        ),
        _ => ("trace-step trace-passed", Glyph::Check, "Passed"),
    };
    let passed = step.decision == "passed" && !fault;
    let changes = step.changes;
    view! {
        <li class=class>
            <span class="trace-mark" aria-hidden="true"><Icon glyph=glyph /></span>
            <div class="trace-text">
                <span class="trace-name">
                    {step_name(&step.name)}
                    <span class=if passed { "visually-hidden" } else { "trace-word" }>{format!(" {word}")}</span>
                </span>
                <span class="trace-detail">{step.detail}</span>
                {only(!changes.is_empty(), || view! { <ul class="trace-changes">{each(changes, change)}</ul> }.into_any())}
            </div>
            <span class="trace-time">
                {format!("{} ms", step.ms)}
                <progress class="trace-bar" aria-hidden="true" max=total.max(1).to_string() value=step.ms.to_string()></progress>
            </span>
        </li>
    }
}

fn change(change: StepChange) -> AnyView {
    let (about, how) = change_words(&change);
    view! {
        <li>
            <span class="trace-about">{about}</span>
            <span class=format!("trace-how trace-{}", how.replace(' ', "-"))>{how}</span>
            <span class="trace-values">
                {maybe(change.from, |text| view! { <del>{text}</del> }.into_any())}
                {maybe(change.to, |text| view! { <ins>{text}</ins> }.into_any())}
            </span>
        </li>
    }
    .into_any()
}
