//! An isolate that knows organisations and nothing else.

use crate::config::IdentityConfig;
use crate::isolate::{Asked, Direct, Isolate};
use crate::leases::Leases;
use crate::proofs::Proofs;
use crate::sessions::Sessions;
use crate::snapshot::Api;
use crate::upstreams::Upstreams;
use gatewright_protocol::events::Event;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::cell::RefCell;
use std::rc::Rc;

/// An isolate in which these organisations have a session.
struct Orgs {
    sessions: RefCell<Sessions>,
    leases: RefCell<Leases>,
    upstreams: RefCell<Upstreams>,
    proofs: RefCell<Proofs>,
    config: IdentityConfig,
    orgs: &'static [&'static str],
}

impl Isolate for Orgs {
    fn now_ms(&self) -> u64 {
        crate::testing::NOW_MS
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        &self.sessions
    }

    fn proofs(&self) -> &RefCell<Proofs> {
        &self.proofs
    }

    fn trust(&self) -> (u64, Rc<str>) {
        (0, "".into())
    }

    fn has_session(&self, org: &str) -> bool {
        self.orgs.contains(&org)
    }

    fn config(&self) -> &IdentityConfig {
        &self.config
    }

    fn leases(&self) -> &RefCell<Leases> {
        &self.leases
    }

    fn upstreams(&self) -> &RefCell<Upstreams> {
        &self.upstreams
    }

    fn answers(&self) -> &RefCell<crate::upstreams::Answers> {
        unreachable!()
    }

    fn count_directly(&self, _: &str, _: &Consume) -> Direct {
        Direct::Elsewhere
    }

    fn counted(&self, _: &str, _: Asked<'_>, _: &Verdict) {}

    fn missed(&self, _: &str) {}

    fn raise(&self, _: &Api, _: Event) {}
}

pub(in crate::driver) fn isolate(orgs: &'static [&'static str]) -> Rc<dyn Isolate> {
    Rc::new(Orgs {
        sessions: RefCell::default(),
        leases: RefCell::default(),
        upstreams: RefCell::default(),
        proofs: RefCell::default(),
        config: IdentityConfig::default(),
        orgs,
    })
}
