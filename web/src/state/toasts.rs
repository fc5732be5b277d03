//! Short notes about what has just happened, with a way to take it back where there is one.

use std::time::Duration;

use leptos::prelude::*;

/// How long a note stays; one with a button stays longer, as it has to be reached.
const STAYS: Duration = Duration::from_secs(6);
const STAYS_WITH_ACTION: Duration = Duration::from_secs(20);

/// More notes than this at once are a pile that nobody reads: the oldest goes.
const SHOWN: usize = 3;

/// How a note looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something worked.
    Good,
    /// Something failed.
    Bad,
}

/// A note.
#[derive(Clone)]
pub struct Toast {
    /// Tells notes apart.
    pub id: u64,
    /// How it looks.
    pub tone: Tone,
    /// What happened.
    pub text: String,
    /// A button: its label and what it does.
    pub action: Option<(&'static str, Callback<()>)>,
}

/// The notes on screen, oldest first.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl Toasts {
    /// No notes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            next: StoredValue::new(0),
        }
    }

    /// What is on screen.
    #[must_use]
    pub fn list(self) -> Vec<Toast> {
        self.list.get()
    }

    /// Says that something worked.
    pub fn good(self, text: impl Into<String>) {
        self.push(Tone::Good, text.into(), None);
    }

    /// Says that something failed.
    pub fn bad(self, text: impl Into<String>) {
        self.push(Tone::Bad, text.into(), None);
    }

    /// Says that something worked, with a button.
    pub fn offer(self, text: impl Into<String>, label: &'static str, action: Callback<()>) {
        self.push(Tone::Good, text.into(), Some((label, action)));
    }

    /// Takes a note away.
    pub fn dismiss(self, id: u64) {
        self.list.update(|list| list.retain(|toast| toast.id != id));
    }

    fn push(self, tone: Tone, text: String, action: Option<(&'static str, Callback<()>)>) {
        let id = self.next.get_value();
        self.next.set_value(id.wrapping_add(1));
        let stays = if action.is_some() || tone == Tone::Bad {
            STAYS_WITH_ACTION
        } else {
            STAYS
        };
        self.list.update(|list| {
            // The same sentence again replaces itself.
            list.retain(|toast| toast.text != text);
            let surplus = list.len().saturating_add(1).saturating_sub(SHOWN);
            list.drain(..surplus);
            list.push(Toast {
                id,
                tone,
                text,
                action,
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
