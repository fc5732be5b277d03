//! Applies all fixes that need no decision at once.
//!
//! A text with thousands of problems is read a few times, not once for each: a text that is not JSON is fixed from
//! start to end, and in JSON, all fixes that don't touch each other are applied in one pass.

use std::collections::BTreeMap;

use super::embedded::{self, Inner};
use super::place::Place;
use super::{Content, Fix, Fixer, TextEdit, Way, span_of, syntax};
use crate::document;
use crate::findings::Findings;
use crate::form::Subject;
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::{LineIndex, Span, Value, parse_into};
use crate::openapi;
use crate::ruleset;
use crate::shape::Root;

/// The maximum number of fixes. Each fix of a text that is not JSON leads to the next syntax error; nobody has typed
/// more than this many.
const MOST: usize = 10_000;

/// Applies every fix that needs no decision ([`Way::Plain`]), and returns the text and the number of fixes.
#[must_use]
pub fn fix_all(subject: impl Into<Subject>, text: &str) -> (String, usize) {
    all(Content::Document(subject.into()), text)
}

/// Like [`fix_all`], for the definition of a ruleset by itself.
#[must_use]
pub fn fix_definition(text: &str) -> (String, usize) {
    all(Content::RulesetDefinition, text)
}

fn all(content: Content, text: &str) -> (String, usize) {
    let (mut text, mut count) = written(text);
    while count < MOST {
        let (edits, fixes) = round(content, &text);
        if fixes == 0 {
            break;
        }
        count = count.saturating_add(fixes);
        text = applied(&text, &edits);
    }
    if content == Content::Document(Subject::Table(Root::Ruleset))
        && let Some((fixed, inside)) = embedded::fix_all(&text)
    {
        (text, count) = (fixed, count.saturating_add(inside));
    }
    (text, count)
}

/// Turns a text into JSON, as far as that needs no decision. The text before a fixed error is valid JSON, so from then
/// on it is represented by a few characters that lead to the same parser state and isn't read again.
fn written(text: &str) -> (String, usize) {
    let mut done = String::new();
    let mut rest = text.to_owned();
    // The length of the characters that represent `done`.
    let mut lead = 0_usize;
    let mut count = 0_usize;
    while count < MOST {
        let Err(stop) = read(&rest) else { break };
        let Some(fix) = syntax::fixes(&rest, stop).into_iter().find(is_plain) else {
            break;
        };
        count = count.saturating_add(1);
        let from = fix.edits.first().map_or(0, |edit| edit.from);
        let before = |end: usize| rest.get(..end).unwrap_or_default();
        let mut place = Place::behind(before(from));
        if let Some(begin) = place.string {
            place = Place::behind(before(begin));
        }
        // The comma may turn out to be superfluous.
        if let Some(shorter) = before(place.behind).strip_suffix(',') {
            place = Place::behind(shorter);
        }
        let fixed = applied(&rest, &fix.edits);
        let Some(fine) = rest.get(lead..place.behind) else {
            rest = fixed;
            continue;
        };
        done.push_str(fine);
        let new = place.lead();
        lead = new.len();
        rest = new + fixed.get(place.behind..).unwrap_or_default();
    }
    done.push_str(rest.get(lead..).unwrap_or_default());
    (done, count)
}

/// Returns the edits that can be applied at once, in ascending order, and the number of fixes they belong to. Fixes
/// that touch one of them are left for the next round.
fn round(content: Content, text: &str) -> (Vec<TextEdit>, usize) {
    let mut edits = BTreeMap::new();
    let mut fixes = 0_usize;
    let Ok(value) = read(text) else {
        return (Vec::new(), fixes);
    };
    let index = LineIndex::new(text);
    for issue in found(content, text, &value) {
        let own = plain(content, text, &value, &issue, &index);
        if !own.is_empty() && own.iter().all(|edit| is_free(&edits, edit)) {
            fixes = fixes.saturating_add(1);
            edits.extend(own.into_iter().map(|edit| (edit.from, edit)));
        }
    }
    (edits.into_values().collect(), fixes)
}

/// Returns the issues of those codes that have plain fixes; others would use up the limited list.
fn found(content: Content, text: &str, value: &Value<'_>) -> Vec<Issue> {
    const CODES: &[IssueCode] = &[
        IssueCode::UnknownMember,
        IssueCode::Type,
        IssueCode::Enum,
        IssueCode::Format,
    ];
    #[cfg(test)]
    work::count(text.len());
    let mut findings = Findings::only(CODES, Severity::Error);
    match content {
        Content::Document(Subject::Table(root)) => {
            document::check_into(root, text, value, &mut findings);
        }
        Content::Document(Subject::OpenApi(kind)) => {
            let mut issues = openapi::problems(text, kind);
            issues.retain(|issue| CODES.contains(&issue.code));
            return issues;
        }
        Content::RulesetDefinition => ruleset::check_into(value, &mut findings),
    }
    findings.into_issues(text)
}

/// Parses a text, or returns the span of the first error.
fn read(text: &str) -> Result<Value<'_>, Span> {
    let mut findings = Findings::default();
    let value = parse_into(text, &mut findings);
    let stop = findings.first_span().unwrap_or_default();
    #[cfg(test)]
    work::count(match value {
        Some(_) => text.len(),
        None => stop.end,
    });
    value.ok_or(stop)
}

/// Returns the edits of an issue's fix, if it has one that needs no decision. Issues of an embedded text are fixed
/// separately.
fn plain(
    content: Content,
    text: &str,
    value: &Value<'_>,
    issue: &Issue,
    index: &LineIndex<'_>,
) -> Vec<TextEdit> {
    let fixes = || {
        let span = span_of(index, issue);
        if Inner::at(content, text, value, issue, span).is_some() {
            return None;
        }
        let fixer = Fixer::new(content, text, value, issue, span)?;
        match issue.code {
            IssueCode::UnknownMember => Some(fixer.renamed()),
            IssueCode::Type => Some(fixer.converted()),
            IssueCode::Enum => Some(fixer.listed()),
            IssueCode::Format => Some(fixer.format()),
            _ => None,
        }
    };
    let fix = fixes().and_then(|fixes| fixes.into_iter().find(is_plain));
    fix.map(|fix| fix.edits).unwrap_or_default()
}

/// Whether an edit touches none of the others.
fn is_free(edits: &BTreeMap<usize, TextEdit>, edit: &TextEdit) -> bool {
    let before = edits.range(..=edit.to).next_back();
    before.is_none_or(|(_, before)| before.to < edit.from)
}

/// Applies edits that are in ascending order and don't overlap.
fn applied(text: &str, edits: &[TextEdit]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        new.push_str(text.get(at..edit.from).unwrap_or_default());
        new.push_str(&edit.insert);
        at = edit.to;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

fn is_plain(fix: &Fix) -> bool {
    fix.way == Way::Plain
}

/// Counts the bytes read, for tests that measure work instead of time.
#[cfg(test)]
pub(in crate::assist) mod work {
    use std::cell::Cell;

    thread_local! {
        static READ: Cell<usize> = const { Cell::new(0) };
    }

    pub(in crate::assist) fn count(bytes: usize) {
        READ.set(READ.get() + bytes);
    }

    /// Returns the number of bytes read since the last call.
    pub(in crate::assist) fn take_count() -> usize {
        READ.take()
    }
}
