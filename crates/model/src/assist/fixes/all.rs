//! All that needs no decision, mended at once.

use super::{Fix, Subject, TextEdit, Way, of};
use crate::document;
use crate::issue::{Issue, IssueCode};
use crate::ruleset;
use crate::shape::Root;

/// Each fix of a text that is not JSON leads to the next place where it is none. Nobody has written more.
const MOST: usize = 10_000;

/// The text with every fix that needs no decision ([`Way::Plain`]), and how many those were.
#[must_use]
pub fn mended(root: Root, text: &str) -> (String, usize) {
    all(Subject::Document(root), text)
}

/// The same for the definition of a ruleset by itself.
#[must_use]
pub fn definition_mended(text: &str) -> (String, usize) {
    all(Subject::RulesetDefinition, text)
}

fn all(subject: Subject, text: &str) -> (String, usize) {
    let mut text = text.to_owned();
    let mut count = 0_usize;
    while count < MOST {
        let edits = round(subject, &text);
        if edits.is_empty() {
            break;
        }
        count = count.saturating_add(edits.len());
        // From the back, so that the offsets before stay right.
        for edit in edits.iter().rev() {
            if text.get(edit.from..edit.to).is_some() {
                text.replace_range(edit.from..edit.to, &edit.insert);
            }
        }
    }
    (text, count)
}

/// The edits that can be made at once, in ascending order. What overlaps with one of them comes next time.
fn round(subject: Subject, text: &str) -> Vec<TextEdit> {
    let issues = match subject {
        Subject::Document(root) => document::validate(root, text),
        Subject::RulesetDefinition => ruleset::check_definition(text),
    };
    let mut edits: Vec<TextEdit> = Vec::new();
    for issue in issues.iter().filter(|issue| may_be_plain(issue)) {
        let fix = of(subject, text, issue).into_iter().find(is_plain);
        let own = fix.map(|fix| fix.edits).unwrap_or_default();
        let free = |edit: &TextEdit| edits.iter().all(|other| apart(edit, other));
        if own.iter().all(free) {
            edits.extend(own);
        }
    }
    edits.sort_by_key(|edit| edit.from);
    edits
}

fn apart(one: &TextEdit, other: &TextEdit) -> bool {
    one.to < other.from || other.to < one.from
}

/// Whether fixes of its kind are ever plain: others need not be worked out.
fn may_be_plain(issue: &Issue) -> bool {
    matches!(
        issue.code,
        IssueCode::Syntax
            | IssueCode::UnknownMember
            | IssueCode::Type
            | IssueCode::Enum
            | IssueCode::Format
    )
}

fn is_plain(fix: &Fix) -> bool {
    fix.way == Way::Plain
}
