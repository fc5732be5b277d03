//! Credentials that are verified by the extra `auth` (`extras/auth`), for which the platform fetches key sets, checks
//! signatures and asks other servers (`worker/src/proofs.js`). An isolate remembers what has been verified for as long
//! as it is valid.
//!
//! The promise: nothing is remembered beyond its stated lifetime, nor under definitions, policies or scope mappings
//! other than those it was verified with; and no credential is stored in what is remembered.

use crate::identity::{Credential, Method};
use crate::recent::{Recent, Size};
use crate::sessions::Known;
use gatewright_protocol::digest::digest;
use std::rc::Rc;

/// A question about a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofCall {
    /// The function of the extra.
    pub function: &'static str,
    /// The definition's settings, as JSON. They are the same for every request.
    pub settings: Rc<str>,
    /// The relevant facts of the request, as JSON.
    pub facts: String,
}

/// A verified credential.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The credential that its session is or would be stored under.
    pub credential: Credential,
    /// The session.
    pub known: Rc<Known>,
    /// The variables that come with it: a JSON object of texts; empty if there are none.
    pub claims: Rc<str>,
    /// When it expires, in Unix milliseconds.
    pub until: u64,
}

impl Size for Proved {
    fn bytes(&self) -> usize {
        self.claims.len().saturating_add(self.known.bytes())
    }
}

/// Verified credentials by name.
#[derive(Debug, Default)]
pub struct Proofs {
    /// Makes the hashed names of credentials useless outside this isolate.
    salt: String,
    recent: Recent<Proved>,
}

impl Proofs {
    /// Creates an empty store; the salt is a random text.
    #[must_use]
    pub fn new(salt: String) -> Self {
        Self {
            salt,
            ..Self::default()
        }
    }

    /// The name a credential is remembered under. `of` is what else its proof depends on.
    #[must_use]
    pub fn name(&self, method: Method, of: &[&str], credential: &str) -> String {
        let mut parts = vec![self.salt.as_bytes(), method.config().as_bytes()];
        parts.extend(of.iter().map(|part| part.as_bytes()));
        parts.push(credential.as_bytes());
        digest(&parts)
    }

    /// Returns a verified credential, if it is valid at this time under the policies of this generation.
    pub fn get(&mut self, name: &str, generation: u64, now: u64) -> Option<Rc<Proved>> {
        let holds = |proved: &Proved| now < proved.until && proved.known.generation == generation;
        self.recent.get(name, holds)
    }

    /// Remembers a verified credential.
    pub fn put(&mut self, name: String, proved: Rc<Proved>) {
        self.recent.put(name, proved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn proved(generation: u64, until: u64) -> Rc<Proved> {
        let policies = (generation, &BTreeMap::new());
        let known = Known::derived("h".to_owned(), "{}".to_owned(), policies);
        Rc::new(Proved {
            credential: Credential::Token("t".to_owned()),
            known: Rc::new(known),
            claims: "".into(),
            until,
        })
    }

    #[test]
    fn a_proof_holds_until_its_time_and_under_its_policies() {
        let mut proofs = Proofs::new("salt".to_owned());
        let name = proofs.name(Method::Jwt, &["api"], "token");
        proofs.put(name.clone(), proved(7, 1000));
        assert!(proofs.get(&name, 7, 999).is_some());
        assert!(proofs.get(&name, 7, 1000).is_none());
        assert!(proofs.get(&name, 8, 999).is_none());
    }

    #[test]
    fn each_part_of_a_name_counts() {
        let proofs = Proofs::new("salt".to_owned());
        let name = proofs.name(Method::Jwt, &["api"], "token");
        for other in [
            proofs.name(Method::OpenId, &["api"], "token"),
            proofs.name(Method::Jwt, &["other"], "token"),
            proofs.name(Method::Jwt, &["api"], "tokens"),
            proofs.name(Method::Jwt, &["apit"], "oken"),
            Proofs::new("pepper".to_owned()).name(Method::Jwt, &["api"], "token"),
        ] {
            assert_ne!(name, other);
        }
    }
}
