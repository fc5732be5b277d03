//! A line-by-line comparison as it is shown: numbered, with long unchanged stretches folded.

use gatewright_model::lines::LineKind;
use gatewright_model::words::{Stretch, pairs};

/// Unchanged lines shown before and after a change.
const CONTEXT: usize = 3;

/// One line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Whether it is in both texts, only in the first, or only in the second.
    pub kind: LineKind,
    /// Its number in the first text, starting at 1.
    pub before: Option<usize>,
    /// Its number in the second text, starting at 1.
    pub after: Option<usize>,
    /// The line.
    pub text: String,
    /// The line as stretches of equal and different words, if it replaces another line.
    pub words: Vec<Stretch>,
}

/// Consecutive lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Whether it is unchanged and far from any change, and thus hidden until the user unfolds it.
    pub folded: bool,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// Numbers the lines and folds those far from any change.
#[must_use]
pub fn hunks(diff: Vec<(LineKind, String)>) -> Vec<Hunk> {
    let mut lines = number(diff);
    mark(&mut lines);
    let changed: Vec<bool> = lines
        .iter()
        .map(|line| line.kind != LineKind::Same)
        .collect();
    let mut out: Vec<Hunk> = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        let near = index.saturating_sub(CONTEXT)..index.saturating_add(CONTEXT).saturating_add(1);
        let near = near.start..near.end.min(changed.len());
        let folded = !changed.get(near).unwrap_or_default().contains(&true);
        match out.last_mut() {
            Some(hunk) if hunk.folded == folded => hunk.lines.push(line),
            _ => out.push(Hunk {
                folded,
                lines: vec![line],
            }),
        }
    }
    // Folding one or two lines saves nothing.
    for hunk in &mut out {
        hunk.folded = hunk.folded && hunk.lines.len() > 2;
    }
    out
}

fn number(diff: Vec<(LineKind, String)>) -> Vec<Line> {
    let (mut before, mut after) = (0_usize, 0_usize);
    let take = |count: &mut usize| {
        *count = count.saturating_add(1);
        Some(*count)
    };
    let mut line = |(kind, text)| match kind {
        LineKind::Same => Line {
            kind,
            before: take(&mut before),
            after: take(&mut after),
            text,
            words: Vec::new(),
        },
        LineKind::Removed => Line {
            kind,
            before: take(&mut before),
            after: None,
            text,
            words: Vec::new(),
        },
        LineKind::Added => Line {
            kind,
            before: None,
            after: take(&mut after),
            text,
            words: Vec::new(),
        },
    };
    diff.into_iter().map(&mut line).collect()
}

/// Marks the words that differ where lines were replaced by others.
fn mark(lines: &mut [Line]) {
    let same =
        |one: &Line, other: &Line| (one.kind == LineKind::Same) == (other.kind == LineKind::Same);
    for block in lines.chunk_by_mut(same) {
        let of = |kind| {
            let own = block.iter().filter(move |line| line.kind == kind);
            own.map(|line| line.text.as_str()).collect::<Vec<_>>()
        };
        let (removed, added) = pairs(&of(LineKind::Removed), &of(LineKind::Added));
        let (mut removed, mut added) = (removed.into_iter(), added.into_iter());
        for line in block {
            let words = match line.kind {
                LineKind::Same => None,
                LineKind::Removed => removed.next(),
                LineKind::Added => added.next(),
            };
            line.words = words.unwrap_or_default();
        }
    }
}

/// Counts the added and removed lines.
#[must_use]
pub fn counts(hunks: &[Hunk]) -> (usize, usize) {
    let of = |kind| {
        hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .filter(|line| line.kind == kind)
            .count()
    };
    (of(LineKind::Added), of(LineKind::Removed))
}
