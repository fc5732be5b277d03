//! The fields of a provider other than its mappings.

use gatewright_model::json::{edit, parse, quote};
use leptos::prelude::*;

use crate::api::ApiError;
use crate::components::{each, live, maybe};

/// A member of the document that is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    needed: bool,
}

const fn field(name: &'static str, label: &'static str, hint: &'static str, needed: bool) -> Field {
    Field {
        name,
        label,
        hint,
        needed,
    }
}

/// The fields in their order.
const FIELDS: [Field; 5] = [
    field("name", "Name", "What people call it.", true),
    field(
        "client_idp_id",
        "Client IdP id",
        "Stable, for scripts; the record's own id if it is empty.",
        false,
    ),
    field("issuer", "Issuer", "The iss claim of its tokens.", false),
    field("jwks_uri", "JWKS URI", "The address of its keys.", true),
    field(
        "scope_claim_name",
        "Scope claim",
        "The claim that lists scopes; scope if it is empty.",
        false,
    ),
];

/// The edited fields: those that differ from what is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edits(Vec<(&'static str, String)>);

impl Edits {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn set(&mut self, name: &'static str, value: String, stored: &str) {
        self.0.retain(|(known, _)| *known != name);
        if value != stored {
            self.0.push((name, value));
        }
    }

    /// Whether nothing differs.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the fields into the document; every other byte stays.
    ///
    /// # Errors
    /// If the document is not valid JSON.
    pub(super) fn apply_to(&self, document: &str) -> Result<String, ApiError> {
        let mut text = document.to_owned();
        for field in FIELDS {
            let Some(value) = self.get(field.name) else {
                continue;
            };
            let pointer = format!("/{}", field.name);
            text = edit::set(&text, &pointer, &quote(value)).map_err(|error| {
                ApiError::Unreadable {
                    what: error.to_string(),
                    request_id: None,
                }
            })?;
        }
        Ok(text)
    }
}

/// The fields on screen.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The stored document, or one without members.
    pub(super) stored: Signal<String>,
    pub(super) edits: RwSignal<Edits>,
    /// Why it was not stored.
    pub(super) failure: RwSignal<Option<ApiError>>,
}

impl Form {
    fn stored(self, name: &str) -> String {
        self.stored.with(|text| {
            let document = parse(text).ok();
            let value = document.as_ref().and_then(|document| document.str(name));
            value.unwrap_or_default().to_owned()
        })
    }

    fn value(self, name: &str) -> String {
        let edited = self.edits.with(|edits| edits.get(name).map(str::to_owned));
        edited.unwrap_or_else(|| self.stored(name))
    }

    /// Whether all required fields are filled in.
    pub(super) fn complete(self) -> bool {
        let mut needed = FIELDS.into_iter().filter(|field| field.needed);
        needed.all(|field| !self.value(field.name).trim().is_empty())
    }

    /// Returns the edge's message about a field.
    fn problem(self, name: &str) -> Option<String> {
        self.failure.with(|failure| {
            let issues = failure.as_ref().map(ApiError::issues).unwrap_or_default();
            let of_field = |pointer: &str| pointer.strip_prefix('/') == Some(name);
            let issue = issues.iter().find(|issue| of_field(&issue.pointer));
            issue.map(|issue| issue.message.clone())
        })
    }
}

/// The fields.
#[component]
pub(super) fn Fields(
    /// Their values.
    form: Form,
) -> impl IntoView {
    view! { <div class="fields">{each(FIELDS, |field| view! { <OneField form=form field=field /> }.into_any())}</div> }
}

#[component]
fn OneField(form: Form, field: Field) -> impl IntoView {
    let Field {
        name,
        label,
        hint,
        needed,
    } = field;
    let id = format!("idp-{name}");
    let (about, wrong) = (format!("{id}-about"), format!("{id}-problem"));
    let set = move |event| {
        let stored = untrack(|| form.stored(name));
        form.edits
            .update(|edits| edits.set(name, event_target_value(&event), &stored));
    };
    let was = move || {
        let changed = form.edits.with(|edits| edits.get(name).is_some());
        let stored = form.stored(name);
        (changed && !stored.is_empty()).then_some(stored)
    };
    view! {
        <div class="field">
            <label for=id.clone()>{label}{needed.then_some(" *")}</label>
            <input
                id=id
                type="text"
                class="input"
                class:mono={name != "name"}
                autocomplete="off"
                spellcheck="false"
                aria-required=needed.to_string()
                aria-describedby=format!("{wrong} {about}")
                aria-invalid=move || form.problem(name).is_some().to_string()
                prop:value=move || form.value(name)
                on:input=set
            />
            <p id=about class="muted small">
                {hint}
                {live(move || maybe(was(), |was| view! { " Stored: "<code>{was}</code> }.into_any()))}
            </p>
            <p id=wrong class="field-problem" role="alert">{live(move || form.problem(name))}</p>
        </div>
    }
}
