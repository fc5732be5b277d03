//! Whether the gateway can be reached.

use leptos::ev;
use leptos::prelude::*;

use super::listen::listen;

/// The state of the connection.
#[derive(Clone, Copy)]
pub struct Link {
    online: RwSignal<bool>,
    reachable: RwSignal<bool>,
}

impl Link {
    /// Starts with the browser's status and follows it.
    #[must_use]
    pub fn watch() -> Self {
        let link = Self {
            online: RwSignal::new(window().navigator().on_line()),
            reachable: RwSignal::new(true),
        };
        listen(ev::online, move |_| link.online.set(true));
        listen(ev::offline, move |_| link.online.set(false));
        link
    }

    /// Records whether a request got a response.
    pub fn record(self, answered: bool) {
        if self.reachable.get_untracked() != answered {
            self.reachable.set(answered);
        }
    }

    /// Whether the browser reports a network connection.
    #[must_use]
    pub fn online(self) -> bool {
        self.online.get()
    }

    /// Whether the last request got a response.
    #[must_use]
    pub fn reachable(self) -> bool {
        self.reachable.get()
    }
}
