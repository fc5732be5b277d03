//! The other keys of a request. Their limits don't count, but each of them has to be current.

use super::{Credential, Identity};
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
        let own = self.decided_with().map(|(_, known)| known.hash.clone());
        let refused = self.credential.as_ref().and_then(|credential| {
            let name = credential.cached(self.org());
            let mut sessions = self.isolate.sessions().borrow_mut();
            let known = sessions.get(&name, self.snapshot.generation)?;
            Some((credential.clone(), known))
        });
        let of = |passed: &Identity| {
            let stored = (passed.credential.clone(), Rc::clone(&passed.known));
            [Some(stored), passed.client.clone()]
        };
        let all = self.passed.iter().flat_map(of).chain([refused]).flatten();
        let mut others: Vec<(Credential, Rc<Known>)> = Vec::new();
        for (credential, known) in all {
            let is_same = |(_, other): &(Credential, Rc<Known>)| other.hash == known.hash;
            let is_own = own.as_ref() == Some(&known.hash);
            if !known.is_derived && !is_own && !others.iter().any(is_same) {
                others.push((credential, known));
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
