//! The administration secret: kept for this tab (session storage) and forgotten with it.

use leptos::prelude::*;

use super::storage;

const KEY: &str = "gatewright.secret";

/// Who is connected.
#[derive(Clone, Copy)]
pub struct Session {
    secret: RwSignal<Option<String>>,
    rejected: RwSignal<bool>,
    connections: RwSignal<u32>,
}

impl Session {
    /// The session of this tab, as it was before the page was loaded again.
    #[must_use]
    pub fn load() -> Self {
        Self {
            secret: RwSignal::new(storage::tab_get(KEY)),
            rejected: RwSignal::new(false),
            connections: RwSignal::new(0),
        }
    }

    /// Whether there is a secret; it may have been refused since.
    #[must_use]
    pub fn connected(self) -> bool {
        self.secret.with(Option::is_some)
    }

    /// The secret for one request.
    #[must_use]
    pub fn secret_untracked(self) -> Option<String> {
        self.secret.get_untracked()
    }

    /// Whether the gateway refused the secret we have.
    #[must_use]
    pub fn rejected(self) -> bool {
        self.rejected.get()
    }

    /// Keeps a secret that the gateway has accepted.
    pub fn connect(self, secret: &str) {
        storage::tab_set(KEY, Some(secret));
        self.secret.set(Some(secret.to_owned()));
        self.rejected.set(false);
        self.connections
            .update(|count| *count = count.wrapping_add(1));
    }

    /// Makes the caller depend on the secret: it runs again when another one is accepted.
    pub fn track(self) {
        self.connections.track();
    }

    /// Notes that the gateway refused the secret.
    pub fn reject(self) {
        if self.secret.with_untracked(Option::is_some) && !self.rejected.get_untracked() {
            self.rejected.set(true);
        }
    }

    /// Forgets the secret.
    pub fn forget(self) {
        storage::tab_set(KEY, None);
        self.rejected.set(false);
        self.secret.set(None);
    }
}
