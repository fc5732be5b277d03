//! Revisions that arrive in any order and repeatedly, at objects that crash: what is known is always what the highest of
//! them says.

use super::{START, ask, quota};
use gatewright_ledger::object::Object;
use gatewright_ledger::upkeep::{Chores, Stored};
use gatewright_protocol::asking::{self, FoundSession};
use gatewright_protocol::ledger::{Consume, Keep, Verdict};
use gatewright_protocol::registry::{decode, encode};
use proptest::prelude::*;

const NAME: &str = "key:a";

/// What is sent: everything about a revision follows from its number.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Kept(u64),
    Gone(u64),
    Found(u64),
    Request,
    Crash,
    Wait(u64),
}

fn sent() -> impl Strategy<Value = Vec<Sent>> {
    let revision = || 1..12_u64;
    let sent = prop_oneof![
        5 => revision().prop_map(Sent::Kept),
        2 => revision().prop_map(Sent::Gone),
        1 => revision().prop_map(Sent::Found),
        4 => Just(Sent::Request),
        2 => Just(Sent::Crash),
        2 => (0..2_000_u64).prop_map(Sent::Wait),
    ];
    proptest::collection::vec(sent, 1..60)
}

/// Every third revision resets the counters.
fn reset(revision: u64) -> u64 {
    revision / 3 * 3
}

/// An object with its storage.
struct Disk {
    object: Object,
    state: Option<String>,
    session: Option<String>,
}

impl Disk {
    fn new() -> Self {
        Self {
            object: Object::new(NAME, (None, None), START).unwrap(),
            state: None,
            session: None,
        }
    }

    fn carry_out(&mut self, chores: Chores) {
        if let Some(session) = chores.session {
            self.session = (!session.is_empty()).then_some(session);
        }
        match chores.store {
            Some(Stored::Text(text)) => self.state = Some(text),
            Some(Stored::Nothing) => (self.state, self.session) = (None, None),
            None => {}
        }
    }

    fn keep(&mut self, revision: u64, gone: bool, now: u64) -> String {
        let keep = Keep {
            revision,
            reset: reset(revision),
            gone,
            ..Keep::default()
        };
        let text = if gone {
            String::new()
        } else {
            revision.to_string()
        };
        let message = keep.with_text(&text);
        let (counters, _) = self.object.keep(&message, "", now).unwrap();
        self.chores(now);
        counters
    }

    fn chores(&mut self, now: u64) {
        let chores = self.object.chores(now);
        self.carry_out(chores);
    }

    fn learn(&mut self, revision: u64, now: u64) {
        let found = FoundSession {
            id: "a".to_owned(),
            revision,
            reset: reset(revision),
            ends: 0,
        };
        let answer = asking::answer(&found, &revision.to_string()).unwrap();
        self.object.learn(&answer, now).unwrap();
        self.chores(now);
    }

    fn consume(&mut self, ask: &Consume, now: u64) -> Verdict {
        let message = encode(ask, "").unwrap();
        let answer = self.object.consume(&message, true, now).unwrap().unwrap();
        self.chores(now);
        decode::<Verdict>(&answer).unwrap().0
    }

    fn crash(&mut self, now: u64) {
        let stored = (self.state.as_deref(), self.session.as_deref());
        self.object = Object::new(NAME, stored, now).unwrap();
    }
}

/// What has to be known: the highest revision, and whether that is an end.
#[derive(Default)]
struct Model {
    highest: u64,
    gone: bool,
}

impl Model {
    fn hear(&mut self, sent: Sent) {
        match sent {
            Sent::Kept(revision) | Sent::Found(revision) if revision > self.highest => {
                (self.highest, self.gone) = (revision, false);
            }
            Sent::Gone(revision) if revision >= self.highest => {
                (self.highest, self.gone) = (revision, true);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_highest_revision_holds_whatever_repeats_and_crashes(sent in sent()) {
        let (mut disk, mut model, mut now) = (Disk::new(), Model::default(), START);
        for sent in sent {
            model.hear(sent);
            match sent {
                Sent::Kept(revision) => {
                    disk.keep(revision, false, now);
                }
                Sent::Gone(revision) => {
                    let counters = disk.keep(revision, true, now);
                    let again = disk.keep(revision, true, now);
                    prop_assert_eq!(&counters, &again);
                    disk.crash(now);
                    prop_assert_eq!(&counters, &disk.keep(revision, true, now));
                }
                Sent::Found(revision) => disk.learn(revision, now),
                Sent::Request => {
                    let ask = Consume { revision: Some(model.highest), ..ask(&[quota(9, 60_000)]) };
                    let verdict = disk.consume(&ask, now);
                    let is_known = model.highest > 0 && !model.gone;
                    prop_assert_eq!(verdict != Verdict::Unknown, is_known, "{:?}", verdict);
                    let is_stale = matches!(verdict, Verdict::Stale { .. });
                    prop_assert!(!is_stale, "{:?}", verdict);
                }
                Sent::Crash => disk.crash(now),
                Sent::Wait(ms) => now += ms,
            }
            let kept = disk.object.kept();
            let known = kept.as_deref().map(|answer| asking::found(answer).unwrap().unwrap());
            let text = known.map(|(found, text)| (found.revision, found.reset, text.to_owned()));
            let expected = (model.highest, reset(model.highest), model.highest.to_string());
            let is_known = model.highest > 0 && !model.gone;
            prop_assert_eq!(text, is_known.then_some(expected));
        }
    }

    #[test]
    fn no_admission_is_lost_between_resets(revisions in proptest::collection::vec(1..12_u64, 1..40)) {
        // Each revision is admitted once; what was admitted since the last reset stays counted.
        let mut disk = Disk::new();
        let (mut highest, mut used) = (0, 0_u64);
        for revision in revisions {
            disk.keep(revision, false, START);
            if revision > highest {
                if reset(revision) > reset(highest) {
                    used = 0;
                }
                highest = revision;
            }
            let ask = Consume { revision: Some(highest), ..ask(&[quota(5, 60_000)]) };
            let verdict = disk.consume(&ask, START);
            prop_assert_eq!(matches!(verdict, Verdict::Admitted(_)), used < 5);
            used = (used + 1).min(5);
        }
    }
}
