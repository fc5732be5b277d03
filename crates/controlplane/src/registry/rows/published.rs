//! The parts of published sets. A row of a Durable Object's SQLite holds at most 2 MB
//! (<https://developers.cloudflare.com/durable-objects/platform/limits/>), so whatever can grow is split into as many
//! rows as it needs.

use super::{Change, Rows};
use gatewright_protocol::error::StoreError;
use std::borrow::Cow;

/// `part` is the part a text belongs to, and `place` its position among the part's texts.
pub(super) const SCHEMA: &[&str] = &["CREATE TABLE IF NOT EXISTS published (
        generation INTEGER NOT NULL, part TEXT NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (generation, part, place)
    )"];

/// The longest text in a row, in bytes.
pub(super) const TEXT_MAX: usize = 1_000_000;

/// Splits a text into pieces that fit into a row each; at least one.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        if text.len() <= TEXT_MAX {
            return Some(text);
        }
        let (piece, left) = text.split_at(text.floor_char_boundary(TEXT_MAX));
        rest = Some(left);
        Some(piece)
    })
}

/// Returns the changes that store a text as a part of a set.
pub fn parts<'a>(generation: u64, part: &'a str, text: &'a str) -> Vec<Change<'a>> {
    let pieces = (0..).zip(pieces(text)).map(|(place, text)| Change::Part {
        generation,
        part,
        place,
        text: Cow::Borrowed(text),
    });
    pieces.collect()
}

impl Rows {
    /// Returns the texts of a part in order.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn part(&self, generation: u64, part: &str) -> Result<Vec<String>, StoreError> {
        let statement =
            "SELECT text FROM published WHERE generation = ? AND part = ? ORDER BY place";
        self.all(statement, &[generation.into(), part.into()], |mut row| {
            row.text()
        })
    }

    pub(super) fn put_part(
        &self,
        generation: u64,
        part: &str,
        place: u64,
        text: &str,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO published (generation, part, place, text) VALUES (?, ?, ?, ?)
             ON CONFLICT (generation, part, place) DO UPDATE SET text = excluded.text",
            &[generation.into(), part.into(), place.into(), text.into()],
        )
    }

    pub(super) fn keep_parts(&self, of: [u64; 2]) -> Result<(), StoreError> {
        let [one, other] = of;
        self.run(
            "DELETE FROM published WHERE generation NOT IN (?, ?)",
            &[one.into(), other.into()],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_split_losslessly() {
        for text in ["", "short", &"\u{20ac}".repeat(700_000)] {
            let found: Vec<&str> = pieces(text).collect();
            assert_eq!(found.concat(), text);
            assert!(found.iter().all(|piece| piece.len() <= TEXT_MAX));
            assert_eq!(found.len(), text.len().div_ceil(TEXT_MAX).max(1));
        }
    }
}
