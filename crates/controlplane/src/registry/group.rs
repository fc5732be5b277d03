//! Writes that arrived together, in one transaction.

use super::handover::Handovers;
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

/// A reply, and what Ledgers have to keep before it leaves.
pub(super) type Answered = (Replied, Handovers);

impl Registry {
    /// Carries out commands that arrived together, each with its accompanying text, in the transaction that the caller
    /// has opened, and returns their replies in order. `None` if one of them fails: then the caller has to roll back, and
    /// carries out each on its own with [`Registry::handle`], so that it fails alone; or, if they want sessions
    /// ([`Registry::take_wanted`]), all of them again once these are lent. `now` is RFC 3339 in UTC.
    ///
    /// Commands that only store have no transactions of their own: within another one, SQLite would copy each page before
    /// changing it, which takes as long as writing it. Where others are among them, which must not be carried out twice,
    /// each command has its own, and an error is its reply.
    pub fn handle_all(&mut self, commands: &[(Command, &str)], now: &str) -> Option<Vec<Answered>> {
        self.note();
        self.want(commands, now).ok()?;
        if self.rows.wants() {
            return None;
        }
        if !commands.iter().all(|(command, _)| command.stores()) {
            let each = commands.iter();
            let replies = each.map(|(command, text)| {
                self.note();
                let reply = self.handle(command, text, now);
                (reply, self.take_handovers())
            });
            return Some(replies.collect());
        }
        let rows = Rc::clone(&self.rows);
        let mut answers = Vec::with_capacity(commands.len());
        let stored = rows.together(&mut || {
            commands.iter().try_for_each(|(command, text)| {
                let reply = self.handle(command, text, now)?;
                answers.push((Ok(reply), self.take_handovers()));
                Ok(())
            })
        });
        if stored.is_err() {
            // The state in memory assumes what is rolled back.
            self.state = None;
        }
        stored.is_ok().then_some(answers)
    }

    /// Preserves what the journal has recorded, in case the state is dropped next.
    pub(super) fn note(&mut self) {
        if let Some(state) = &mut self.state {
            self.noted.news |= state.journal.take_news();
            self.noted.lines.extend(state.journal.take_lines());
        }
    }
}
