//! The Registry: the one owner of every administered document.
//!
//! The promise: a write is decided and stored in one step that nothing can interleave, so ids,
//! routes and revisions are consistent, and what was acknowledged is durable. The Durable Object
//! gives the atomicity (one thread, and all writes of one turn commit together:
//! <https://developers.cloudflare.com/durable-objects/best-practices/access-durable-objects-storage/>);
//! every decision is made here, over the synchronous [`rows::Rows`].

pub mod index;
pub mod protocol;
pub mod publish;
mod read;
pub mod rows;
mod versions;
mod write;

use crate::error::StoreError;
use index::Index;
use protocol::{Command, Refusal, Reply};
use rows::Rows;

/// The Registry over its stored rows.
#[derive(Debug)]
pub struct Registry<R> {
    rows: R,
    /// What is known about each document, kept in memory because lists and route checks need
    /// all of it. Dropped whenever a write to the rows fails, and read anew.
    index: Option<Index>,
}

impl<R: Rows> Registry<R> {
    /// Opens the Registry; nothing is read before the first command.
    pub fn new(rows: R) -> Self {
        Self { rows, index: None }
    }

    /// True if the last reload has not ended: it failed, or was cut off.
    ///
    /// # Errors
    /// When the rows can't be read.
    pub fn is_unfinished(&mut self) -> Result<bool, StoreError> {
        publish::is_unfinished(&self.rows)
    }

    /// Answers if the rows can be read.
    ///
    /// # Errors
    /// When they can't.
    pub fn ping(&self) -> Result<(), StoreError> {
        self.rows.value("ping").map(drop)
    }

    /// Carries out one command. `now` is RFC 3339 in UTC.
    ///
    /// # Errors
    /// When the rows can't be read or written; then nothing has changed.
    pub fn handle(
        &mut self,
        command: &Command,
        text: &str,
        now: &str,
    ) -> Result<(Reply, String), StoreError> {
        let mut index = match self.index.take() {
            Some(index) => index,
            None => Index::load(&self.rows)?,
        };
        let answer = match command {
            Command::Write(write) => write::write(&self.rows, &mut index, write, text, now),
            Command::Delete { id, guard } => write::delete(&self.rows, &mut index, id, guard, now),
            Command::Restore {
                id,
                revision,
                guard,
            } => write::restore(&self.rows, &mut index, id, *revision, guard, now),
            Command::Read { id } => read::document(&self.rows, &index, id),
            Command::ReadRevision { id, revision } => {
                read::revision(&self.rows, &index, id, *revision)
            }
            Command::Revisions { id, before, limit } => {
                read::revisions(&self.rows, &index, id, *before, *limit)
            }
            Command::List => read::list(&self.rows, &index),
            Command::Summaries(query) => {
                Ok((Reply::Summaries(index.summaries(query)), String::new()))
            }
            Command::Versions { id, search, access } => {
                read::versions(&index, id, search, access.as_deref())
            }
            Command::Status => read::status(&self.rows, &index),
        };
        // A failed write may have left rows and index apart; the next command reads them anew.
        if answer.is_ok() {
            self.index = Some(index);
        }
        answer
    }
}

/// What a command that can't be carried out answers.
fn refuse(refusal: Refusal) -> Result<(Reply, String), StoreError> {
    Ok((Reply::Refused(refusal), String::new()))
}
