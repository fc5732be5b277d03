//! Ids that the form offers, fetched from the gateway when a field first needs them.

use gatewright_web::api::Api;
use gatewright_web::state::link::Link;
use gatewright_web::state::load::Load;
use gatewright_web::state::offers::Offer;
use gatewright_web::state::palette::Entry;
use gatewright_web::state::palette::sources::{Answer, Source};
use gatewright_web::state::session::Session;
use leptos::prelude::*;

/// The ids of one kind.
#[derive(Clone, Copy)]
struct Ids {
    /// The text typed last; `None` until a field needs the ids.
    wanted: RwSignal<Option<String>>,
    found: Load<Answer>,
}

impl Ids {
    fn of(source: Source, api: Api) -> Self {
        let wanted = RwSignal::new(None::<String>);
        let found = Load::new(move || {
            let wanted = wanted.get();
            async move {
                match wanted {
                    Some(typed) => source.ask(api, &typed).await,
                    None => Ok(Answer::default()),
                }
            }
        });
        Self { wanted, found }
    }

    fn offered(self, typed: String) -> Vec<(String, String)> {
        let answer = self.found.good().unwrap_or_default();
        // A complete list is not fetched again.
        let next = match self.wanted.get_untracked() {
            None => Some(String::new()),
            Some(requested) if answer.more || !requested.is_empty() => {
                (requested != typed).then_some(typed)
            }
            Some(_) => None,
        };
        if let Some(next) = next {
            let wanted = self.wanted;
            // Deferred: the list that this changes is being rendered right now.
            queue_microtask(move || drop(wanted.try_set(Some(next))));
        }
        let pair = |entry: Entry| (entry.id, entry.name);
        answer.entries.into_iter().map(pair).collect()
    }
}

/// Returns the ids to offer for a kind and a typed text.
pub(super) fn offered() -> Callback<(Offer, String), Vec<(String, String)>> {
    let session = Session::load();
    let api = Api::new(session, Link::watch());
    let [apis, policies, hooks] =
        [Source::Apis, Source::Policies, Source::Webhooks].map(|source| Ids::of(source, api));
    Callback::new(move |(offer, typed)| {
        let ids = match offer {
            Offer::Apis => apis,
            Offer::Policies => policies,
            Offer::Hooks => hooks,
        };
        ids.offered(typed)
    })
}
