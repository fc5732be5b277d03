//! The other keys of a request. Their limits don't count, but each of them has to be current.

use super::Credential;
use crate::counters::{Counter, Scope};
use crate::exchange::Exchange;
use crate::sessions::Known;
use gatewright_protocol::sessions::Owner;
use std::rc::Rc;

impl Exchange {
    /// The stored sessions, beside that of the identity, that the request is decided with: those of other methods, of
    /// the key that a token's policy is read from, and of a credential that was refused after others had passed.
    #[must_use]
    pub fn others(&self) -> Vec<(Credential, Rc<Known>)> {
        let refused = self.looked_up();
        let refused = refused
            .as_ref()
            .map(|(credential, known)| (credential, known));
        let identity = self.identity.as_ref().map(|identity| &identity.known);
        let own = identity.or(refused.map(|(_, known)| known));
        let passed = self.passed.iter().flat_map(|passed| {
            let client = passed.client.as_ref();
            let client = client.map(|(credential, known)| (credential, known));
            [Some((&passed.credential, &passed.known)), client]
        });
        let mut others: Vec<(Credential, Rc<Known>)> = Vec::new();
        for (credential, known) in passed.chain([refused]).flatten() {
            let is_same = |other: &Rc<Known>| other.hash == known.hash;
            let is_there =
                own.is_some_and(is_same) || others.iter().any(|(_, other)| is_same(other));
            if !known.is_derived && !is_there {
                others.push((credential.clone(), Rc::clone(known)));
            }
        }
        others
    }

    /// Adds counters that confirm [`Self::others`], unless they are there.
    pub fn confirm_others(&mut self) {
        let is_other = |counter: &Counter| counter.scope == Scope::Other;
        if self.counters.iter().any(is_other) {
            return;
        }
        for (_, known) in self.others() {
            let ledger = Owner::Key.ledger(&known.hash);
            let revision = known.revision();
            self.count(Counter::new(Scope::Other, ledger, revision, Vec::new()));
        }
    }
}
