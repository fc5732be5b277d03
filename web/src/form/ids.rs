//! Ids that the form offers, as the gateway knows them: asked for when a field wants them.

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
    /// What was typed last; nothing as long as no field wants them.
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
        // A list that is here as a whole is not asked for again.
        let next = match self.wanted.get_untracked() {
            None => Some(String::new()),
            Some(asked) if answer.more || !asked.is_empty() => (asked != typed).then_some(typed),
            Some(_) => None,
        };
        if let Some(next) = next {
            let wanted = self.wanted;
            // Not while the list is being shown that it changes.
            queue_microtask(move || drop(wanted.try_set(Some(next))));
        }
        let pair = |entry: Entry| (entry.id, entry.name);
        answer.entries.into_iter().map(pair).collect()
    }
}

/// What is offered for a kind and what is typed.
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
