//! Short notes about what has just happened, with an undo button where possible.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use crate::api::ApiError;

/// How long a note is shown; one with a button is shown longer, as the button has to be reached.
const STAYS: Duration = Duration::from_secs(6);
const STAYS_LONGER: Duration = Duration::from_secs(20);

/// The maximum number of notes at once; nobody reads more, so the oldest is dropped.
const SHOWN: usize = 3;

/// The tone of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something worked.
    Good,
    /// Something failed.
    Bad,
}

/// Undoes what a note reports. It outlives the button that was pressed, unlike a [`Callback`] made there.
pub type Undo = Arc<dyn Fn() + Send + Sync>;

/// A note.
#[derive(Clone)]
pub struct Toast {
    /// Identifies the note.
    pub id: u64,
    /// Its tone.
    pub tone: Tone,
    /// What happened.
    pub text: String,
    /// Undoes it.
    pub undo: Option<Undo>,
}

/// The notes on screen, oldest first.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl Toasts {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            next: StoredValue::new(0),
        }
    }

    /// Returns the notes on screen.
    #[must_use]
    pub fn list(self) -> Vec<Toast> {
        self.list.get()
    }

    /// Reports a success.
    pub fn good(self, text: impl Into<String>) {
        self.push(Tone::Good, text.into(), None);
    }

    /// Reports a failure.
    pub fn bad(self, text: impl Into<String>) {
        self.push(Tone::Bad, text.into(), None);
    }

    /// Reports a failed request.
    pub fn failed(self, error: &ApiError) {
        self.bad(format!("{}: {error}", error.title()));
    }

    /// Reports a success that can be undone.
    pub fn offer(self, text: impl Into<String>, undo: impl Fn() + Send + Sync + 'static) {
        self.push(Tone::Good, text.into(), Some(Arc::new(undo)));
    }

    /// Reports an edit that has just replaced the text `before`, with an undo. What was typed since is not lost.
    pub fn offer_back(
        self,
        report: impl Into<String>,
        text: Signal<String>,
        on_edit: Callback<String>,
        before: String,
    ) {
        let after = text.get_untracked();
        self.offer(report, move || match text.try_get_untracked() {
            Some(now) if now == after => {
                on_edit.try_run(before.clone());
            }
            Some(_) => self.bad("The text has changed since. Undo it step by step in the editor."),
            // The page is gone.
            None => {}
        });
    }

    /// Removes a note.
    pub fn dismiss(self, id: u64) {
        self.list.update(|list| list.retain(|toast| toast.id != id));
    }

    fn push(self, tone: Tone, text: String, undo: Option<Undo>) {
        let id = self.next.get_value();
        self.next.set_value(id.wrapping_add(1));
        let stays = if undo.is_some() || tone == Tone::Bad {
            STAYS_LONGER
        } else {
            STAYS
        };
        self.list.update(|list| {
            // A repeated text replaces the earlier note.
            list.retain(|toast| toast.text != text);
            let surplus = list.len().saturating_add(1).saturating_sub(SHOWN);
            list.drain(..surplus);
            list.push(Toast {
                id,
                tone,
                text,
                undo,
            });
        });
        set_timeout(move || self.dismiss(id), stays);
    }
}

impl Default for Toasts {
    fn default() -> Self {
        Self::new()
    }
}
