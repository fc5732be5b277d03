//! The gateway's verdict on the token: whether it was let through, why not, and each step.

use leptos::prelude::*;

use super::Desk;
use crate::api::debug::Debugged;
use crate::components::{Empty, Failure, Glyph, Notice, Status, Tint, Trace, live, maybe, only};
use crate::state::effect;
use crate::state::trial::step_name;

/// The result of the request, or how to send it.
#[component]
pub(super) fn Verdict(desk: Desk) -> impl IntoView {
    let shown = move || {
        match desk.verdict.get() {
        None => view! {
            <Empty glyph=Glyph::Play title="Not checked yet">
                <p>"Paste a token and choose an API. The gateway's verdict appears here, with each step of the request."</p>
            </Empty>
        }
        .into_any(),
        Some((_, Err(error))) => view! { <Failure error=error /> }.into_any(),
        Some((sent, Ok(debugged))) => view! { <Answer desk=desk sent=sent debugged=debugged /> }.into_any(),
    }
    };
    // On a narrow screen the result is below the token.
    effect(move || {
        let verdict = desk.verdict.with(Option::is_some);
        let head = document().query_selector(".look-verdict");
        if let (true, Ok(Some(head))) = (verdict, head) {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            head.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
    view! {
        <div class="stack look-verdict" aria-live="polite" class:stale=move || desk.task.busy()>{live(shown)}</div>
    }
}

#[component]
fn Answer(desk: Desk, sent: String, debugged: Debugged) -> impl IntoView {
    let refusal = debugged
        .trace
        .iter()
        .find(|step| step.decision == "refused")
        .cloned();
    let status = debugged.answer.status;
    let text = match &refusal {
        Some(step) if step.detail.is_empty() => {
            format!("Refused by the step {}.", step_name(&step.name))
        }
        Some(step) => format!(
            "Refused by the step {}: {}",
            step_name(&step.name),
            step.detail
        ),
        None => "It was let through.".to_owned(),
    };
    let tint = if refusal.is_some() {
        Tint::Red
    } else {
        Tint::Green
    };
    let body = debugged.answer.body.trim().to_owned();
    let body = (refusal.is_some() && !body.is_empty() && debugged.answer.body_encoding.is_none())
        .then_some(body);
    let another = move || desk.read().is_none_or(|token| token.compact != sent);
    view! {
        <section class="card panel" aria-labelledby="verdict-title">
            <div class="panel-head">
                <h2 id="verdict-title">"The gateway’s answer"</h2>
                <Status code=status />
            </div>
            {live(move || only(another(), || view! { <p class="muted small">"It is about another token than the one entered now."</p> }.into_any()))}
            <Notice tint=tint><span>{text}</span></Notice>
            {maybe(body, |body| view! { <pre class="code mono" tabindex="0" role="region" aria-label="Body of the answer">{body}</pre> }.into_any())}
        </section>
        <Trace steps=debugged.trace />
    }
}
