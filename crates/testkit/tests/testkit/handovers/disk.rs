//! What an object of Ledgers has stored, as `worker/src/objects/owners.js` does it: rows by name, or the only owner.

use std::collections::BTreeMap;

/// How many owners one alarm looks after.
const MAX_PER_ALARM: usize = 500;

/// The form in which an object stores its owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Rows,
    Own,
}

/// Everything that is stored. An object uses one form of it, unless it mistakes itself for another.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    /// The states, and when each has to be looked after.
    pub(super) rows: BTreeMap<String, (String, Option<u64>)>,
    pub(super) kept: BTreeMap<String, String>,
    pub(super) own: Option<String>,
    pub(super) own_session: Option<String>,
    /// Whether there are tables.
    pub(super) has_tables: bool,
}

impl Disk {
    pub(super) fn get(&self, form: Form, name: &str) -> (Option<String>, Option<String>) {
        match form {
            Form::Own => (self.own.clone(), self.own_session.clone()),
            Form::Rows => match self.rows.get(name) {
                Some((state, _)) => (Some(state.clone()), self.kept.get(name).cloned()),
                None => (None, None),
            },
        }
    }

    pub(super) fn put(&mut self, form: Form, name: &str, state: &str) {
        match form {
            Form::Own => self.own = Some(state.to_owned()),
            Form::Rows => state.clone_into(&mut self.rows.entry(name.to_owned()).or_default().0),
        }
    }

    pub(super) fn put_session(&mut self, form: Form, name: &str, session: &str) {
        let session = (!session.is_empty()).then(|| session.to_owned());
        match (form, session) {
            (Form::Own, session) => self.own_session = session,
            (Form::Rows, Some(session)) => drop(self.kept.insert(name.to_owned(), session)),
            (Form::Rows, None) => drop(self.kept.remove(name)),
        }
    }

    pub(super) fn drop_owner(&mut self, form: Form, name: &str) {
        match form {
            Form::Own => *self = Self::default(),
            Form::Rows => {
                self.rows.remove(name);
                self.kept.remove(name);
            }
        }
    }

    /// Records when an owner is due. Returns when the alarm has to fire.
    pub(super) fn wake(&mut self, form: Form, name: &str, at: u64) -> Option<u64> {
        match form {
            Form::Own => Some(at),
            Form::Rows => {
                if let Some(row) = self.rows.get_mut(name) {
                    row.1 = Some(at);
                }
                self.next()
            }
        }
    }

    /// Returns when the first owner is due.
    pub(super) fn next(&self) -> Option<u64> {
        self.rows.values().filter_map(|(_, due)| *due).min()
    }

    /// Takes the owners that are due.
    pub(super) fn take_due(&mut self, now: u64) -> Vec<String> {
        let due = self.rows.iter_mut();
        let due = due.filter(|(_, (_, due))| due.is_some_and(|due| due <= now));
        let due = due.take(MAX_PER_ALARM).map(|(name, (_, due))| {
            *due = None;
            name.clone()
        });
        due.collect()
    }
}
