//! The document: pasted or typed, from a file, or fetched from an address.

use gatewright_model::Issue;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::importer::Importer;
use crate::api::ApiError;
use crate::components::{
    Failure, FileButton, JsonEditor, Notice, ProblemList, Shown, Tint, button, live, maybe, only,
    task_label, unique_id,
};
use crate::state::Memo;
use crate::state::clock::bytes;
use crate::state::import::Source;
use crate::state::task::Task;

/// File name extensions and types of documents.
const ACCEPT: &str = ".json,.yaml,.yml,application/json,application/yaml";

/// The document and the ways to provide it.
#[component]
pub(super) fn DocumentCard(importer: Importer) -> impl IntoView {
    let problems = Memo::new(move |_| importer.problems());
    let jump = Callback::new(move |issue: Issue| importer.goto.set(Some(issue.start)));
    view! {
        <section class="card import-document" aria-labelledby="document-title">
            <div class="import-ways">
                <h2 id="document-title">"Document"</h2>
                <FetchForm importer=importer />
                <FileButton label="Choose a file" accept=ACCEPT on_file=Callback::new(move |file| importer.open_file(file)) />
            </div>
            <div class="import-troubles">
                {live(move || maybe(importer.why_not(), |why| view! { <Notice tint=Tint::Red><span role="alert">{why}</span></Notice> }.into_any()))}
                <Shown when=move || problems.with(|problems| !problems.is_empty())>
                    <section aria-label="Problems of the document">
                        <ProblemList issues=problems on_jump=jump />
                        <Shown when=move || problems.with(|problems| problems.iter().any(|issue| issue.pointer == "/proxy"))>
                            {button("btn btn-small", "Open it in the editor", move || importer.open_as_it_is())}
                        </Shown>
                    </section>
                </Shown>
            </div>
            <div class="import-text">
                <JsonEditor
                    text=Signal::derive(move || importer.source.with(|source| source.text.clone()))
                    on_edit=Callback::new(move |text| importer.type_text(text))
                    problems=problems
                    goto=importer.goto
                    language="openapi"
                    hint="Paste an OpenAPI document, or drop a file anywhere on this page"
                    label="OpenAPI document"
                />
            </div>
            <Origin importer=importer />
        </section>
    }
}

/// The source, the format and the length of the document.
#[component]
fn Origin(importer: Importer) -> impl IntoView {
    let facts = move || {
        let format = match importer.outcome().format.as_str() {
            "json" => "JSON",
            "yaml" => "YAML",
            _ => "",
        };
        let (name, size) = importer
            .source
            .with(|source| (source.name.clone(), source.text.len()));
        let size = bytes(size as u64);
        let parts = [name.as_str(), format, size.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" · ")
    };
    view! {
        <Shown when=move || importer.source.with(|source| !source.text.is_empty())>
            <footer class="import-origin">
                <span>{live(facts)}</span>
                {live(move || only(importer.converter.busy.get(), || view! { <span class="import-busy">"Reading…"</span> }.into_any()))}
                <span class="spacer"></span>
                {button("btn btn-small btn-quiet", "Clear", move || importer.take(Source::default()))}
            </footer>
        </Shown>
    }
}

/// The address of a document, which the gateway fetches: the page itself may not call other origins.
#[component]
fn FetchForm(importer: Importer) -> impl IntoView {
    let url = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<&'static str>);
    let failure = RwSignal::new(None::<ApiError>);
    let task = Task::new();
    let id = unique_id("address-problem");
    let fetch = move || {
        let wanted = url.get_untracked().trim().to_owned();
        failure.set(None);
        let web = wanted.starts_with("https://") || wanted.starts_with("http://");
        problem.set((!web).then_some("Enter an address that starts with https:// or http://."));
        if !web {
            return;
        }
        task.run(async move {
            match importer.api.fetch_document(&wanted).await {
                Ok(found) => importer.take(Source::new(&found.text, &found.url, Some(&found.url))),
                Err(error) => drop(failure.try_set(Some(error))),
            }
        });
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        fetch();
    };
    view! {
        <form class="import-address" on:submit=submit novalidate>
            <input
                type="url"
                class="input"
                aria-label="Address of the document"
                placeholder="https://…/openapi.yaml"
                autocomplete="off"
                spellcheck="false"
                aria-invalid=move || problem.get().map(|_| "true")
                aria-describedby=id.clone()
                prop:value=move || url.get()
                on:input=move |event| {
                    problem.set(None);
                    url.set(event_target_value(&event));
                }
            />
            <button type="submit" class="btn" disabled=move || task.busy()>
                {task_label(task, "Fetch", "Fetching…")}
            </button>
        </form>
        <p class="field-problem" id=id role="status">{live(move || problem.get())}</p>
        {live(move || maybe(failure.get(), |error| view! { <Failure error=error on_retry=move |()| fetch() /> }.into_any()))}
    }
}
