//! What one page prepares and another one opens: a draft for the editor, a document for the import.

use gatewright_model::json::{Value, parse, quote};
use leptos::prelude::*;

use super::draft::Draft;
use super::import::Source;
use super::storage;
use crate::api::Document;
use crate::api::figures::failures::FailedRequest;

/// What lies ready. Whoever takes it finds it once.
#[derive(Clone, Copy)]
pub struct Handover {
    draft: StoredValue<Option<(Option<String>, Draft)>>,
    source: StoredValue<Option<Source>>,
    failed: StoredValue<Option<Failed>>,
}

/// A request that has failed, to be sent again.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The API that it came to.
    pub api_id: String,
    /// The request.
    pub request: FailedRequest,
    /// What people call its key; empty for one without a name.
    pub key_name: String,
}

impl Handover {
    /// Nothing lies ready.
    #[must_use]
    pub fn new() -> Self {
        Self {
            draft: StoredValue::new(None),
            source: StoredValue::new(None),
            failed: StoredValue::new(None),
        }
    }

    /// Lays a draft ready for the editor of an API, or of a new one.
    pub fn give_draft(self, id: Option<String>, draft: Draft) {
        self.draft.set_value(Some((id, draft)));
    }

    /// The draft for this editor; one for another editor goes, as nobody will come for it any more.
    #[must_use]
    pub fn take_draft(self, id: Option<&str>) -> Option<Draft> {
        let given = self.draft.try_update_value(Option::take).flatten();
        given
            .filter(|(for_id, _)| for_id.as_deref() == id)
            .map(|(_, draft)| draft)
    }

    /// Lays a failed request ready for the page that tries its API.
    pub fn give_failed(self, api_id: String, request: FailedRequest, key_name: String) {
        self.failed.set_value(Some(Failed {
            api_id,
            request,
            key_name,
        }));
    }

    /// The failed request for this API; one for another API goes, as nobody will come for it any more.
    #[must_use]
    pub fn take_failed(self, api_id: &str) -> Option<Failed> {
        let given = self.failed.try_update_value(Option::take).flatten();
        given.filter(|given| given.api_id == api_id)
    }

    /// Lays a document ready for the import.
    pub fn give_source(self, source: Source) {
        self.source.set_value(Some(source));
    }

    /// The document that lies ready.
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

/// The key of the tab's storage for a document that another module of the console opens.
const DOCUMENT: &str = "gatewright.document";

/// Lays a document ready for the page of a new OpenAPI API, which another module shows; false if the browser
/// doesn't keep one as long as that.
#[must_use]
pub fn give_document(text: &str) -> bool {
    storage::tab_set(DOCUMENT, Some(text));
    storage::tab_get(DOCUMENT).is_some_and(|kept| kept == text)
}

/// The document that lies ready; whoever takes it finds it once.
#[must_use]
pub fn take_document() -> Option<String> {
    let text = storage::tab_get(DOCUMENT)?;
    storage::tab_set(DOCUMENT, None);
    Some(text)
}

/// A draft and the API it is for, as text for another module of the console.
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

/// Reads what [`write_draft`] writes; `None` for anything else.
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
