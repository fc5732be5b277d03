//! Merges the imported definition into a stored one: its upstream and the rules for its paths.

use gatewright_model::json::parse;
use leptos::prelude::*;

use super::importer::Importer;
use crate::api::Document;
use crate::components::{
    Bones, ChangeList, Dialog, Failure, LineDiff, Notice, Shown, Tint, button, live,
};
use crate::pages::find_api::FindApi;
use crate::state::draft::{Draft, changes_between, plural};
use crate::state::load::Load;
use crate::state::{Memo, effect};

/// The dialog.
#[component]
pub(super) fn MergeDialog(importer: Importer) -> impl IntoView {
    let chosen = RwSignal::new(None::<String>);
    let close = Callback::new(move |()| importer.merging.set(false));
    let body = move || {
        match chosen.get() {
        None => view! {
            <div class="dialog-body">
                <p class="muted">"Its upstream and path rules are replaced by the imported ones; everything else stays. You see the change first, and nothing is saved here."</p>
                <FindApi
                    api=importer.api
                    label="Find an API to merge into"
                    only=|api| api.state != "deleted" && api.document.is_none()
                    nothing="No API matches."
                    pick=Callback::new(move |id| chosen.set(Some(id)))
                />
            </div>
        }
        .into_any(),
        Some(id) => view! { <Onto importer=importer id=id chosen=chosen /> }.into_any(),
    }
    };
    view! {
        <Dialog title="Merge into an API" class="wide" on_close=close>
            {live(body)}
        </Dialog>
    }
}

/// The stored definition of the chosen API, once it is loaded.
#[component]
fn Onto(importer: Importer, id: String, chosen: RwSignal<Option<String>>) -> impl IntoView {
    let id = StoredValue::new(id);
    let stored = Load::new(move || {
        let id = id.get_value();
        async move { importer.api.document(&id).await }
    });
    live(move || {
        match stored.get() {
        None => view! { <div class="dialog-body"><Bones rows=6 label="Loading the definition" /></div> }.into_any(),
        Some(Err(error)) => {
            view! { <div class="dialog-body"><Failure error=error on_retry=move |()| stored.again() /></div> }.into_any()
        }
        Some(Ok(stored)) => view! { <Preview importer=importer id=id.get_value() stored=stored chosen=chosen /> }.into_any(),
    }
    })
}

/// What is merged into the stored definition, and what that changes.
#[component]
fn Preview(
    importer: Importer,
    id: String,
    stored: Document,
    chosen: RwSignal<Option<String>>,
) -> impl IntoView {
    let imported = untrack(|| importer.definition());
    let rules = has_rules(&imported);
    let upstream_on = RwSignal::new(true);
    let rules_on = RwSignal::new(rules);
    let name = parse(&stored.text)
        .ok()
        .and_then(|value| value.str("name").map(str::to_owned));
    let before = StoredValue::new(stored);
    let draft_of = id.clone();
    let latest = StoredValue::new(0_u32);
    effect(move || {
        let parts = format!(
            "{{\"upstream\":{},\"rules\":{}}}",
            upstream_on.get(),
            rules_on.get()
        );
        let number =
            before.with_value(|stored| importer.converter.unite(&stored.text, &imported, &parts));
        latest.set_value(number);
    });
    let united = Memo::new(move |_| {
        let (number, answer) = importer.converter.united.get()?;
        (number == latest.get_value()).then(|| read(&answer))
    });
    let open = move |_| {
        if let Some(Ok(text)) = united.get_untracked() {
            let draft = Draft::with(Some(before.get_value()), text);
            importer.open_draft(Some(draft_of.clone()), draft);
        }
    };
    let changed = move || {
        let text = united.get().and_then(Result::ok);
        text.is_some_and(|text| before.with_value(|stored| stored.text != text))
    };
    let body = move || {
        match united.get() {
        None => view! { <Bones rows=4 label="Comparing" /> }.into_any(),
        Some(Err(error)) => {
            view! { <Notice tint=Tint::Red><span role="alert">{format!("It can't be merged: {error}.")}</span></Notice> }.into_any()
        }
        Some(Ok(text)) => view! { <Change before=before.with_value(|stored| stored.text.clone()) after=text /> }.into_any(),
    }
    };
    view! {
        <div class="dialog-body">
            <p>"Onto "<strong>{name}</strong>" "<code class="muted">{id}</code></p>
            <div class="merge-parts">
                <Part label="Upstream" on=upstream_on />
                <Part label="Path rules" on=rules_on disabled=!rules />
                <Shown when=move || !rules>
                    <p class="muted small">"There are no path rules: switch on one of those under Paths first."</p>
                </Shown>
            </div>
            {live(body)}
        </div>
        <footer class="dialog-foot">
            {button("btn", "Another API", move || chosen.set(None))}
            <span class="spacer"></span>
            <button type="button" class="btn btn-primary" disabled=move || !changed() on:click=open>"Open as a draft"</button>
        </footer>
    }
}

#[component]
fn Part(
    label: &'static str,
    on: RwSignal<bool>,
    #[prop(optional)] disabled: bool,
) -> impl IntoView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                role="switch"
                disabled=disabled
                prop:checked=move || on.get()
                on:change=move |event| on.set(event_target_checked(&event))
            />
            <span>{label}</span>
        </label>
    }
}

#[component]
fn Change(before: String, after: String) -> impl IntoView {
    let changes = changes_between(&before, &after);
    view! {
        <section aria-label="Members that change">
            <h3>{plural(changes.len(), "change")}</h3>
            <ChangeList changes=changes />
        </section>
        <LineDiff before=before after=after label="Line by line" />
    }
}

/// Whether an imported definition has rules for paths.
fn has_rules(definition: &str) -> bool {
    let value = parse(definition).ok();
    let rules = value
        .as_ref()
        .and_then(|value| value.pointer("/version_data/versions/Default/extended_paths"));
    rules.is_some_and(|rules| !rules.members().is_empty())
}

/// Returns the text, or why there is none.
fn read(answer: &str) -> std::result::Result<String, String> {
    let value = parse(answer).map_err(|_| "the answer is not JSON".to_owned())?;
    match value.str("text") {
        Some(text) => Ok(text.to_owned()),
        None => Err(value.str("error").unwrap_or_default().to_owned()),
    }
}
