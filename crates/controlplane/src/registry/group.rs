//! Writes that came together, in one transaction.

use super::Registry;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Command, Reply};
use std::rc::Rc;

type Answer = Result<(Reply, String), StoreError>;

/// What was noted in the turns of before and nobody has asked for yet.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// Whether there is something new for whoever waits.
    pub(super) news: bool,
    /// Lines for the log.
    pub(super) lines: Vec<String>,
}

impl Registry {
    /// Carries out commands that came together, each with the text behind it, and answers each. What was stored
    /// is on its way to the disk when this answers, as with [`Registry::handle`].
    ///
    /// Those that only store are one transaction: what each would have SQLite keep for its own way back is
    /// kept once. If one of them fails, nothing of that has happened, and each is carried out by itself, so that
    /// it fails alone. `now` is RFC 3339 in UTC.
    pub fn handle_all(&mut self, commands: &[(Command, &str)], now: &str) -> Vec<Answer> {
        let mut answers = Vec::new();
        for group in commands.chunk_by(|(one, _), (next, _)| one.stores() && next.stores()) {
            match self.handle_group(group, now) {
                Some(together) => answers.extend(together),
                None => answers.extend(group.iter().map(|(command, text)| {
                    self.note();
                    self.handle(command, text, now)
                })),
            }
        }
        answers
    }

    /// The answers of one transaction; `None` if the commands have to be carried out one by one.
    fn handle_group(&mut self, commands: &[(Command, &str)], now: &str) -> Option<Vec<Answer>> {
        if commands.len() < 2 {
            return None;
        }
        self.note();
        let rows = Rc::clone(&self.rows);
        let mut answers = Vec::new();
        let stored = rows.together(&mut || {
            commands.iter().try_for_each(|(command, text)| {
                answers.push(Ok(self.handle(command, text, now)?));
                Ok(())
            })
        });
        let Err(error) = stored else {
            return Some(answers);
        };
        // What is in memory counts on what is not stored.
        self.state = None;
        // Where each has gone well and the transaction has not, nobody knows what is stored.
        let is_unknown = answers.len() == commands.len();
        is_unknown.then(|| commands.iter().map(|_| Err(error.clone())).collect())
    }

    /// Keeps what was noted, also if what comes next drops the state.
    pub(super) fn note(&mut self) {
        if let Some(state) = &mut self.state {
            self.noted.news |= state.journal.take_news();
            self.noted.lines.extend(state.journal.take_lines());
        }
    }
}
