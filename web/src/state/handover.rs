//! What one page prepares and another one opens: a draft for the editor, a document for the import.

use leptos::prelude::*;

use super::draft::Draft;
use super::import::Source;

/// What lies ready. Whoever takes it finds it once.
#[derive(Clone, Copy)]
pub struct Handover {
    draft: StoredValue<Option<(Option<String>, Draft)>>,
    source: StoredValue<Option<Source>>,
}

impl Handover {
    /// Nothing lies ready.
    #[must_use]
    pub fn new() -> Self {
        Self {
            draft: StoredValue::new(None),
            source: StoredValue::new(None),
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
