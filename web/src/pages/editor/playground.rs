//! The rules of the draft that rewrite bodies, each with a playground.

use gatewright_model::json::edit;
use leptos::prelude::*;

use super::desk::Desk;
use crate::components::{
    BodyPlayground, Dialog, Glyph, Icon, Shown, Shows, each, live, maybe, only,
};
use crate::state::Memo;
use crate::state::body_rules::{BodyRule, body_rules};
use crate::state::view::View;

/// The rules, if there are any. The one whose page the form shows is marked.
#[component]
pub(super) fn Playground(desk: Desk, shows: Shows) -> impl IntoView {
    let rules = Memo::new(move |_| body_rules(&desk.text()));
    let tried = RwSignal::new(None::<BodyRule>);
    let text = Signal::derive(move || desk.text());
    let on_edit = Callback::new(move |text| desk.type_text(text));
    let here = Memo::new(move |_| match shows.view.get() {
        View::Form => shows.at.get(),
        View::Json => String::new(),
    });
    let row = move |rule: BodyRule| {
        let name = format!("Try it: {}, {}", rule.title, rule.on);
        let own = rule.clone();
        let current = move || here.with(|at| own.holds(at)).then_some("true");
        let version = rule.version.clone();
        let (title, on) = (rule.title, rule.on.clone());
        view! {
            <li class="playground-rule" aria-current=current>
                <span class="playground-what">
                    <span>{title}</span>
                    <code>{on}</code>
                    {only(!version.is_empty(), || view! { <span class="muted small">{format!("Version {version}")}</span> }.into_any())}
                </span>
                <button type="button" class="btn btn-small" aria-label=name on:click=move |_| tried.set(Some(rule.clone()))>
                    <Icon glyph=Glyph::Play />
                    "Try it"
                </button>
            </li>
        }
        .into_any()
    };
    let dialog = move |rule: BodyRule| {
        let title = format!("{}: {}", rule.title, rule.on);
        let close = Callback::new(move |()| tried.set(None));
        let json = rule.to_json();
        let take = Callback::new(move |(source, input): (String, String)| {
            tried.set(None);
            let before = text.get_untracked();
            match put(&before, &rule, &source, &input) {
                Ok(after) => {
                    on_edit.run(after);
                    let report = "It is in the definition now, but not saved yet.";
                    desk.console
                        .toasts
                        .offer_back(report, text, on_edit, before);
                }
                Err(error) => desk.console.toasts.bad(error),
            }
        });
        view! {
            <Dialog title=title class="playground-dialog" on_close=close>
                <BodyPlayground rule=json on_take=take />
            </Dialog>
        }
        .into_any()
    };
    view! {
        <Shown when=move || rules.with(|rules| !rules.is_empty())>
            <section class="card panel" aria-labelledby="playground-title">
                <h2 id="playground-title">"Body rules"</h2>
                <p class="muted small">"Try them as the gateway runs them, before anything is saved."</p>
                <ul class="playground-rules">{live(move || each(rules.get(), row))}</ul>
            </section>
        </Shown>
        {live(move || maybe(tried.get(), dialog))}
    }
}

/// Writes the rule that was tried into a definition.
fn put(definition: &str, rule: &BodyRule, source: &str, input: &str) -> Result<String, String> {
    let mut text = definition.to_owned();
    for (pointer, value) in rule.edits(source, input) {
        text = edit::set(&text, &pointer, &value).map_err(|error| error.to_string())?;
    }
    Ok(text)
}
