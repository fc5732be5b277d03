//! Writes that arrived together, in one transaction.

use super::{Registry, Replied};
use gatewright_protocol::registry::Command;
use std::rc::Rc;

/// What earlier turns have recorded and nobody has collected yet.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// Whether there is something new for waiting streams and deliveries.
    pub(super) news: bool,
    /// Lines for the log.
    pub(super) lines: Vec<String>,
}

impl Registry {
    /// Carries out commands that arrived together, each with its accompanying text, and returns their replies in order.
    /// What was stored is on its way to the disk when this returns, as with [`Registry::handle`].
    ///
    /// Consecutive commands that only store share one transaction, so SQLite keeps what it needs for a rollback only
    /// once. If one of them fails, the transaction is rolled back and each is carried out on its own, so that it fails
    /// alone. `now` is RFC 3339 in UTC.
    pub fn handle_all(&mut self, commands: &[(Command, &str)], now: &str) -> Vec<Replied> {
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

    /// Returns the replies of one transaction; `None` if the commands have to be carried out one by one.
    fn handle_group(&mut self, commands: &[(Command, &str)], now: &str) -> Option<Vec<Replied>> {
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
        // The state in memory assumes what was rolled back.
        self.state = None;
        // If every command succeeded but the transaction failed, what is stored is unknown.
        let is_unknown = answers.len() == commands.len();
        is_unknown.then(|| commands.iter().map(|_| Err(error.clone())).collect())
    }

    /// Preserves what the journal has recorded, in case the state is dropped next.
    pub(super) fn note(&mut self) {
        if let Some(state) = &mut self.state {
            self.noted.news |= state.journal.take_news();
            self.noted.lines.extend(state.journal.take_lines());
        }
    }
}
