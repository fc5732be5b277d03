//! The sessions that decisions are based on: looked up, learnt from a Ledger, and used to decide again.

use super::{Next, Run, Waiting, Wanted};
use crate::chain::Link;
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::counters::{Counter, Scope};
use crate::exchange::Lookup;
use crate::failure::{Failure, Reply};
use crate::identity::{Credential, Stored};
use crate::links::organisation;
use crate::sessions::Known;
use gatewright_protocol::error::StoreError;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Run {
    /// Takes the result of a session lookup.
    pub(super) fn found(&mut self, found: Result<Option<Stored>, StoreError>) -> Next {
        match found {
            Err(_) => {
                self.exchange.remark("Its session can't be looked up");
                let chain = Rc::clone(&self.exchange.chain);
                let asking = chain.links.get(self.at).map_or("auth_token", Link::name);
                self.end_step(asking, Phase::Request, Ended::Refused);
                self.finish(Reply::from(Failure::LimitsUnavailable))
            }
            Ok(None) => {
                self.note_stranger(false);
                self.exchange.lookup = Lookup::Missing;
                self.links()
            }
            Ok(Some(stored)) => {
                self.note_stranger(true);
                if let Some(credential) = self.exchange.credential.clone() {
                    self.remember(&credential, stored);
                }
                self.links()
            }
        }
    }

    /// Remembers whether a token turned out to be a key.
    fn note_stranger(&self, is_key: bool) {
        let exchange = &self.exchange;
        let (Some(credential @ Credential::Token(_)), Lookup::Asked(at)) =
            (&exchange.credential, exchange.lookup)
        else {
            return;
        };
        let name = credential.cached(exchange.org());
        let (sender, now) = (exchange.sender(), exchange.isolate.now_ms());
        let limit = exchange.isolate.config().strangers;
        let mut sessions = exchange.isolate.sessions().borrow_mut();
        let strangers = &mut sessions.strangers;
        match is_key {
            true => strangers.record_key(sender, limit),
            false => strangers.record_unknown(&name, sender, limit, (at, now)),
        }
        // A client using a key that was just removed is not making up tokens.
        let was_key = exchange.key.session.is_some();
        if was_key && !is_key {
            strangers.forgive(sender, limit);
        }
    }

    /// Caches a credential's session in the isolate, where the link that needs it looks it up.
    fn remember(&mut self, credential: &Credential, stored: Stored) {
        let exchange = &mut self.exchange;
        let policies = (exchange.snapshot.generation, &exchange.snapshot.policies);
        let known = Known::new(stored.hash, stored.revision, stored.text, policies);
        let known = Rc::new(known);
        let name = credential.cached(exchange.org());
        exchange.note(|| format!("Its session: {}, revision {}", known.hash, known.revision));
        let sessions = exchange.isolate.sessions();
        sessions.borrow_mut().put(&name, Rc::clone(&known));
        exchange.found = Some((credential.clone(), known));
    }

    pub(super) fn learn_organisation(&mut self, revision: u64, text: String) {
        let org = self.exchange.org().to_owned();
        let none = BTreeMap::new();
        let known = Rc::new(Known::new(org.clone(), revision, text, (0, &none)));
        let sessions = self.exchange.isolate.sessions();
        sessions
            .borrow_mut()
            .put(&organisation::cached(&org), known);
        let fresh = organisation::counter(&self.exchange, &org);
        let counters = &mut self.exchange.counters;
        if let Some(counter) = counters
            .iter_mut()
            .find(|counter| counter.scope == Scope::Organisation)
        {
            *counter = fresh;
        }
    }

    pub(super) fn learn_key(&mut self, revision: u64, text: String) {
        if let Some((credential, known)) = self.exchange.decided_with() {
            let stored = Stored {
                hash: known.hash.clone(),
                revision,
                text,
            };
            self.remember(&credential, stored);
        }
    }

    /// Removes the other sessions that the request was decided with, so that they are looked up anew.
    pub(super) fn forget_others(&self) {
        let exchange = &self.exchange;
        for (credential, _) in exchange.others() {
            let name = credential.cached(exchange.org());
            exchange.isolate.sessions().borrow_mut().remove(&name);
        }
    }

    /// Decides again from the first auth link on, with the newer session or after looking it up anew.
    pub(super) fn again(&mut self, is_known: bool) -> Next {
        let exchange = &mut self.exchange;
        if let (Some((credential, _)), false) = (exchange.decided_with(), is_known) {
            let name = credential.cached(exchange.org());
            exchange.isolate.sessions().borrow_mut().remove(&name);
        }
        exchange.forget_identity();
        let of_key =
            |counter: &Counter| matches!(counter.scope, Scope::Other | Scope::Key | Scope::Pattern);
        let counters = self.exchange.counters.iter();
        let returned = self.give_back(counters.filter(|counter| of_key(counter)));
        self.exchange.counters.retain(|counter| !of_key(counter));
        let mut links = self.exchange.chain.links.iter();
        self.at = links.position(Link::is_auth).unwrap_or(self.at);
        if returned.is_empty() {
            return self.links();
        }
        // Another Ledger takes back what it counted for the old session.
        self.waiting = Waiting::GivenBack(None);
        Next::Need(Wanted::Counters(returned))
    }
}

#[cfg(test)]
mod tests;
