//! The event handlers that are notified of a write to a key: those of the APIs it may use, as this isolate has loaded
//! them.

use crate::ports::Platform;
use gatewright_model::policy::combined;
use gatewright_model::session::Session;
use gatewright_protocol::events::{Event, EventKind, Handler};
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_protocol::served::ServedAsk;
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_protocol::signal::Receiver;

/// The handlers of a write.
pub(super) struct Listeners {
    kind: EventKind,
    org: String,
    handlers: Vec<Handler>,
}

impl Listeners {
    /// Finds the handlers for a command and its session; `None` if there are none. An API of another organisation than
    /// the key's does not count as one it may use.
    pub(super) async fn of<P: Platform>(
        platform: &P,
        ask: &SessionAsk,
        text: &str,
    ) -> Option<Self> {
        let is_written = ask.owner == Owner::Key && ask.writes() && !ask.guard.dry_run;
        if !is_written || !platform.may_have_token_listeners() {
            return None;
        }
        let policies = ServedAsk {
            policies: Session::parse(text).ok()?.policies,
            ..ServedAsk::default()
        };
        let served = platform.served(&policies).await;
        let served = served.filter(|set| set.hears_of_tokens)?;
        let kind = match (ask.act, ask.update) {
            (Act::Remove, _) => EventKind::TokenDeleted,
            (Act::Rotate, _) | (_, true) => EventKind::TokenUpdated,
            (_, false) => EventKind::TokenCreated,
        };
        let session = combined(text, &served.into_policies())?;
        let named = |org: &str| match org {
            "" => platform.default_org().to_owned(),
            _ => org.to_owned(),
        };
        let org = named(&session.org_id);
        let rights = session.access_rights.iter();
        let apis = ServedAsk {
            apis: rights.map(|(id, _)| id.clone()).collect(),
            ..ServedAsk::default()
        };
        let served = platform.served(&apis).await?;
        let apis = served.apis.iter().filter(|api| named(&api.org_id) == org);
        let handlers: Vec<Handler> = apis
            .flat_map(|api| api.handlers.of(kind))
            .cloned()
            .collect();
        (!handlers.is_empty()).then_some(Self {
            kind,
            org,
            handlers,
        })
    }

    /// Returns the webhooks among them.
    pub(super) fn receivers(&self) -> Vec<Receiver> {
        let hooks = self.handlers.iter().filter_map(|handler| match handler {
            Handler::Hook(receiver) => Some(receiver.clone()),
            Handler::Log(_) => None,
        });
        hooks.collect()
    }

    /// Writes the log handlers' lines, once the key with this hash is written.
    pub(super) fn log<P: Platform>(&self, platform: &P, hash: &str) {
        let names = Pseudonyms::new(platform.secret().map(str::to_owned));
        let event = Event::of_token(self.kind, &self.org, &names.of(hash));
        for handler in &self.handlers {
            if let Handler::Log(prefix) = handler {
                platform.log(&event.line(prefix, &platform.now()));
            }
        }
    }
}
