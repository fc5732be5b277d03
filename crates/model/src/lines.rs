//! Compares two texts line by line, in bounded time.
//!
//! The algorithm is Myers' (An O(ND) Difference Algorithm and Its Variations, 1986): fast when little differs. Its work
//! is capped; two texts with almost nothing in common are shown as one block removed and one block added, which is just
//! as informative.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::json::{is_one_line, laid_out};
use crate::order::firsts;

/// How a line of the comparison relates to the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Both texts have it.
    Same,
    /// Only the new text has it.
    Added,
    /// Only the old text has it.
    Removed,
}

/// Prepares two texts for a comparison read by a person: if either is JSON on one line, both are pretty-printed, so
/// that the difference can be seen.
#[must_use]
pub fn comparable<'t>(before: &'t str, after: &'t str) -> [Cow<'t, str>; 2] {
    let texts = [before, after];
    if !texts.into_iter().any(is_one_line) {
        return texts.map(Cow::Borrowed);
    }
    texts.map(|text| laid_out(text).map_or(Cow::Borrowed(text), Cow::Owned))
}

/// The maximum number of insertions and deletions searched for. The search keeps one row per step, so this bounds its
/// memory to about a million numbers.
const MAX_STEPS: usize = 1000;

/// Merges the lines of both texts into one list: removed lines come before those added in their stead. Lines are split
/// at `\n`; a preceding `\r` is dropped.
#[must_use]
pub fn line_diff(before: &str, after: &str) -> Vec<(LineKind, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()).saturating_sub(head);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let old_end = old.len().saturating_sub(tail);
    let new_end = new.len().saturating_sub(tail);
    let part = |lines: &[&str], from: usize, to: usize, kind| -> Vec<(LineKind, String)> {
        let lines = lines.get(from..to).unwrap_or_default();
        lines
            .iter()
            .map(|line| (kind, (*line).to_owned()))
            .collect()
    };
    let (a, b) = numbered(
        old.get(head..old_end).unwrap_or_default(),
        new.get(head..new_end).unwrap_or_default(),
    );
    let mut result = part(&old, 0, head, LineKind::Same);
    match matches(&a, &b) {
        None => {
            result.extend(part(&old, head, old_end, LineKind::Removed));
            result.extend(part(&new, head, new_end, LineKind::Added));
        }
        Some(pairs) => {
            let (mut x, mut y) = (head, head);
            for (i, j) in pairs {
                let (i, j) = (i.saturating_add(head), j.saturating_add(head));
                result.extend(part(&old, x, i, LineKind::Removed));
                result.extend(part(&new, y, j, LineKind::Added));
                result.extend(part(&old, i, i.saturating_add(1), LineKind::Same));
                (x, y) = (i.saturating_add(1), j.saturating_add(1));
            }
            result.extend(part(&old, x, old_end, LineKind::Removed));
            result.extend(part(&new, y, new_end, LineKind::Added));
        }
    }
    result.extend(part(&old, old_end, old.len(), LineKind::Same));
    result
}

/// Maps equal lines to equal numbers, so that comparing two is one step.
pub(crate) fn numbered(old: &[&str], new: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let all: Vec<&str> = old.iter().chain(new).copied().collect();
    let mut numbers = firsts(&all);
    let new = numbers.split_off(old.len());
    (numbers, new)
}

/// Returns the index pairs of unchanged lines, ascending in both texts; `None` if more than [`MAX_STEPS`] differ.
pub(crate) fn matches(a: &[usize], b: &[usize]) -> Option<Vec<(usize, usize)>> {
    let cap = a.len().saturating_add(b.len()).min(MAX_STEPS);
    // Row d holds, for the diagonals -d, -d+2, …, d, how far `a` has been consumed after d steps.
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for steps in 0..=cap {
        let mut row = Vec::with_capacity(steps.saturating_add(1));
        for diagonal in 0..=steps {
            let (from, _) = furthest(rows.last().map_or(&[], Vec::as_slice), diagonal, steps);
            let x = slide(a, b, from, diagonal, steps);
            row.push(x);
            let y = other(x, diagonal, steps);
            if x >= a.len() && y >= b.len() {
                rows.push(row);
                return Some(backtrack(&rows, a.len(), diagonal));
            }
        }
        rows.push(row);
    }
    None
}

/// Returns where a path starts on the diagonal of this number (k = 2·diagonal − steps), and whether it came down, by an
/// insertion, from the diagonal above.
fn furthest(previous: &[usize], diagonal: usize, steps: usize) -> (usize, bool) {
    if steps == 0 {
        return (0, false);
    }
    let down = previous.get(diagonal).copied();
    let right = diagonal
        .checked_sub(1)
        .and_then(|left| previous.get(left))
        .map(|x| x.saturating_add(1));
    match (down, right) {
        (Some(down), Some(right)) if down >= right => (down, true),
        (Some(down), None) => (down, true),
        (_, Some(right)) => (right, false),
        (None, None) => (0, false),
    }
}

/// Returns `y` on that diagonal: x − k, with k = 2·diagonal − steps.
fn other(x: usize, diagonal: usize, steps: usize) -> usize {
    x.saturating_add(steps)
        .saturating_sub(diagonal.saturating_mul(2))
}

/// Follows equal lines as far as possible. A start outside the texts is returned unchanged.
fn slide(a: &[usize], b: &[usize], from: usize, diagonal: usize, steps: usize) -> usize {
    let y = other(from, diagonal, steps);
    let (a, b) = (
        a.get(from..).unwrap_or_default(),
        b.get(y..).unwrap_or_default(),
    );
    from.saturating_add(a.iter().zip(b).take_while(|(a, b)| a == b).count())
}

/// Walks back from the end of both texts and collects the equal lines on the path.
fn backtrack(rows: &[Vec<usize>], end: usize, diagonal: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut x, mut diagonal) = (end, diagonal);
    for steps in (0..rows.len()).rev() {
        let previous = steps
            .checked_sub(1)
            .and_then(|index| rows.get(index))
            .map_or(&[][..], Vec::as_slice);
        let (from, down) = furthest(previous, diagonal, steps);
        while x > from {
            x = x.saturating_sub(1);
            pairs.push((x, other(x, diagonal, steps)));
        }
        if steps > 0 && !down {
            x = x.saturating_sub(1);
            diagonal = diagonal.saturating_sub(1);
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_line_text_is_formatted_before_comparing() {
        let laid_out = "{\n  \"a\": 1\n}";
        let [before, after] = comparable("{\"a\":1}", "{\n \"a\":2}\n");
        assert_eq!((&*before, &*after), (laid_out, "{\n  \"a\": 2\n}\n"));
        let texts = ["{\n\"a\":1}", "{ \n\"a\":2}"];
        assert_eq!(comparable(texts[0], texts[1]), texts);
        assert_eq!(comparable("{\"a\":1}", ""), [laid_out, ""]);
    }

    fn show(before: &str, after: &str) -> String {
        let result = line_diff(before, after);
        let sign = |kind| match kind {
            LineKind::Same => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        };
        result
            .into_iter()
            .map(|(kind, line)| format!("{}{line}", sign(kind)))
            .collect::<Vec<_>>()
            .join("|")
    }

    fn side(diff: &[(LineKind, String)], left_out: LineKind) -> Vec<&str> {
        diff.iter()
            .filter(|(kind, _)| *kind != left_out)
            .map(|(_, line)| line.as_str())
            .collect()
    }

    #[test]
    fn differences_are_minimal() {
        assert_eq!(show("a\nb\nc", "a\nb\nc"), " a| b| c");
        assert_eq!(show("a\nb\nc", "a\nx\nc"), " a|-b|+x| c");
        assert_eq!(show("", "a"), "+a");
        assert_eq!(show("a\r\nb", ""), "-a|-b");
        assert_eq!(
            show("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc"),
            "-a|-b| c|+b| a| b|-b| a|+c"
        );
        assert_eq!(show("a\na\nb", "a\nb"), " a|-a| b");
    }

    #[test]
    fn both_texts_can_be_read_from_the_comparison() {
        // A small pseudorandom generator (LCG), so that the same texts are compared everywhere.
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let mut text =
                |length: u64| (0..length).map(|_| next(4).to_string()).collect::<Vec<_>>();
            let (old, new) = (text(12), text(9));
            let diff = line_diff(&old.join("\n"), &new.join("\n"));
            assert_eq!(side(&diff, LineKind::Added), old);
            assert_eq!(side(&diff, LineKind::Removed), new);
        }
    }

    #[test]
    fn texts_with_nothing_in_common_are_two_blocks() {
        let many = |letter: char| {
            (0..5000)
                .map(|line| format!("{letter}{line}"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (old, new) = (many('a'), many('b'));
        let diff = line_diff(&old, &new);
        assert_eq!(diff.len(), 10_000);
        assert!(
            diff[..5000]
                .iter()
                .all(|(kind, _)| *kind == LineKind::Removed)
        );
    }
}
