//! The console's state, apart from what is on screen.
//!
//! The modules of the first group are plain values and transitions; those of the second hold signals that live as long
//! as the page and are reached through [`Console`].

pub mod access;
pub mod batch;
pub mod body_rules;
pub mod bulk;
pub mod caching;
pub mod catalogue;
pub mod certificates;
pub mod chart;
pub mod clock;
pub mod copies;
pub mod curl;
pub mod draft;
pub mod ends;
pub mod filters;
pub mod hunks;
pub mod import;
pub mod in_short;
pub mod jwt;
pub mod listing;
pub mod mappings;
pub mod mcp;
pub mod new_key;
pub mod oauth;
pub mod offers;
pub mod palette;
pub mod plan;
pub mod pretty;
pub mod query_string;
pub mod rebase;
pub mod reference;
pub mod rules;
pub mod ruleset;
pub mod scopes;
pub mod served;
pub mod sought;
pub mod span;
pub mod sse;
pub mod taken;
pub mod texts;
pub mod trail;
pub mod trial;
pub mod uptime;
pub mod used_by;
pub mod versions;
pub mod yaml;

pub mod address;
pub mod converter;
pub mod failures;
pub mod files;
pub mod handover;
pub mod link;
pub mod listen;
pub mod load;
pub mod memo;
pub mod session;
pub mod storage;
pub mod task;
pub mod theme;
pub mod toasts;
pub mod view;

use leptos::prelude::*;

use crate::api::{Api, ApiError, ReloadStatus};
use crate::routes::{self, Area};
use address::Address;
use handover::Handover;
use link::Link;
use load::Load;
pub use memo::Memo;
use session::{Key, Session};
use theme::Theme;
use toasts::Toasts;

/// Runs a closure now, and again whenever a signal that it reads changes. All effects share one compiled copy.
pub fn effect(run: impl Fn() + 'static) {
    fn boxed(run: Box<dyn Fn()>) {
        Effect::new(move |_| run());
    }
    boxed(Box::new(run));
}

/// What every page may use; small and freely copied.
#[derive(Clone, Copy)]
pub struct Console {
    /// Who is signed in.
    pub session: Session,
    /// Whether the gateway can be reached.
    pub link: Link,
    /// The client of both APIs.
    pub api: Api,
    /// The chosen theme.
    pub theme: RwSignal<Theme>,
    /// Notes about what has just happened.
    pub toasts: Toasts,
    /// The current address, and what may keep the user from leaving it.
    pub address: Address,
    /// What one page prepares for another one to open.
    pub handover: Handover,
    /// What is loaded and what is pending; fetched again after every write.
    pub board: Load<ReloadStatus>,
    /// Whether the command palette is open.
    pub palette: RwSignal<bool>,
    /// Whether the list of shortcuts is open.
    pub help: RwSignal<bool>,
}

impl Console {
    /// Creates it all and provides it to everything below the caller.
    pub fn provide(area: Area) -> Self {
        let session = Session::load();
        provide_context(session);
        let link = Link::watch();
        let api = Api::new(session, link);
        let console = Self {
            session,
            link,
            api,
            theme: RwSignal::new(Theme::stored()),
            toasts: Toasts::new(),
            address: Address::watch(area),
            handover: Handover::new(),
            board: Load::new(move || {
                let connected = session.has(Key::Secret) && !session.rejected(Key::Secret);
                async move {
                    if connected {
                        api.reload_status().await
                    } else {
                        Err(ApiError::Forbidden)
                    }
                }
            }),
            palette: RwSignal::new(false),
            help: RwSignal::new(false),
        };
        provide_context(console);
        console
    }
}

impl Console {
    /// Whether the current page is read-only with the credential in use.
    #[must_use]
    pub fn only_reads(self) -> bool {
        self.session.identity().only_reads(&self.address.path())
    }

    /// Whether the credential in use may send requests through the gateway, alone or in a batch.
    #[must_use]
    pub fn may_try(self) -> bool {
        self.session.identity().lacks(routes::TRY).is_none()
    }

    /// Loads again what a write has changed: what is pending, and what `shown` loads. If the page of that is gone, the
    /// present one may show it as well.
    pub fn wrote(self, shown: Callback<()>) {
        match shown.try_run(()) {
            Some(()) => self.board.again(),
            None => self.session.again(),
        }
    }

    /// Whether the credential in use may reload.
    #[must_use]
    pub fn may_reload(self) -> bool {
        self.session.identity().may_write(routes::RELOAD)
    }
}

/// Returns what every page may use.
///
/// # Panics
/// Outside of the app, which provides it: a mistake that the first look at the page reveals.
#[must_use]
pub fn use_console() -> Console {
    expect_context()
}
