//! Data that one page prepares for another: a draft for the editor, a document for the import.

use gatewright_model::json::{Value, parse, quote};
use leptos::prelude::*;

use super::draft::Draft;
use super::import::Source;
use super::storage;
use crate::api::Document;
use crate::api::figures::failures::FailedRequest;

/// The prepared data. Each item can be taken only once.
#[derive(Clone, Copy)]
pub struct Handover {
    draft: StoredValue<Option<(Option<String>, Draft)>>,
    source: StoredValue<Option<Source>>,
    failed: StoredValue<Option<Failed>>,
}

/// A failed request, to be sent again.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The id of the API it was sent to.
    pub api_id: String,
    /// The request.
    pub request: FailedRequest,
    /// The name of its key; empty if it has none.
    pub key_name: String,
}

impl Handover {
    /// Creates an empty handover.
    #[must_use]
    pub fn new() -> Self {
        Self {
            draft: StoredValue::new(None),
            source: StoredValue::new(None),
            failed: StoredValue::new(None),
        }
    }

    /// Leaves a draft for the editor of an API, or of a new one.
    pub fn give_draft(self, id: Option<String>, draft: Draft) {
        self.draft.set_value(Some((id, draft)));
    }

    /// Takes the draft for this editor. One for another editor is discarded: nobody will take it any more.
    #[must_use]
    pub fn take_draft(self, id: Option<&str>) -> Option<Draft> {
        let given = self.draft.try_update_value(Option::take).flatten();
        given
            .filter(|(for_id, _)| for_id.as_deref() == id)
            .map(|(_, draft)| draft)
    }

    /// Leaves a failed request for the page that tries its API.
    pub fn give_failed(self, api_id: String, request: FailedRequest, key_name: String) {
        self.failed.set_value(Some(Failed {
            api_id,
            request,
            key_name,
        }));
    }

    /// Takes the failed request for this API. One for another API is discarded: nobody will take it any more.
    #[must_use]
    pub fn take_failed(self, api_id: &str) -> Option<Failed> {
        let given = self.failed.try_update_value(Option::take).flatten();
        given.filter(|given| given.api_id == api_id)
    }

    /// Leaves a document for the import.
    pub fn give_source(self, source: Source) {
        self.source.set_value(Some(source));
    }

    /// Takes the document for the import.
    #[must_use]
    pub fn take_source(self) -> Option<Source> {
        self.source.try_update_value(Option::take).flatten()
    }
}

impl Default for Handover {
    fn default() -> Self {
        Self::new()
    }
}

/// The session storage key of a document for another module of the console.
const DOCUMENT: &str = "gatewright.document";

/// Leaves a document for the page of a new OpenAPI API, which belongs to another module; returns false if the browser
/// can't store a document that long.
#[must_use]
pub fn give_document(text: &str) -> bool {
    storage::tab_set(DOCUMENT, Some(text));
    storage::tab_get(DOCUMENT).is_some_and(|kept| kept == text)
}

/// Takes the document left by another module; it can be taken only once.
#[must_use]
pub fn take_document() -> Option<String> {
    let text = storage::tab_get(DOCUMENT)?;
    storage::tab_set(DOCUMENT, None);
    Some(text)
}

/// Writes a draft and the API it is for as text for another module of the console.
#[must_use]
pub fn write_draft(id: Option<&str>, draft: &Draft) -> String {
    let or_null = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quote);
    let base = draft.base.as_ref().map(|base| {
        format!(
            "{{\"text\":{},\"etag\":{},\"pending\":{},\"base_api\":{}}}",
            quote(&base.text),
            quote(&base.etag),
            base.pending,
            or_null(base.base_api.as_deref()),
        )
    });
    format!(
        "{{\"id\":{},\"text\":{},\"base\":{}}}",
        or_null(id),
        quote(&draft.text),
        base.as_deref().unwrap_or("null"),
    )
}

/// Parses the output of [`write_draft`]; `None` for anything else.
#[must_use]
pub fn read_draft(text: &str) -> Option<(Option<String>, Draft)> {
    let value = parse(text).ok()?;
    let own = |value: &Value<'_>, name: &str| value.str(name).map(str::to_owned);
    let base = |base: &Value<'_>| {
        Some(Document {
            text: own(base, "text")?,
            etag: own(base, "etag")?,
            pending: base.bool("pending")?,
            base_api: own(base, "base_api"),
        })
    };
    let draft = Draft::with(value.get("base").and_then(base), own(&value, "text")?);
    Some((own(&value, "id"), draft))
}
