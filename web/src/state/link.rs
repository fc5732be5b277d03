//! Whether the gateway can be reached.

use leptos::prelude::*;

/// What is known about the connection.
#[derive(Clone, Copy)]
pub struct Link {
    online: RwSignal<bool>,
    reachable: RwSignal<bool>,
}

impl Link {
    /// Begins with what the browser says, and keeps listening to it.
    #[must_use]
    pub fn watch() -> Self {
        let link = Self {
            online: RwSignal::new(window().navigator().on_line()),
            reachable: RwSignal::new(true),
        };
        let online = window_event_listener(leptos::ev::online, move |_| link.online.set(true));
        let offline = window_event_listener(leptos::ev::offline, move |_| link.online.set(false));
        on_cleanup(move || online.remove());
        on_cleanup(move || offline.remove());
        link
    }

    /// Notes whether a request got an answer.
    pub fn heard(self, answered: bool) {
        if self.reachable.get_untracked() != answered {
            self.reachable.set(answered);
        }
    }

    /// Whether the browser says it has a network.
    #[must_use]
    pub fn online(self) -> bool {
        self.online.get()
    }

    /// Whether the last request got an answer.
    #[must_use]
    pub fn reachable(self) -> bool {
        self.reachable.get()
    }
}
