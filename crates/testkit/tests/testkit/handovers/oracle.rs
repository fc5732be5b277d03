//! What has to hold: what was stored about each session, in order, up to where that was acknowledged, and what was counted.

use gatewright_controlplane::registry::handover::Handovers;
use gatewright_protocol::ledger::{Consume, Keep, Verdict};
use gatewright_testkit::sqlite::{Sql as _, Sqlite};
use std::collections::{BTreeMap, BTreeSet};

/// The quota of every key.
pub(super) const QUOTA: u64 = 8;

/// A state of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) revision: u64,
    /// Whether there is no session.
    pub(super) is_gone: bool,
    /// When it ends, in Unix milliseconds; 0 for never.
    ends: u64,
    reset: u64,
    epoch: usize,
}

/// What is counted from one reset to the next.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    admitted: u64,
    /// How many crashes there were before.
    crashes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Oracle {
    /// By the name of the Ledger. The first of each is that there is no session.
    states: BTreeMap<String, Vec<Commit>>,
    /// The index of the last state that is acknowledged.
    floors: BTreeMap<String, usize>,
    epochs: Vec<Epoch>,
    pub(super) crashes: u64,
    /// What imported sessions have used.
    pub(super) imported: BTreeMap<String, u64>,
    pub(super) faults: Vec<String>,
    /// How many requests were admitted, refused, and unknown.
    pub(super) requests: [u64; 3],
}

impl Oracle {
    pub(super) fn states(&mut self, name: &str) -> &mut Vec<Commit> {
        let none = Commit {
            is_gone: true,
            ..Commit::default()
        };
        let states = self.states.entry(name.to_owned());
        states.or_insert_with(|| vec![none])
    }

    /// Returns what holds now by the index.
    pub(super) fn current(&mut self, name: &str) -> Commit {
        self.states(name).last().copied().unwrap()
    }

    pub(super) fn floor(&self, name: &str) -> usize {
        self.floors.get(name).copied().unwrap_or(0)
    }

    pub(super) fn committed(&mut self, handovers: &Handovers, sql: &Sqlite) {
        for handover in &handovers.list {
            let (keep, _) = Keep::read(&handover.message).unwrap();
            self.push(&handover.ledger, &keep, &handover.after);
        }
        if handovers.drains {
            self.given_up(sql);
        }
    }

    /// An import that is given up ends sessions without naming them.
    fn given_up(&mut self, sql: &Sqlite) {
        let ended = "SELECT owner || ':' || id, revision FROM session_ended";
        for mut row in sql.query(ended, &[]).unwrap() {
            let (name, revision): (String, u64) = (row.text().unwrap(), row.number().unwrap());
            let current = self.current(&name);
            if !current.is_gone && current.revision < revision {
                let end = Keep {
                    revision,
                    gone: true,
                    ..Keep::default()
                };
                self.push(&name, &end, "");
            }
        }
    }

    fn push(&mut self, name: &str, keep: &Keep, after: &str) {
        let last = self.current(name);
        // The number of an end is its own; the revision of an imported session may come again.
        let is_known = |it: &Commit| it.is_gone && it.revision == keep.revision;
        if (last.revision, last.is_gone) == (keep.revision, keep.gone)
            || (keep.gone && self.states(name).iter().any(is_known))
        {
            return;
        }
        let epoch = if keep.gone {
            last.epoch
        } else if !after.is_empty() {
            let before = self.states(after).iter().rev().find(|it| !it.is_gone);
            before.unwrap().epoch
        } else if !last.is_gone && last.reset == keep.reset {
            last.epoch
        } else {
            let used = self.imported.remove(name).filter(|_| keep.over > 0);
            self.epochs.push(Epoch {
                admitted: used.unwrap_or(0),
                crashes: self.crashes,
            });
            self.epochs.len() - 1
        };
        self.states(name).push(Commit {
            revision: keep.revision,
            is_gone: keep.gone,
            ends: keep.ends,
            reset: keep.reset,
            epoch,
        });
    }

    /// A write of this revision was acknowledged, or read.
    pub(super) fn acknowledge(&mut self, name: &str, revision: u64) {
        let states = self.states(name);
        let at = states
            .iter()
            .rposition(|it| !it.is_gone && it.revision == revision);
        self.raise(name, at);
    }

    /// The end of the session with this revision was acknowledged.
    pub(super) fn acknowledge_end(&mut self, name: &str, revision: u64) {
        let states = self.states(name);
        let at = states
            .iter()
            .rposition(|it| !it.is_gone && it.revision == revision);
        let at = at.and_then(|at| {
            states
                .iter()
                .skip(at)
                .position(|it| it.is_gone)
                .map(|it| it + at)
        });
        self.raise(name, at);
    }

    /// Somebody who began to read at this floor has read that there is no session.
    pub(super) fn acknowledge_none(&mut self, name: &str, floor: usize) {
        let states = self.states(name);
        let at = states.iter().skip(floor).position(|it| it.is_gone);
        self.raise(name, at.map(|at| at + floor));
    }

    fn raise(&mut self, name: &str, at: Option<usize>) {
        if let Some(at) = at {
            let floor = self.floors.entry(name.to_owned()).or_default();
            *floor = (*floor).max(at);
        }
    }

    /// Checks what a request was decided with, `None` for no session. It began at this time, when the floor was this one.
    pub(super) fn requested(
        &mut self,
        name: &str,
        found: Option<u64>,
        (floor, begun): (usize, u64),
        now: u64,
    ) -> Option<String> {
        let states = self.states(name);
        let mut later = states.iter().skip(floor);
        let holds = match found {
            Some(revision) => later.any(|it| {
                !it.is_gone && it.revision == revision && (it.ends == 0 || it.ends > begun)
            }),
            None => later.any(|it| it.is_gone || (it.ends > 0 && it.ends <= now)),
        };
        let expected: Vec<String> = states
            .iter()
            .skip(floor)
            .map(|it| format!("{}{}", it.revision, if it.is_gone { " ended" } else { "" }))
            .collect();
        (!holds).then(|| format!("{name}: decided with {found:?}, not one of {expected:?}"))
    }

    /// Checks what a Ledger has counted.
    pub(super) fn counted(
        &mut self,
        name: &str,
        ask: &Consume,
        verdict: &Verdict,
    ) -> Option<String> {
        if ask.counts.is_empty() {
            return None;
        }
        let is_admitted = match verdict {
            Verdict::Admitted(_) | Verdict::Leased(..) => !ask.peek,
            Verdict::Refused { .. } => false,
            Verdict::Stale { .. } | Verdict::Unknown => return None,
        };
        let states = self.states(name);
        let known = states
            .iter()
            .rev()
            .find(|it| !it.is_gone && Some(it.revision) == ask.revision);
        let Some(known) = known.copied() else {
            return Some(format!("{name}: counted with {:?}", ask.revision));
        };
        let crashes = self.crashes;
        let epoch = self.epochs.get_mut(known.epoch)?;
        epoch.admitted += u64::from(is_admitted);
        let exact = QUOTA.saturating_sub(epoch.admitted);
        // A crash costs what was stored in advance.
        let least = exact.saturating_sub(crashes - epoch.crashes);
        let left = verdict.standings().first()?.remaining;
        let is_wrong = epoch.admitted > QUOTA || left > exact || left < least;
        let Epoch { admitted, .. } = *epoch;
        is_wrong.then(|| {
            format!(
                "{name}@{}: {left} left of {QUOTA} after {admitted}, expected {least} to {exact}",
                known.revision
            )
        })
    }

    /// Returns the sessions that there are, by their last states, other than those whose time is over.
    pub(super) fn living(&self, now: u64) -> BTreeSet<(String, u64)> {
        let states = self.states.iter();
        let living = states.filter_map(|(name, states)| {
            let last = states.last().filter(|it| !it.is_gone)?;
            (last.ends == 0 || last.ends > now).then(|| (name.clone(), last.revision))
        });
        living.collect()
    }
}
