//! What the console shows who it is by: the gateway secret, a dashboard token, or both. They are kept
//! for this tab (session storage) and forgotten with it.

use leptos::ev;
use leptos::prelude::*;

use super::storage;

/// One of the two things that open an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The gateway secret, for the administration API under `/gateway`.
    Secret,
    /// A dashboard token, for the dashboard API under `/api`.
    Token,
}

impl Key {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Secret, Self::Token];

    /// The key of the tab's storage.
    const fn storage_key(self) -> &'static str {
        match self {
            Self::Secret => "gatewright.secret",
            Self::Token => "gatewright.token",
        }
    }
}

/// One key as this tab has it.
#[derive(Clone, Copy)]
struct Held {
    value: RwSignal<Option<String>>,
    rejected: RwSignal<bool>,
}

impl Held {
    fn load(key: Key) -> Self {
        Self {
            value: RwSignal::new(storage::tab_get(key.storage_key())),
            rejected: RwSignal::new(false),
        }
    }
}

/// Who is connected.
#[derive(Clone, Copy)]
pub struct Session {
    secret: Held,
    token: Held,
    connections: RwSignal<u32>,
}

impl Session {
    /// The session of this tab, as it was before the page was loaded again.
    #[must_use]
    pub fn load() -> Self {
        let session = Self {
            secret: Held::load(Key::Secret),
            token: Held::load(Key::Token),
            connections: RwSignal::new(0),
        };
        // Back may bring a page as it was left; what was forgotten or added since then counts.
        let _ = window_event_listener(ev::pageshow, move |event| {
            if event.persisted() {
                session.read_again();
            }
        });
        session
    }

    const fn held(self, key: Key) -> Held {
        match key {
            Key::Secret => self.secret,
            Key::Token => self.token,
        }
    }

    /// Takes the keys that another module of the console keeps for this tab now; none counts as refused.
    pub fn refresh(self) {
        self.read_again();
        for key in Key::ALL {
            self.held(key).rejected.set(false);
        }
    }

    fn read_again(self) {
        for key in Key::ALL {
            let (held, stored) = (self.held(key), storage::tab_get(key.storage_key()));
            if held.value.get_untracked() != stored {
                held.value.set(stored);
                held.rejected.set(false);
                self.connections
                    .update(|count| *count = count.wrapping_add(1));
            }
        }
    }

    /// Whether there is a key of any kind; it may have been refused since.
    #[must_use]
    pub fn connected(self) -> bool {
        Key::ALL.into_iter().any(|key| self.has(key))
    }

    /// Whether there is this key; it may have been refused since.
    #[must_use]
    pub fn has(self, key: Key) -> bool {
        self.held(key).value.with(Option::is_some)
    }

    /// The key for one request.
    #[must_use]
    pub fn key_untracked(self, key: Key) -> Option<String> {
        self.held(key).value.get_untracked()
    }

    /// Whether the edge refused the key that we have.
    #[must_use]
    pub fn rejected(self, key: Key) -> bool {
        self.held(key).rejected.get()
    }

    /// Keeps a key that the edge has accepted.
    pub fn connect(self, key: Key, value: &str) {
        storage::tab_set(key.storage_key(), Some(value));
        let held = self.held(key);
        held.value.set(Some(value.to_owned()));
        held.rejected.set(false);
        self.connections
            .update(|count| *count = count.wrapping_add(1));
    }

    /// Makes the caller depend on the keys: it runs again when another one is accepted.
    pub fn track(self) {
        self.connections.track();
    }

    /// Notes that the edge refused a key.
    pub fn reject(self, key: Key) {
        let held = self.held(key);
        if held.value.with_untracked(Option::is_some) && !held.rejected.get_untracked() {
            held.rejected.set(true);
        }
    }

    /// Forgets one key.
    pub fn drop_key(self, key: Key) {
        storage::tab_set(key.storage_key(), None);
        self.held(key).rejected.set(false);
        self.held(key).value.set(None);
    }

    /// Forgets both keys.
    pub fn forget(self) {
        for key in Key::ALL {
            self.drop_key(key);
        }
    }
}
