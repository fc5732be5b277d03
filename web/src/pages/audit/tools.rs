//! Filters, and export of the trail.

use leptos::prelude::*;

use crate::components::{Glyph, Icon, each, live};
use crate::state::files::save;
use crate::state::task::Task;
use crate::state::trail::Trail;
use crate::state::{Memo, use_console};

/// The kinds of subjects, with their labels and whether they have documents to compare. `crates/api/tests/console.rs`
/// compares them with the gateway's.
const SUBJECTS: [(&str, &str, bool); 13] = [
    ("api", "API", true),
    ("ruleset", "Ruleset", true),
    ("client_idp", "Client IdP", true),
    ("webhook", "Webhook", true),
    ("key", "Key", false),
    ("policy", "Policy", true),
    ("organisation", "Organisation", false),
    ("credential", "Credential", false),
    ("reload", "Reload", false),
    ("import", "Import", false),
    ("oauth_client", "OAuth client", false),
    ("certificate", "Certificate", false),
    ("sign_in", "Sign-in", false),
];
const ACTIONS: [(&str, &str); 4] = [
    ("added", "Added"),
    ("modified", "Modified"),
    ("deleted", "Deleted"),
    ("restored", "Restored"),
];

/// Returns the label of a kind of subject.
pub(super) fn subject_label(subject: &str) -> String {
    let found = SUBJECTS.iter().find(|(known, ..)| *known == subject);
    found.map_or(subject, |(_, label, _)| label).to_owned()
}

/// Whether entries about a kind of subject have documents to compare.
pub(super) fn is_compared(subject: &str) -> bool {
    let found = SUBJECTS.iter().find(|(known, ..)| *known == subject);
    found.is_none_or(|(.., compared)| *compared)
}

/// The filters; each change is reflected in the address at once.
#[component]
pub(super) fn Filters(trail: Memo<Trail>, on_change: Callback<Trail>) -> impl IntoView {
    let set = move |name: &'static str, value: String| {
        on_change.run(trail.with_untracked(|trail| trail.filtered(name, value.trim())));
    };
    let field = move |kind: &'static str, name: &'static str, label: &'static str| {
        view! {
            <label class="field">
                <span>{label}</span>
                <input
                    type=kind
                    class="input"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || trail.with(|trail| trail.get(name).to_owned())
                    on:change=move |event| set(name, event_target_value(&event))
                    on:input=move |event| {
                        // The others have to match completely, so a part of them finds nothing.
                        if name == "q" {
                            set(name, event_target_value(&event));
                        }
                    }
                />
            </label>
        }
        .into_any()
    };
    let choice = move |name: &'static str,
                       label: &'static str,
                       options: Vec<(&'static str, &'static str)>| {
        let option = move |(value, label): (&'static str, &'static str)| {
            let selected = move || trail.with(|trail| trail.get(name) == value);
            view! { <option value=value prop:selected=selected>{label}</option> }.into_any()
        };
        view! {
            <label class="field">
                <span>{label}</span>
                <select class="input" on:change=move |event| set(name, event_target_value(&event))>
                    <option value="" prop:selected=move || trail.with(|trail| trail.get(name).is_empty())>"Any"</option>
                    {each(options, option)}
                </select>
            </label>
        }
        .into_any()
    };
    view! {
        <div class="audit-filters" role="search" aria-label="Audit">
            {field("search", "q", "Search")}
            {field("search", "actor", "Actor")}
            {choice("subject", "Document kind", SUBJECTS.map(|(word, label, _)| (word, label)).to_vec())}
            {choice("action", "Action", ACTIONS.to_vec())}
            {field("search", "id", "Document id")}
            {field("date", "from", "From, UTC")}
            {field("date", "to", "To, UTC")}
        </div>
    }
}

/// Buttons that export everything that matches the filters.
#[component]
pub(super) fn Downloads(trail: Memo<Trail>) -> impl IntoView {
    let console = use_console();
    let task = Task::new();
    let download = move |format: &'static str, media: &'static str| {
        let request = trail.with_untracked(|trail| trail.to_file(format));
        task.run(async move {
            match console.api.audit_file(&request).await {
                Ok(text) if save(&format!("audit.{format}"), media, &text) => {}
                Ok(_) => console.toasts.bad("The browser could not make a file."),
                Err(error) => console.toasts.failed(&error),
            }
        });
    };
    let button = move |(format, media, label): (&'static str, &'static str, &'static str)| {
        view! {
            <button
                type="button"
                class="btn"
                aria-label=format!("Download as {label}")
                disabled=move || task.busy()
                on:click=move |_| download(format, media)
            >
                <Icon glyph=Glyph::Import />
                {label}
            </button>
        }
        .into_any()
    };
    let formats = [
        ("csv", "text/csv;charset=utf-8", "CSV"),
        ("json", "application/json", "JSON"),
    ];
    view! {
        {each(formats, button)}
        <span class="visually-hidden" role="status">{live(move || task.busy().then_some("Preparing the file"))}</span>
    }
}
